"""Where to aim a gimballed thruster to unload the wheels."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, Positive, task
from cardan.maths import ZERO3, cross, dcm_from_mrp, matvec, norm
from cardan.messages import FrameMotion, StoredMomentum, ThrustAxis, VehicleMomentum


class ThrustAimOutputs(NamedTuple):
    axis: ThrustAxis


@task
class ThrustAim(NamedTuple):
    """Aims a thrust through the centre of mass, or slightly beside it to unload the wheels.

        c_B      = direction from the mount to the centre of mass, at the distance d                              (1)
        torque_B = - unload_rate momentum_B                                                                       (2)
        axis_B   = c_B + c_B x torque_B / (thrust d), the second term no longer than max_offset                   (3)

    Momentum along the line from the mount to the centre of mass cannot be unloaded: no thrust at the mount turns the
    spacecraft about that line.

    Attributes:
        thrust: [N]
        unload_rate: [1/s] Part of the wheels' momentum that is unloaded per second; 0 aims at the centre of mass.
        max_offset: [rad] Largest angle between the thrust and the line to the centre of mass.
    """

    thrust: Annotated[float, "N", Positive]
    unload_rate: Annotated[float, "1/s", NotNegative] = 0.0
    max_offset: Annotated[float, "rad", NotNegative] = 0.1

    def step(
        self,
        body: FrameMotion,
        mount: FrameMotion,
        vehicle: VehicleMomentum,
        stored: StoredMomentum = StoredMomentum(ZERO3),
    ) -> ThrustAimOutputs:
        # Eq. (1)
        r_CM_B = matvec(dcm_from_mrp(body.sigma_BN), vehicle.r_CN_N - mount.r_BN_N)
        distance = norm(r_CM_B)
        c_B = r_CM_B / distance
        # Eqs. (2) and (3)
        offset_B = cross(c_B, -self.unload_rate * stored.momentum_B) / (self.thrust * distance)
        offset_B = offset_B * np.minimum(1.0, self.max_offset / np.maximum(norm(offset_B), 1.0e-12))
        axis_B = c_B + offset_B
        return ThrustAimOutputs(ThrustAxis(axis_B / norm(axis_B)))
