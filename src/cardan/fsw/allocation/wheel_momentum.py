"""The angular momentum that wheels carry."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import OnePer, Positive, Unit, task
from cardan.maths import Rows3, Vec
from cardan.messages import HingeStates, StoredMomentum


class WheelMomentumOutputs(NamedTuple):
    momentum: StoredMomentum


@task
class WheelMomentum(NamedTuple):
    """Angular momentum of wheels relative to the body, from their speeds.

        momentum_B = sum of inertia rate axis_B                                                                   (1)

    The controller that hears of it has the inertia of the whole vehicle, wheels included.

    Attributes:
        axes_B: [-] Spin axis of each wheel, a unit vector in body components, a row each.
        inertia: [kg m^2] Of each wheel about its axis.
    """

    axes_B: Annotated[Rows3, "-", Unit]
    inertia: Annotated[Vec, "kg m^2", Positive, OnePer("axes_B")]

    def step(self, wheels: HingeStates) -> WheelMomentumOutputs:
        if len(wheels.rate) != len(self.inertia):
            raise ValueError("WheelMomentum: `wheels` has another number of wheels than `inertia`.")
        # Eq. (1)
        x, y, z = 0.0, 0.0, 0.0
        for i in range(len(self.inertia)):
            each, axis_B = self.inertia[i] * wheels.rate[i], self.axes_B[i]
            x, y, z = x + each * axis_B[0], y + each * axis_B[1], z + each * axis_B[2]
        return WheelMomentumOutputs(momentum=StoredMomentum(momentum_B=np.array([x, y, z])))
