"""Numba with Cardan's settings: no `fastmath`, NumPy's rules for division, helpers found by themselves."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.core import config
from numba.extending import overload

# compiled forms of functions whose Python would be slow, or no Python at all
import cardan.native.choosing
import cardan.native.elementary
import cardan.native.sums  # noqa: F401
from cardan.maths.choosing import choose
from cardan.maths.random import normal_if
from cardan.maths.stacks import kernel_of
from cardan.maths.sums import total
from cardan.native.fingerprint import helpers_of

_registered: set[Any] = {choose, normal_if, total}  # which have compiled forms of their own


def jitted(function: Callable[..., Any]) -> Any:
    """`function` compiled on its first call, without holding the GIL."""
    register_helpers(function)
    return numba.njit(nogil=True, error_model="numpy")(function)


def register_helpers(*functions: Callable[..., Any]) -> None:
    """Let compiled code call the plain Python functions that `functions` use; in Python they stay what they are."""
    for helper in helpers_of(*functions):
        if helper not in _registered:
            _registered.add(helper)
            overload(helper, jit_options={"error_model": "numpy"}, strict=False)(_gives(kernel_of(helper)))


def _gives(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **named: function


@contextmanager
def jit_enabled() -> Iterator[None]:
    """Compile even under NUMBA_DISABLE_JIT=1, which is about parts, not about the core that runs them."""
    before = config.DISABLE_JIT
    config.DISABLE_JIT = 0
    try:
        yield
    finally:
        config.DISABLE_JIT = before
