"""Which numbers an `int` or a `bool` field takes, in plain Python and in compiled code."""

# mypy: disable-error-code="no-untyped-def, untyped-decorator"

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload


def is_whole(value: Any) -> Any:
    """Whether a number is whole and can be kept in 64 bits; nan is not."""
    if isinstance(value, int | np.integer | np.bool_):
        return -(2**63) <= int(value) < 2**63
    return _is_whole_float(value)


def _is_whole_float(value: Any) -> Any:
    return -(2.0**63) <= value < 2.0**63 and np.floor(value) == value


def is_truth(value: Any) -> Any:
    """Whether a number stands for True or False."""
    return value == 0 or value == 1


@overload(is_whole, jit_options={"error_model": "numpy"}, strict=False)
def _is_whole(value):
    if isinstance(value, types.Float):
        return _is_whole_float
    # an unsigned number of 64 bits may be too large for a signed one
    is_unsigned = isinstance(value, types.Integer) and not value.signed and value.bitwidth == 64
    return (lambda value: value < 2**63) if is_unsigned else (lambda value: True)


@overload(is_truth, jit_options={"error_model": "numpy"}, strict=False)
def _is_truth(value):
    return (lambda value: True) if isinstance(value, types.Boolean) else is_truth
