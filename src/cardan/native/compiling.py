"""Numba with Cardan's settings: no `fastmath`, NumPy's rules for division, helpers found by themselves.

Parts, and the helpers that they call, are compiled with checks: indices within bounds, and what `strict.py` refuses.
The core, the services and what they are made of go without: tests run them with checks.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core import config
from numba.extending import overload

# compiled forms of functions whose Python would be slow, or no Python at all
import cardan.native.choosing
import cardan.native.elementary
import cardan.native.packing
import cardan.native.rows
import cardan.native.sums  # noqa: F401
from cardan.maths.choosing import choose
from cardan.maths.packing import numbers_of, with_numbers
from cardan.maths.random import normal_if
from cardan.maths.rows import by_rows, by_rows_if
from cardan.maths.stacks import kernel_of
from cardan.maths.sums import total
from cardan.native.fingerprint import helpers_of, overloads_of
from cardan.native.strict import StrictCompiler
from cardan.native.whole_numbers import is_truth, is_whole

# functions that have compiled forms of their own
_registered: set[Any] = {
    by_rows, by_rows_if, choose, normal_if, numbers_of, total, with_numbers, is_truth, is_whole,
}  # fmt: skip
_CHECKED = {"boundscheck": True, "pipeline_class": StrictCompiler}
_UNCHECKED = tuple(f"cardan.{room}." for room in ("native", "mechanism", "dynamics", "simulation", "robotics", "mpc"))


def jitted(function: Callable[..., Any]) -> Any:
    """`function` compiled on its first call, without holding the GIL."""
    register_helpers(function)
    return numba.njit(nogil=True, error_model="numpy", **_checks(function))(function)


def register_helpers(*functions: Callable[..., Any]) -> None:
    """Let compiled code call the plain Python functions that `functions` use; in Python they stay what they are."""
    for helper in helpers_of(*functions):
        if helper not in _registered and not overloads_of(helper):
            _registered.add(helper)
            options = {"error_model": "numpy"} | _checks(helper)
            overload(helper, jit_options=options, strict=False)(_gives(kernel_of(helper)))


def _gives(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **named: function


def _checks(function: Callable[..., Any]) -> dict[str, Any]:
    """How a function is checked; the tasks of `cardan.robotics` and `cardan.mpc` are parts like any other."""
    module = f"{function.__module__}."
    is_proven = module.startswith(_UNCHECKED) and ".tasks." not in module
    return {} if is_proven else _CHECKED


@contextmanager
def jit_enabled() -> Iterator[None]:
    """Compile even under NUMBA_DISABLE_JIT=1, which is about parts, not about the core that runs them."""
    before = config.DISABLE_JIT
    config.DISABLE_JIT = 0
    try:
        yield
    finally:
        config.DISABLE_JIT = before
