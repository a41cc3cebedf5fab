"""From a force or torque to commands of actuators."""
