"""An electric thruster with swirl."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, Unit, model, output
from cardan.maths import Vec3, choose
from cardan.messages import BodyWrench, ThrusterSwitch

_Z = np.array([0.0, 0.0, 1.0])


@model
class SwirlThruster(NamedTuple):
    """A thruster whose swirling exhaust also turns the spacecraft about the thrust axis.

        force_B = thrust axis_B,   torque_B = swirl_torque axis_B                                                 (1)

    B is the frame of the site at which the wrench acts, fixed to the platform that carries the thruster.

    Attributes:
        thrust: [N]
        swirl_torque: [N m] About the axis; its sign is the polarity of the thruster.
        axis_B: [-] Unit vector along which the thruster pushes the spacecraft.
    """

    thrust: Annotated[float, "N", NotNegative]
    swirl_torque: Annotated[float, "N m"] = 0.0
    axis_B: Annotated[Vec3, "-", Unit] = _Z

    @output
    def wrench(self, switch: ThrusterSwitch = ThrusterSwitch(True)) -> BodyWrench:
        # Eq. (1)
        on = choose(switch.is_on, 1.0, 0.0)
        return BodyWrench(force_B=on * self.thrust * self.axis_B, torque_B=on * self.swirl_torque * self.axis_B)
