"""Profiles from rest to rest: Appendix A of the seed paper, limits, and what is refused."""

from inspect import signature
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardan import models
from cardan.errors import SettingError

NODES, WEIGHTS = np.polynomial.legendre.leggauss(6)


def integral(f, low, high):
    """By Gauss's rule, exact for the polynomials of one segment."""
    middle, half = 0.5 * (high + low), 0.5 * (high - low)
    return half * sum(w * f(middle + half * n) for n, w in zip(NODES, WEIGHTS, strict=True))


@st.composite
def profiles(draw):
    """Any of the three kinds, long enough for its bang segments."""
    start, sign = draw(st.floats(-10.0, 10.0)), draw(st.sampled_from([-1.0, 1.0]))
    max_acceleration = draw(st.floats(1e-4, 5.0))
    bang, smooth = draw(st.floats(0.05, 20.0)), draw(st.floats(0.05, 20.0))
    start_time, extra = draw(st.floats(0.0, 100.0)), draw(st.floats(0.0, 50.0))
    kind = draw(st.sampled_from(["smoothed", "bang_coast_bang", "bang_bang"]))
    shortest = max_acceleration * {"smoothed": (bang + smooth) * (bang + 2.0 * smooth)}.get(kind, bang * bang)
    reference = start + sign * (shortest * (1.0 + 1e-9) + extra)
    common = {"start": start, "reference": reference, "max_acceleration": max_acceleration, "start_time": start_time}
    if kind == "smoothed":
        return kind, models.smoothed_bang_coast_bang(**common, bang=bang, smooth=smooth)
    if kind == "bang_coast_bang":
        return kind, models.bang_coast_bang(**common, bang=bang)
    return kind, models.bang_bang(**common)


@given(profiles())
def test_every_profile_is_continuous_ends_at_its_reference_and_integrates_its_acceleration(drawn):
    """Value and rate for all; the acceleration for the smoothed one. Rounding of the largest number."""
    kind, profile = drawn
    knots = profile.start_time + np.concatenate([[0.0], np.cumsum(profile.duration)])
    top = np.abs(profile.begin).max()
    size = 1.0 + abs(profile.start) + abs(profile.reference) + top * knots[-1]
    for low, high in pairwise(knots):
        if high - low < 1e-9:
            continue
        start, end, after = profile.at(low), profile.at(np.nextafter(high, low)), profile.at(high)
        assert end.value == pytest.approx(after.value, abs=1e-11 * size)
        assert end.rate == pytest.approx(after.rate, abs=1e-11 * size)
        if kind == "smoothed":
            assert end.acceleration == pytest.approx(after.acceleration, abs=1e-9 * top)
        rate = integral(lambda t: profile.at(t).acceleration, low, np.nextafter(high, low))
        assert end.rate - start.rate == pytest.approx(rate, abs=1e-11 * size)
        moved = integral(lambda t: profile.at(t).rate, low, np.nextafter(high, low))
        assert end.value - start.value == pytest.approx(moved, abs=1e-11 * size)
    before, done = profile.at(profile.start_time - 1.0), profile.at(np.nextafter(profile.end_time, np.inf) + 1e-6)
    assert [float(number) for number in before] == [profile.start, 0.0, 0.0]
    assert [float(number) for number in done] == [profile.reference, 0.0, 0.0]


def test_a_smoothed_profile_has_the_seven_segments_of_the_paper():
    """Table B1: 10 deg at most 0.5 deg/s^2, 1 s each; the coast follows from Eqs. (A9) and (A10)."""
    profile = models.smoothed_bang_coast_bang(start=0.0, reference=10.0, max_acceleration=0.5, bang=1.0, smooth=1.0)
    assert profile.duration == pytest.approx([1.0, 1.0, 1.0, 7.0, 1.0, 1.0, 1.0])
    assert profile.end_time == pytest.approx(13.0)
    # half-way up the first ramp, at the end of the third segment, and in the middle of the coast
    assert profile.at(0.5) == pytest.approx((0.5 * (1 / 64 - 1 / 320), 0.5 * (1 / 8 - 1 / 32), 0.25))
    assert profile.at(3.0) == pytest.approx((1.5, 1.0, 0.0), abs=1e-15)
    assert profile.at(6.5) == pytest.approx((5.0, 1.0, 0.0), abs=1e-14)


def test_bang_bang_is_the_fastest_way():
    profile = models.bang_bang(start=1.0, reference=-3.0, max_acceleration=0.25, start_time=2.0)
    assert profile.end_time == pytest.approx(2.0 + 8.0)
    assert profile.at(6.0 - 1e-12) == pytest.approx((-1.0, -1.0, -0.25), abs=1e-11)


@pytest.mark.parametrize("make", [models.smoothed_bang_coast_bang, models.bang_coast_bang, models.bang_bang])
def test_a_reference_equal_to_the_start_is_no_motion(make):
    options = {"bang": 2.0, "smooth": 1.0}
    takes = {name: value for name, value in options.items() if name in signature(make).parameters}
    profile = make(start=0.7, reference=0.7, max_acceleration=0.1, start_time=3.0, **takes)
    assert profile.end_time == 3.0
    for t in (0.0, 3.0, 4.0, 1e6):
        assert [float(number) for number in profile.at(t)] == [0.7, 0.0, 0.0]


def test_profiles_in_sequence_rest_in_between():
    first = models.bang_bang(start=0.0, reference=1.0, max_acceleration=1.0, start_time=1.0)
    second = models.smoothed_bang_coast_bang(
        start=1.0, reference=-2.0, max_acceleration=0.1, bang=1.0, smooth=1.0, start_time=10.0
    )
    both = models.in_sequence(first, second)
    assert both.at(6.0) == pytest.approx((1.0, 0.0, 0.0), abs=1e-15)
    for t in (2.0, 12.0, 20.0):
        assert both.at(t) == pytest.approx((first if t < 3.5 else second).at(t), abs=1e-14)
    assert both.end_time == pytest.approx(second.end_time)


def refused(make, text, **options):
    with pytest.raises(SettingError) as error:
        make(**options)
    assert str(error.value) == text


def test_a_move_too_short_for_its_bang_segments_is_refused():
    refused(
        models.smoothed_bang_coast_bang,
        "smoothed_bang_coast_bang: a move by 0.5 is too short for its bang segments.\n"
        "  They alone move by 0.6.\n"
        "  Use a max_acceleration of at most 0.0833333, or shorter segments.",
        start=0.0, reference=0.5, max_acceleration=0.1, bang=1.0, smooth=1.0,
    )  # fmt: skip
    # with what it proposes it is just possible
    models.smoothed_bang_coast_bang(start=0.0, reference=0.5, max_acceleration=0.5 / 6.0, bang=1.0, smooth=1.0)


@pytest.mark.parametrize("name", ["max_acceleration", "bang", "smooth"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan])
def test_durations_and_accelerations_must_be_positive(name, value):
    options = {"start": 0.0, "reference": 9.0, "max_acceleration": 0.1, "bang": 1.0, "smooth": 1.0, name: value}
    refused(
        models.smoothed_bang_coast_bang,
        f"smoothed_bang_coast_bang: {name} must be positive and finite, got {value!r}.",
        **options,
    )


def test_a_profile_cannot_start_before_the_run():
    refused(
        models.bang_bang,
        "bang_bang: start_time is -2 s, before the run begins.\n"
        "  Use 0 s or later, and start where the motion then is.",
        start=0.0, reference=1.0, max_acceleration=0.1, start_time=-2.0,
    )  # fmt: skip


def test_a_reference_must_be_finite():
    refused(
        models.bang_bang, "bang_bang: reference must be finite, got nan.", start=0.0, reference=np.nan,
        max_acceleration=0.1,
    )  # fmt: skip


def test_a_sequence_must_fit_together():
    first = models.bang_bang(start=0.0, reference=1.0, max_acceleration=1.0)
    with pytest.raises(SettingError) as error:
        models.in_sequence(first, models.bang_bang(start=2.0, reference=3.0, max_acceleration=1.0, start_time=9.0))
    assert str(error.value) == (
        "in_sequence: a profile starts at 2, but the one before it ends at 1.\n"
        "  Let each start where the one before it ends."
    )
    with pytest.raises(SettingError) as error:
        models.in_sequence(first, models.bang_bang(start=1.0, reference=3.0, max_acceleration=1.0, start_time=1.0))
    assert str(error.value) == (
        "in_sequence: a profile starts at 1 s, but the one before it ends at 2 s.\n  Start it later."
    )
    with pytest.raises(SettingError, match="there are no profiles"):
        models.in_sequence()
