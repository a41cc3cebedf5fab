"""The motion of a gimbal's platform within the steps of its motors."""

from typing import Annotated, NamedTuple

from cardan.contracts import OneOf, OtherThan, model, output
from cardan.maths import (
    Scalar,
    Vec4,
    dcm_from_quaternion,
    gimbal_angles,
    mrp_from_quaternion,
    quaternion_from_turn,
    quaternion_product,
)
from cardan.messages import GimbalMotion, PrescribedTurn, TurnArc


@model
class TwoAxisGimbal(NamedTuple):
    """Attitude, rate and acceleration of a platform G relative to its mount M, on the path from `GimbalDriver`.

        angle      = angle_0 + rate_0 tau + acceleration tau^2 / 2,   tau = t - start                             (1)
        q_GM       = q(axis_G, angle) q_SM                                                                        (2)
        omega_GM_G = (rate_0 + acceleration tau) axis_G,   omega_dot_GM_G = acceleration axis_G                   (3)

    Attributes:
        thrust_axis: [-] The platform's axis that points: 1, 2 or 3.
        tip_axis: [-] The mount's axis of the first turn.
        tilt_axis: [-] The platform's axis of the second turn.
    """

    thrust_axis: Annotated[int, "-", OneOf(1, 2, 3)] = 3
    tip_axis: Annotated[int, "-", OneOf(1, 2, 3), OtherThan("thrust_axis")] = 1
    tilt_axis: Annotated[int, "-", OneOf(1, 2, 3), OtherThan("thrust_axis", "tip_axis")] = 2

    @output
    def turn(self, t: float, arc: TurnArc) -> PrescribedTurn:
        return PrescribedTurn(
            q_CP=turned(t, arc),
            omega_CP_C=rate(t, arc) * arc.axis_G,
            omega_dot_CP_C=arc.acceleration * arc.axis_G,
        )

    @output
    def motion(self, t: float, arc: TurnArc) -> GimbalMotion:
        q_GM = turned(t, arc)
        dcm_GM = dcm_from_quaternion(q_GM)
        tip, tilt = gimbal_angles(dcm_GM[self.thrust_axis - 1], self.thrust_axis, self.tip_axis, self.tilt_axis)
        return GimbalMotion(
            sigma_GM=mrp_from_quaternion(q_GM),
            omega_GM_G=rate(t, arc) * arc.axis_G,
            omega_dot_GM_G=arc.acceleration * arc.axis_G,
            tip=tip,
            tilt=tilt,
        )


def turned(t: float, arc: TurnArc) -> Vec4:
    """[-] q_GM at the time t [s]; Eqs. (1) and (2)."""
    tau = t - arc.start
    angle = arc.angle + (arc.rate + 0.5 * arc.acceleration * tau) * tau
    return quaternion_product(quaternion_from_turn(arc.axis_G, angle), arc.q_SM)


def rate(t: float, arc: TurnArc) -> Scalar:
    """[rad/s] About the axis, at the time t [s]; Eq. (3)."""
    return arc.rate + arc.acceleration * (t - arc.start)
