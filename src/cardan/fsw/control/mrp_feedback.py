"""Attitude control by feedback of modified Rodrigues parameters."""

from typing import Annotated, NamedTuple

from cardan.contracts import NotNegative, PositiveDefinite, task
from cardan.maths import ZERO3, Mat3, Vec3, choose, clip, cross, matvec
from cardan.messages import AttitudeError, BodyTorque, StoredMomentum


class MrpFeedbackMemory(NamedTuple):
    """What the controller carries from one tick to the next."""

    K_sigma_integral_BR: Annotated[Vec3, "N m s"] = ZERO3
    omega_BR_B: Annotated[Vec3, "rad/s"] = ZERO3
    is_started: Annotated[bool, "-"] = False


class MrpFeedbackOutputs(NamedTuple):
    torque: BodyTorque


@task
class MrpFeedback(NamedTuple):
    """MRP feedback with an integral term; it cancels gyroscopic and reference terms and known torques.

        z        = K integral(sigma_BR) + inertia (omega_BR - omega_BR(0))                                        (1)
        H        = inertia omega_BN + stored momentum                                                             (2)
        torque_B = - K sigma_BR - P omega_BR - P Ki z
                   + inertia (omega_dot_RN - omega_BN x omega_RN) + omega_BN x H - known torque                   (3)

    The error decays also if only the part of omega_BN x H is cancelled that does work on omega_BR + Ki z,

        (omega_RN - Ki z) x H   in place of   omega_BN x H                                                        (4)

    which spares the torque that is quadratic in the rate of a tumble.

    Schaub and Junkins, Analytical Mechanics of Space Systems, section 8.4.

    Attributes:
        K: [N m] Attitude gain.
        P: [N m s/rad] Rate gain.
        inertia_B: [kg m^2] Inertia the controller believes in.
        Ki: [rad/kg/m^2] Integral gain; 0 switches the integral term off.
        integral_limit: [N m s] Largest K integral(sigma_BR) about each axis, against wind-up.
        is_gyroscopic_full: [-] Whether all of omega_BN x H is cancelled, as in Eq. (3), or only what Eq. (4) says.
    """

    K: Annotated[float, "N m"]
    P: Annotated[float, "N m s/rad"]
    inertia_B: Annotated[Mat3, "kg m^2", PositiveDefinite]
    Ki: Annotated[float, "rad/kg/m^2"] = 0.0
    integral_limit: Annotated[float, "N m s", NotNegative] = 1.0e9
    is_gyroscopic_full: Annotated[bool, "-"] = True

    def step(
        self,
        dt: float,
        x: MrpFeedbackMemory,
        error: AttitudeError,
        stored: StoredMomentum = StoredMomentum(ZERO3),
        known: BodyTorque = BodyTorque(ZERO3),
    ) -> tuple[MrpFeedbackMemory, MrpFeedbackOutputs]:
        # integrate the attitude error at the task's own rate, within its limit
        integral = x.K_sigma_integral_BR + dt * self.K * error.sigma_BR
        integral = clip(integral, -self.integral_limit, self.integral_limit)

        # Eq. (1)
        omega_first_B = choose(x.is_started, x.omega_BR_B, error.omega_BR_B)
        z_B = integral + matvec(self.inertia_B, error.omega_BR_B - omega_first_B)

        # Eqs. (2) to (4)
        omega_BN_B = error.omega_BR_B + error.omega_RN_B
        H_B = matvec(self.inertia_B, omega_BN_B) + stored.momentum_B
        turning_B = choose(self.is_gyroscopic_full, omega_BN_B, error.omega_RN_B - self.Ki * z_B)
        feedback_B = self.K * error.sigma_BR + self.P * error.omega_BR_B + self.P * self.Ki * z_B
        reference_B = matvec(self.inertia_B, error.omega_dot_RN_B - cross(omega_BN_B, error.omega_RN_B))
        torque_B = reference_B + cross(turning_B, H_B) - feedback_B - known.torque_B

        memory = MrpFeedbackMemory(K_sigma_integral_BR=integral, omega_BR_B=omega_first_B, is_started=True)
        return memory, MrpFeedbackOutputs(torque=BodyTorque(torque_B))
