"""What must be fast, measured as ratios in one run: `make bench`."""
