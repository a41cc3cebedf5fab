"""Tip and tilt that point a gimbal's axis."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import OneOf, OtherThan, Positive, Rotation, task
from cardan.maths import IDENTITY3, Mat3, gimbal_angles, matvec, norm
from cardan.messages import GimbalAngles, ThrustAxis


class AxisToGimbalAnglesOutputs(NamedTuple):
    angles: GimbalAngles


@task
class AxisToGimbalAngles(NamedTuple):
    """Tip and tilt of a gimbal from the direction in which its thrust should push.

        axis_M = dcm_MB axis_B / |axis_B|                                                                         (1)
        tip    = atan2(-s axis_k, axis_i),   tilt = asin(s axis_j)                                                (2)
        tip, tilt are divided by max(1, |tip| / tip_limit + |tilt| / tilt_limit)                                  (3)

    i, j and k are the numbers of the thrust, tip and tilt axes, s is 1 if j, k, i are in cyclic order and else -1.

    Attributes:
        dcm_MB: [-] Takes body components to those of the gimbal's mount.
        thrust_axis: [-] i, the platform's axis along which the thrust pushes the spacecraft: 1, 2 or 3.
        tip_axis: [-] j, the mount's axis of the first turn.
        tilt_axis: [-] k, the platform's axis of the second turn.
        tip_limit: [rad] Corner of the diamond of gimbal angles along the tip; the default never limits.
        tilt_limit: [rad] Corner of the diamond along the tilt; the default never limits.
    """

    dcm_MB: Annotated[Mat3, "-", Rotation] = IDENTITY3
    thrust_axis: Annotated[int, "-", OneOf(1, 2, 3)] = 3
    tip_axis: Annotated[int, "-", OneOf(1, 2, 3), OtherThan("thrust_axis")] = 1
    tilt_axis: Annotated[int, "-", OneOf(1, 2, 3), OtherThan("thrust_axis", "tip_axis")] = 2
    tip_limit: Annotated[float, "rad", Positive] = 10.0
    tilt_limit: Annotated[float, "rad", Positive] = 10.0

    def step(self, command: ThrustAxis) -> AxisToGimbalAnglesOutputs:
        i, j, k = self.thrust_axis, self.tip_axis, self.tilt_axis
        size = norm(command.axis_B)
        if size < 1.0e-9:
            raise ValueError("The commanded thrust axis is zero. Command a direction; its length does not matter.")

        # Eqs. (1) and (2)
        axis_M = matvec(self.dcm_MB, command.axis_B) / size
        tip, tilt = gimbal_angles(axis_M, i, j, k)

        # Eq. (3)
        excess = np.maximum(1.0, np.abs(tip) / self.tip_limit + np.abs(tilt) / self.tilt_limit)
        return AxisToGimbalAnglesOutputs(GimbalAngles(tip / excess, tilt / excess, excess > 1.0 + 1.0e-12))
