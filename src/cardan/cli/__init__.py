"""The command line: `cardan list`, `info`, `run`, `view`, `study` and `compare`."""

from cardan.cli.program import main

__all__ = ["main"]
