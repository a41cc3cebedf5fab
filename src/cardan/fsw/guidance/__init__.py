"""Where the vehicle should point, and how far it is from there."""
