"""From a thrust direction to the steps of a gimbal's motors."""
