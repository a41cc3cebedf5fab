"""Where the vehicle believes it is."""
