"""One of two values, without a branch."""

from typing import Any

import numpy as np


def choose(condition: Any, x: Any, y: Any) -> Any:
    """`x` where `condition` holds, else `y`: `np.where`, which as native code is ten times as slow for short lists.

    Both values are computed. The same source can be traced by JAX, which an `if` on data cannot.
    """
    return np.where(condition, x, y)[()]  # a number of numbers, with which the interpreter is faster
