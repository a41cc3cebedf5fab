"""Two thrusters that fire one after the other."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import task
from cardan.maths import ZERO3, Vec3
from cardan.messages import ThrustAxis, ThrusterSwitch


class ThrusterSwapMemory(NamedTuple):
    """The last axis of the first thruster."""

    first_axis_B: Annotated[Vec3, "-"] = ZERO3


class ThrusterSwapOutputs(NamedTuple):
    first_switch: ThrusterSwitch
    second_switch: ThrusterSwitch
    first_axis: ThrustAxis
    second_axis: ThrustAxis
    axis: ThrustAxis


@task
class ThrusterSwap(NamedTuple):
    """The first thruster until the swap, then the second; each fires once the spacecraft has had time to turn.

        first_axis:  follows its command before `swap`, then stays where it is                                    (1)
        second_axis: stays at home before `swap`, then follows its command                                        (2)
        axis:        first_axis before `swap`, then second_axis                                                   (3)
        on:          the first from `settle` to `swap`, the second from `swap + settle`                           (4)

    Attributes:
        swap: [s] When the second takes over.
        settle: [s] Time to turn and settle, without thrust, at the start and after the swap.
        second_home_B: [-] Axis of the second thruster before its turn.
    """

    swap: Annotated[float, "s"]
    settle: Annotated[float, "s"]
    second_home_B: Annotated[Vec3, "-"]

    def step(
        self, t: float, x: ThrusterSwapMemory, first: ThrustAxis, second: ThrustAxis
    ) -> tuple[ThrusterSwapMemory, ThrusterSwapOutputs]:
        # a tick is not early because its seconds were rounded
        now = t + 1.0e-6
        is_first = now < self.swap

        # Eqs. (1) to (3)
        first_B = np.where(is_first, first.axis_B, x.first_axis_B)
        second_B = np.where(is_first, self.second_home_B, second.axis_B)
        axis_B = np.where(is_first, first_B, second_B)

        # Eq. (4)
        first_switch = ThrusterSwitch(is_first & (now >= self.settle))
        second_switch = ThrusterSwitch(now >= self.swap + self.settle)
        outputs = ThrusterSwapOutputs(
            first_switch, second_switch, ThrustAxis(first_B), ThrustAxis(second_B), ThrustAxis(axis_B)
        )
        return ThrusterSwapMemory(first_B), outputs
