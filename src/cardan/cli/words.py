"""What all commands share: options, exit codes, paths, and how errors and JSON are written."""

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

_LONGEST_SHOWN = 60  # letters of a word that an error repeats
FAILED, USAGE, INTERRUPTED = 1, 2, 130  # exit codes; 0 is success


def a_path(text: str) -> Path:
    """A path from the command line; an empty one, as of a shell's variable that is not set, would be this folder."""
    if not text:
        raise typer.BadParameter("the path is empty.")
    return Path(text)


Json = Annotated[bool, typer.Option("--json", help="Write JSON, for scripts.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A mission; `cardan list` shows them.")]


def fail(error: Exception, code: int) -> NoReturn:
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(code)


def short(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def print_json(value: Any) -> None:
    print(json.dumps(_finite(value), indent=2, allow_nan=False))


def _finite(value: Any) -> Any:
    """`value` with null for numbers that JSON does not have; `<name>_note` then says what `<name>` was."""
    if isinstance(value, dict):
        result = {}
        for name, inner in value.items():
            result[name] = _finite(inner)
            lost = list(_not_finite(inner))
            if lost:
                more = f" and {len(lost) - 3} more" if len(lost) > 3 else ""
                result[f"{name}_note"] = ", ".join(lost[:3]) + more
        return result
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _not_finite(value: Any, place: str = "") -> Iterator[str]:
    """`nan`, or `nan at [2][0]` within lists."""
    if isinstance(value, list | tuple):
        for i, inner in enumerate(value):
            yield from _not_finite(inner, f"{place}[{i}]")
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{value} at {place}" if place else str(value)
