"""The attitude of one rigid body."""

from typing import Annotated, NamedTuple

from cardan.contracts import Inertia, Position, Unit, model, output
from cardan.maths import (
    NO_ROTATION,
    ZERO3,
    Mat3,
    Vec3,
    Vec4,
    cross,
    inverse3,
    matvec,
    mrp_from_quaternion,
    normalized_quaternion,
    quaternion_rate,
)
from cardan.messages import Attitude, BodyTorque


class RigidBodyState(NamedTuple):
    """Attitude as a unit quaternion, and angular velocity."""

    q_BN: Annotated[Vec4, "-", Position, Unit] = NO_ROTATION
    omega_BN_B: Annotated[Vec3, "rad/s"] = ZERO3


@model
class RigidBody(NamedTuple):
    """Rotation of a rigid body about its centre of mass.

        q_dot_BN                 = 1/2 B(q_BN) omega_BN_B                                                         (1)
        inertia omega_dot_BN_B   = torque_B - omega_BN_B x (inertia omega_BN_B)                                   (2)

    Attributes:
        inertia_B: [kg m^2] About the centre of mass, in body components.
    """

    inertia_B: Annotated[Mat3, "kg m^2", Inertia]

    def derivatives(self, x: RigidBodyState, drive: BodyTorque = BodyTorque(ZERO3)) -> RigidBodyState:
        # Eqs. (1) and (2)
        gyroscopic_B = cross(x.omega_BN_B, matvec(self.inertia_B, x.omega_BN_B))
        omega_dot_BN_B = matvec(inverse3(self.inertia_B), drive.torque_B - gyroscopic_B)
        return RigidBodyState(q_BN=quaternion_rate(x.q_BN, x.omega_BN_B), omega_BN_B=omega_dot_BN_B)

    def project(self, x: RigidBodyState) -> RigidBodyState:
        return RigidBodyState(q_BN=normalized_quaternion(x.q_BN), omega_BN_B=x.omega_BN_B)

    @output
    def attitude(self, x: RigidBodyState) -> Attitude:
        return Attitude(sigma_BN=mrp_from_quaternion(x.q_BN), omega_BN_B=x.omega_BN_B)
