"""What drives joints, continuously."""
