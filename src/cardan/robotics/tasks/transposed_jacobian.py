"""Joint torques that pull a tip to where it should be."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import task
from cardan.maths import Vec
from cardan.messages import FrameMotion, HingeStates, HingeTorques, TipReference
from cardan.robotics.control import transposed_jacobian
from cardan.robotics.packing import IS_FREE
from cardan.robotics.tasks.evaluation import FrameNumbers, RobotNumbers, evaluate, floating_equations, tip_error


class TransposedJacobianOutputs(NamedTuple):
    torque: HingeTorques


@task
class TransposedJacobian(NamedTuple):
    """Transposed Jacobian control: joint torques that act at the tip like a spring and a damper to its reference.

        w   = [ K_attitude rotation + D_attitude (omega_ref - omega) ; K_position (r_ref - r) + D_position (v_ref - v) ]
        tau = JT w                                                                                                (1)

    with J = J* for a floating base, J_m otherwise. No inverse, so singularities do no harm.
    docs/theory/robotics.md, Eq. (28).

    Attributes:
        robot: [-] `Robot(...).numbers`.
        tip: [-] `robot.frame(...).numbers`.
        K_position: [N/m]
        D_position: [N s/m]
        K_attitude: [N m/rad] 0 leaves the attitude alone.
        D_attitude: [N m s/rad]
        is_floating: [-] Whether the base floats and answers the arm.
    """

    robot: Annotated[Vec, "-", RobotNumbers]
    tip: Annotated[Vec, "-", FrameNumbers]
    K_position: Annotated[float, "N/m"]
    D_position: Annotated[float, "N s/m"]
    K_attitude: Annotated[float, "N m/rad"] = 0.0
    D_attitude: Annotated[float, "N m s/rad"] = 0.0
    is_floating: Annotated[bool, "-"] = True

    def step(self, base: FrameMotion, joints: HingeStates, reference: TipReference) -> TransposedJacobianOutputs:
        now = evaluate(self.robot, self.tip, base, joints)
        rotation_N, displacement_N = tip_error(now, reference)
        w = np.zeros(6)
        w[0:3] = self.K_attitude * rotation_N + self.D_attitude * (reference.omega_TN_N - now.t[0:3])
        w[3:6] = self.K_position * displacement_N + self.D_position * (reference.v_TN_N - now.t[3:6])
        # Eq. (1)
        J = now.J_m
        if self.is_floating and self.robot[IS_FREE] != 0.0:
            J = floating_equations(now, np.zeros(6))[0][6:].copy()
        return TransposedJacobianOutputs(torque=HingeTorques(transposed_jacobian(J, w)))
