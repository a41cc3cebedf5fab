"""Which operations of a part's code are rounded otherwise by another processor, by another version, or natively.

IEEE 754 fixes the last digit of sums, products, quotients and roots, and nothing else. What NumPy and native code make
of them is the same everywhere where each number is rounded once, in an order that the function's meaning fixes. Those
functions are listed here; the rest is named with what to write instead. Found in the code itself, so that no machine is
needed that shows it.
"""

import dis
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cardan.maths.elementary import FUNCTIONS
from cardan.maths.stacks import kernel_of
from cardan.native.fingerprint import globals_read, helpers_of

# what rounds each number once at most, by one rule, or only moves numbers
_NUMPY = """
    abs absolute add all amax amin any argmax argmin argsort array asarray ascontiguousarray astype atleast_1d
    atleast_2d bitwise_and bitwise_count bitwise_not bitwise_or bitwise_xor broadcast_arrays broadcast_shapes
    broadcast_to ceil clip column_stack concatenate copy copysign count_nonzero cross cumprod cumsum deg2rad degrees
    diag diff divide dsplit dstack empty empty_like equal expand_dims eye fabs fill_diagonal flatnonzero flip fliplr
    flipud floor floor_divide fmax fmin fmod frexp full full_like greater greater_equal hsplit hstack identity invert
    isfinite isinf isnan isscalar kron ldexp left_shift less less_equal logical_and logical_not logical_or logical_xor
    max maximum min minimum mod multiply ndim ndindex negative nextafter nonzero not_equal ones ones_like outer
    positive rad2deg radians ravel reciprocal remainder repeat reshape right_shift rint roll rot90 round searchsorted
    shape sign signbit size sort split sqrt square squeeze stack subtract swapaxes take transpose tri tril triu
    true_divide trunc unique vsplit vstack where zeros zeros_like
"""
_MATH = "ceil copysign degrees fabs floor fmod isfinite isinf isnan radians sqrt trunc"
_EXACT, _EXACT_IN_MATH = frozenset(_NUMPY.split()), frozenset(_MATH.split())

_MATRICES = "write it out, or use `dot`, `matvec`, `matmul`, `inverse3` of `cardan.maths`"
_SUMS = "use `cardan.maths.total`, which adds one after the other"
_POWERS = "write `x * x` for a square, else use `cardan.maths.power`"
_UNKNOWN = "write it out, or use `cardan.maths`"
_INSTEAD = {
    **{function.__name__: f"use `cardan.maths.{function.__name__}`" for function in FUNCTIONS},
    **dict.fromkeys(("sum", "fsum", "nansum"), _SUMS),
    **dict.fromkeys(("average", "mean", "nanmean"), f"{_SUMS}, and divide"),
    **dict.fromkeys(("prod", "std", "trace", "trapezoid", "var"), "write it out, with `cardan.maths.total` for sums"),
    **dict.fromkeys(("convolve", "correlate", "dot", "einsum", "inner", "matmul", "tensordot", "vdot"), _MATRICES),
    **dict.fromkeys(("float_power", "pow"), _POWERS),
    "arange": "of numbers that are not whole, write `start + step * i`",
}
_OPERATORS = {"@": _MATRICES, "**": _POWERS}
_METHODS = ("dot", "mean", "prod", "std", "sum", "trace", "var")
_BUILT_IN = ("pow", "sum")


class Rounding(NamedTuple):
    """An operation whose last digits are not fixed.

    Attributes:
        operation: As it is written.
        where: File and line.
        instead: What to write.
    """

    operation: str
    where: str
    instead: str

    def __str__(self) -> str:
        return f"{self.operation} ({self.where}): {self.instead}"


def loose_roundings(*methods: Callable[..., Any]) -> list[Rounding]:
    """All such operations in `methods` and in what they call."""
    functions = (*methods, *helpers_of(*methods))
    return list(dict.fromkeys(each for function in functions for each in _in_function(kernel_of(function))))


def _in_function(function: types.FunctionType) -> Iterator[Rounding]:
    file = Path(function.__code__.co_filename).name
    for path, value, line in globals_read(function.__code__, function.__globals__):
        instead = _instead_of(value)
        if instead:
            yield Rounding(path, f"{file}:{line}", instead)
    for instruction in _instructions(function.__code__):
        operation, instead = _operation(instruction, function.__globals__)
        if operation and instruction.positions:
            yield Rounding(operation, f"{file}:{instruction.positions.lineno}", instead)


def _instructions(code: types.CodeType) -> Iterator[dis.Instruction]:
    yield from dis.get_instructions(code)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _instructions(constant)


def _instead_of(value: Any) -> str:
    """What to write instead of a function of NumPy or of `math`; nothing if it is exact, or something else."""
    name, module = getattr(value, "__name__", ""), getattr(value, "__module__", None) or ""
    if isinstance(value, types.ModuleType | type) or not callable(value):
        return ""
    if module == "math":
        inverse = f"arc{name[1:]}"  # of `asin`
        return "" if name in _EXACT_IN_MATH else _INSTEAD.get(name) or _INSTEAD.get(inverse, _UNKNOWN)
    if module.startswith("numpy.linalg"):
        return _MATRICES
    is_numpy = isinstance(value, np.ufunc) or module.partition(".")[0] == "numpy"
    return _INSTEAD.get(name, _UNKNOWN) if is_numpy and name not in _EXACT else ""


def _operation(instruction: dis.Instruction, namespace: dict[str, Any]) -> tuple[str, str]:
    """An operator, a method of arrays or a built-in function with what to write instead; empty if it is exact."""
    name = instruction.argval
    if instruction.opname == "BINARY_OP":
        sign = instruction.argrepr.rstrip("=")
        return (sign, _OPERATORS[sign]) if sign in _OPERATORS else ("", "")
    # Python 3.12 says by a bit, shown in words, that an attribute is called
    is_method = instruction.opname == "LOAD_METHOD" or "NULL|self" in instruction.argrepr
    if is_method and name in _METHODS:
        return f".{name}()", _INSTEAD[name]
    if instruction.opname == "LOAD_GLOBAL" and name in _BUILT_IN and name not in namespace:
        return name, _INSTEAD[name]
    return "", ""
