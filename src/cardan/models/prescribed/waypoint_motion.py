"""Six degrees of freedom through waypoints."""

from typing import Annotated, Any, NamedTuple

from cardan.contracts import Ascending, Constraint, OnePer, model, output
from cardan.maths import Rows3, Vec, quaternion_from_mrp
from cardan.maths.splines import Spline, spline_at, spline_through
from cardan.messages import PrescribedMotion

_TwoOrMore = Constraint("two times or more", lambda time: len(time) >= 2)


@model
class WaypointMotion(NamedTuple):
    """Carries a body F on its carriage through waypoints, from rest to rest; made by `through_waypoints`.

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
        # Eqs. (1) and (2)
        spline = Spline(
            self.time,
            self.r_FM_M,
            self.v_FM_M,
            self.a_FM_M,
            self.sigma_FM,
            self.sigma_dot_FM,
            self.sigma_ddot_FM,
        )
        now = spline_at(t, spline)
        return PrescribedMotion(now.r, now.v, now.a, quaternion_from_mrp(now.sigma), now.omega, now.omega_dot)


def through_waypoints(time: Any, r_FM_M: Any, q_FM: Any) -> WaypointMotion:
    """Motion through waypoints without stopping, from rest to rest, continuous up to the fourth derivative.

    Args:
        time: [s] (n,) When each waypoint is passed.
        r_FM_M: [m] (n, 3) Positions.
        q_FM: [-] (n, 4) Unit quaternions.
    """
    return WaypointMotion(*spline_through("through_waypoints", time, r_FM_M, q_FM))
