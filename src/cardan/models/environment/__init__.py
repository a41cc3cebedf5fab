"""What surrounds a spacecraft: gravity and the bodies that cause it."""
