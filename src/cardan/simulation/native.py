"""The compiled core, built once and kept on disk like every entry."""

from functools import cache
from typing import Any

import numpy as np

from cardan.native.compilation import Compilation
from cardan.native.entry import kernel_compilation
from cardan.native.pointers import WORD
from cardan.native.python_entry import CALLBACK
from cardan.simulation import core, core_entry
from cardan.simulation.core_entry import advance_with


@cache
def core_compilation() -> Compilation:
    """What makes the core native code."""
    return kernel_compilation("core", advance_with)


@cache
def _native_advance() -> Any:
    """`core_loop.advance` as native code, without the GIL."""
    return CALLBACK(core_compilation().compile())


class CoreCall:
    """`core_loop.advance` for one arena and one plan, with all that it is given laid ready.

    Attributes:
        pace: [ns] where to pause, after how many steps, and whether ticks wait; read while the core is at work.
    """

    def __init__(self, arena: np.ndarray, plan: core.Plan, method: core.Method) -> None:
        self.pace = np.zeros(3, np.int64)
        self._entry = _native_advance()
        self._keep = [arena, plan, method]
        ints = arena.view(np.int64)
        given = (arena, ints, *plan, *method, *(None for _ in core.Recorder._fields), 0, self.pace)
        self._slots = slots(given)
        self._at = self._slots.ctypes.data
        self._until = self._slots[core_entry.TIMES]
        self._recorder: core.Recorder | None = None

    @property
    def address(self) -> int:
        """Where what the core is given lies."""
        return self._at

    @property
    def until_address(self) -> int:
        """Where the time that it goes to [ns] lies."""
        return self._at + WORD * core_entry.SLOT * core_entry.TIMES

    def take(self, recorder: core.Recorder) -> None:
        """Let samples go to `recorder`."""
        if recorder is not self._recorder:
            self._slots[core_entry.RECORDER : core_entry.TIMES] = slots(recorder)
            self._recorder = recorder

    def __call__(self, until: int) -> int:
        """Advance to `until` [ns] at the most; returns one of the codes of `core`."""
        self._until[0] = until
        code: int = self._entry(0.0, self._at)
        return code


def slots(values: tuple[Any, ...]) -> np.ndarray:
    """(n, 3) What stands for each value in the row that `core_entry` describes; None for what comes later."""
    return np.array([_slot(value) for value in values], np.int64).reshape(-1, core_entry.SLOT)


def _slot(value: Any) -> tuple[int, int, int]:
    if value is None:
        return 0, 0, 0
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous
        rows, columns = value.shape if value.ndim == 2 else (len(value), 1)
        return value.ctypes.data, rows, columns
    return int(np.float64(value).view(np.int64)) if isinstance(value, float) else int(value), 0, 0
