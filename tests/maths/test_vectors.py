"""Three-vectors and matrices against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cardan import maths

vectors = arrays(float, 3, elements=st.floats(-100.0, 100.0))
matrices = arrays(float, (3, 3), elements=st.floats(-100.0, 100.0))
ROUNDING = 1e-10  # of sums of products of numbers up to 100


@given(vectors, vectors)
def test_products_of_vectors(a, b):
    assert maths.dot(a, b) == pytest.approx(a @ b, abs=ROUNDING)
    assert maths.cross(a, b) == pytest.approx(np.cross(a, b), abs=ROUNDING)
    assert maths.tilde(a) @ b == pytest.approx(np.cross(a, b), abs=ROUNDING)
    assert maths.outer(a, b) == pytest.approx(np.outer(a, b), abs=ROUNDING)
    assert maths.norm(a) == pytest.approx(np.linalg.norm(a))


@given(matrices, matrices, vectors)
def test_products_of_matrices(m, n, a):
    assert maths.matvec(m, a) == pytest.approx(m @ a, abs=ROUNDING)
    assert maths.matvec_transposed(m, a) == pytest.approx(m.T @ a, abs=ROUNDING)
    assert maths.matmul(m, n) == pytest.approx(m @ n, abs=ROUNDING)


@given(matrices.map(lambda m: m @ m.T + np.eye(3)))
def test_inverse(m):
    # cancellation in the adjugate costs digits with the square of the condition number
    assert maths.inverse3(m) @ m == pytest.approx(np.eye(3), abs=1e-15 * np.linalg.cond(m) ** 2)


@given(vectors, st.floats(0.0, 50.0))
def test_clip(a, limit):
    assert np.array_equal(maths.clip(a, -limit, limit), np.clip(a, -limit, limit))
