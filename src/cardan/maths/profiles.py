"""Motion along one coordinate in segments of given acceleration: evaluation, and plans that begin anywhere.

Over a segment of duration T the acceleration goes from b to e by a smooth step, with s = tau / T:

    x'' = b + (e - b) (3 s^2 - 2 s^3)                                                                             (1)
    x'  = x'_0 + b tau + (e - b) T (s^3 - s^4 / 2)                                                                (2)
    x   = x_0 + x'_0 tau + b tau^2 / 2 + (e - b) T^2 (s^4 / 4 - s^5 / 10)                                         (3)

so that acceleration, rate and value belong together exactly. Source: Kiner, Schaub and Allard, "Spacecraft
Backsubstitution Dynamics with General Multibody Prescribed Subcomponents", J. Aerospace Information Systems 2025,
Appendix A, where the third segment has a misprint in its cubic term.
"""

from typing import NamedTuple

import numpy as np

from cardan.maths.arrays import Scalar, Vec
from cardan.maths.choosing import choose
from cardan.maths.vectors import clip


class ProfilePoint(NamedTuple):
    """Where a coordinate is at one time, in its own unit."""

    value: Scalar
    rate: Scalar
    acceleration: Scalar


class Segments(NamedTuple):
    """Segments one after the other, and where they end."""

    duration: Vec
    begin: Vec
    end: Vec
    reference: Scalar


def profile_at(
    t: Scalar, start_time: Scalar, start: Scalar, rate: Scalar, reference: Scalar, duration: Vec, begin: Vec, end: Vec
) -> ProfilePoint:
    """Value, rate and acceleration at time `t` of segments that begin at `start_time` with `start` and `rate`.

    Before they begin, nothing accelerates; after they end, the value is `reference` and at rest.
    """
    elapsed = t - start_time
    x, v, a = start, rate, 0.0 * rate
    for k in range(len(duration)):
        T, b, step = duration[k], begin[k], end[k] - begin[k]
        tau = clip(elapsed, 0.0, T)
        s = tau / choose(T > 0.0, T, 1.0)
        # Eqs. (1) to (3)
        x = x + v * tau + 0.5 * b * tau * tau + step * T * T * s * s * s * s * (0.25 - 0.1 * s)
        v = v + b * tau + step * T * s * s * s * (1.0 - 0.5 * s)
        a = choose((elapsed >= 0.0) & (elapsed < T), b + step * s * s * (3.0 - 2.0 * s), a)
        elapsed = elapsed - T
    has_ended = elapsed >= 0.0
    return ProfilePoint(choose(has_ended, reference, x), choose(has_ended, 0.0, v), choose(has_ended, 0.0, a))


def segment_times(start_time: Scalar, duration: Vec) -> Vec:
    """[s] Where segments meet; segments that take no time meet nowhere."""
    meets = np.concatenate((np.zeros(1), np.cumsum(duration)))
    return start_time + meets if meets[-1] > 0.0 else np.zeros(0)


def plan_from(
    now: ProfilePoint, reference: Scalar, is_stopped: Scalar, max_acceleration: Scalar, bang: Scalar, smooth: Scalar
) -> Segments:
    """Segments from a moving start to rest at `reference`, or to rest as soon as possible if `is_stopped`.

    The acceleration is smoothed to zero, then the motion brakes to rest, then it moves from rest to rest: eleven
    segments, some of which may take no time. Acceleration and rate are continuous throughout. A move too short for its
    bang segments is made with less than `max_acceleration`.
    """
    # let go of the present acceleration
    is_moving = (now.rate != 0.0) | (now.acceleration != 0.0)
    T0 = choose(is_moving, smooth, 0.0)
    v1 = now.rate + 0.5 * now.acceleration * T0
    x1 = now.value + now.rate * T0 + 0.35 * now.acceleration * T0 * T0

    # brake: a ramp of area |v1|, as high as allowed; what is too slow for that to be a number is at rest
    braking = np.minimum(max_acceleration, np.abs(v1) / smooth)
    is_braking = braking > 0.0
    hold = choose(is_braking, np.abs(v1) / choose(is_braking, braking, 1.0) - smooth, 0.0)
    hold = np.maximum(hold, 0.0)
    T1 = choose(is_braking, smooth, 0.0)
    x2 = x1 + 0.5 * v1 * (hold + 2.0 * T1)
    against = -np.sign(v1) * braking

    # from rest to rest
    end = choose(is_stopped, x2, reference)
    D = np.abs(end - x2)
    ramp = (bang + smooth) * (bang + 2.0 * smooth)
    going = np.minimum(max_acceleration, D / ramp)
    largest_rate = going * (bang + smooth)
    is_going = largest_rate > 0.0
    coast = choose(is_going, D / choose(is_going, largest_rate, 1.0) - (bang + 2.0 * smooth), 0.0)
    coast = np.maximum(coast, 0.0)
    T2, T3 = choose(is_going, smooth, 0.0), choose(is_going, bang, 0.0)
    A = np.sign(end - x2) * going
    zero = 0.0 * A
    return Segments(
        duration=np.array((T0, T1, hold, T1, T2, T3, T2, coast, T2, T3, T2)),
        begin=np.array((now.acceleration, zero, against, against, zero, A, A, zero, zero, -A, -A)),
        end=np.array((zero, against, against, zero, A, A, zero, zero, -A, -A, zero)),
        reference=end,
    )
