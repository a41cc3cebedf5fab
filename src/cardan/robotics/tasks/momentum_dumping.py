"""Joint rates that take over the momentum of the base."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, OfShape, Positive, task
from cardan.maths import Vec
from cardan.messages import FrameMotion, HingeRates, HingeStates
from cardan.robotics.control import chosen, momentum_dumping
from cardan.robotics.packing import FRAME_NUMBERS
from cardan.robotics.tasks.evaluation import RobotNumbers, evaluate, floating_equations
from cardan.robotics.tasks.reaction_null_space import BASE_ATTITUDE


class MomentumDumpingOutputs(NamedTuple):
    command: HingeRates


@task
class MomentumDumping(NamedTuple):
    """Joint rates that carry the momentum of a floating robot, so that its base stops.

        A u_m = a,    A = rows of H_0^-1 H_0m,    a = the same rows of H_0^-1 momentum                             (1)

    The smallest rates that do. The momentum itself stays: joints that stop give it back to the base.
    docs/theory/robotics.md, Eq. (34).

    Attributes:
        robot: [-] `Robot(...).numbers`.
        rows: [-] (6,) Above 0 for the components of the base's rate (angular, linear) that shall be zero.
        damping: [-] Of the inverse, in the unit of A's numbers.
        largest_rate: [rad/s] No joint is commanded to move faster; all rates shrink alike.
    """

    robot: Annotated[Vec, "-", RobotNumbers]
    rows: Annotated[Vec, "-", OfShape(6)] = BASE_ATTITUDE
    damping: Annotated[float, "-", NotNegative] = 0.0
    largest_rate: Annotated[float, "rad/s", Positive] = 1.0e9

    def step(self, base: FrameMotion, joints: HingeStates) -> MomentumDumpingOutputs:
        now = evaluate(self.robot, np.zeros(FRAME_NUMBERS), base, joints)
        G, drift = floating_equations(now, now.momentum)
        # Eq. (1)
        A, a = chosen(-G[:6], drift[:6].copy(), self.rows)
        rate = momentum_dumping(A, a, self.damping)
        fastest = np.max(np.abs(rate))
        return MomentumDumpingOutputs(command=HingeRates(rate * (self.largest_rate / max(fastest, self.largest_rate))))
