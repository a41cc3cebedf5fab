"""Matrices of any size against NumPy, and the same bits in plain Python and in native code."""

import numpy as np
import pytest

from cardan.maths import matrices
from cardan.native.compiling import jitted

SHAPES = [(1, 1), (3, 3), (6, 7), (7, 6), (6, 6), (2, 9)]


def random(shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("shape", SHAPES)
def test_singular_values_take_a_matrix_apart(shape):
    a = random(shape)
    u, s, v = matrices.singular_values(a)
    assert np.allclose((u * s) @ v.T, a, rtol=0.0, atol=1e-13)
    assert np.allclose(u.T @ u, np.eye(len(s)), atol=1e-13) and np.allclose(v.T @ v, np.eye(len(s)), atol=1e-13)
    assert np.allclose(np.sort(s)[::-1], np.linalg.svd(a, compute_uv=False), rtol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_pseudo_inverse_and_the_null_space_are_those_of_numpy(shape):
    a = random(shape)
    assert np.allclose(matrices.pseudo_inverse(a), np.linalg.pinv(a), rtol=0.0, atol=1e-11)
    assert np.allclose(matrices.null_space(a), np.eye(shape[1]) - np.linalg.pinv(a) @ a, rtol=0.0, atol=1e-12)


def test_a_lost_rank_counts_as_zero():
    a = random((5, 2), 1) @ random((2, 6), 2)
    assert np.allclose(matrices.pseudo_inverse(a), np.linalg.pinv(a, rcond=1e-12), rtol=0.0, atol=1e-11)
    assert np.isclose(np.trace(matrices.null_space(a)), 4.0)
    assert np.array_equal(matrices.pseudo_inverse(np.zeros((2, 3))), np.zeros((3, 2)))


def test_damping_bounds_the_inverse_and_solves_the_damped_equations():
    a = random((4, 6), 3)
    damped = matrices.pseudo_inverse(a, 0.3)
    assert np.allclose(damped, a.T @ np.linalg.inv(a @ a.T + 0.09 * np.eye(4)), rtol=0.0, atol=1e-13)
    flat = matrices.pseudo_inverse(1e-9 * a, 0.3)
    assert np.linalg.norm(flat, 2) < 1.0 / 0.6


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_the_adjugate_of_a_regular_matrix_is_its_inverse_times_its_determinant(n):
    a = random((n, n), n)
    adjugate, determinant = matrices.adjugate(a)
    assert np.isclose(determinant, np.linalg.det(a), rtol=1e-12)
    assert np.allclose(adjugate, np.linalg.inv(a) * determinant, rtol=0.0, atol=1e-12 * np.abs(adjugate).max())


def test_the_adjugate_of_a_singular_matrix_is_exact():
    """By minors, in whole numbers."""
    a = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 5.0]])
    expected = np.array([[20.0, -10.0, 0.0], [-4.0, 2.0, 0.0], [-4.0, 2.0, 0.0]])
    adjugate, determinant = matrices.adjugate(a)
    assert determinant == 0.0
    assert np.allclose(adjugate, expected, rtol=0.0, atol=1e-14)
    nothing, zero = matrices.adjugate(np.zeros((3, 3)))
    assert not nothing.any() and zero == 0.0


def test_positive_definite_systems_and_products_are_those_of_numpy():
    a = random((6, 6), 5)
    positive, b = a @ a.T + np.eye(6), random((6, 3), 6)
    low = matrices.cholesky(positive)
    assert np.allclose(low @ low.T, positive, rtol=1e-14)
    assert np.allclose(matrices.solve_positive(positive, b), np.linalg.solve(positive, b), rtol=1e-12)
    assert np.allclose(matrices.times(a, b[:, 0]), a @ b[:, 0]) and np.allclose(matrices.product(a, b), a @ b)
    assert np.allclose(matrices.times_transposed(a, b[:, 0]), a.T @ b[:, 0])


@pytest.mark.parametrize("name", ["singular_values", "pseudo_inverse", "null_space", "adjugate", "cholesky"])
def test_plain_and_native_give_the_same_bits(name):
    function = getattr(matrices, name)
    a = random((6, 6), 7)
    a = a @ a.T
    plain, native = function(a), jitted(function)(a)
    plain, native = (value if isinstance(value, tuple) else (value,) for value in (plain, native))
    assert all(np.array_equal(p, n) for p, n in zip(plain, native, strict=True))
