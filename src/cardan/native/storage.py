"""Reading and writing the fields of a block inside compiled code.

Plain functions, compiled together with the entries that call them. A store says what it found:
0 all is well, 2 a number is not finite, 3 a value does not fit its declaration (the values of `Status`).
"""

import numpy as np
from numba import carray

from cardan.native.pointers import as_voidptr, load_int, readonly, store_float, store_int
from cardan.native.whole_numbers import is_truth, is_whole


def float_vector(address, n):
    return carray(as_voidptr(address), n, dtype=np.float64)


def float_matrix(address, n, m):
    return carray(as_voidptr(address), (n, m), dtype=np.float64)


def int_vector(address, n):
    return carray(as_voidptr(address), n, dtype=np.int64)


def int_matrix(address, n, m):
    return carray(as_voidptr(address), (n, m), dtype=np.int64)


def load_bool(address):
    return load_int(address) != 0


def load_float_vector(address, n):
    return readonly(float_vector(address, n))


def load_float_matrix(address, n, m):
    return readonly(float_matrix(address, n, m))


def load_int_vector(address, n):
    return readonly(int_vector(address, n))


def load_int_matrix(address, n, m):
    return readonly(int_matrix(address, n, m))


def load_bool_vector(address, n):
    return int_vector(address, n) != 0


def load_bool_matrix(address, n, m):
    return int_matrix(address, n, m) != 0


def save_float(address, value):
    number = float(value)
    store_float(address, number)
    return 0 if number - number == 0.0 else 2


def save_int(address, value):
    if not is_whole(value):
        return 3
    store_int(address, int(value))
    return 0


def save_bool(address, value):
    if not is_truth(value):
        return 3
    store_int(address, int(value))
    return 0


def save_float_vector(address, n, values):
    if len(values) != n:
        return 3
    status = 0
    for i in range(n):
        number = float(values[i])
        store_float(address + 8 * i, number)
        if number - number != 0.0:
            status = 2
    return status


def save_float_matrix(address, n, m, values):
    if values.shape[0] != n or values.shape[1] != m:
        return 3
    status = 0
    for i in range(n):
        for j in range(m):
            number = float(values[i, j])
            store_float(address + 8 * (i * m + j), number)
            if number - number != 0.0:
                status = 2
    return status


def save_int_vector(address, n, values):
    if len(values) != n:
        return 3
    status = 0
    for i in range(n):
        status = max(status, save_int(address + 8 * i, values[i]))
    return status


def save_int_matrix(address, n, m, values):
    if values.shape[0] != n or values.shape[1] != m:
        return 3
    status = 0
    for i in range(n):
        for j in range(m):
            status = max(status, save_int(address + 8 * (i * m + j), values[i, j]))
    return status


def save_bool_vector(address, n, values):
    if len(values) != n:
        return 3
    status = 0
    for i in range(n):
        status = max(status, save_bool(address + 8 * i, values[i]))
    return status


def save_bool_matrix(address, n, m, values):
    if values.shape[0] != n or values.shape[1] != m:
        return 3
    status = 0
    for i in range(n):
        for j in range(m):
            status = max(status, save_bool(address + 8 * (i * m + j), values[i, j]))
    return status


def copy_words(target, source, count):
    for i in range(count):
        store_int(target + 8 * i, load_int(source + 8 * i))
