"""What pushes and turns."""
