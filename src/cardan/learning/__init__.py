"""Learning to fly: scenarios as environments, learners, and policies that are tasks."""
