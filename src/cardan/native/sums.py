"""`total` as compiled code. Importing this module is enough."""

# mypy: disable-error-code="no-untyped-def, untyped-decorator"

import numpy as np
from numba import types
from numba.extending import overload

from cardan.maths.sums import total


@overload(total)
def _total(terms):
    if not isinstance(terms, types.Array):
        return None
    return {1: _of_numbers, 2: _of_rows}.get(terms.ndim)


def _of_numbers(terms):
    summed = 0.0
    for i in range(len(terms)):
        summed = summed + terms[i] if i else np.float64(terms[0])
    return summed


def _of_rows(terms):
    summed = np.zeros(terms.shape[1])
    for i in range(terms.shape[0]):
        for j in range(terms.shape[1]):
            summed[j] = summed[j] + terms[i, j] if i else terms[0, j]
    return summed
