"""The joint loop of two arms with thrusters, and the torque that keeps the hub from feeling it."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, OfShape, PositiveDefinite, task
from cardan.maths import ZERO3, Mat, Rows3, clip, sin, total
from cardan.messages import ActuatorCommand, BodyTorque, BodyWrench, HingeReferences, HingeStates, HingeTorques


class ThrusterArmJointsOutputs(NamedTuple):
    torques: HingeTorques
    hub: BodyWrench


@task
class ThrusterArmJoints(NamedTuple):
    """PD torques at the eight joints of two arms, and the hub's compensating torque.

    The joints of each arm are x and y at the shoulder, z and y at the end of the boom.

        a      = bandwidth^2 (reference - angle) + 2 damping bandwidth (reference rate - rate)                    (1)
        torque = inertia a + load                                                                                 (2)
        load   = boom thrust sin(tip y) at the shoulder's joint y, 0 elsewhere                                    (3)

    a is the acceleration that is wanted of the joints; the mass matrix of the joints makes torques of it, so that a tip
    that swings does not bend its boom. The load holds the boom against the thrust. What accelerates the joints pushes
    back on the hub, with a torque and with a force far from its centre; the hub therefore gets

        torque_B = roll + coupling^T a                                                                            (4)

    up to `max_hub_torque` about each axis, and feels the thrust alone.

    Attributes:
        inertia: [kg m^2] Mass matrix of the eight joints, arm 1 then arm 2, at rest with the hub held.
        coupling_B: [kg m^2] For each joint the torque that holds the hub while the joint accelerates by 1 rad/s^2, in
            body components: the rows of the mass matrix that couple joints and hub.
        boom: [m] From shoulder to tip joints.
        bandwidth: [rad/s]
        damping: [-] Of each joint's loop, relative to critical.
        max_torque: [N m] Largest torque of each joint's motor.
        max_hub_torque: [N m]
    """

    inertia: Annotated[Mat, "kg m^2", OfShape(8, 8), PositiveDefinite]
    coupling_B: Annotated[Rows3, "kg m^2", OfShape(8, 3)]
    boom: Annotated[float, "m", NotNegative]
    bandwidth: Annotated[float, "rad/s", NotNegative] = 5.0
    damping: Annotated[float, "-", NotNegative] = 1.0
    max_torque: Annotated[float, "N m", NotNegative] = 10.0
    max_hub_torque: Annotated[float, "N m", NotNegative] = 5.0

    def step(
        self,
        states: HingeStates,
        reference: HingeReferences,
        thrust_1: ActuatorCommand,
        thrust_2: ActuatorCommand,
        roll: BodyTorque = BodyTorque(ZERO3),
    ) -> ThrusterArmJointsOutputs:
        # Eq. (1)
        e, de = reference.angle - states.angle, reference.rate - states.rate
        a = (self.bandwidth * self.bandwidth) * e + 2.0 * self.damping * self.bandwidth * de
        # Eqs. (2) and (3)
        load_1 = self.boom * sin(states.angle[3]) * thrust_1.command
        load_2 = self.boom * sin(states.angle[7]) * thrust_2.command
        load = np.array([0.0, load_1, 0.0, 0.0, 0.0, load_2, 0.0, 0.0])
        # (the mass matrix is symmetric, so that its rows may be added for its columns)
        column = a.reshape((-1, 1))
        torque = total(self.inertia * column) + load
        # Eq. (4)
        torque_B = roll.torque_B + total(self.coupling_B * column)
        return ThrusterArmJointsOutputs(
            torques=HingeTorques(torque=clip(torque, -self.max_torque, self.max_torque)),
            hub=BodyWrench(force_B=ZERO3, torque_B=clip(torque_B, -self.max_hub_torque, self.max_hub_torque)),
        )
