"""Splines through waypoints in position and attitude: of the fifth degree, smooth up to the fourth derivative."""

from typing import Any, NamedTuple

import numpy as np

from cardan.errors import SettingError
from cardan.maths.arrays import Rows3, Scalar, Vec, Vec3
from cardan.maths.choosing import choose
from cardan.maths.rotations import mrp_from_quaternion
from cardan.maths.vectors import clip, cross, dot

_LARGEST_MRP = 4.0  # [-] 304 deg from where it starts to count; at 360 deg they have no value


class Spline(NamedTuple):
    """Waypoints of a frame F relative to M, with the rates that make a spline of them.

    Attributes:
        time: [s] When each waypoint is passed.
        r: [m] Positions, a row each.
        v: [m/s] Rates of the positions.
        a: [m/s^2] Second rates of the positions.
        sigma: [-] MRP, a row each; not always of the short rotation.
        sigma_dot: [1/s] Rates of the MRP.
        sigma_ddot: [1/s^2] Second rates of the MRP.
    """

    time: Vec
    r: Rows3
    v: Rows3
    a: Rows3
    sigma: Rows3
    sigma_dot: Rows3
    sigma_ddot: Rows3


class SplinePoint(NamedTuple):
    """Motion of F relative to M at a time.

    Attributes:
        r: [m] In components of M.
        v: [m/s]
        a: [m/s^2]
        sigma: [-] MRP.
        omega: [rad/s] In components of F.
        omega_dot: [rad/s^2] In components of F.
        piece: [-] Between which waypoints, from 0.
    """

    r: Vec3
    v: Vec3
    a: Vec3
    sigma: Vec3
    omega: Vec3
    omega_dot: Vec3
    piece: Any


def spline_at(t: Scalar, spline: Spline) -> SplinePoint:
    """The motion at the time `t` [s]: at rest before the first waypoint and after the last.

    With s the MRP of F relative to M and s2 = s . s,

        omega  = 4 / (1 + s2)^2 b,   b = (1 - s2) s' - 2 s x s' + 2 (s . s') s                                    (1)
        omega' = 4 / (1 + s2)^2 ((1 - s2) s'' - 2 s x s'' + 2 (s' . s' + s . s'') s - 4 (s . s') / (1 + s2) b)    (2)
    """
    time = spline.time
    now = clip(t, time[0], time[-1])
    k = np.count_nonzero(time[1:-1] <= now)
    T = time[k + 1] - time[k]
    u = (now - time[k]) / T
    r, v, a = quintic(u, T, spline.r, spline.v, spline.a, k)
    s, s1, s2 = quintic(u, T, spline.sigma, spline.sigma_dot, spline.sigma_ddot, k)
    # at the last waypoint when it is over, and at rest before and after, to the last bit
    is_over = t >= time[-1]
    r, s = choose(is_over, spline.r[-1], r), choose(is_over, spline.sigma[-1], s)
    moves = choose((t > time[0]) & (t < time[-1]), 1.0, 0.0)
    v, a, s1, s2 = moves * v, moves * a, moves * s1, moves * s2
    # Eqs. (1) and (2)
    square, mixed = dot(s, s), dot(s, s1)
    scale = 4.0 / ((1.0 + square) * (1.0 + square))
    b = (1.0 - square) * s1 - 2.0 * cross(s, s1) + 2.0 * mixed * s
    bent = (1.0 - square) * s2 - 2.0 * cross(s, s2) + 2.0 * (dot(s1, s1) + dot(s, s2)) * s
    return SplinePoint(r, v, a, s, scale * b, scale * (bent - 4.0 * mixed / (1.0 + square) * b), k)


def quintic(u: Any, T: Any, value: Any, rate: Any, second: Any, k: Any) -> tuple[Any, Any, Any]:
    """Value, rate and second rate at the share `u` of the interval `k` of duration `T`."""
    x0, v0, a0 = value[k], rate[k] * T, second[k] * (T * T)
    x1, v1, a1 = value[k + 1], rate[k + 1] * T, second[k + 1] * (T * T)
    rise, gain, bend = x1 - x0 - v0 - 0.5 * a0, v1 - v0 - a0, a1 - a0
    c3 = 10.0 * rise - 4.0 * gain + 0.5 * bend
    c4 = -15.0 * rise + 7.0 * gain - bend
    c5 = 6.0 * rise - 3.0 * gain + 0.5 * bend
    return (
        x0 + u * (v0 + u * (0.5 * a0 + u * (c3 + u * (c4 + u * c5)))),
        (v0 + u * (a0 + u * (3.0 * c3 + u * (4.0 * c4 + u * (5.0 * c5))))) / T,
        (a0 + u * (6.0 * c3 + u * (12.0 * c4 + u * (20.0 * c5)))) / (T * T),
    )


def spline_through(who: str, time: Any, r: Any, q: Any) -> Spline:
    """A spline through waypoints without stopping, from rest to rest, continuous up to the fourth derivative.

    Args:
        who: What errors call the caller.
        time: [s] (n,) When each waypoint is passed.
        r: [m] (n, 3) Positions.
        q: [-] (n, 4) Unit quaternions.
    """
    times, positions, turns = np.asarray(time, float), np.asarray(r, float), np.asarray(q, float)
    n = len(times) if times.ndim == 1 else 0
    if n < 2 or positions.shape != (n, 3) or turns.shape != (n, 4):
        raise SettingError(
            f"{who}: at least two waypoints are needed, each with a time, a position and a quaternion.\n"
            f"  got shapes {times.shape}, {positions.shape} and {turns.shape}"
        )
    if not (np.isfinite(times).all() and np.isfinite(positions).all() and np.isfinite(turns).all()):
        raise SettingError(f"{who}: a waypoint is not finite.")
    if times[0] < 0.0 or np.any(np.diff(times) <= 0.0):
        raise SettingError(f"{who}: times must increase, from 0 s or later, got {times.tolist()}.")
    lengths = np.linalg.norm(turns, axis=1)
    if np.any(lengths == 0.0):
        raise SettingError(f"{who}: a quaternion is zero.\n  No rotation is (1, 0, 0, 0).")
    mrps = _continuous_mrp(who, turns / lengths[:, None])
    return Spline(times, positions, *_smooth_rates(times, positions), mrps, *_smooth_rates(times, mrps))


def _continuous_mrp(who: str, turns: np.ndarray) -> np.ndarray:
    """MRP that go the short way from each attitude to the next, also beyond 180 deg from the mount."""
    rows, before = [mrp_from_quaternion(turns[0])], turns[0] * (1.0 if turns[0, 0] >= 0.0 else -1.0)
    for i, turn in enumerate(turns[1:], start=2):
        # of the two quaternions of an attitude the nearer one
        before = turn if float(turn @ before) >= 0.0 else -turn
        if np.linalg.norm(before[1:]) > _LARGEST_MRP * (1.0 + before[0]):
            raise SettingError(
                f"{who}: at waypoint {i} the body is turned by almost 360 deg against its mount.\n"
                "  Turn the mount, or chain two motions."
            )
        rows.append(before[1:] / (1.0 + before[0]))
    return np.array(rows)


def _smooth_rates(times: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rates and second rates at waypoints that make third and fourth derivatives continuous; zero at both ends."""
    n, m = len(times), 2 * (len(times) - 2)
    matrix, rhs = np.zeros((m, m)), np.zeros((m, values.shape[1]))
    for row, i in enumerate(range(1, n - 1)):
        for side, k, at in ((1.0, i - 1, 1.0), (-1.0, i, 0.0)):
            T = times[k + 1] - times[k]
            for derivative in (3, 4):
                x0, v0, a0, x1, v1, a1 = _derivative_weights(derivative, at) / T**derivative
                equation = 2 * row + derivative - 3
                rhs[equation] -= side * (x0 * values[k] + x1 * values[k + 1])
                for knot, v, a in ((k, v0 * T, a0 * T * T), (k + 1, v1 * T, a1 * T * T)):
                    if 0 < knot < n - 1:
                        matrix[equation, 2 * (knot - 1)] += side * v
                        matrix[equation, 2 * (knot - 1) + 1] += side * a
    rates = np.zeros((2, n, values.shape[1]))
    if m:
        found = np.linalg.solve(matrix, rhs)
        rates[0, 1:-1], rates[1, 1:-1] = found[0::2], found[1::2]
    return rates[0], rates[1]


def _derivative_weights(derivative: int, u: float) -> np.ndarray:
    """How the third or fourth derivative of `quintic` at `u` depends on x0, v0, a0, x1, v1, a1."""
    rise = np.array([-1.0, -1.0, -0.5, 1.0, 0.0, 0.0])
    gain = np.array([0.0, -1.0, -1.0, 0.0, 1.0, 0.0])
    bend = np.array([0.0, 0.0, -1.0, 0.0, 0.0, 1.0])
    c3 = 10.0 * rise - 4.0 * gain + 0.5 * bend
    c4 = -15.0 * rise + 7.0 * gain - bend
    c5 = 6.0 * rise - 3.0 * gain + 0.5 * bend
    third: np.ndarray = 6.0 * c3 + 24.0 * u * c4 + 60.0 * u * u * c5
    fourth: np.ndarray = 24.0 * c4 + 120.0 * u * c5
    return third if derivative == 3 else fourth
