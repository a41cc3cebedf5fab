"""Joint rates that leave the base alone."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import OfShape, task
from cardan.maths import Vec
from cardan.maths.matrices import times
from cardan.messages import FrameMotion, HingeRates, HingeStates
from cardan.robotics.control import chosen, reaction_null_space
from cardan.robotics.packing import FRAME_NUMBERS
from cardan.robotics.tasks.evaluation import RobotNumbers, evaluate, floating_equations

BASE_ATTITUDE = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
BASE_ATTITUDE.flags.writeable = False


class ReactionNullSpaceOutputs(NamedTuple):
    command: HingeRates


@task
class ReactionNullSpace(NamedTuple):
    """Wanted joint rates, less what would move the base of a floating robot without momentum.

        u_m = (1 - A+ A) wanted,    A = rows of -H_0^-1 H_0m                                                      (1)

    docs/theory/robotics.md, Eq. (33).

    Attributes:
        robot: [-] `Robot(...).numbers`.
        rows: [-] (6,) Above 0 for the components of the base's rate (angular, linear) that shall stay zero.
    """

    robot: Annotated[Vec, "-", RobotNumbers]
    rows: Annotated[Vec, "-", OfShape(6)] = BASE_ATTITUDE

    def step(self, base: FrameMotion, joints: HingeStates, wanted: HingeRates) -> ReactionNullSpaceOutputs:
        now = evaluate(self.robot, np.zeros(FRAME_NUMBERS), base, joints)
        G, _ = floating_equations(now, np.zeros(6))
        # Eq. (1)
        A, _ = chosen(G[:6].copy(), np.zeros(6), self.rows)
        return ReactionNullSpaceOutputs(command=HingeRates(times(reaction_null_space(A), wanted.rate)))
