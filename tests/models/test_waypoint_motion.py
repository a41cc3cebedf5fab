import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cardan import models
from cardan.errors import SettingError
from cardan.maths import dcm_from_quaternion
from motions import assert_consistent


def random_waypoints(seed, n):
    """Attitudes that differ by some tens of degrees from one to the next."""
    rng = np.random.default_rng(seed)
    time = np.cumsum(rng.uniform(0.5, 4.0, n))
    quats = [np.array([1.0, 0.0, 0.0, 0.0])]
    for _ in range(n - 1):
        q = quats[-1] + 0.4 * rng.normal(size=4)
        quats.append(q / np.linalg.norm(q))
    return time, rng.normal(size=(n, 3)), np.array(quats)


@given(st.integers(0, 10_000), st.integers(2, 7), st.floats(0.01, 0.99))
def test_motion_passes_its_waypoints_with_continuous_acceleration(seed, n, share):
    time, positions, quats = random_waypoints(seed, n)
    try:
        part = models.through_waypoints(time, positions, quats)
    except SettingError as error:
        # a walk of attitudes may wind up to a whole turn, which is refused
        assert "almost 360 deg" in str(error)
        assume(False)
    t = time[0] + share * (time[-1] - time[0])
    speed = 1.0 + np.abs(part.a_FM_M).max() + np.abs(part.sigma_ddot_FM).max()
    assert_consistent(part.motion, t, step=1e-6, allowed=1e-6 * speed**2)
    for i, at in enumerate(time):
        motion = part.motion(at)
        assert np.array_equal(motion.r_FM_M, positions[i])
        assert dcm_from_quaternion(motion.q_FM) == pytest.approx(dcm_from_quaternion(quats[i]), abs=1e-12)
        before, after = part.motion(at - 1e-9), part.motion(at + 1e-9)
        for name in ("v_FM_M", "a_FM_M", "omega_FM_F", "omega_dot_FM_F"):
            assert getattr(before, name) == pytest.approx(getattr(after, name), abs=1e-5 * speed**2)


def test_it_is_at_rest_before_and_after():
    part = models.through_waypoints(*random_waypoints(3, 4))
    for t in (0.0, float(part.time[0]), float(part.time[-1]), 1e6):
        motion = part.motion(t)
        rates = (motion.v_FM_M, motion.a_FM_M, motion.omega_FM_F, motion.omega_dot_FM_F)
        assert not any(np.any(rate) for rate in rates)


def test_two_waypoints_are_the_polynomial_of_the_fifth_degree():
    """10 u^3 - 15 u^4 + 6 u^5, the one with no rate and no acceleration at its ends."""
    turn = np.array([[1.0, 0.0, 0.0, 0.0]] * 2)
    part = models.through_waypoints([1.0, 5.0], [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]], turn)
    assert part.motion(2.0).r_FM_M[0] == pytest.approx(2.0 * (10 / 64 - 15 / 256 + 6 / 1024))


def test_a_spline_of_the_fifth_degree_is_smooth_to_the_fourth_derivative():
    """The same spline by SciPy, where it can be had."""
    interpolate = pytest.importorskip("scipy.interpolate")
    time, positions, quats = random_waypoints(11, 6)
    part = models.through_waypoints(time, positions, quats)
    rest = [(1, np.zeros(3)), (2, np.zeros(3))]
    spline = interpolate.make_interp_spline(time, positions, k=5, bc_type=(rest, rest))
    for t in np.linspace(time[0] + 0.01, time[-1] - 0.01, 17):
        assert part.motion(t).r_FM_M == pytest.approx(spline(t), abs=1e-10)
        assert part.motion(t).a_FM_M == pytest.approx(spline(t, 2), abs=1e-9)


def test_an_attitude_beyond_half_a_turn_is_passed_through():
    """Rotations by 0, 120 and 240 deg about one axis: no flip to the short way in between."""
    angles = np.deg2rad([0.0, 120.0, 240.0])
    quats = np.stack([np.cos(angles / 2), 0 * angles, 0 * angles, np.sin(angles / 2)], axis=1)
    part = models.through_waypoints([0.0, 1.0, 2.0], np.zeros((3, 3)), quats)
    assert all(part.motion(t).omega_FM_F[2] > 0.0 for t in np.linspace(0.05, 1.95, 20))


@pytest.mark.parametrize(
    ("time", "text"),
    [
        ([0.0, 0.0], "times must increase, from 0 s or later, got [0.0, 0.0]."),
        ([1.0, 0.5], "times must increase, from 0 s or later, got [1.0, 0.5]."),
        ([-1.0, 0.5], "times must increase, from 0 s or later, got [-1.0, 0.5]."),
        ([0.0, np.inf], "a waypoint is not finite."),
    ],
)
def test_times_are_checked(time, text):
    with pytest.raises(SettingError) as error:
        models.through_waypoints(time, np.zeros((2, 3)), [[1.0, 0.0, 0.0, 0.0]] * 2)
    assert str(error.value) == f"through_waypoints: {text}"


def test_shapes_and_quaternions_are_checked():
    with pytest.raises(SettingError) as error:
        models.through_waypoints([0.0], [[0.0, 0.0, 0.0]], [[1.0, 0.0, 0.0, 0.0]])
    assert str(error.value) == (
        "through_waypoints: at least two waypoints are needed, each with a time, a position and a quaternion.\n"
        "  got shapes (1,), (1, 3) and (1, 4)"
    )
    with pytest.raises(SettingError) as error:
        models.through_waypoints([0.0, 1.0], np.zeros((2, 3)), [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    assert str(error.value) == "through_waypoints: a quaternion is zero.\n  No rotation is (1, 0, 0, 0)."


def test_a_turn_by_almost_360_deg_is_refused():
    angles = np.deg2rad([0.0, 120.0, 240.0, 340.0])
    quats = np.stack([np.cos(angles / 2), 0 * angles, 0 * angles, np.sin(angles / 2)], axis=1)
    with pytest.raises(SettingError) as error:
        models.through_waypoints([0.0, 1.0, 2.0, 3.0], np.zeros((4, 3)), quats)
    assert str(error.value) == (
        "through_waypoints: at waypoint 4 the body is turned by almost 360 deg against its mount.\n"
        "  Turn the mount, or chain two motions."
    )
