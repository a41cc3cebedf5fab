"""Vectors in registers against NumPy, and their plain form against the compiled one."""

import numpy as np
import pytest

from cardan.native import vectors
from cardan.native.compiling import jitted
from cardan.native.fingerprint import helpers_of
from cardan.native.pointers import load_float, load_int, store_int
from cardan.native.vectors import (
    cross,
    dot,
    dot_pair,
    load_packed,
    load_vector,
    products,
    store_packed,
    store_vector,
    transposed,
    turned,
    turned_back,
    vector,
    yzx,
)


def operations(first, second, out):
    """Every operation, its results one after another."""
    a, b = load_packed(first), load_vector(second)
    m = a, b, cross(a, b)
    store_packed(out, a + b)
    store_packed(out + 24, a - b)
    store_packed(out + 48, a * 1.7)
    store_packed(out + 72, cross(a, b))
    store_packed(out + 96, products(a, b))
    store_packed(out + 120, yzx(a))
    store_packed(out + 144, turned(m, b))
    store_packed(out + 168, turned_back(m, b))
    store_packed(out + 192, vector(dot(a, b), dot_pair(a, b, b, m[2]), a.x))
    n = transposed(a, b, m[2])
    store_packed(out + 216, n[0])
    store_packed(out + 240, n[1])
    store_vector(out + 264, n[2])


@pytest.mark.parametrize("run", [operations, jitted(operations)], ids=["plain", "compiled"])
def test_operations_are_those_of_linear_algebra(run):
    rng = np.random.default_rng(0)
    first, second, out = rng.normal(size=3), rng.normal(size=4), np.zeros(37)
    run(first.ctypes.data, second.ctypes.data, out.ctypes.data)
    a, b = first, second[:3]
    c = np.cross(a, b)
    m = np.column_stack([a, b, c])
    expected = [a + b, a - b, 1.7 * a, c, a * b, a[[1, 2, 0]], m @ b, m.T @ b, [a @ b, a @ b + b @ c, a[0]], *m]
    assert out[:36] == pytest.approx(np.ravel(expected), rel=1e-14, abs=1e-15)


def test_plain_and_compiled_agree_to_the_last_bit():
    rng = np.random.default_rng(1)
    native = jitted(operations)
    for _ in range(200):
        first, second = rng.normal(size=3), rng.normal(size=4) * 10.0 ** rng.integers(-8, 8)
        results = np.zeros((2, 37))
        for run, out in zip((operations, native), results, strict=True):
            run(first.ctypes.data, second.ctypes.data, out.ctypes.data)
        assert np.array_equal(results[0, :36], results[1, :36])


def test_a_packed_vector_touches_three_words_only():
    def move(source, target):
        store_packed(target, load_packed(source))

    for run in (move, jitted(move)):
        source, target = np.arange(4.0), np.full(4, -1.0)
        run(source.ctypes.data, target.ctypes.data)
        assert np.array_equal(target, [0.0, 1.0, 2.0, -1.0])


def test_numbers_read_in_plain_python_divide_as_compiled_ones():
    words = np.zeros(1)
    with np.errstate(divide="ignore"):
        assert 1.0 / load_float(words.ctypes.data) == np.inf
    store_int(words.ctypes.data, -3)
    assert load_int(words.ctypes.data) == -3


def test_functions_in_two_forms_are_not_compiled_from_their_python():
    """Their Python would not compile; what counts for the key of compiled code is their instructions."""
    found = {function.__name__ for function in helpers_of(operations)}
    assert "cross" in found
    assert not found & {name for name, value in vars(vectors).items() if hasattr(value, "instructions")}
