"""What native code reads of NumPy's objects, against what NumPy says of them."""

import numpy as np
import pytest
from numba import types

from cardan.native.array_arguments import ARRAY_OBJECT, data_at, is_array, kinds_of_arrays, object_at, size_at
from cardan.native.cached_function import short_function

KINDS = kinds_of_arrays()
ROW, TABLE = np.arange(4.0), np.arange(6.0).reshape(2, 3)
CLOSED = np.arange(4.0)
CLOSED.flags.writeable = False


def what(kinds, array):
    """Dimensions of an array of floats in one piece, ten more if it can be written to; 0 for anything else."""
    for dimensions in range(1, 4):
        if is_array(array, kinds, dimensions, False):
            return dimensions + 10 if is_array(array, kinds, dimensions, True) else dimensions
    return 0


def read(kinds, array):
    return data_at(array) + size_at(array, 0) if is_array(array, kinds, 1, False) else 0


native = short_function(what, types.int64(types.int64, ARRAY_OBJECT))

CASES = {
    "a row": (ROW, 11),
    "a table": (TABLE, 12),
    "a cube": (np.zeros((2, 2, 2)), 13),
    "an empty row": (np.zeros(0), 11),
    "a part in one piece": (TABLE[1], 11),
    "read-only": (CLOSED, 1),
    "a column": (TABLE[:, 1], 0),
    "transposed": (TABLE.T, 0),
    "a number in an array": (np.array(1.0), 0),
    "whole numbers": (np.arange(4), 0),
    "single precision": (ROW.astype(np.float32), 0),
    "another byte order": (ROW.astype(">f8"), 0),
    "complex": (ROW + 0j, 0),
    "another class": (ROW.view(np.recarray), 0),
    "a list": ([1.0, 2.0], 0),
    "a number": (1.0, 0),
    "nothing": (None, 0),
    "a class": (np.ndarray, 0),
}


@pytest.mark.parametrize("case", CASES)
def test_an_array_of_floats_is_told_from_everything_else(case):
    thing, expected = CASES[case]
    assert native(KINDS.ctypes.data, thing) == expected
    assert what(KINDS.ctypes.data, thing) == expected


def test_fields_are_what_numpy_says():
    place = KINDS.ctypes.data
    for array in (ROW, TABLE, TABLE[1]):
        assert object_at(array) == id(array)
        assert data_at(array) == array.ctypes.data
        assert [size_at(array, axis) for axis in range(array.ndim)] == list(array.shape)
    assert short_function(read, types.int64(types.int64, ARRAY_OBJECT))(place, ROW) == ROW.ctypes.data + len(ROW)
