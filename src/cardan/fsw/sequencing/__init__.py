"""What happens after what."""
