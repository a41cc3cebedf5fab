import numpy as np
import pytest

import cardan as cd
from cardan.fsw import spline_path
from cardan.maths import dcm_from_mrp, mrp_rate
from cardan.messages import FrameMotion

PLACES = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [1.0, 2.0, 0.0], [0.0, 1.0, -1.0]])
TURNS = np.array([[1.0, 0.0, 0.0, 0.0], [0.8, 0.6, 0.0, 0.0], [0.0, 0.6, 0.8, 0.0], [0.6, 0.0, 0.8, 0.0]])
TIME = np.array([1.0, 8.0, 20.0, 31.0])
PATH = spline_path(PLACES, TURNS, time=TIME)


def reference(t):
    return PATH.step(t, FrameMotion()).reference


def test_it_passes_the_waypoints_at_their_times():
    for t, place, turn in zip(TIME, PLACES, TURNS, strict=True):
        now = reference(t)
        assert now.r_RN_N == pytest.approx(place, abs=1e-12)
        q = cd.maths.quaternion_from_mrp(now.sigma_RN)
        assert abs(float(q @ turn)) == pytest.approx(1.0, abs=1e-12)


def test_it_begins_and_ends_at_rest_and_stays_there():
    for t in (0.0, 1.0, 31.0, 100.0):
        now = reference(t)
        assert not now.v_RN_N.any() and not now.omega_RN_N.any() and not now.a_RN_N.any()


@pytest.mark.parametrize("t", [3.0, 7.99, 8.01, 15.0, 28.0])
def test_velocity_acceleration_and_rates_belong_to_the_motion(t):
    h = 1e-4
    before, now, after = (reference(x) for x in (t - h, t, t + h))
    # central differences of 1e-4 s: h^2 of the third derivative, and rounding over h
    assert now.v_RN_N == pytest.approx((after.r_RN_N - before.r_RN_N) / (2 * h), abs=1e-7)
    assert now.a_RN_N == pytest.approx((after.v_RN_N - before.v_RN_N) / (2 * h), abs=1e-7)
    assert now.omega_dot_RN_N == pytest.approx((after.omega_RN_N - before.omega_RN_N) / (2 * h), abs=1e-7)
    omega_R = dcm_from_mrp(now.sigma_RN) @ now.omega_RN_N
    sigma_dot = (after.sigma_RN - before.sigma_RN) / (2 * h)
    assert mrp_rate(now.sigma_RN, omega_R) == pytest.approx(sigma_dot, abs=1e-6)


def test_progress_counts_pieces_and_time_and_measures_across_the_flight():
    now = reference(8.5)
    side = np.cross(now.v_RN_N, [0.0, 0.0, 1.0])
    side /= np.linalg.norm(side)
    along = now.v_RN_N / np.linalg.norm(now.v_RN_N)
    progress = PATH.step(8.5, FrameMotion(r_BN_N=now.r_RN_N + 0.3 * side + 0.4 * along)).progress
    assert progress.number == 1 and progress.fraction == pytest.approx(0.25)
    assert progress.lateral_error == pytest.approx(0.3) and progress.distance == pytest.approx(0.5)


def test_without_times_distances_over_speed_say_when():
    part = spline_path(PLACES, TURNS, speed=0.5, start=2.0)
    assert part.time == pytest.approx(
        2.0 + 2.0 * np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(PLACES, axis=0), axis=1))]
    )


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"speed": 0.0}, "spline_path: `speed` must be positive; got 0.0 m/s."),
        ({"time": [0.0, 1.0, 1.0, 2.0]}, "spline_path: times must increase"),
        ({"time": [0.0, 1.0]}, "spline_path: at least two waypoints are needed, each with a time"),
    ],
)
def test_a_path_that_cannot_be_flown_is_refused(options, text):
    with pytest.raises(cd.CardanError) as caught:
        spline_path(PLACES, TURNS, **options)
    assert str(caught.value).startswith(text)


def test_a_repeated_waypoint_needs_times():
    places = PLACES[[0, 1, 1, 2]]
    with pytest.raises(cd.CardanError) as caught:
        spline_path(places, TURNS)
    assert str(caught.value) == (
        "spline_path: waypoints 1 and 2 are the same, [1.0, 0.0, 0.5].\n  Leave one out, or give times."
    )
    assert len(spline_path(places, TURNS, time=TIME).time) == 4  # a turn in place
