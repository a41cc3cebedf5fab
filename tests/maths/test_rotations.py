"""Attitude: every conversion against an independent implementation, and the relations between them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from cardan import maths

# rounding of a handful of operations on numbers of order one
ROUNDING = 1e-13

mrps = arrays(float, 3, elements=st.floats(-3.0, 3.0)).filter(lambda s: np.linalg.norm(s) > 1e-6)
vectors = arrays(float, 3, elements=st.floats(-10.0, 10.0))
quaternions = arrays(float, 4, elements=st.floats(-1.0, 1.0)).filter(lambda q: np.linalg.norm(q) > 1e-3)


def dcm_of(q: np.ndarray) -> np.ndarray:
    """dcm_BN of a quaternion, by SciPy: its matrix turns vectors, ours turns axes, so one is the other's transpose."""
    return Rotation.from_quat(q, scalar_first=True).as_matrix().T


@given(quaternions)
def test_dcm_from_quaternion(q):
    q = q / np.linalg.norm(q)
    assert maths.dcm_from_quaternion(q) == pytest.approx(dcm_of(q), abs=ROUNDING)


@given(quaternions)
def test_quaternion_from_dcm_and_back(q):
    dcm = dcm_of(q)
    back = maths.quaternion_from_dcm(dcm)
    assert back[0] >= 0.0
    assert np.linalg.norm(back) == pytest.approx(1.0, abs=ROUNDING)
    assert maths.dcm_from_quaternion(back) == pytest.approx(dcm, abs=ROUNDING)


@given(mrps)
def test_an_mrp_and_its_shadow_are_the_same_attitude(sigma):
    short = maths.short_mrp(sigma)
    assert np.linalg.norm(short) <= 1.0 + ROUNDING
    assert maths.dcm_from_mrp(short) == pytest.approx(maths.dcm_from_mrp(sigma), abs=ROUNDING)


@given(mrps)
def test_mrp_from_dcm_is_the_short_rotation(sigma):
    back = maths.mrp_from_dcm(maths.dcm_from_mrp(sigma))
    assert np.linalg.norm(back) <= 1.0 + ROUNDING
    assert maths.dcm_from_mrp(back) == pytest.approx(maths.dcm_from_mrp(sigma), abs=ROUNDING)


@given(mrps, mrps)
def test_relative_attitude_is_the_product_of_the_matrices(sigma_BN, sigma_RN):
    dcm_BR = maths.dcm_from_mrp(sigma_BN) @ maths.dcm_from_mrp(sigma_RN).T
    relative = maths.mrp_relative(sigma_BN, sigma_RN)
    assert np.linalg.norm(relative) <= 1.0 + ROUNDING
    assert maths.dcm_from_mrp(relative) == pytest.approx(dcm_BR, abs=1e-11)


@given(mrps)
def test_relative_attitude_of_a_set_and_its_shadow_is_zero(sigma):
    shadow = -sigma / (sigma @ sigma)
    assert maths.mrp_relative(sigma, shadow) == pytest.approx(np.zeros(3), abs=1e-11)


@given(quaternions, quaternions)
def test_quaternion_product_is_the_product_of_the_matrices(a, b):
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    product = maths.dcm_from_quaternion(maths.quaternion_product(a, b))
    assert product == pytest.approx(dcm_of(a) @ dcm_of(b), abs=ROUNDING)


@given(mrps, vectors)
def test_rates_are_the_derivatives_of_a_turn(sigma, omega):
    """Over a short time the body turns by omega h about its own axes; central differences are good to h^2."""
    h = 1e-5

    def turned(time: float) -> np.ndarray:
        return Rotation.from_rotvec(-omega * time).as_matrix() @ maths.dcm_from_mrp(maths.short_mrp(sigma))

    short = maths.short_mrp(sigma)
    difference = (turned(h) - turned(-h)) / (2.0 * h)
    q = maths.quaternion_from_mrp(short)
    by_quaternion = maths.dcm_from_quaternion(q + h * maths.quaternion_rate(q, omega))
    by_quaternion = (by_quaternion - maths.dcm_from_quaternion(q - h * maths.quaternion_rate(q, omega))) / (2 * h)
    rate = maths.mrp_rate(short, omega)
    by_mrp = (maths.dcm_from_mrp(short + h * rate) - maths.dcm_from_mrp(short - h * rate)) / (2.0 * h)
    scale = 1.0 + np.linalg.norm(omega) ** 3
    assert by_quaternion == pytest.approx(difference, abs=1e-7 * scale)
    assert by_mrp == pytest.approx(difference, abs=1e-7 * scale)


@given(mrps)
def test_rotation_angle(sigma):
    angle = Rotation.from_matrix(maths.dcm_from_mrp(sigma).T).magnitude()
    assert maths.rotation_angle(sigma) == pytest.approx(angle, abs=1e-7)


@given(quaternions)
def test_mrp_and_quaternion_are_inverse(q):
    q = maths.normalized_quaternion(q)
    assert maths.quaternion_from_mrp(maths.mrp_from_quaternion(q)) == pytest.approx(q, abs=ROUNDING)
