"""Decisions that JAX can trace: one of two values without a branch, and a branch that only saves time."""

from typing import Any

import numpy as np


def choose(condition: Any, x: Any, y: Any) -> Any:
    """`x` where `condition` holds, else `y`: `np.where`, which as native code is ten times as slow for short lists.

    Both values are computed. The same source can be traced by JAX, which an `if` on data cannot.
    """
    return np.where(condition, x, y)[()]  # a number of numbers, with which the interpreter is faster


def may_skip(condition: Any) -> bool:
    """Whether to skip what follows, a step of a loop that would add nothing.

    It only saves time: what is skipped must leave every number as it is. JAX cannot branch on data and skips nothing.
    """
    return bool(condition)
