"""What has failed, and what to do about it."""
