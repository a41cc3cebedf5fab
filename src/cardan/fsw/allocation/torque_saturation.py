"""Torque commands within motor limits."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, task
from cardan.maths import Vec, choose, clip
from cardan.messages import HingeTorques


class TorqueSaturationOutputs(NamedTuple):
    torques: HingeTorques


@task
class TorqueSaturation(NamedTuple):
    """Torque commands limited to what each motor can do.

        torque = command, between - max_torque and max_torque, each alone, or                                     (1)
        torque = command times the smallest of max_torque / |command| and 1, all in proportion                    (2)

    Attributes:
        max_torque: [N m] Largest torque of each motor, either sign.
        keeps_direction: [-] Whether all are reduced in proportion, as Eq. (2): their sum keeps its direction.
    """

    max_torque: Annotated[Vec, "N m", NotNegative]
    keeps_direction: Annotated[bool, "-"] = False

    def step(self, command: HingeTorques) -> TorqueSaturationOutputs:
        if len(command.torque) != len(self.max_torque):
            raise ValueError("TorqueSaturation: `command` has another number of motors than `max_torque`.")
        # Eq. (2); a motor that can do nothing may be asked for nothing
        share = 1.0
        for i in range(len(command.torque)):
            size = np.abs(command.torque[i])
            is_beyond = size > self.max_torque[i]
            share = np.minimum(share, choose(is_beyond, self.max_torque[i], 1.0) / choose(is_beyond, size, 1.0))
        reduced = command.torque * choose(self.keeps_direction, share, 1.0)
        # Eq. (1); after Eq. (2) it removes no more than rounding
        torque = clip(reduced, -self.max_torque, self.max_torque)
        return TorqueSaturationOutputs(torques=HingeTorques(torque=torque))
