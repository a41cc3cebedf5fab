import numpy as np
import pytest

from cardan.fsw import InertialSpin
from cardan.maths import dcm_from_mrp

AXIS_R = np.array([2.0, -1.0, 2.0]) / 3.0
PART = InertialSpin(rate=0.3, axis_R=AXIS_R, sigma_R0N=[0.1, 0.2, -0.3])


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """The matrix of a turn, by Rodrigues' formula; it takes components before the turn to those after it."""
    x, y, z = axis
    tilde = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) - np.sin(angle) * tilde + (1.0 - np.cos(angle)) * tilde @ tilde


@pytest.mark.parametrize("t", [0.0, 1.0, 10.0, 10.5, 20.0, 1234.5])
def test_the_attitude_has_turned_about_its_axis_by_rate_times_time(t):
    sigma_RN = PART.step(t).reference.sigma_RN
    expected = about(AXIS_R, 0.3 * t) @ dcm_from_mrp(PART.sigma_R0N)
    assert dcm_from_mrp(sigma_RN) == pytest.approx(expected, abs=1e-12)  # 370 rad, known to 6e-14
    assert np.linalg.norm(sigma_RN) <= 1.0 + 1e-15


@pytest.mark.parametrize("t", [0.5, 10.4, 31.0])
def test_the_rate_is_that_of_the_attitude(t):
    step = 1e-4
    before, now, after = (dcm_from_mrp(PART.step(t + d).reference.sigma_RN) for d in (-step, 0.0, step))
    # d(dcm_RN)/dt = - tilde(omega_R) dcm_RN
    tilde = -(after - before) / (2.0 * step) @ now.T
    omega_R = np.array([tilde[2, 1], tilde[0, 2], tilde[1, 0]])
    reference = PART.step(t).reference
    assert now @ reference.omega_RN_N == pytest.approx(omega_R, abs=1e-9)
    assert now @ reference.omega_RN_N == pytest.approx(0.3 * AXIS_R, abs=1e-13)
    assert reference.omega_dot_RN_N.tolist() == [0.0, 0.0, 0.0]


def test_after_whole_turns_it_is_where_it_began():
    part = InertialSpin(rate=2.0 * np.pi / 8.0)
    assert part.step(80.0).reference.sigma_RN == pytest.approx(np.zeros(3), abs=1e-14)
    # half a turn about z
    assert np.abs(part.step(4.0).reference.sigma_RN) == pytest.approx([0.0, 0.0, 1.0], abs=1e-14)
