import numpy as np
import pytest

from cardan.errors import ImpossibleValue
from cardan.fsw import AxisPointing
from cardan.maths import dcm_from_mrp
from cardan.messages import ThrustAxis

TARGET_N, SECOND_N, SECOND_B = np.array([0.3, -0.5, 2.0]), np.array([1.0, 0.4, 0.1]), np.array([0.2, 1.0, 0.0])


def dcm(axis_B, **changes):
    part = AxisPointing(**({"target_N": TARGET_N, "second_B": SECOND_B, "second_N": SECOND_N} | changes))
    reference = part.step(ThrustAxis(np.array(axis_B))).reference
    assert not reference.omega_RN_N.any() and not reference.omega_dot_RN_N.any()
    return dcm_from_mrp(reference.sigma_RN)


def test_the_axis_points_along_the_direction():
    axis_B = np.array([0.1, 0.2, 0.9])
    pointed_B = dcm(axis_B) @ TARGET_N / np.linalg.norm(TARGET_N)
    assert pointed_B == pytest.approx(axis_B / np.linalg.norm(axis_B), abs=1e-15)


def test_no_turn_about_the_axis_brings_the_second_one_nearer():
    axis_B = np.array([0.1, 0.2, 0.9]) / np.linalg.norm([0.1, 0.2, 0.9])
    found = dcm(axis_B)
    second_B = SECOND_B / np.linalg.norm(SECOND_B)
    reached = second_B @ found @ SECOND_N
    for angle in (-0.1, -1e-3, 1e-3, 0.1, 3.0):
        c, s = np.cos(angle), np.sin(angle)
        skew = np.array([[0, -axis_B[2], axis_B[1]], [axis_B[2], 0, -axis_B[0]], [-axis_B[1], axis_B[0], 0]])
        turn = c * np.eye(3) + s * skew + (1 - c) * np.outer(axis_B, axis_B)
        assert second_B @ turn @ found @ SECOND_N < reached


@pytest.mark.parametrize("axis_B", [[0.4, 2.0, 0.0], [0.0, 0.0, 0.0]])
def test_parallel_or_zero_axes_are_refused(axis_B):
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match="The two axes are parallel or zero"):
        dcm(axis_B)


@pytest.mark.parametrize("second_N", [2.0 * TARGET_N, -TARGET_N, 0.0 * TARGET_N])
def test_parallel_or_zero_directions_are_refused(second_N):
    text = r"`AxisPointing\.second_N` must be a direction that is not along `target_N`"
    with pytest.raises(ImpossibleValue, match=text):
        dcm([0.0, 0.0, 1.0], second_N=second_N)
