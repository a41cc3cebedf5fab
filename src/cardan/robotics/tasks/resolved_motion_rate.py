"""Joint rates that move a tip."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, OfShape, task
from cardan.maths import Vec
from cardan.maths.matrices import times
from cardan.messages import FrameMotion, HingeRates, HingeStates, TipReference
from cardan.robotics.control import chosen, resolved_rates
from cardan.robotics.packing import IS_FREE
from cardan.robotics.tasks.evaluation import FrameNumbers, RobotNumbers, evaluate, floating_equations, tip_command

ALL_OF_A_TWIST = np.ones(6)
ALL_OF_A_TWIST.flags.writeable = False


class ResolvedMotionRateOutputs(NamedTuple):
    command: HingeRates


@task
class ResolvedMotionRate(NamedTuple):
    """Resolved motion-rate control of a tip: joint rates for which the tip follows its reference.

        floating base   u_m = J*+ (t - J_0 H_0^-1 momentum)                                                       (1)
        otherwise       u_m = J_m+ (t - J_0 u_0)                                                                  (2)

    with t the twist of the reference and feedback of the error. docs/theory/robotics.md, Eqs. (27) and (35).

    Attributes:
        robot: [-] `Robot(...).numbers`.
        tip: [-] `robot.frame(...).numbers`.
        position_gain: [1/s] Feedback of the position error.
        attitude_gain: [1/s] Feedback of the attitude error.
        damping: [-] Of the inverse of J, in the unit of its numbers; 0 for the pseudo-inverse.
        rows: [-] (6,) Above 0 for the components of the twist (angular, linear) that count.
        is_floating: [-] Whether the base floats and answers the arm; else its motion is taken as it is.
    """

    robot: Annotated[Vec, "-", RobotNumbers]
    tip: Annotated[Vec, "-", FrameNumbers]
    position_gain: Annotated[float, "1/s"] = 1.0
    attitude_gain: Annotated[float, "1/s"] = 1.0
    damping: Annotated[float, "-", NotNegative] = 0.0
    rows: Annotated[Vec, "-", OfShape(6)] = ALL_OF_A_TWIST
    is_floating: Annotated[bool, "-"] = True

    def step(self, base: FrameMotion, joints: HingeStates, reference: TipReference) -> ResolvedMotionRateOutputs:
        now = evaluate(self.robot, self.tip, base, joints)
        t = tip_command(now, reference, self.attitude_gain, self.position_gain)
        if self.is_floating and self.robot[IS_FREE] != 0.0:
            # Eq. (1)
            G, drifts = floating_equations(now, now.momentum)
            J, drift = G[6:].copy(), drifts[6:].copy()
        else:
            # Eq. (2)
            J, drift = now.J_m, times(now.J_0, now.u_0)
        left, right = chosen(J, t - drift, self.rows)
        return ResolvedMotionRateOutputs(command=HingeRates(resolved_rates(left, right, self.damping)))
