"""The elementary functions of `cardan.maths` as compiled code: calls of the addresses that plain Python calls.

LLVM is given names that mean nothing to it, so that it calls the functions and does nothing else with them. It is told
that they only compute, so that what is asked twice is computed once. Importing this module is enough.
"""

# mypy: disable-error-code="no-untyped-def"

from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import overload, register_jitable

from cardan.maths.elementary import FUNCTIONS, cos, sin, sin_cos
from cardan.maths.sine_cosine import LARGEST, SMALLEST, difference, near_sin_cos, of_small_angle
from cardan.native.forms import compiled_as

_NUMBER = ir.DoubleType()


def _calls(symbol: str, takes: int) -> Callable[..., Any]:
    """Instructions that call the function `symbol` of as many numbers."""

    def instructions(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_NUMBER, [_NUMBER] * takes)
        function = cgutils.get_or_insert_function(builder.module, kind, symbol)
        function.attributes.add("readnone")
        function.attributes.add("nounwind")
        return builder.call(function, args)

    return instructions


def _of_an_array(function: Any) -> Callable[..., Any]:
    """Element by element; `x` may have any shape."""

    def of_a_list(x):
        out = np.empty(len(x))
        for i in range(len(x)):
            out[i] = function(x[i])
        return out

    def of_any(x):
        out = np.empty(x.shape)
        for at in np.ndindex(x.shape):
            out[at] = function(x[at])
        return out

    def choose_form(x):
        if not isinstance(x, types.Array) or x.ndim == 0:
            return None
        return of_a_list if x.ndim == 1 else of_any

    return choose_form


def _of_two_arrays(function: Any) -> Callable[..., Any]:
    """Element by element, with broadcasting; one of the two may be a number."""

    def of_list_and_number(x, y):
        out = np.empty(len(x))
        for i in range(len(x)):
            out[i] = function(x[i], y)
        return out

    def of_number_and_list(x, y):
        out = np.empty(len(y))
        for i in range(len(y)):
            out[i] = function(x, y[i])
        return out

    def of_lists(x, y):
        if len(x) != len(y) and len(x) != 1 and len(y) != 1:
            raise ValueError("lists of different lengths")
        n = len(y) if len(x) == 1 else len(x)
        out = np.empty(n)
        for i in range(n):
            out[i] = function(x[i if len(x) > 1 else 0], y[i if len(y) > 1 else 0])
        return out

    def of_any(x, y):
        first, second = np.broadcast_arrays(np.asarray(x), np.asarray(y))
        out = np.empty(first.shape)
        for at in np.ndindex(first.shape):
            out[at] = function(first[at], second[at])
        return out

    def choose_form(x, y):
        dimensions = [kind.ndim if isinstance(kind, types.Array) else 0 for kind in (x, y)]
        if dimensions == [1, 0]:
            return of_list_and_number
        if dimensions == [0, 1]:
            return of_number_and_list
        if dimensions == [1, 1]:
            return of_lists
        return of_any if any(dimensions) else None

    return choose_form


def _attach(function: Any) -> None:
    symbol, takes = f"cardan_{function.__name__}", function.__wrapped__.__code__.co_argcount
    llvm.add_symbol(symbol, function.address)
    compiled_as(types.float64(*[types.float64] * takes), _calls(symbol, takes))(function)
    overload(function)(_of_an_array(function) if takes == 1 else _of_two_arrays(function))


def _both_of_a_number(x):
    if abs(x) <= SMALLEST:
        return of_small_angle(x, 0.0)  # the same bits, sooner
    if abs(x) <= LARGEST:
        return near_sin_cos(x)
    return sin(x), cos(x)


def _both_of_a_list(x):
    sines, cosines = np.empty(len(x)), np.empty(len(x))
    for i in range(len(x)):
        sines[i], cosines[i] = sin_cos(x[i])
    return sines, cosines


@overload(sin_cos)
def _both(x):
    if isinstance(x, types.Float | types.Integer):
        return _both_of_a_number
    return _both_of_a_list if isinstance(x, types.Array) and x.ndim == 1 else None


for _function in FUNCTIONS:
    _attach(_function)
for _function in (near_sin_cos, of_small_angle, difference):
    register_jitable(_function)
