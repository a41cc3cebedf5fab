"""Arrays as arguments of short functions that Python calls: the object itself, whose fields native code reads.

To find out the types of four arrays and to take hold of them costs Numba as much as the dynamics of a small arm. Here
the function is given NumPy's object and looks itself whether it is what it needs: the fields are those of
`PyArrayObject`, which NumPy's C interface fixes. What does not fit is for the caller to look at, in Python.

The caller holds the objects and the interpreter's lock as long as the function runs.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, untyped-decorator"

from typing import Any

import numpy as np
from numba import types
from numba.extending import NativeValue, models, register_model, unbox

from cardan.native.forms import compiled_as
from cardan.native.layout import WORD
from cardan.native.pointers import load_int

# where the fields of an array begin, after what every object has
_HEAD = object.__basicsize__
_TYPE = _HEAD - WORD
_DATA, _DIMENSIONS, _SHAPE, _DESCRIPTION, _FLAGS = (_HEAD + WORD * i for i in (0, 1, 2, 5, 6))
_INT = 0xFFFFFFFF  # dimensions and flags take half a word
_IN_ONE_PIECE, _WRITEABLE = 0x101, 0x400  # C order and aligned; may be written to

KINDS = 2
"""How many words `kinds_of_arrays` are."""


class _ObjectType(types.Opaque):  # type: ignore[misc]
    pass


ARRAY_OBJECT = _ObjectType("cardan.ArrayObject")
register_model(_ObjectType)(models.OpaqueModel)


@unbox(_ObjectType)
def _take(kind: Any, thing: Any, tools: Any) -> Any:
    return NativeValue(thing)


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.ptrtoint(args[0], context.get_value_type(types.int64))


@compiled_as(types.int64(ARRAY_OBJECT), _address)
def object_at(array):
    """Where the object lies."""
    return id(array)


def kinds_of_arrays() -> np.ndarray:
    """What in this process tells an array of floats from everything else: its class, and how it describes numbers."""
    return np.array([id(np.ndarray), id(np.dtype(np.float64))], dtype=np.int64)


def is_array(array, kinds, dimensions, is_written):
    """Whether an object is an array of floats in one piece, of so many dimensions.

    Args:
        array: An `ARRAY_OBJECT`.
        kinds: Where `kinds_of_arrays` lie.
        dimensions: How many.
        is_written: Whether it must be writeable.
    """
    at = object_at(array)
    if load_int(at + _TYPE) != load_int(kinds) or load_int(at + _DESCRIPTION) != load_int(kinds + WORD):
        return False
    needed = _IN_ONE_PIECE | _WRITEABLE if is_written else _IN_ONE_PIECE
    return load_int(at + _DIMENSIONS) & _INT == dimensions and load_int(at + _FLAGS) & needed == needed


def data_at(array):
    """Where the numbers lie of what `is_array`."""
    return load_int(object_at(array) + _DATA)


def size_at(array, axis):
    """A size of what `is_array`, of at least so many dimensions."""
    return load_int(load_int(object_at(array) + _SHAPE) + WORD * axis)
