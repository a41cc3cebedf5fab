"""`choose` and `normal_if` as compiled code; Numba's own `np.where` costs more than the sums around it.

Importing this module is enough. Whatever else `np.where` can do is left to Numba.
"""

# mypy: disable-error-code="no-untyped-def, untyped-decorator"

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from cardan.maths.choosing import choose
from cardan.maths.random import normal, normal_if


def _is_number(kind: Any) -> bool:
    return isinstance(kind, types.Float | types.Integer | types.Boolean)


def _is_list(kind: Any) -> bool:
    return isinstance(kind, types.Array) and kind.ndim == 1 and kind.dtype == types.float64


@overload(choose)
def _choose(condition, x, y):
    if isinstance(condition, types.Boolean):
        if _is_number(x) and _is_number(y):
            return _number_by_one
        return _list_by_one if _is_list(x) and _is_list(y) else _anything
    if not (isinstance(condition, types.Array) and condition.ndim == 1 and condition.dtype == types.boolean):
        return _anything
    if _is_list(x) and _is_list(y):
        return _list_or_list
    if _is_list(x) and isinstance(y, types.Float):
        return _list_or_number
    if isinstance(x, types.Float) and _is_list(y):
        return _number_or_list
    return _number_or_number if isinstance(x, types.Float) and isinstance(y, types.Float) else _anything


def _anything(condition, x, y):
    return np.where(condition, x, y)


def _number_by_one(condition, x, y):
    return x if condition else y


def _list_by_one(condition, x, y):
    n = _length(len(x), len(y))
    chosen = np.empty(n)
    for i in range(n):
        chosen[i] = x[i if len(x) > 1 else 0] if condition else y[i if len(y) > 1 else 0]
    return chosen


def _list_or_list(condition, x, y):
    n = _length(_length(len(condition), len(x)), len(y))
    chosen = np.empty(n)
    for i in range(n):
        is_x = condition[i if len(condition) > 1 else 0]
        chosen[i] = x[i if len(x) > 1 else 0] if is_x else y[i if len(y) > 1 else 0]
    return chosen


def _list_or_number(condition, x, y):
    n = _length(len(condition), len(x))
    chosen = np.empty(n)
    for i in range(n):
        chosen[i] = x[i if len(x) > 1 else 0] if condition[i if len(condition) > 1 else 0] else y
    return chosen


def _number_or_list(condition, x, y):
    n = _length(len(condition), len(y))
    chosen = np.empty(n)
    for i in range(n):
        chosen[i] = x if condition[i if len(condition) > 1 else 0] else y[i if len(y) > 1 else 0]
    return chosen


def _number_or_number(condition, x, y):
    chosen = np.empty(len(condition))
    for i in range(len(condition)):
        chosen[i] = x if condition[i] else y
    return chosen


@register_jitable
def _length(a: int, b: int) -> int:
    """Of two lists together; one of length 1 serves all elements of the other."""
    if a != b and a != 1 and b != 1:
        raise ValueError("choose: lists of different lengths.")
    return b if a == 1 else a


@overload(normal_if)
def _draw(condition, rng, n):
    return _draw_or_not


def _draw_or_not(condition, rng, n):
    return normal(rng, n) if condition else np.zeros(n)
