"""Segments of smoothly changing acceleration: continuity, exact ends, and derivatives that belong together."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardan.maths.profiles import ProfilePoint, plan_from, profile_at

NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)

values = st.floats(-20.0, 20.0)
accelerations = st.floats(1e-4, 5.0)
durations = st.floats(0.05, 30.0)


def integral(f, low, high):
    """By Gauss's rule, exact for the polynomials of one segment."""
    middle, half = 0.5 * (high + low), 0.5 * (high - low)
    return half * sum(w * f(middle + half * n) for n, w in zip(NODES, WEIGHTS, strict=True))


@given(values, st.floats(-3.0, 3.0), st.floats(-2.0, 2.0), values, st.booleans(), accelerations, durations, durations)
def test_a_plan_from_a_moving_start_is_smooth_and_ends_at_rest_at_its_reference(
    x, v, a, reference, is_stopped, max_acceleration, bang, smooth
):
    """Continuous to rounding of the largest number, equal to the integrals of its own derivatives, never faster."""
    now = ProfilePoint(x, v, a)
    plan = plan_from(now, reference, is_stopped, max_acceleration, bang, smooth)

    def at(t):
        return profile_at(t, 2.0, x, v, plan.reference, plan.duration, plan.begin, plan.end)

    knots = 2.0 + np.concatenate([[0.0], np.cumsum(plan.duration)])
    size = 1.0 + abs(x) + abs(reference) + (abs(v) + abs(a) * smooth) * knots[-1]
    allowed = 1e-11 * size
    first = at(2.0)
    assert first.value == pytest.approx(x, abs=1e-14 * size)
    assert first.rate == pytest.approx(v, abs=allowed)
    if plan.duration.sum() > 0.0:
        assert first.acceleration == pytest.approx(a, abs=1e-12)
    for low, high in pairwise(knots):
        if high - low < 1e-9:
            continue
        start, end = at(low), at(np.nextafter(high, low))
        after = at(high)
        # continuous where two segments meet
        assert end.value == pytest.approx(after.value, abs=allowed)
        assert end.rate == pytest.approx(after.rate, abs=allowed)
        # a plan may take a hundred years, so that rounding of the time shows in what changes within a ramp
        late = 1e-9 + 2.0 * np.spacing(high) / smooth
        assert end.acceleration == pytest.approx(after.acceleration, abs=late * (max_acceleration + abs(a)))
        # the integral of its own derivative
        gained = integral(lambda t: at(t).acceleration, low, high)
        assert end.rate - start.rate == pytest.approx(gained, abs=allowed)
        assert end.value - start.value == pytest.approx(integral(lambda t: at(t).rate, low, high), abs=allowed)
    assert np.abs(plan.begin).max() <= max(max_acceleration, abs(a)) * (1.0 + 1e-15)
    done = at(knots[-1] + 1e-6)
    assert (float(done.value), float(done.rate), float(done.acceleration)) == (float(plan.reference), 0.0, 0.0)
    if not is_stopped:
        assert plan.reference == reference


def test_a_plan_from_rest_to_where_it_is_takes_no_time():
    plan = plan_from(ProfilePoint(0.5, 0.0, 0.0), 0.5, False, 0.1, 1.0, 1.0)
    assert plan.duration.sum() == 0.0


def test_a_stop_ends_where_braking_ends():
    """Constant deceleration, smoothed: from rate v with ramps of 1 s, at 0.1 per second squared."""
    plan = plan_from(ProfilePoint(0.0, 0.3, 0.0), 99.0, True, 0.1, 1.0, 1.0)
    assert plan.duration[:4] == pytest.approx([1.0, 1.0, 2.0, 1.0])
    assert plan.reference == pytest.approx(0.3 * 1.0 + 0.3 * 0.5 * 4.0)
