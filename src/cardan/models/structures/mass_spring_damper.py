"""A mass on a spring and a damper, moving on a line."""

from typing import Annotated, NamedTuple

from cardan.contracts import Position, Positive, model, output
from cardan.messages import Force, LineMotion


class MassSpringDamperState(NamedTuple):
    """Where the mass is, and how fast it moves."""

    position: Annotated[float, "m", Position] = 0.0
    velocity: Annotated[float, "m/s"] = 0.0


@model
class MassSpringDamper(NamedTuple):
    """A mass held by a spring and a damper, driven by a force.

        mass * d2(position)/dt2 = force - damping * velocity - stiffness * position                               (1)

    Attributes:
        mass: [kg]
        stiffness: [N/m] Of the spring, which is at rest at position zero.
        damping: [N s/m]
    """

    mass: Annotated[float, "kg", Positive] = 1.0
    stiffness: Annotated[float, "N/m"] = 1.0
    damping: Annotated[float, "N s/m"] = 0.0

    def derivatives(self, x: MassSpringDamperState, drive: Force = Force(0.0)) -> MassSpringDamperState:
        # Eq. (1)
        held = self.damping * x.velocity + self.stiffness * x.position
        return MassSpringDamperState(position=x.velocity, velocity=(drive.force - held) / self.mass)

    @output
    def motion(self, x: MassSpringDamperState) -> LineMotion:
        return LineMotion(position=x.position, velocity=x.velocity)
