"""A function of one row, for all rows of a table."""

from collections.abc import Callable
from typing import Any

import numpy as np

Function = Callable[..., tuple[Any, ...]]


def by_rows(function: Function, columns: int, rows: Any, *shared: Any) -> Any:
    """(n, columns) The numbers that `function(row, *shared)` returns for each of the n rows.

    Native code goes through the rows one after another. Expressions of whole columns, `rows[:, 0] * rows[:, 1]` and
    such, make an array each, which for the few bodies of a vehicle costs more than the numbers in it.
    """
    return np.array([function(row, *shared) for row in rows]).reshape((len(rows), columns))


def by_rows_if(condition: Any, function: Function, columns: int, rows: Any, *shared: Any) -> Any:
    """`by_rows(function, columns, rows, *shared)` if `condition` holds, else zeros, and nothing is computed.

    The same source can be traced by JAX, which an `if` on a parameter cannot.
    """
    return by_rows(function, columns, rows, *shared) if condition else np.zeros((len(rows), columns))
