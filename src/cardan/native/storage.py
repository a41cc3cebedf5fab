"""Reading and writing the fields of a block inside compiled code.

Plain functions, compiled together with the entries that call them. A store says what it found, as a `Status`.
"""

from typing import Any

import numpy as np
from numba import carray

from cardan.native.layout import LINE
from cardan.native.pointers import as_voidptr, copy_line, load_int, load_word, readonly, store_float, store_int
from cardan.native.status import NOT_FINITE, OK, UNFIT
from cardan.native.whole_numbers import is_truth, is_whole


def float_vector(address: int, n: int) -> Any:
    return carray(as_voidptr(address), n, dtype=np.float64)


def float_matrix(address: int, n: int, m: int) -> Any:
    return carray(as_voidptr(address), (n, m), dtype=np.float64)


def int_vector(address: int, n: int) -> Any:
    return carray(as_voidptr(address), n, dtype=np.int64)


def int_matrix(address: int, n: int, m: int) -> Any:
    return carray(as_voidptr(address), (n, m), dtype=np.int64)


def load_bool(address: int) -> bool:
    return load_int(address) != 0


def load_float_vector(address: int, n: int) -> Any:
    return readonly(float_vector(address, n))


def load_float_matrix(address: int, n: int, m: int) -> Any:
    return readonly(float_matrix(address, n, m))


def load_int_vector(address: int, n: int) -> Any:
    return readonly(int_vector(address, n))


def load_int_matrix(address: int, n: int, m: int) -> Any:
    return readonly(int_matrix(address, n, m))


def load_bool_vector(address: int, n: int) -> Any:
    return int_vector(address, n) != 0


def load_bool_matrix(address: int, n: int, m: int) -> Any:
    return int_matrix(address, n, m) != 0


def save_float(address: int, value: Any) -> int:
    number = float(value)
    store_float(address, number)
    return OK if number - number == 0.0 else NOT_FINITE


def save_int(address: int, value: Any) -> int:
    if not is_whole(value):
        return UNFIT
    store_int(address, int(value))
    return OK


def save_bool(address: int, value: Any) -> int:
    if not is_truth(value):
        return UNFIT
    store_int(address, int(value))
    return OK


def save_float_vector(address: int, n: int, values: Any) -> int:
    if len(values) != n:
        return UNFIT
    status = OK
    for i in range(n):
        number = float(values[i])
        store_float(address + 8 * i, number)
        if number - number != 0.0:
            status = NOT_FINITE
    return status


def save_float_matrix(address: int, n: int, m: int, values: Any) -> int:
    if values.shape[0] != n or values.shape[1] != m:
        return UNFIT
    status = OK
    for i in range(n):
        for j in range(m):
            number = float(values[i, j])
            store_float(address + 8 * (i * m + j), number)
            if number - number != 0.0:
                status = NOT_FINITE
    return status


def save_int_vector(address: int, n: int, values: Any) -> int:
    if len(values) != n:
        return UNFIT
    status = OK
    for i in range(n):
        status = max(status, save_int(address + 8 * i, values[i]))
    return status


def save_int_matrix(address: int, n: int, m: int, values: Any) -> int:
    if values.shape[0] != n or values.shape[1] != m:
        return UNFIT
    status = OK
    for i in range(n):
        for j in range(m):
            status = max(status, save_int(address + 8 * (i * m + j), values[i, j]))
    return status


def save_bool_vector(address: int, n: int, values: Any) -> int:
    if len(values) != n:
        return UNFIT
    status = OK
    for i in range(n):
        status = max(status, save_bool(address + 8 * i, values[i]))
    return status


def save_bool_matrix(address: int, n: int, m: int, values: Any) -> int:
    if values.shape[0] != n or values.shape[1] != m:
        return UNFIT
    status = OK
    for i in range(n):
        for j in range(m):
            status = max(status, save_bool(address + 8 * (i * m + j), values[i, j]))
    return status


def copy_words(target: int, source: int, count: int) -> None:
    """Words that do not overlap, several at a time."""
    whole = count - count % LINE
    for i in range(0, whole, LINE):
        copy_line(target + 8 * i, source + 8 * i)
    for i in range(whole, count):
        store_int(target + 8 * i, load_word(source + 8 * i))
