"""Robots in scenarios: tasks that read the motion of base and joints, and command rates or torques of the joints."""
