"""The vehicles of the missions, as MJCF files."""

from pathlib import Path


def vehicle(file: str) -> Path:
    """Where the file of a vehicle lies."""
    return Path(__file__).parent / file
