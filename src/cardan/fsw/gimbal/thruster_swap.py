"""Two thrusters that take turns."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, NotZero, Positive, task
from cardan.maths import ZERO3, Vec3, choose
from cardan.messages import ThrustAxis, ThrusterSwitch


class ThrusterSwapMemory(NamedTuple):
    """The last axes of both thrusters."""

    first_axis_B: Annotated[Vec3, "-"] = ZERO3
    second_axis_B: Annotated[Vec3, "-"] = ZERO3


class ThrusterSwapOutputs(NamedTuple):
    first_switch: ThrusterSwitch
    second_switch: ThrusterSwitch
    first_axis: ThrustAxis
    second_axis: ThrustAxis
    axis: ThrustAxis


@task
class ThrusterSwap(NamedTuple):
    """First one thruster, then the other, in turns; each fires once the spacecraft has had time to turn.

        turn   = min(floor(t / swap), swaps); the first thruster has the even ones                                (1)
        axes:    that of the thruster in use follows its command, the other one stays where it is                 (2)
        on:      the thruster in use, from `settle` after its turn has begun                                      (3)

    Attributes:
        swap: [s] Length of a turn.
        settle: [s] Time to turn and settle, without thrust, at the start of every turn.
        second_home_B: [-] Axis of the second thruster before its first turn.
        swaps: [-] How often thrusters are swapped; the last turn does not end.
    """

    swap: Annotated[float, "s", Positive]
    settle: Annotated[float, "s", NotNegative]
    second_home_B: Annotated[Vec3, "-", NotZero]
    swaps: Annotated[int, "-", NotNegative] = 1

    def initial(self) -> ThrusterSwapMemory:
        return ThrusterSwapMemory(self.second_home_B, self.second_home_B)

    def step(
        self, t: float, x: ThrusterSwapMemory, first: ThrustAxis, second: ThrustAxis
    ) -> tuple[ThrusterSwapMemory, ThrusterSwapOutputs]:
        # Eq. (1); a tick is not early because its seconds were rounded
        now = t + 1.0e-6
        turn = np.minimum(np.floor(now / self.swap), self.swaps)
        is_first = turn % 2.0 == 0.0

        # Eq. (2)
        first_B = choose(is_first, first.axis_B, x.first_axis_B)
        second_B = choose(is_first, x.second_axis_B, second.axis_B)
        axis_B = choose(is_first, first_B, second_B)

        # Eq. (3)
        is_settled = now - turn * self.swap >= self.settle
        outputs = ThrusterSwapOutputs(
            first_switch=ThrusterSwitch(is_settled & is_first),
            second_switch=ThrusterSwitch(is_settled & np.logical_not(is_first)),
            first_axis=ThrustAxis(first_B),
            second_axis=ThrustAxis(second_B),
            axis=ThrustAxis(axis_B),
        )
        return ThrusterSwapMemory(first_B, second_B), outputs
