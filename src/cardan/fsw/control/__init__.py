"""From an error to a force or torque."""
