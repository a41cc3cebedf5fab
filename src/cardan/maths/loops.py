"""NumPy's own loops over arrays, for functions of the C library: the same calls as one by one, without Python between.

They are part of NumPy's C interface, in which each has a fixed place.
"""

import ctypes
from collections.abc import Callable

import numpy as np
from numpy._core._multiarray_umath import _UFUNC_API  # type: ignore[import-not-found]

_PLACES = {1: 5, 2: 15}  # of `PyUFunc_d_d` and of `PyUFunc_dd_d`, by how many numbers a function takes


def _address(place: int) -> int:
    """Of a function of the interface."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(_UFUNC_API, None), ctypes.POINTER(ctypes.c_void_p))
    return int(table[place] or 0)


_LOOP = ctypes.PYFUNCTYPE(None, *(ctypes.c_void_p,) * 4)
_LOOPS = {takes: _LOOP(_address(place)) for takes, place in _PLACES.items()}


def mapped(address: int, takes: int) -> Callable[..., np.ndarray]:
    """The C function at `address`, which takes one or two numbers, as a function of as many arrays of one shape."""
    loop, arrays = _LOOPS[takes], ctypes.c_void_p * (takes + 1)
    steps = (ctypes.c_ssize_t * (takes + 1))(*(8,) * (takes + 1))

    def function(*given: np.ndarray) -> np.ndarray:
        taken = [np.ascontiguousarray(values, dtype=np.float64) for values in given]
        out = np.empty(taken[0].shape)
        places = arrays(*(values.ctypes.data for values in taken), out.ctypes.data)
        loop(places, (ctypes.c_ssize_t * 1)(out.size), steps, address)
        return out

    return function
