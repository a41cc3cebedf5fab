"""Position control by feedback of position and velocity."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Positive, task
from cardan.maths import ZERO3, Vec3, norm
from cardan.messages import FrameMotion, InertialForce


class PositionFeedbackOutputs(NamedTuple):
    force: InertialForce


@task
class PositionFeedback(NamedTuple):
    """A force that brings the vehicle to rest at a point.

        wanted_N = - K (r_BN_N - r_RN_N) - P v_BN_N                                                               (1)
        force_N  = wanted_N, shortened to max_force                                                               (2)

    Attributes:
        K: [N/m]
        P: [N s/m]
        max_force: [N]
        r_RN_N: [m] Where it should be, in inertial components.
    """

    K: Annotated[float, "N/m"]
    P: Annotated[float, "N s/m"]
    max_force: Annotated[float, "N", Positive]
    r_RN_N: Annotated[Vec3, "m"] = ZERO3

    def step(self, motion: FrameMotion) -> PositionFeedbackOutputs:
        # Eqs. (1) and (2)
        wanted_N = -self.K * (motion.r_BN_N - self.r_RN_N) - self.P * motion.v_BN_N
        force_N = wanted_N / np.maximum(1.0, norm(wanted_N) / self.max_force)
        return PositionFeedbackOutputs(force=InertialForce(force_N=force_N))
