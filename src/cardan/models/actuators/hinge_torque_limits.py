"""Motors with torque limits."""

from typing import Annotated, NamedTuple

from cardan.contracts import NotNegative, model, output
from cardan.maths import Vec, clip
from cardan.messages import HingeTorques


@model
class HingeTorqueLimits(NamedTuple):
    """Motor torques, clipped to their limits.

        torque = command, between - max_torque and max_torque                                                     (1)

    Attributes:
        max_torque: [N m] Largest torque of each motor, either sign.
    """

    max_torque: Annotated[Vec, "N m", NotNegative]

    @output
    def torques(self, command: HingeTorques) -> HingeTorques:
        if len(command.torque) != len(self.max_torque):
            raise ValueError("HingeTorqueLimits: `command` has another number of motors than `max_torque`.")
        # Eq. (1)
        return HingeTorques(torque=clip(command.torque, -self.max_torque, self.max_torque))
