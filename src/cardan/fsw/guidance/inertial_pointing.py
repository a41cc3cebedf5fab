"""A reference at rest in inertial space."""

from typing import Annotated, NamedTuple

from cardan.contracts import task
from cardan.maths import ZERO3, Vec3
from cardan.messages import AttitudeReference


class InertialPointingOutputs(NamedTuple):
    reference: AttitudeReference


@task
class InertialPointing(NamedTuple):
    """Hold one attitude.

        sigma_RN constant,   omega_RN = 0                                                                         (1)

    Attributes:
        sigma_RN: [-] MRP of the reference relative to the inertial frame.
    """

    sigma_RN: Annotated[Vec3, "-"] = ZERO3

    def step(self) -> InertialPointingOutputs:
        # Eq. (1)
        return InertialPointingOutputs(
            reference=AttitudeReference(sigma_RN=self.sigma_RN + ZERO3, omega_RN_N=ZERO3, omega_dot_RN_N=ZERO3)
        )
