"""The motion of a stepper motor within its steps."""

from typing import NamedTuple

from cardan.contracts import model, output
from cardan.messages import AngleArc, PrescribedAngle


@model
class StepperMotor(NamedTuple):
    """Angle, rate and acceleration on an arc of constant acceleration, as `StepperDriver` sends it.

    angle = angle_0 + rate_0 tau + acceleration tau^2 / 2,   tau = t - start                                        (1)
    """

    @output
    def motion(self, t: float, arc: AngleArc) -> PrescribedAngle:
        # Eq. (1)
        tau = t - arc.start
        return PrescribedAngle(
            angle=arc.angle + (arc.rate + 0.5 * arc.acceleration * tau) * tau,
            rate=arc.rate + arc.acceleration * tau,
            acceleration=arc.acceleration,
        )
