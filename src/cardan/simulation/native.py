"""The compiled core, built once and kept on disk like every entry."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from cardan.native.compilation import Compilation
from cardan.native.entry import kernel_compilation
from cardan.native.python_entry import CALLBACK
from cardan.simulation import core
from cardan.simulation.core_entry import advance_with


@cache
def core_compilation() -> Compilation:
    """What makes the core native code."""
    return kernel_compilation("core", advance_with)


@cache
def native_advance() -> Callable[..., int]:
    """`core.advance` as native code, without the GIL."""
    entry = CALLBACK(core_compilation().compile())

    def advance(
        arena: np.ndarray,
        ints: np.ndarray,
        plan: core.Plan,
        method: core.Method,
        recorder: core.Recorder,
        until: int,
        pace: np.ndarray,
    ) -> int:
        given = (arena, ints, *plan, *method, *recorder, until, pace)
        slots = np.array([_slot(value) for value in given])
        return int(entry(0.0, slots.ctypes.data))

    return advance


def _slot(value: Any) -> tuple[int, int, int]:
    """What stands for a value in the row that `core_entry` describes."""
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        rows, columns = value.shape if value.ndim == 2 else (len(value), 1)
        return value.ctypes.data, rows, columns
    return int(np.float64(value).view(np.int64)) if isinstance(value, float) else int(value), 0, 0
