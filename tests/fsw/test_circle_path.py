import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardan as cd
from cardan.fsw import CirclePath
from cardan.fsw.guidance.circle_path import CirclePathMemory, plane_axes
from cardan.maths import dcm_from_mrp
from cardan.messages import FrameMotion

CENTRE = np.array([1.0, 2.0, 3.0])
CIRCLE = CirclePath(CENTRE, [1.0, 0.0, 0.0], radius=10.5, speed=0.3, acceleration=0.02, faces_centre=True)
START = FrameMotion(r_BN_N=CENTRE + np.array([0.5, 0.0, 12.0]))


def references(part, times, start=START):
    memory, found = CirclePathMemory(), []
    for t in times:
        memory, outputs = part.step(t, memory, start)
        found.append(outputs)
    return found


def test_it_begins_at_rest_at_the_nearest_point():
    first = references(CIRCLE, [5.0])[0]
    assert first.reference.r_RN_N == pytest.approx(CENTRE + np.array([0.0, 0.0, 10.5]))
    assert not first.reference.v_RN_N.any()
    assert first.progress.lateral_error == pytest.approx(np.hypot(0.5, 1.5))


def test_it_comes_to_its_speed_and_keeps_to_the_circle():
    for outputs in references(CIRCLE, [0.0, 40.0, 100.0, 300.0])[1:]:
        now = outputs.reference
        r = now.r_RN_N - CENTRE
        assert np.linalg.norm(r) == pytest.approx(10.5) and r[0] == pytest.approx(0.0, abs=1e-14)
        assert now.v_RN_N == pytest.approx(0.3 * np.cross([1.0, 0.0, 0.0], r / 10.5))
        assert now.a_RN_N == pytest.approx(-(0.3**2) / 10.5 * r / 10.5)


@pytest.mark.parametrize("t", [3.0, 60.0])
def test_velocities_belong_to_the_motion(t):
    h = 1e-4
    _, before, now, after = (outputs.reference for outputs in references(CIRCLE, [0.0, t - h, t, t + h]))
    assert now.v_RN_N == pytest.approx((after.r_RN_N - before.r_RN_N) / (2 * h), abs=1e-8)
    assert now.a_RN_N == pytest.approx((after.v_RN_N - before.v_RN_N) / (2 * h), abs=1e-8)
    turn = dcm_from_mrp(after.sigma_RN).T @ dcm_from_mrp(before.sigma_RN)
    skew = (turn - turn.T) / (4 * h)
    assert now.omega_RN_N == pytest.approx([skew[2, 1], skew[0, 2], skew[1, 0]], abs=1e-8)


def test_it_looks_at_the_centre():
    for outputs in references(CIRCLE, [0.0, 33.0, 150.0]):
        dcm_RN = dcm_from_mrp(outputs.reference.sigma_RN)
        assert dcm_RN[0] == pytest.approx((CENTRE - outputs.reference.r_RN_N) / 10.5, abs=1e-12)
        assert dcm_RN[2] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)


def test_progress_counts_laps():
    lap = 2.0 * np.pi * 10.5
    t = 0.5 * 0.3 / 0.02 + 1.25 * lap / 0.3  # half of the ramp is lost
    last = references(CIRCLE, [0.0, t])[1]
    assert last.progress.number == 1 and last.progress.fraction == pytest.approx(0.25)


def test_a_radius_of_zero_is_a_set_point():
    part = CirclePath(CENTRE, [0.0, 0.0, 1.0], radius=0.0, sigma_RN=[0.1, 0.0, 0.0])
    last = references(part, [0.0, 50.0])[1].reference
    assert last.r_RN_N == pytest.approx(CENTRE) and not last.v_RN_N.any()
    assert last.sigma_RN == pytest.approx([0.1, 0.0, 0.0])


@given(st.integers(0, 10**6))
def test_the_axes_of_the_plane_are_right_handed_whatever_the_normal(seed):
    n = np.random.default_rng(seed).normal(size=3)
    axes = plane_axes(n / np.linalg.norm(n))
    assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-14)
    assert np.linalg.det(axes) == pytest.approx(1.0)


def test_a_normal_of_no_length_is_refused():
    with pytest.raises(cd.CardanError, match=r"`CirclePath.normal_N` must be other than zero"):
        CirclePath(CENTRE, np.zeros(3), 1.0)
