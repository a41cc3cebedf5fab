"""Bodies and structures that move."""
