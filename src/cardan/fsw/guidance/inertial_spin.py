"""A reference that turns steadily about an axis fixed in inertial space."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Unit, task
from cardan.maths import ZERO3, Vec3, dcm_from_mrp, matvec_transposed, mrp_relative, tan
from cardan.messages import AttitudeReference


class InertialSpinOutputs(NamedTuple):
    reference: AttitudeReference


@task
class InertialSpin(NamedTuple):
    """Turn about an axis at a constant rate, from an attitude R0 at time zero.

        sigma_RN   = tan(angle / 4) axis_R (+) sigma_R0N,   angle = rate t, within half a turn                    (1)
        omega_RN_N = rate dcm_NR0 axis_R,   omega_dot_RN_N = 0                                                    (2)

    Attributes:
        rate: [rad/s]
        axis_R: [-] Unit vector, in reference components.
        sigma_R0N: [-] MRP of the reference at time zero relative to the inertial frame.
    """

    rate: Annotated[float, "rad/s"]
    axis_R: Annotated[Vec3, "-", Unit] = np.array([0.0, 0.0, 1.0])
    sigma_R0N: Annotated[Vec3, "-"] = ZERO3

    def step(self, t: float) -> InertialSpinOutputs:
        # Eq. (1); whole turns are taken off, so that the tangent stays within -1 and 1
        angle = self.rate * t
        angle = angle - 2.0 * np.pi * np.floor(angle / (2.0 * np.pi) + 0.5)
        sigma_RN = mrp_relative(tan(0.25 * angle) * self.axis_R, -self.sigma_R0N)
        # Eq. (2)
        omega_RN_N = self.rate * matvec_transposed(dcm_from_mrp(self.sigma_R0N), self.axis_R)
        return InertialSpinOutputs(
            reference=AttitudeReference(sigma_RN=sigma_RN, omega_RN_N=omega_RN_N, omega_dot_RN_N=ZERO3)
        )
