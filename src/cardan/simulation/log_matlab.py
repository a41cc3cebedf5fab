"""Logs as MATLAB files: a struct for each part, with a struct for each port, with its fields; time comes first.

    load("run.mat"); plot(t, ctl.torque.torque_B)

Where ports were recorded at times of their own, these are `t_2`, `t_3` and so on.

MATLAB's names have letters, digits and underscores. A name that has more is changed, no two to the same one; `fields`
lists for every field its path, where it is found, its unit, its frame and its times. `about` is the description of the
run, in JSON (`jsondecode(about)`).
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from cardan.simulation.log import FieldLog, Log
from cardan.simulation.log_names import printable

_OURS = ("fields", "about")
_COMPRESSED = 1 << 24  # [bytes] of one part: SciPy compresses it as a whole, in memory
_LONGEST = 63  # of a name: MATLAB's namelengthmax
_VALID = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
# fmt: off
_KEYWORDS = frozenset((
    "break", "case", "catch", "classdef", "continue", "else", "elseif", "end", "for", "function", "global", "if",
    "otherwise", "parfor", "persistent", "return", "spmd", "switch", "try", "while",
))
# fmt: on
_LISTED = [(column, object) for column in ("path", "name", "unit", "frame", "time")]


class _Samples:
    """A field that becomes an array when it is its turn to be written, and lasts no longer."""

    def __init__(self, field: FieldLog) -> None:
        self._field = field

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self._field.rows(0, len(self._field)), dtype=dtype)


def write_matlab(log: Log, path: Path) -> None:
    """Write `log` to a new file at `path`."""
    import scipy.io as io  # slow to import, and few logs need it

    # the part's name may have dots, as `bus.com` has
    places = [tuple(field.path.rsplit(".", 2)) for field in log.fields()]
    times = {name: name.replace("time", "t") for name in log.axes}
    parts = matlab_names((part for part, _, _ in places), (*times.values(), *_OURS))
    ports = {part: matlab_names(port for other, port, _ in places if other == part) for part in parts}
    names = {(a, b): matlab_names(name for *others, name in places if others == [a, b]) for a, b, _ in places}
    tree: dict[str, Any] = {}
    listed = []
    for field, (part, port, name) in zip(log.fields(), places, strict=True):
        at = (parts[part], ports[part][port], names[part, port][name])
        tree.setdefault(at[0], {}).setdefault(at[1], {})[at[2]] = _Samples(field)
        listed.append((printable(field.path), ".".join(at), field.unit, field.frame, times[log.axis(field)]))
    head: dict[str, Any] = {times[name]: _Samples(axis) for name, axis in log.axes.items()}
    head |= {"fields": np.array(listed, dtype=_LISTED).reshape(-1, 1), "about": json.dumps(log.about)}
    sizes = {
        part: sum(field.nbytes for field, at in zip(log.fields(), places, strict=True) if at[0] == part)
        for part in parts
    }
    is_small = max(sizes.values(), default=0) <= _COMPRESSED
    try:
        io.savemat(path, head | tree, appendmat=False, long_field_names=True, do_compression=is_small, oned_as="column")
    except io.matlab.MatWriteError as error:
        raise OSError(f"{error}; .nc and .parquet have no such limit") from error


def matlab_names(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """For each of `names` one that MATLAB takes, no two the same and none of `taken`; one that it takes stays."""
    used, chosen = set(taken), {}
    for name in sorted(dict.fromkeys(names), key=lambda name: _changed(name) != name):
        new, number = _changed(name), 1
        while new in used:
            number += 1
            tail = f"_{number}"
            new = _changed(name)[: _LONGEST - len(tail)] + tail
        used.add(new)
        chosen[name] = new
    return chosen


def _changed(name: str) -> str:
    """`name` as MATLAB's own `makeValidName` would change it, more or less."""
    new = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if not _VALID.fullmatch(new) or new in _KEYWORDS:
        new = f"x{new}"
    return new[:_LONGEST]
