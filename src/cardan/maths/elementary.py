"""Elementary functions: those of the C library, which give the same bits in plain Python and in native code.

NumPy has functions of its own for some processors, chosen when it starts: where there is AVX-512, its `tan`, `exp` or
`log` differ in the last digit from what compiled code calls, elsewhere they do not, and another version may choose
otherwise. Here both worlds call one function at one address. To LLVM it is unknown, so that nothing folds it, rewrites
it (`power(x, 2.0)` to a product), or puts a function for whole registers in its place.

`sin_cos` is our own, by sums and products: eight runs side by side can compute it at once.

All take numbers or arrays, of which they make float64, and broadcast. What is not defined is nan, what is too large is
inf, without exceptions or warnings. `np.sqrt` is not among them: it is exact, and so the same everywhere.
"""

import ctypes
import sys
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import numpy as np

from cardan.maths.loops import mapped
from cardan.maths.sine_cosine import LARGEST, near_sin_cos

_LIBRARY = ctypes.PyDLL("ucrtbase" if sys.platform == "win32" else None)
_NUMBER = ctypes.c_double

Function = Callable[..., Any]

FUNCTIONS: list[Function] = []
"""All of them but `sin_cos`, each with its `address` in this process."""


def _library(name: str) -> Callable[[Function], Function]:
    """Let the decorated function, of which only the declaration counts, be the one of this name in the C library."""

    def make(declared: Function) -> Function:
        takes = declared.__code__.co_argcount
        call = ctypes.PYFUNCTYPE(_NUMBER, *(_NUMBER,) * takes)((name, _LIBRARY))
        address = ctypes.cast(call, ctypes.c_void_p).value
        assert address is not None
        function = update_wrapper((_of_one if takes == 1 else _of_two)(call, mapped(address, takes)), declared)
        function.address = address  # type: ignore[attr-defined]
        FUNCTIONS.append(function)
        return function

    return make


def _of_one(call: Callable[[float], float], on_arrays: Function) -> Function:
    def function(x: Any) -> Any:
        if isinstance(x, float):
            return np.float64(call(x))
        values = np.asarray(x, dtype=np.float64)
        if values.ndim == 0:
            return np.float64(call(float(values)))
        return on_arrays(values)

    return function


def _of_two(call: Callable[[float, float], float], on_arrays: Function) -> Function:
    def function(x: Any, y: Any) -> Any:
        first, second = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        if first.ndim == 0:
            return np.float64(call(float(first), float(second)))
        return on_arrays(first, second)

    return function


# ---- angles --------------------------------------------------------------------------------------------------------


@_library("sin")
def sin(x: Any) -> Any:
    """[-] Sine of an angle [rad]."""


@_library("cos")
def cos(x: Any) -> Any:
    """[-] Cosine of an angle [rad]."""


@_library("tan")
def tan(x: Any) -> Any:
    """[-] Tangent of an angle [rad]."""


@_library("asin")
def arcsin(x: Any) -> Any:
    """[rad] The angle from -pi/2 to pi/2 with this sine."""


@_library("acos")
def arccos(x: Any) -> Any:
    """[rad] The angle from 0 to pi with this cosine."""


@_library("atan")
def arctan(x: Any) -> Any:
    """[rad] The angle from -pi/2 to pi/2 with this tangent."""


@_library("atan2")
def arctan2(y: Any, x: Any) -> Any:
    """[rad] The angle from -pi to pi of the direction (x, y)."""


@_library("hypot")
def hypot(x: Any, y: Any) -> Any:
    """The root of x^2 + y^2, in the unit of both."""


# ---- hyperbolas ----------------------------------------------------------------------------------------------------


@_library("sinh")
def sinh(x: Any) -> Any:
    """Hyperbolic sine."""


@_library("cosh")
def cosh(x: Any) -> Any:
    """Hyperbolic cosine."""


@_library("tanh")
def tanh(x: Any) -> Any:
    """Hyperbolic tangent."""


@_library("asinh")
def arcsinh(x: Any) -> Any:
    """The inverse of `sinh`."""


@_library("acosh")
def arccosh(x: Any) -> Any:
    """The inverse of `cosh`, not negative."""


@_library("atanh")
def arctanh(x: Any) -> Any:
    """The inverse of `tanh`."""


# ---- powers and logarithms -----------------------------------------------------------------------------------------


@_library("exp")
def exp(x: Any) -> Any:
    """E to the x."""


@_library("exp2")
def exp2(x: Any) -> Any:
    """2 to the x."""


@_library("expm1")
def expm1(x: Any) -> Any:
    """E to the x, less 1: accurate where x is small."""


@_library("log")
def log(x: Any) -> Any:
    """Natural logarithm."""


@_library("log2")
def log2(x: Any) -> Any:
    """Logarithm to the base 2."""


@_library("log10")
def log10(x: Any) -> Any:
    """Logarithm to the base 10."""


@_library("log1p")
def log1p(x: Any) -> Any:
    """Natural logarithm of 1 + x: accurate where x is small."""


@_library("pow")
def power(x: Any, y: Any) -> Any:
    """X to the y. For a square write `x * x`, which costs less and is rounded once."""


@_library("cbrt")
def cbrt(x: Any) -> Any:
    """Cube root, of negative numbers too."""


# ---- sine and cosine at once ---------------------------------------------------------------------------------------


def sin_cos(x: Any) -> tuple[Any, Any]:
    """[-] Sine and cosine of an angle [rad], for little more than the cost of one; see `sine_cosine`.

    Angles beyond 2^28 rad go to the C library.
    """
    values = np.asarray(x, dtype=np.float64)
    is_near = np.abs(values) <= LARGEST
    sines, cosines = near_sin_cos(np.where(is_near, values, 0.0)[()])
    if is_near.all():
        return sines, cosines
    return np.where(is_near, sines, sin(values))[()], np.where(is_near, cosines, cos(values))[()]
