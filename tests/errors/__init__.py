"""Every error, triggered as a user would, and its text word for word."""
