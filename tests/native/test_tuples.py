"""Kernels turn vectors with tuples of numbers, because arrays would cost more than the physics: the same algebra."""

from itertools import pairwise

import numpy as np
import pytest

from cardan.maths import dcm_from_quaternion, quaternion_from_dcm, quaternion_product
from cardan.native.tuples import quat_from_turn, quat_product, turn_from_quat, turned, turned_back

# products of four numbers of at most 1 in another order: a few roundings
ROUNDING = 4.0 * np.finfo(float).eps
RNG = np.random.default_rng(0)
QUATERNIONS = [q / np.linalg.norm(q) for q in RNG.normal(size=(20, 4))]


@pytest.mark.parametrize("q", QUATERNIONS)
def test_the_matrix_of_a_quaternion_is_that_of_the_maths(q):
    """A kernel's `turn` takes components of the turned frame back: the transposed of the direction cosine matrix."""
    turn = np.reshape(turn_from_quat(tuple(q)), (3, 3))
    assert turn == pytest.approx(dcm_from_quaternion(q).T, rel=0.0, abs=ROUNDING)
    v = RNG.uniform(-1.0, 1.0, 3)
    assert turned(turn.ravel(), v) == pytest.approx(turn @ v, rel=0.0, abs=ROUNDING)
    assert turned_back(turn.ravel(), v) == pytest.approx(turn.T @ v, rel=0.0, abs=ROUNDING)


# of which another component is the largest each time, so that every branch is taken
@pytest.mark.parametrize("q", [*QUATERNIONS, *np.eye(4), *(0.5 * np.array([[1, 1, 1, 1], [1, -1, 1, -1]]))])
def test_the_quaternion_of_a_matrix_is_that_of_the_maths(q):
    found = np.array(quat_from_turn(turn_from_quat(tuple(q))))
    expected = quaternion_from_dcm(dcm_from_quaternion(q))
    # both signs are the same attitude
    assert found * np.sign(found @ expected) == pytest.approx(expected, rel=0.0, abs=ROUNDING)


def test_products_of_quaternions_are_those_of_the_maths():
    """A kernel multiplies turns, which take components back, the maths direction cosines: the order is the other."""
    for a, b in pairwise(QUATERNIONS):
        assert quat_product(tuple(a), tuple(b)) == pytest.approx(quaternion_product(b, a), rel=0.0, abs=ROUNDING)
