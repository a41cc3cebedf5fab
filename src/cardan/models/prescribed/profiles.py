"""Profiles from rest to rest along one coordinate: an angle [rad] or a displacement [m]."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from cardan.errors import SettingError
from cardan.maths import Vec
from cardan.maths.arrays import Scalar
from cardan.maths.profiles import ProfilePoint, profile_at
from cardan.messages import MotionPlan


class Profile(NamedTuple):
    """Motion along one coordinate, in its own unit u (rad or m), in segments of smoothly changing acceleration.

    Attributes:
        start_time: [s] When it begins; before, the coordinate rests at `start`.
        start: [u]
        reference: [u] Where it ends, and stays.
        duration: [s] Of each segment.
        begin: [u/s^2] Acceleration at the beginning of each segment.
        end: [u/s^2] Acceleration at its end.
    """

    start_time: float
    start: float
    reference: float
    duration: np.ndarray
    begin: np.ndarray
    end: np.ndarray

    @property
    def end_time(self) -> float:
        """[s] When it has ended."""
        return float(self.start_time + self.duration.sum())

    def at(self, t: float) -> ProfilePoint:
        """Value, rate and acceleration at time `t` [s]."""
        now = profile_at(t, self.start_time, self.start, 0.0, self.reference, self.duration, self.begin, self.end)
        return ProfilePoint(float(now.value), float(now.rate), float(now.acceleration))


def smoothed_bang_coast_bang(
    *, start: float, reference: float, max_acceleration: float, bang: float, smooth: float, start_time: float = 0.0
) -> Profile:
    """Speed up, coast, slow down; the acceleration is continuous.

    Args:
        start: [rad or m]
        reference: [rad or m] Where it ends.
        max_acceleration: [rad/s^2 or m/s^2] During the bang segments.
        bang: [s] How long the acceleration is at its maximum, each time.
        smooth: [s] How long it takes to get there and back.
        start_time: [s]
    """
    name = "smoothed_bang_coast_bang"
    _check(name, start=start, reference=reference, start_time=start_time)
    _check_positive(name, max_acceleration=max_acceleration, bang=bang, smooth=smooth)
    coast = _coast(name, abs(reference - start), max_acceleration, bang + smooth, bang + 2.0 * smooth)
    A = max_acceleration * np.sign(reference - start)
    duration = np.array([smooth, bang, smooth, coast, smooth, bang, smooth])
    begin, end = np.array([0.0, A, A, 0.0, 0.0, -A, -A]), np.array([A, A, 0.0, 0.0, -A, -A, 0.0])
    return _move(start_time, start, reference, duration, begin, end)


def bang_coast_bang(
    *, start: float, reference: float, max_acceleration: float, bang: float, start_time: float = 0.0
) -> Profile:
    """Speed up, coast, slow down; the acceleration jumps, the rate is continuous.

    Args:
        start: [rad or m]
        reference: [rad or m] Where it ends.
        max_acceleration: [rad/s^2 or m/s^2]
        bang: [s] How long each of the two accelerations takes.
        start_time: [s]
    """
    name = "bang_coast_bang"
    _check(name, start=start, reference=reference, start_time=start_time)
    _check_positive(name, max_acceleration=max_acceleration, bang=bang)
    coast = _coast(name, abs(reference - start), max_acceleration, bang, bang)
    A = max_acceleration * np.sign(reference - start)
    accelerations = np.array([A, 0.0, -A])
    return _move(start_time, start, reference, np.array([bang, coast, bang]), accelerations, accelerations)


def bang_bang(*, start: float, reference: float, max_acceleration: float, start_time: float = 0.0) -> Profile:
    """Speed up until half-way, then slow down: the fastest way there; the acceleration jumps.

    Args:
        start: [rad or m]
        reference: [rad or m] Where it ends.
        max_acceleration: [rad/s^2 or m/s^2]
        start_time: [s]
    """
    name = "bang_bang"
    _check(name, start=start, reference=reference, start_time=start_time)
    _check_positive(name, max_acceleration=max_acceleration)
    half = np.sqrt(abs(reference - start) / max_acceleration)
    accelerations = max_acceleration * np.sign(reference - start) * np.array([1.0, -1.0])
    return _move(start_time, start, reference, np.array([half, half]), accelerations, accelerations)


def in_sequence(*profiles: Profile) -> Profile:
    """Profiles of one coordinate one after the other, at rest in between."""
    if not profiles:
        raise SettingError("in_sequence: there are no profiles.\n  Give at least one.")
    durations, begins, ends = [profiles[0].duration], [profiles[0].begin], [profiles[0].end]
    for before, after in pairwise(profiles):
        rest = after.start_time - before.end_time
        if after.start != before.reference:
            raise SettingError(
                f"in_sequence: a profile starts at {after.start:.9g}, but the one before it ends at "
                f"{before.reference:.9g}.\n  Let each start where the one before it ends."
            )
        if rest < 0.0:
            raise SettingError(
                f"in_sequence: a profile starts at {after.start_time:.9g} s, but the one before it ends at "
                f"{before.end_time:.9g} s.\n  Start it later."
            )
        durations += [np.array([rest]), after.duration]
        begins += [np.zeros(1), after.begin]
        ends += [np.zeros(1), after.end]
    first, last = profiles[0], profiles[-1]
    joined: list[Sequence[np.ndarray]] = [durations, begins, ends]
    return Profile(first.start_time, first.start, last.reference, *(np.concatenate(parts) for parts in joined))


def _move(
    start_time: float, start: float, reference: float, duration: np.ndarray, begin: np.ndarray, end: np.ndarray
) -> Profile:
    """A profile; a move by nothing takes no time."""
    if reference == start:
        duration, begin, end = 0.0 * duration, 0.0 * begin, 0.0 * end
    return Profile(float(start_time), float(start), float(reference), duration, begin, end)


def _coast(name: str, distance: float, max_acceleration: float, effective: float, ramp: float) -> float:
    """[s] Between two ramps of the duration `ramp` that gain `max_acceleration` times `effective`."""
    speed = max_acceleration * effective
    coast = distance / speed - ramp
    if distance > 0.0 and coast < -1.0e-12 * ramp:
        raise SettingError(
            f"{name}: a move by {distance:.6g} is too short for its bang segments.\n"
            f"  They alone move by {speed * ramp:.6g}.\n"
            f"  Use a max_acceleration of at most {distance / (effective * ramp):.6g}, or shorter segments."
        )
    return max(coast, 0.0)


def _check(name: str, *, start_time: float, **values: float) -> None:
    for what, value in {**values, "start_time": start_time}.items():
        if not np.isfinite(value):
            raise SettingError(f"{name}: {what} must be finite, got {value!r}.")
    if start_time < 0.0:
        raise SettingError(
            f"{name}: start_time is {start_time:.9g} s, before the run begins.\n"
            "  Use 0 s or later, and start where the motion then is."
        )


def _check_positive(name: str, **values: float) -> None:
    for what, value in values.items():
        if not 0.0 < value < np.inf:
            raise SettingError(f"{name}: {what} must be positive and finite, got {value!r}.")


def followed(
    t: Scalar,
    start_time: Scalar,
    start: Scalar,
    reference: Scalar,
    duration: Vec,
    begin: Vec,
    end: Vec,
    plan: MotionPlan | None,
) -> ProfilePoint:
    """Where a part is at time `t` that follows a profile of its own, or the plan that is connected in its place."""
    if plan is None:
        return profile_at(t, start_time, start, 0.0, reference, duration, begin, end)
    return profile_at(t, plan.start_time, plan.start, plan.rate, plan.reference, plan.duration, plan.begin, plan.end)
