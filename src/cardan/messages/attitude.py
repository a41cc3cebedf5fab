"""Attitude: what it is, what it should be, and the difference."""

from typing import Annotated, NamedTuple

from cardan.contracts import message
from cardan.maths import ZERO3, Vec3


@message
class Attitude(NamedTuple):
    """Attitude and rate of the body.

    Attributes:
        sigma_BN: [-] MRP of the body relative to the inertial frame.
        omega_BN_B: [rad/s] Angular velocity of the body relative to the inertial frame, in body components.
    """

    sigma_BN: Annotated[Vec3, "-"]
    omega_BN_B: Annotated[Vec3, "rad/s"]


@message
class AttitudeReference(NamedTuple):
    """The attitude to follow.

    Attributes:
        sigma_RN: [-] MRP of the reference frame relative to the inertial frame.
        omega_RN_N: [rad/s] Its angular velocity, in inertial components.
        omega_dot_RN_N: [rad/s^2] Its angular acceleration, in inertial components.
    """

    sigma_RN: Annotated[Vec3, "-"] = ZERO3
    omega_RN_N: Annotated[Vec3, "rad/s"] = ZERO3
    omega_dot_RN_N: Annotated[Vec3, "rad/s^2"] = ZERO3


@message
class AttitudeError(NamedTuple):
    """How far the body is from its reference.

    Attributes:
        sigma_BR: [-] MRP of the body relative to the reference, the short rotation.
        omega_BR_B: [rad/s] Angular velocity of the body relative to the reference, in body components.
        omega_RN_B: [rad/s] Angular velocity of the reference, in body components.
        omega_dot_RN_B: [rad/s^2] Inertial rate of the reference's angular velocity, in body components.
    """

    sigma_BR: Annotated[Vec3, "-"]
    omega_BR_B: Annotated[Vec3, "rad/s"]
    omega_RN_B: Annotated[Vec3, "rad/s"]
    omega_dot_RN_B: Annotated[Vec3, "rad/s^2"]
