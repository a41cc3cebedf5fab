"""PD control of a free flyer's position and attitude."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Inertia, NotNegative, OfShape, Positive, task
from cardan.contracts.constraints import require
from cardan.fsw.allocation.thruster_allocation import ALL_AXES, EFFORT, NO_LIMITS, six, thrusts_for
from cardan.fsw.allocation.wrench_axes import AnyWrench, OnePerColumn, SixRows
from cardan.fsw.control.flyer_error import FlyerControlOutputs, feed_forward, flyer_error
from cardan.maths import Mat, Mat3, Vec, matvec
from cardan.messages import BodyWrench, FlyerReference, FrameMotion, ThrusterLimits


@task
class FlyerPd(NamedTuple):
    """PD control on SE(3), with the thrusts that come closest to its wrench.

        force_B  = - K_r r_BR - P_r v_BR + m a_RN                                                                 (3)
        torque_B = - K_a theta_BR - P_a omega_BR + I (omega_dot_RN - omega x omega_RN) + omega x I omega          (5)

    All in body components and about the centre of mass, whose motion it reads; theta is twice the vector part of the
    error quaternion. `ThrusterAllocation` has the equations of the thrusts.

    Attributes:
        mass: [kg]
        inertia_B: [kg m^2] About the centre of mass, in body components.
        mixer: [-] Maps thrusts to force and torque about the centre of mass, a column for each thruster.
        max_thrust: [N] Of each thruster.
        K_r: [N/m]
        P_r: [N s/m]
        K_a_B: [N m/rad] A matrix, in body components.
        P_a_B: [N m s/rad] A matrix, in body components.
        weights: [-] Of force x, y, z and torque x, y, z where thrusters cannot give all.
        effort: [-] Weight of the thrusts themselves.
    """

    mass: Annotated[float, "kg", Positive]
    inertia_B: Annotated[Mat3, "kg m^2", Inertia]
    mixer: Annotated[Mat, "-", SixRows, AnyWrench]
    max_thrust: Annotated[Vec, "N", Positive, OnePerColumn]
    K_r: Annotated[float, "N/m", NotNegative]
    P_r: Annotated[float, "N s/m", NotNegative]
    K_a_B: Annotated[Mat3, "N m/rad"]
    P_a_B: Annotated[Mat3, "N m s/rad"]
    weights: Annotated[Vec, "-", NotNegative, OfShape(6)] = ALL_AXES
    effort: Annotated[float, "-", Positive] = EFFORT

    def step(
        self, motion: FrameMotion, reference: FlyerReference, limits: ThrusterLimits = NO_LIMITS
    ) -> FlyerControlOutputs:
        # Eqs. (1) to (5)
        error = flyer_error(motion, reference)
        along_B, turning_B = feed_forward(motion, reference, self.mass, self.inertia_B)
        force_B = along_B - self.K_r * error.r_BR_B - self.P_r * error.v_BR_B
        torque_B = turning_B - matvec(self.K_a_B, error.theta_BR_B) - matvec(self.P_a_B, error.omega_BR_B)
        asked = six(force_B, torque_B)
        command, status = thrusts_for(asked, self.mixer, self.max_thrust, self.weights, self.effort, limits)
        return FlyerControlOutputs(command, BodyWrench(force_B, torque_B), error, status)


def flyer_pd(
    mass: float,
    inertia_B: Mat3,
    mixer: Mat,
    max_thrust: Vec,
    *,
    position_bandwidth: float = 0.35,
    attitude_bandwidth: float = 0.8,
    damping: float = 1.0,
) -> FlyerPd:
    """PD control whose gains follow from mass properties: each axis is an oscillator of the given bandwidth.

        K_r = m w^2,   P_r = 2 damping m w,   K_a = I w^2,   P_a = 2 damping I w                                  (6)

    Args:
        mass: [kg]
        inertia_B: [kg m^2] (3, 3)
        mixer: [-] (6, n)
        max_thrust: [N] (n,)
        position_bandwidth: [rad/s]
        attitude_bandwidth: [rad/s]
        damping: [-] 1 for critical damping.
    """
    w = float(require("flyer_pd.position_bandwidth", position_bandwidth, "rad/s", OfShape(), Positive))
    a = float(require("flyer_pd.attitude_bandwidth", attitude_bandwidth, "rad/s", OfShape(), Positive))
    d = float(require("flyer_pd.damping", damping, "-", OfShape(), Positive))
    inertia = np.asarray(inertia_B, dtype=float)
    return FlyerPd(
        mass, inertia, mixer, max_thrust,
        K_r=mass * w * w, P_r=2.0 * d * mass * w, K_a_B=a * a * inertia, P_a_B=2.0 * d * a * inertia,
    )  # fmt: skip
