"""Allocation of a force and a torque to two thrusters on arms."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Above, AtMost, NotNegative, OfShape, Positive, Rotation, task
from cardan.maths import Mat3, Vec, Vec3, arcsin, arctan2, clip, cross, dcm_from_mrp, dot, matvec, norm
from cardan.messages import ActuatorCommand, Attitude, BodyTorque, HingeReferences, InertialForce


class ThrusterArmAllocationMemory(NamedTuple):
    """The joint angles commanded last."""

    angle: Annotated[Vec, "rad", OfShape(8)]


class ThrusterArmAllocationOutputs(NamedTuple):
    thrust_1: ActuatorCommand
    thrust_2: ActuatorCommand
    joints: HingeReferences
    roll: BodyTorque


@task
class ThrusterArmAllocation(NamedTuple):
    """Thrust magnitudes and joint angles of two arms that give the vehicle a force F and a torque T.

    Each arm is a boom along its axis x with two joints at the shoulder (x, y), and a thruster at its end that two more
    joints (z, y) point. The line of thrust passes through the end of the boom. The booms lie on one line and point away
    from each other. With d from the end of boom 2 to that of boom 1, m the middle between them, C the centre of mass,

        T' = T - (m - C) x F,   g = (T' x d) / |d|^2                                                              (1)
        f_1 = F / 2 + g - c x_1,   f_2 = F / 2 - g - c x_2                                                        (2)
        c = bias + stiffness max(|F / 2 + g|, |F / 2 - g|)                                                        (3)

    give f_1 + f_2 = F and the torque T' but for its part along d, which no pair of forces at these points can give: it
    is left to the hub, as `roll`. Both thrusters push against each other with c, so that each always has something to
    push: thrust is never negative and its direction stays within a cone about the boom, whatever is asked. If more is
    asked than `max_thrust` allows, force and torque shrink together.

        angle between thrust and boom <= asin(1 / stiffness)                                                      (4)
        share = min(1, (max_thrust - bias) / ((1 + stiffness) max(|F / 2 + g|, |F / 2 - g|)))                     (5)
        tip_z = atan2(u_y, u_x),   tip_y = - asin(u_z),   u = - f / |f| in axes of the arm                        (6)

    The shoulders stay at zero: there a boom's axis is that of the joint x, and the two cannot point it anywhere else
    without a detour. Commands follow these angles with a lag, and no faster than `max_rate`:

        rate = (wanted - angle) / time_constant, between - max_rate and max_rate                                  (7)

    Attributes:
        r_S1B_B: [m] Shoulder of arm 1, in body components; that of arm 2 is `r_S2B_B`.
        r_S2B_B: [m]
        dcm_A1B: [-] Takes body components to those of arm 1 at rest; `dcm_A2B` does so for arm 2.
        dcm_A2B: [-]
        boom: [m] From shoulder to tip joints.
        r_CB_B: [m] Centre of mass, in body components.
        max_thrust: [N]
        bias: [N] Least thrust with which the thrusters push against each other.
        stiffness: [-] How much more they do so than is asked of them; above 1.
        time_constant: [s] Lag of the joint commands.
        max_rate: [rad/s] Of the joint commands.
    """

    r_S1B_B: Annotated[Vec3, "m"]
    r_S2B_B: Annotated[Vec3, "m"]
    dcm_A1B: Annotated[Mat3, "-", Rotation]
    dcm_A2B: Annotated[Mat3, "-", Rotation]
    boom: Annotated[float, "m", NotNegative]
    r_CB_B: Annotated[Vec3, "m"]
    max_thrust: Annotated[float, "N", Positive]
    bias: Annotated[float, "N", Positive, AtMost("max_thrust")] = 0.02
    stiffness: Annotated[float, "-", Above(1.0)] = 1.5
    time_constant: Annotated[float, "s", Positive] = 0.5
    max_rate: Annotated[float, "rad/s", NotNegative] = 0.5

    def initial(self) -> ThrusterArmAllocationMemory:
        return ThrusterArmAllocationMemory(angle=np.zeros(8))

    def step(
        self, dt: float, x: ThrusterArmAllocationMemory, attitude: Attitude, force: InertialForce, torque: BodyTorque
    ) -> tuple[ThrusterArmAllocationMemory, ThrusterArmAllocationOutputs]:
        F_B, T_B = matvec(dcm_from_mrp(attitude.sigma_BN), force.force_N), torque.torque_B
        x_1_B, x_2_B = self.dcm_A1B[0], self.dcm_A2B[0]
        end_1_B, end_2_B = self.r_S1B_B + self.boom * x_1_B, self.r_S2B_B + self.boom * x_2_B
        d_B, m_B = end_1_B - end_2_B, 0.5 * (end_1_B + end_2_B)

        # Eq. (1), and what the hub is left with
        rest_B = T_B - cross(m_B - self.r_CB_B, F_B)
        g_B = cross(rest_B, d_B) / dot(d_B, d_B)
        roll_B = dot(rest_B, d_B) / dot(d_B, d_B) * d_B

        # Eqs. (2), (3) and (5)
        asked = np.maximum(norm(0.5 * F_B + g_B), norm(0.5 * F_B - g_B))
        possible = (self.max_thrust - self.bias) / (1.0 + self.stiffness)
        share = np.minimum(1.0, possible / np.maximum(asked, 1.0e-12))
        c = self.bias + self.stiffness * share * asked
        f_1_B = share * (0.5 * F_B + g_B) - c * x_1_B
        f_2_B = share * (0.5 * F_B - g_B) - c * x_2_B

        # Eqs. (6) and (7)
        tip_1, tip_2 = tip_angles(matvec(self.dcm_A1B, f_1_B)), tip_angles(matvec(self.dcm_A2B, f_2_B))
        wanted = np.array([0.0, 0.0, tip_1[0], tip_1[1], 0.0, 0.0, tip_2[0], tip_2[1]])
        rate = clip((wanted - x.angle) / self.time_constant, -self.max_rate, self.max_rate)
        angle = x.angle + dt * rate
        return ThrusterArmAllocationMemory(angle=angle), ThrusterArmAllocationOutputs(
            thrust_1=ActuatorCommand(command=norm(f_1_B)),
            thrust_2=ActuatorCommand(command=norm(f_2_B)),
            joints=HingeReferences(angle=angle, rate=rate, acceleration=0.0 * rate),
            roll=BodyTorque(torque_B=share * roll_B),
        )


def tip_angles(f_A: Vec3) -> Vec:
    """[rad] Angles of the tip's joints z and y that let the thruster push with `f_A`: Eq. (6)."""
    u_A = -f_A / norm(f_A)
    return np.array([arctan2(u_A[1], u_A[0]), -arcsin(clip(u_A[2], -1.0, 1.0))])
