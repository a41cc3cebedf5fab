"""Sums in a fixed order.

`np.sum` adds eight or more numbers in several parts, native code one after the other, and both may change with the
version.
"""

from typing import Any

import numpy as np


def total(terms: Any) -> Any:
    """The sum of numbers, or of the rows of a table, one after the other; nothing adds up to zero."""
    terms = np.asarray(terms, dtype=np.float64)
    return np.add.accumulate(terms)[-1] if len(terms) else np.zeros(terms.shape[1:])[()]
