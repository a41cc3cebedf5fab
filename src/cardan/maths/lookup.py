"""Look-up tables on even grids."""

from typing import Any

import numpy as np

from cardan.maths.arrays import Mat, Scalar, Vec
from cardan.maths.choosing import choose

ON_LINE = 1.0e-9
"""[-] A value closer to a grid line than this part of a cell lies on the line."""


def grid_cell(axis: Vec, value: Scalar) -> tuple[Any, Scalar]:
    """In which cell of an even grid a value lies, and where in it.

    Args:
        axis: The grid lines, ascending, evenly spaced, at least two.
        value: In the unit of the axis.

    Returns:
        The index of the line below the value, and how far the value is beyond it, as a part of the cell: from 0 to 1
        inside the grid, below 0 or above 1 outside of it.
    """
    cells = len(axis) - 1
    place = (value - axis[0]) * cells / (axis[cells] - axis[0])
    nearest = np.round(place)
    place = choose(np.abs(place - nearest) < ON_LINE, nearest, place)
    index = np.int64(np.minimum(np.maximum(np.floor(place), 0.0), cells - 1.0))
    return index, place - index


def bilinear(table: Mat, row: Any, across_rows: Scalar, column: Any, across_columns: Scalar) -> Scalar:
    """A value between the four corners of a cell, linear along both of its edges."""
    above = (1.0 - across_columns) * table[row, column] + across_columns * table[row, column + 1]
    below = (1.0 - across_columns) * table[row + 1, column] + across_columns * table[row + 1, column + 1]
    return (1.0 - across_rows) * above + across_rows * below
