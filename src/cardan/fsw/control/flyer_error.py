"""Tracking error and feed-forward of a free flyer, shared by its controllers."""

from typing import NamedTuple

import numpy as np

from cardan.maths import Mat3, Vec, Vec3, cross, dcm_from_mrp, dot, matvec, mrp_relative
from cardan.messages import AllocationStatus, BodyWrench, FlyerError, FlyerReference, FrameMotion, ThrusterCommand


class FlyerControlOutputs(NamedTuple):
    command: ThrusterCommand
    wrench: BodyWrench
    error: FlyerError
    status: AllocationStatus


def flyer_error(motion: FrameMotion, reference: FlyerReference) -> FlyerError:
    """The error on SE(3), in body components: docs/theory/flyer_pd.md, Eqs. (1) and (2)."""
    dcm_BN = dcm_from_mrp(motion.sigma_BN)
    sigma_BR = mrp_relative(motion.sigma_BN, reference.sigma_RN)
    return FlyerError(
        r_BR_B=matvec(dcm_BN, motion.r_BN_N - reference.r_RN_N),
        theta_BR_B=4.0 / (1.0 + dot(sigma_BR, sigma_BR)) * sigma_BR,
        v_BR_B=matvec(dcm_BN, motion.v_BN_N - reference.v_RN_N),
        omega_BR_B=motion.omega_BN_B - matvec(dcm_BN, reference.omega_RN_N),
    )


def feed_forward(motion: FrameMotion, reference: FlyerReference, mass: float, inertia_B: Mat3) -> tuple[Vec3, Vec3]:
    """[N], [N m] What the reference motion itself needs, and the gyroscopic torque: Eq. (4)."""
    dcm_BN = dcm_from_mrp(motion.sigma_BN)
    omega_B = motion.omega_BN_B
    omega_RN_B = matvec(dcm_BN, reference.omega_RN_N)
    turning_B = matvec(dcm_BN, reference.omega_dot_RN_N) - cross(omega_B, omega_RN_B)
    force_B = mass * matvec(dcm_BN, reference.a_RN_N)
    torque_B = matvec(inertia_B, turning_B) + cross(omega_B, matvec(inertia_B, omega_B))
    return force_B, torque_B


def error_vector(error: FlyerError) -> Vec:
    """The error as twelve numbers: position, attitude, velocity, rate."""
    r, theta, v, omega = error.r_BR_B, error.theta_BR_B, error.v_BR_B, error.omega_BR_B
    return np.array([r[0], r[1], r[2], theta[0], theta[1], theta[2], v[0], v[1], v[2], omega[0], omega[1], omega[2]])
