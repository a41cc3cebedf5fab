"""Commands within what motors can do."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import task
from cardan.maths import Vec, clip
from cardan.messages import HingeTorques


class TorqueSaturationOutputs(NamedTuple):
    torques: HingeTorques


@task
class TorqueSaturation(NamedTuple):
    """Torque commands limited to what each motor can do.

        torque = command, between - max_torque and max_torque, each alone, or                                     (1)
        torque = command / max(1, largest of |command| / max_torque), all in proportion                           (2)

    Attributes:
        max_torque: [N m] Largest torque of each motor, either sign.
        keeps_direction: [-] Whether all are reduced in proportion, as Eq. (2): their sum keeps its direction.
    """

    max_torque: Annotated[Vec, "N m"]
    keeps_direction: Annotated[bool, "-"] = False

    def step(self, command: HingeTorques) -> TorqueSaturationOutputs:
        # Eqs. (1) and (2)
        alone = clip(command.torque, -self.max_torque, self.max_torque)
        together = command.torque / np.maximum(1.0, np.max(np.abs(command.torque) / self.max_torque))
        return TorqueSaturationOutputs(torques=HingeTorques(torque=np.where(self.keeps_direction, together, alone)))
