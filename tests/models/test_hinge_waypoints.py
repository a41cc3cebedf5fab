from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardan as cd
from cardan.errors import ImpossibleValue
from cardan.messages import HingeStarts
from cardan.models import HingeWaypoints

angles = st.lists(st.floats(-6.0, 6.0).map(lambda x: round(x, 3)), min_size=2, max_size=5)
rates = st.floats(1e-3, 1.0)
accelerations = st.floats(1e-4, 1.0)


def durations(part: HingeWaypoints) -> np.ndarray:
    """[s] Of each move of the first hinge, from the limits: two ramps of 2 v / a, which cover v^2 / a each."""
    times = []
    for D in np.abs(np.diff(part.waypoints[0])):
        v = min(part.max_rate, np.sqrt(part.max_acceleration * D / 2.0))
        ramp = 2.0 * v / part.max_acceleration
        times.append(0.0 if v == 0.0 else 2.0 * ramp + (D - v * ramp) / v)
    return np.array(times)


@given(waypoints=angles, v=rates, a=accelerations, start=st.floats(-10.0, 100.0), dwell=st.floats(0.0, 20.0))
def test_a_hinge_rests_at_each_waypoint_when_it_should(waypoints, v, a, start, dwell):
    part = HingeWaypoints(waypoints=[waypoints], max_rate=v, max_acceleration=a, start=[start], dwell=dwell)
    leaves = start
    moves = [0.0, *durations(part)]
    for k, angle in enumerate(waypoints):
        arrives = leaves + moves[k]
        leaves = arrives + (dwell if k else 0.0)
        for t in (arrives, leaves):
            at = part.reference(t)
            # times of up to 1e5 s, known to 1e-11 s; both derivatives are continuous, so the angle hardly sees it
            assert at.angle[0] == pytest.approx(angle, abs=1e-12)
            assert at.rate[0] == pytest.approx(0.0, abs=1e-9 * a)
            assert at.acceleration[0] == pytest.approx(0.0, abs=1e-8 * a)
    assert part.reference(start - 1.0).angle[0] == waypoints[0]
    assert part.reference(1.0e9).angle[0] == pytest.approx(waypoints[-1], abs=1e-12)


@given(waypoints=angles, v=rates, a=accelerations, dwell=st.floats(0.0, 20.0))
def test_rate_and_acceleration_stay_within_their_limits(waypoints, v, a, dwell):
    part = HingeWaypoints(waypoints=[waypoints], max_rate=v, max_acceleration=a, start=[0.0], dwell=dwell)
    end = float(durations(part).sum()) + dwell * (len(waypoints) - 1)
    sent = [part.reference(t) for t in np.linspace(-1.0, end + 1.0, 300)]
    assert max(np.abs(r.rate[0]) for r in sent) <= v * (1.0 + 1e-12)
    assert max(np.abs(r.acceleration[0]) for r in sent) <= a * (1.0 + 1e-12)
    assert min(waypoints) - 1e-12 <= min(r.angle[0] for r in sent)
    assert max(r.angle[0] for r in sent) <= max(waypoints) + 1e-12


@given(waypoints=angles, v=st.floats(0.05, 1.0), a=st.floats(0.01, 1.0), share=st.floats(0.0, 1.0))
def test_rate_and_acceleration_are_the_derivatives_of_the_angle(waypoints, v, a, share):
    part = HingeWaypoints(waypoints=[waypoints], max_rate=v, max_acceleration=a, start=[3.0], dwell=2.0)
    t = share * (8.0 + float(durations(part).sum()))
    step = 1e-3
    before, now, after = (part.reference(s) for s in (t - step, t, t + step))
    # the third derivative is at most pi a / T = pi a^2 / (2 v), less where the peak rate is not reached; it may jump
    peaks = [min(v, np.sqrt(a * abs(D) / 2.0)) for D in np.diff(waypoints) if D]
    jerk = np.pi * a**2 / (2.0 * min(peaks, default=1.0))
    error = jerk * step
    assert (after.angle[0] - before.angle[0]) / (2.0 * step) == pytest.approx(now.rate[0], abs=error * step + 1e-11)
    assert (after.rate[0] - before.rate[0]) / (2.0 * step) == pytest.approx(now.acceleration[0], abs=error + 1e-11)


def test_a_long_move_coasts_at_its_largest_rate_and_a_short_one_never_reaches_it():
    part = HingeWaypoints(waypoints=[[0.0, 1.0], [0.0, 0.01]], max_rate=0.1, max_acceleration=0.02, start=[0.0, 0.0])
    # ramps of 2 v / a = 10 s cover 0.5 rad each: nothing is left to coast, and the peak is at 10 s
    assert part.reference(10.0).rate[0] == pytest.approx(0.1, rel=1e-14)
    assert part.reference(5.0).acceleration[0] == pytest.approx(0.02, rel=1e-14)
    # v = sqrt(0.02 * 0.01 / 2) = 0.01 rad/s after 1 s
    assert part.reference(1.0).rate[1] == pytest.approx(0.01, rel=1e-14)
    assert part.reference(2.0).angle[1] == pytest.approx(0.01, rel=1e-14)
    slow = part._replace(max_rate=np.float64(0.05))
    assert [slow.reference(t).rate[0] for t in (5.0, 10.0, 20.0)] == pytest.approx([0.05] * 3, rel=1e-14)
    # 5 s up, coast until 20 s, 5 s down
    assert slow.reference(25.0).angle[0] == pytest.approx(1.0, rel=1e-14)
    assert slow.reference(12.5).angle[0] == pytest.approx(0.5, rel=1e-14)


def test_a_move_by_nothing_takes_no_time_and_no_motion():
    part = HingeWaypoints(waypoints=[[0.3, 0.3, 0.8]], max_rate=0.1, max_acceleration=0.02, start=[0.0], dwell=4.0)
    direct = HingeWaypoints(waypoints=[[0.3, 0.8]], max_rate=0.1, max_acceleration=0.02, start=[4.0])
    for t in np.linspace(0.0, 30.0, 61):
        assert part.reference(t).angle[0] == pytest.approx(direct.reference(t).angle[0], abs=1e-15)
    still = part._replace(waypoints=np.full((1, 3), 0.3))
    for t in (0.0, 1.0, 100.0):
        assert [value[0] for value in still.reference(t)] == [0.3, 0.0, 0.0]


def test_a_single_waypoint_is_where_a_hinge_stays():
    part = HingeWaypoints(waypoints=[[0.3], [0.4]], max_rate=0.1, max_acceleration=0.02, start=[0.0, 0.0])
    assert [value.tolist() for value in part.reference(50.0)] == [[0.3, 0.4], [0.0, 0.0], [0.0, 0.0]]


def test_starts_that_are_connected_replace_those_of_the_parameter():
    rows = [[0.0, 1.0], [0.0, -1.0]]
    part = HingeWaypoints(waypoints=rows, max_rate=0.1, max_acceleration=0.02, start=[0.0, 7.0])
    other = part._replace(start=np.array([3.0, 1.0]))
    for t in (2.0, 9.0, 15.0):
        told = part.reference(t, HingeStarts(np.array([3.0, 1.0])))
        assert all(np.array_equal(a, b) for a, b in zip(told, other.reference(t), strict=True))
    # each hinge has its own
    assert part.reference(5.0).rate[1] == 0.0 < part.reference(5.0).rate[0]


@pytest.mark.parametrize("jit", [True, False])
def test_another_number_of_starts_is_refused_also_natively(jit):
    rows = [[0.0, 1.0], [0.0, -1.0]]
    text = "HingeWaypoints: there is another number of starts than of rows of `waypoints`."
    for starts in ([1.0], [1.0] * 3):
        part = HingeWaypoints(waypoints=rows, max_rate=0.1, max_acceleration=0.02, start=[0.0] * 2)
        scn = cd.Scenario("test")
        scn.add(part, name="path", starts=HingeStarts(starts))
        with pytest.raises(ValueError) as caught:
            cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=jit).run(until=0.1)
        assert str(caught.value) == text


def test_another_number_of_starts_as_a_parameter_is_refused():
    with pytest.raises(ImpossibleValue, match=r"`HingeWaypoints\.start` must be one per entry of `waypoints`"):
        HingeWaypoints(waypoints=[[0.0, 1.0]], max_rate=0.1, max_acceleration=0.02, start=[0.0] * 3)


def test_a_row_without_waypoints_is_refused():
    with pytest.raises(ImpossibleValue, match=r"must be a table with a waypoint or more in each row"):
        HingeWaypoints(waypoints=np.zeros((1, 0)), max_rate=0.1, max_acceleration=0.02, start=[0.0])


def test_waypoints_are_left_in_the_order_of_their_row():
    part = HingeWaypoints(waypoints=[[0.0, 1.0, -1.0]], max_rate=0.5, max_acceleration=0.5, start=[0.0])
    angles = [part.reference(t).angle[0] for t in np.linspace(0.0, float(durations(part).sum()), 200)]
    turn = int(np.argmax(angles))
    assert all(a <= b for a, b in pairwise(angles[: turn + 1]))
    assert all(a >= b for a, b in pairwise(angles[turn:]))
