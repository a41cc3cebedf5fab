"""The force and torque of a bank of thrusters."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, OnePer, Unit, model, output
from cardan.maths import Rows3, Vec, total
from cardan.messages import BodyWrench, ThrusterForces, ThrusterImpulses


class ThrusterWrenchState(NamedTuple):
    """Impulse of each thruster so far."""

    impulse: Annotated[Vec, "N s", NotNegative]


@model
class ThrusterWrench(NamedTuple):
    """Force and torque of thrusters fixed to a body B, from their geometry.

        force_B = sum of thrust d,   torque_B = sum of thrust r x d                                               (1)
        d(impulse)/dt = |thrust|                                                                                  (2)

    It takes what thrusters really give, faults included, whatever was demanded.

    Attributes:
        positions_B: [m] Where each thruster pushes, relative to the body's origin, in body components, a row each.
        directions_B: [-] Unit vector of the force of each on the body, in body components, a row each.
    """

    positions_B: Annotated[Rows3, "m"]
    directions_B: Annotated[Rows3, "-", Unit, OnePer("positions_B")]

    def initial(self) -> ThrusterWrenchState:
        return ThrusterWrenchState(impulse=np.zeros(len(self.positions_B)))

    def derivatives(self, x: ThrusterWrenchState, forces: ThrusterForces) -> ThrusterWrenchState:
        # Eq. (2)
        return ThrusterWrenchState(impulse=np.abs(forces.thrust))

    @output
    def wrench(self, forces: ThrusterForces) -> BodyWrench:
        if len(forces.thrust) != len(self.positions_B):
            raise ValueError("ThrusterWrench: `forces` has another number of thrusters than `positions_B`.")
        # Eq. (1)
        r, d, thrust = self.positions_B, self.directions_B, forces.thrust
        torque_x = total(thrust * (r[:, 1] * d[:, 2] - r[:, 2] * d[:, 1]))
        torque_y = total(thrust * (r[:, 2] * d[:, 0] - r[:, 0] * d[:, 2]))
        torque_z = total(thrust * (r[:, 0] * d[:, 1] - r[:, 1] * d[:, 0]))
        force_B = total(thrust.reshape((-1, 1)) * d)
        return BodyWrench(force_B=force_B, torque_B=np.array([torque_x, torque_y, torque_z]))

    @output
    def impulses(self, x: ThrusterWrenchState) -> ThrusterImpulses:
        return ThrusterImpulses(impulse=1.0 * x.impulse)
