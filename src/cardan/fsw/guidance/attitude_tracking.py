"""How far the body is from the attitude it should have."""

from typing import NamedTuple

from cardan.contracts import task
from cardan.maths import dcm_from_mrp, matvec, mrp_relative
from cardan.messages import Attitude, AttitudeError, AttitudeReference


class AttitudeTrackingOutputs(NamedTuple):
    error: AttitudeError


@task
class AttitudeTracking(NamedTuple):
    """The tracking error of an attitude relative to a reference.

        sigma_BR   = sigma_BN (-) sigma_RN, the short rotation                                                    (1)
        omega_BR_B = omega_BN_B - dcm_BN omega_RN_N                                                               (2)

    Schaub and Junkins, Analytical Mechanics of Space Systems, section 8.4.
    """

    def step(self, attitude: Attitude, reference: AttitudeReference = AttitudeReference()) -> AttitudeTrackingOutputs:
        # Eqs. (1) and (2)
        dcm_BN = dcm_from_mrp(attitude.sigma_BN)
        omega_RN_B = matvec(dcm_BN, reference.omega_RN_N)
        return AttitudeTrackingOutputs(
            error=AttitudeError(
                sigma_BR=mrp_relative(attitude.sigma_BN, reference.sigma_RN),
                omega_BR_B=attitude.omega_BN_B - omega_RN_B,
                omega_RN_B=omega_RN_B,
                omega_dot_RN_B=matvec(dcm_BN, reference.omega_dot_RN_N),
            )
        )
