"""A reference that follows the orbit: radial, along-track, normal."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import task
from cardan.maths import ZERO3, Vec3, cross, dot, mrp_from_dcm, mrp_relative, norm
from cardan.messages import AttitudeReference, FrameMotion


class HillPointingOutputs(NamedTuple):
    reference: AttitudeReference


@task
class HillPointing(NamedTuple):
    """Follow the Hill frame H of a Keplerian orbit, turned by a constant offset.

        h = r x v,   i_r = r / |r|,   i_h = h / |h|,   i_t = i_h x i_r                                            (1)
        omega_HN_N     = h / |r|^2                                                                                (2)
        omega_dot_HN_N = - 2 (r . v) / |r|^2 omega_HN_N                                                           (3)

    Attributes:
        sigma_RH: [-] MRP of the reference relative to the Hill frame.
    """

    sigma_RH: Annotated[Vec3, "-"] = ZERO3

    def step(self, motion: FrameMotion) -> HillPointingOutputs:
        # Eq. (1)
        r_N, v_N = motion.r_BN_N, motion.v_BN_N
        h_N = cross(r_N, v_N)
        radial_N, normal_N = r_N / norm(r_N), h_N / norm(h_N)
        dcm_HN = np.stack((radial_N, cross(normal_N, radial_N), normal_N))
        sigma_RN = mrp_relative(self.sigma_RH, -mrp_from_dcm(dcm_HN))
        # Eqs. (2) and (3); the offset is constant, so R turns as H does
        omega_RN_N = h_N / dot(r_N, r_N)
        omega_dot_RN_N = -2.0 * dot(r_N, v_N) / dot(r_N, r_N) * omega_RN_N
        return HillPointingOutputs(
            reference=AttitudeReference(sigma_RN=sigma_RN, omega_RN_N=omega_RN_N, omega_dot_RN_N=omega_dot_RN_N)
        )
