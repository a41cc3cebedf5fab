"""Six degrees of freedom through waypoints."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts import Ascending, Constraint, OnePer, model, output
from cardan.errors import SettingError
from cardan.maths import Rows3, Vec, choose, clip, cross, dot, mrp_from_quaternion, quaternion_from_mrp
from cardan.messages import PrescribedMotion

_LARGEST_MRP = 4.0  # [-] 304 deg from the mount; at 360 deg they have no value

_TwoOrMore = Constraint("two times or more", lambda time: len(time) >= 2)


@model
class WaypointMotion(NamedTuple):
    """Carries a body F on its carriage through waypoints, from rest to rest; make it by `through_waypoints`.

    Position and MRP are polynomials of the fifth degree between waypoints, given by value, rate and acceleration at
    both ends. With s the MRP of F relative to the mount M and s2 = s . s,

        omega  = 4 / (1 + s2)^2 b,   b = (1 - s2) s' - 2 s x s' + 2 (s . s') s                                    (1)
        omega' = 4 / (1 + s2)^2 ((1 - s2) s'' - 2 s x s'' + 2 (s' . s' + s . s'') s - 4 (s . s') / (1 + s2) b)    (2)

    Attributes:
        time: [s] When each waypoint is passed.
        r_FM_M: [m] Positions there, a row each.
        v_FM_M: [m/s] Rates of the positions.
        a_FM_M: [m/s^2] Second rates of the positions.
        sigma_FM: [-] MRP there, a row each; not always of the short rotation.
        sigma_dot_FM: [1/s] Rates of the MRP.
        sigma_ddot_FM: [1/s^2] Second rates of the MRP.
    """

    time: Annotated[Vec, "s", Ascending, _TwoOrMore]
    r_FM_M: Annotated[Rows3, "m", OnePer("time")]
    v_FM_M: Annotated[Rows3, "m/s", OnePer("time")]
    a_FM_M: Annotated[Rows3, "m/s^2", OnePer("time")]
    sigma_FM: Annotated[Rows3, "-", OnePer("time")]
    sigma_dot_FM: Annotated[Rows3, "1/s", OnePer("time")]
    sigma_ddot_FM: Annotated[Rows3, "1/s^2", OnePer("time")]

    def breaks(self) -> Vec:
        """[s] Where polynomials meet."""
        return self.time

    @output
    def motion(self, t: float) -> PrescribedMotion:
        now = clip(t, self.time[0], self.time[-1])
        k = np.count_nonzero(self.time[1:-1] <= now)
        T = self.time[k + 1] - self.time[k]
        u = (now - self.time[k]) / T
        r, v, a = quintic(u, T, self.r_FM_M, self.v_FM_M, self.a_FM_M, k)
        s, s1, s2 = quintic(u, T, self.sigma_FM, self.sigma_dot_FM, self.sigma_ddot_FM, k)
        # at the last waypoint when it is over, and at rest before and after, to the last bit
        is_over = t >= self.time[-1]
        r, s = choose(is_over, self.r_FM_M[-1], r), choose(is_over, self.sigma_FM[-1], s)
        moves = choose((t > self.time[0]) & (t < self.time[-1]), 1.0, 0.0)
        v, a, s1, s2 = moves * v, moves * a, moves * s1, moves * s2
        # Eqs. (1) and (2)
        square, mixed = dot(s, s), dot(s, s1)
        scale = 4.0 / ((1.0 + square) * (1.0 + square))
        b = (1.0 - square) * s1 - 2.0 * cross(s, s1) + 2.0 * mixed * s
        bent = (1.0 - square) * s2 - 2.0 * cross(s, s2) + 2.0 * (dot(s1, s1) + dot(s, s2)) * s
        return PrescribedMotion(
            r_FM_M=r,
            v_FM_M=v,
            a_FM_M=a,
            q_FM=quaternion_from_mrp(s),
            omega_FM_F=scale * b,
            omega_dot_FM_F=scale * (bent - 4.0 * mixed / (1.0 + square) * b),
        )


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


def through_waypoints(time: Any, r_FM_M: Any, q_FM: Any) -> WaypointMotion:
    """Motion through waypoints without stopping, from rest to rest, continuous up to the fourth derivative.

    Args:
        time: [s] (n,) When each waypoint is passed.
        r_FM_M: [m] (n, 3) Positions.
        q_FM: [-] (n, 4) Unit quaternions.
    """
    times, positions, turns = np.asarray(time, float), np.asarray(r_FM_M, float), np.asarray(q_FM, float)
    n = len(times) if times.ndim == 1 else 0
    if n < 2 or positions.shape != (n, 3) or turns.shape != (n, 4):
        raise SettingError(
            "through_waypoints: at least two waypoints are needed, each with a time, a position and a quaternion.\n"
            f"  got shapes {times.shape}, {positions.shape} and {turns.shape}"
        )
    if not (np.isfinite(times).all() and np.isfinite(positions).all() and np.isfinite(turns).all()):
        raise SettingError("through_waypoints: a waypoint is not finite.")
    if times[0] < 0.0 or np.any(np.diff(times) <= 0.0):
        raise SettingError(f"through_waypoints: times must increase, from 0 s or later, got {times.tolist()}.")
    lengths = np.linalg.norm(turns, axis=1)
    if np.any(lengths == 0.0):
        raise SettingError("through_waypoints: a quaternion is zero.\n  No rotation is (1, 0, 0, 0).")
    mrps = _continuous_mrp(turns / lengths[:, None])
    return WaypointMotion(times, positions, *_smooth_rates(times, positions), mrps, *_smooth_rates(times, mrps))


def _continuous_mrp(turns: np.ndarray) -> np.ndarray:
    """MRP that go the short way from each attitude to the next, also beyond 180 deg from the mount."""
    rows, before = [mrp_from_quaternion(turns[0])], turns[0] * (1.0 if turns[0, 0] >= 0.0 else -1.0)
    for i, turn in enumerate(turns[1:], start=2):
        # of the two quaternions of an attitude the nearer one
        before = turn if float(turn @ before) >= 0.0 else -turn
        if np.linalg.norm(before[1:]) > _LARGEST_MRP * (1.0 + before[0]):
            raise SettingError(
                f"through_waypoints: at waypoint {i} the body is turned by almost 360 deg against its mount.\n"
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
