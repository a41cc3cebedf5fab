"""The compiled core, built once and kept on disk like every entry."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np

from cardan.native import pointers
from cardan.native.cache import load_module
from cardan.native.compiling import jit_enabled, register_helpers
from cardan.native.fingerprint import fingerprint
from cardan.simulation import core

_SOURCE = '''"""The native core. Generated: it can be deleted, it will be written again."""

from numba import njit


@njit(SIGNATURE, nogil=True, cache=True, error_model="numpy")
def run(arena, ints, plan, method, recorder, until, pause_at, budget):
    return advance(arena, ints, plan, method, recorder, until, pause_at, budget)
'''


@cache
def native_advance() -> Callable[..., int]:
    """`core.advance` as native code."""
    key = fingerprint(core.advance, text=_SOURCE + inspect.getsource(pointers) + inspect.getsource(core))

    def namespace() -> dict[str, Any]:
        register_helpers(_wrapper)
        return {"advance": core.advance, "SIGNATURE": _signature()}

    with jit_enabled():
        run: Callable[..., int] = load_module("core", key, _SOURCE, namespace).run
    return run


def _wrapper() -> None:
    core.advance  # noqa: B018 - named here so that it is found as a helper


def _signature() -> tuple[Any, ...]:
    """The types that `advance` is called with."""
    table = np.zeros((1, 2), np.int64)
    numbers = np.zeros(1)
    plan = core.Plan(table, table, table, table, table, table, table, 0, 0, 0, 0, 0, 0, 0)
    matrix = np.zeros((1, 1))
    method = core.Method(matrix, numbers, numbers, numbers, numbers, True, True, 0, 0, 0.0, 0.0, 0.0, 0)
    recorder = core.Recorder(np.zeros(1, np.int64), table)
    values = (numbers, np.zeros(1, np.int64), plan, method, recorder, 0, 0, 0)
    return tuple(numba.typeof(value) for value in values)
