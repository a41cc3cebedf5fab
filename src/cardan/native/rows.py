"""`by_rows` and `by_rows_if` as compiled code. Importing this module is enough."""

# mypy: disable-error-code="no-untyped-def, untyped-decorator"

import numpy as np
from numba.extending import overload

from cardan.maths.rows import by_rows, by_rows_if


@overload(by_rows)
def _by_rows(function, columns, rows, *shared):
    return _all


def _all(function, columns, rows, *shared):
    return by_rows_if(True, function, columns, rows, *shared)


@overload(by_rows_if)
def _by_rows_if(condition, function, columns, rows, *shared):
    return _all_or_none


def _all_or_none(condition, function, columns, rows, *shared):
    if not condition:
        return np.zeros((len(rows), columns))
    found = np.empty((len(rows), columns))
    for i in range(len(rows)):
        numbers = function(rows[i], *shared)
        if len(numbers) != columns:
            raise ValueError("by_rows: the function returns another number of columns.")
        for k in range(len(numbers)):
            found[i, k] = numbers[k]
    return found
