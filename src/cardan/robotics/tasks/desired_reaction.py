"""Joint rates that move a tip and turn the base as wanted, or not at all."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, OfShape, Positive, task
from cardan.maths import Vec, dcm_from_mrp, matvec, mrp_relative
from cardan.maths.matrices import times
from cardan.messages import AttitudeReference, FrameMotion, HingeRates, HingeStates, TipReference
from cardan.robotics.control import capped_inverse, chosen, desired_reaction
from cardan.robotics.tasks.evaluation import FrameNumbers, RobotNumbers, evaluate, floating_equations, tip_command

BASE_ATTITUDE_AND_TIP_POSITION = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
BASE_ATTITUDE_AND_TIP_POSITION.flags.writeable = False


class DesiredReactionOutputs(NamedTuple):
    command: HingeRates


@task
class DesiredReaction(NamedTuple):
    """Desired-reaction manoeuvre of a floating base: joint rates for which base and tip follow their references.

        u_m = G^-1 ( [u_0; t] - [H_0^-1; J_0 H_0^-1] momentum ),    G = [-H_0^-1 H_0m; J*]                         (1)

    With the default attitude reference, at rest, it is the zero-reaction manoeuvre. Where the arm has more joints than
    `rows` asks for, the smallest rates are taken. docs/theory/robotics.md, Eqs. (29) to (32); Eqs. (47) and (48) of the
    paper.

    Attributes:
        robot: [-] `Robot(...).numbers`.
        tip: [-] `robot.frame(...).numbers`.
        rows: [-] (12,) Above 0 for the components that count: base angular, base linear, tip angular, tip linear.
        base_gain: [1/s] Feedback of the base's attitude error.
        position_gain: [1/s] Feedback of the tip's position error.
        attitude_gain: [1/s] Feedback of the tip's attitude error.
        damping: [-] Of the pseudo-inverse, in the unit of G's numbers.
        is_adjugate: [-] Whether to use the adjugate with a capped gain instead of the pseudo-inverse.
        largest_gain: [-] The cap of the adjugate's gain k, in the unit of 1/det.
    """

    robot: Annotated[Vec, "-", RobotNumbers]
    tip: Annotated[Vec, "-", FrameNumbers]
    rows: Annotated[Vec, "-", OfShape(12)] = BASE_ATTITUDE_AND_TIP_POSITION
    base_gain: Annotated[float, "1/s"] = 1.0
    position_gain: Annotated[float, "1/s"] = 1.0
    attitude_gain: Annotated[float, "1/s"] = 1.0
    damping: Annotated[float, "-", NotNegative] = 0.0
    is_adjugate: Annotated[bool, "-"] = False
    largest_gain: Annotated[float, "-", Positive] = 1.0e6

    def step(
        self,
        base: FrameMotion,
        joints: HingeStates,
        reference: TipReference,
        attitude: AttitudeReference = AttitudeReference(),
    ) -> DesiredReactionOutputs:
        now = evaluate(self.robot, self.tip, base, joints)
        G, drift = floating_equations(now, now.momentum)

        # what base and tip should do
        wanted = np.zeros(12)
        turn_B = 4.0 * mrp_relative(base.sigma_BN, attitude.sigma_RN)
        wanted[0:3] = matvec(dcm_from_mrp(base.sigma_BN), attitude.omega_RN_N) - self.base_gain * turn_B
        wanted[6:12] = tip_command(now, reference, self.attitude_gain, self.position_gain)

        # Eq. (1)
        if self.is_adjugate:
            left, right = chosen(G, wanted - drift, self.rows)
            rate = times(capped_inverse(left, self.largest_gain), right)
        else:
            rate = desired_reaction(G, drift, wanted, self.rows, self.damping)
        return DesiredReactionOutputs(command=HingeRates(rate))
