"""What drives joints and pushes bodies, continuously."""
