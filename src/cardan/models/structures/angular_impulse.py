"""Angular impulse of a load on a vehicle."""

from typing import Annotated, NamedTuple

from cardan.contracts import model, output
from cardan.maths import ZERO3, Vec3, cross, dcm_from_mrp, matvec_transposed
from cardan.messages import AngularImpulseGiven, BodyWrench, FrameMotion, InertialWrench, VehicleMomentum


class AngularImpulseState(NamedTuple):
    """Since the start."""

    impulse_C_N: Annotated[Vec3, "N m s"] = ZERO3


@model
class AngularImpulse(NamedTuple):
    """The angular impulse of a wrench about a vehicle's centre of mass C, in inertial components.

    d(impulse_C_N)/dt = dcm_SN^T torque_S + torque_N + (r_SN_N - r_CN_N) x (dcm_SN^T force_S + force_N)             (1)

    S is the frame at which the wrench acts, given in its own or in inertial components. C moves with the vehicle.
    """

    def derivatives(
        self,
        x: AngularImpulseState,
        frame: FrameMotion,
        vehicle: VehicleMomentum,
        wrench: BodyWrench = BodyWrench(),
        wrench_N: InertialWrench = InertialWrench(),
    ) -> AngularImpulseState:
        # Eq. (1)
        dcm_SN = dcm_from_mrp(frame.sigma_BN)
        force_N = matvec_transposed(dcm_SN, wrench.force_B) + wrench_N.force_N
        torque_N = matvec_transposed(dcm_SN, wrench.torque_B) + wrench_N.torque_N
        return AngularImpulseState(torque_N + cross(frame.r_BN_N - vehicle.r_CN_N, force_N))

    @output
    def given(self, x: AngularImpulseState) -> AngularImpulseGiven:
        return AngularImpulseGiven(x.impulse_C_N)
