"""Hinges that move from waypoint to waypoint."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Constraint, NotNegative, OnePer, Positive, model, output
from cardan.maths import Mat, Vec, choose, clip, sin_cos
from cardan.messages import HingeReferences, HingeStarts

_OneOrMore = Constraint("a table with a waypoint or more in each row", lambda waypoints: waypoints.shape[1] > 0)


@model
class HingeWaypoints(NamedTuple):
    """Angles, rates and accelerations from one profile: from rest to rest, limited in rate and acceleration.

    A move by D speeds up over a time T, coasts, and slows down over T. While it speeds up,

        acceleration = a sin^2(pi t / T)                                                                          (1)
        rate         = a (t / 2 - T / (4 pi) sin(2 pi t / T))                                                     (2)
        angle        = a (t^2 / 4 - T^2 / (8 pi^2) (1 - cos(2 pi t / T)))                                         (3)
        T = 2 v / a,   coast = |D| / v - T,   v = min(max_rate, sqrt(max_acceleration |D| / 2))                   (4)

    and while it slows down, the same backwards. Acceleration is continuous. Hinges stay at a waypoint for `dwell`, then
    go on to the next. Before its start a hinge is at its first waypoint, after its last move at the last.

    Attributes:
        waypoints: [rad] A row for each hinge.
        max_rate: [rad/s]
        max_acceleration: [rad/s^2]
        start: [s] When each hinge begins, if no starts are connected.
        dwell: [s] Rest at each waypoint in between.
    """

    waypoints: Annotated[Mat, "rad", _OneOrMore]
    max_rate: Annotated[float, "rad/s", Positive]
    max_acceleration: Annotated[float, "rad/s^2", Positive]
    start: Annotated[Vec, "s", OnePer("waypoints")]
    dwell: Annotated[float, "s", NotNegative] = 0.0

    @output
    def reference(self, t: float, starts: HingeStarts = HingeStarts(np.zeros(0))) -> HingeReferences:
        start = starts.start if len(starts.start) > 0 else self.start
        if len(start) != len(self.waypoints):
            raise ValueError("HingeWaypoints: there is another number of starts than of rows of `waypoints`.")
        elapsed = t - start
        angle, rate, acceleration = self.waypoints[:, 0] + 0.0, 0.0 * elapsed, 0.0 * elapsed
        for k in range(self.waypoints.shape[1] - 1):
            D = self.waypoints[:, k + 1] - self.waypoints[:, k]
            # Eq. (4); a move by nothing takes no time
            v = np.minimum(self.max_rate, np.sqrt(0.5 * self.max_acceleration * np.abs(D)))
            T = 2.0 * v / self.max_acceleration
            coast = choose(v > 0.0, np.abs(D) / choose(v > 0.0, v, 1.0) - T, 0.0)
            # Eqs. (1) to (3), forwards and backwards: the angle is what both have done, with the coast in between
            up, down = clip(elapsed, 0.0, T), clip(elapsed - T - coast, 0.0, T)
            coasted = clip(elapsed - T, 0.0, coast)
            phase = 2.0 * np.pi / choose(T > 0.0, T, 1.0)
            sin_up, cos_up = sin_cos(phase * up)
            sin_down, cos_down = sin_cos(phase * down)
            gained = 0.5 * up - sin_up / (2.0 * phase)
            lost = 0.5 * down - sin_down / (2.0 * phase)
            rise = 0.25 * (up * up) - (1.0 - cos_up) / (2.0 * (phase * phase))
            fall = 0.25 * (down * down) - (1.0 - cos_down) / (2.0 * (phase * phase))
            sign = np.sign(D) * self.max_acceleration
            angle = angle + sign * (rise + gained * (coasted + down) - fall)
            rate = rate + sign * (gained - lost)
            acceleration = acceleration + sign * 0.5 * (cos_down - cos_up)
            elapsed = elapsed - (2.0 * T + coast + self.dwell)
        return HingeReferences(angle=angle, rate=rate, acceleration=acceleration)
