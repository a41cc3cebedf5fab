"""Dry friction of hinges, smooth through zero rate."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import model, output
from cardan.maths import Vec
from cardan.messages import HingeStates, HingeTorques


@model
class HingeFriction(NamedTuple):
    """Torques that oppose the motion of hinges and hardly depend on the rate.

        torque = - friction rate / sqrt(rate^2 + transition^2)                                                    (1)

    Attributes:
        friction: [N m] Of each hinge while it turns; `friction` of a group of hinges has those of its file.
        transition: [rad/s] Rate at which 71 % of it is reached; a hinge under a load below its friction creeps at less.
    """

    friction: Annotated[Vec, "N m"]
    transition: Annotated[float, "rad/s"] = 1.0e-3

    @output
    def torques(self, states: HingeStates) -> HingeTorques:
        if len(states.rate) != len(self.friction):
            raise ValueError("HingeFriction: `states` has another number of hinges than `friction`.")
        # Eq. (1)
        size = np.sqrt(states.rate * states.rate + self.transition * self.transition)
        return HingeTorques(torque=-self.friction * states.rate / size)
