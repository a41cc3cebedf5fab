"""Parts between tasks that delay or reorder messages."""

from typing import Annotated, Generic, NamedTuple

import numpy as np

from cardan import AnyMessage, task
from cardan.contracts import Positive, Within
from cardan.faults.links import Passed, replaced
from cardan.maths import RandomKey, numbers_of, uniform, with_numbers
from cardan.messages import FaultEffect, WakeUp


class LateOutputs(NamedTuple, Generic[AnyMessage]):
    passed: AnyMessage
    wake_up: WakeUp


@task
class LateSample(NamedTuple):
    """Passes on each message some time after its tick, drawn anew each time, while a fault lasts.

        delay = longest u,   u even over 0 to 1                                                                   (1)

    A reader at the tick itself still sees the previous message.

    Attributes:
        longest: [s] Less than the period.
    """

    longest: Annotated[float, "s", Positive]

    def step(
        self, t: float, dt: float, rng: RandomKey, x: AnyMessage, message: AnyMessage, effect: FaultEffect
    ) -> tuple[AnyMessage, LateOutputs[AnyMessage]]:
        # a tick that was asked for lies between those of the period
        is_regular = np.abs(t / dt - np.round(t / dt)) * dt < 0.5e-9
        if not effect.is_active or not is_regular:
            return message, LateOutputs(message, WakeUp(0.0))
        # Eq. (1), in whole nanoseconds
        delay = np.round(self.longest * uniform(rng, 1)[0] * 1.0e9) * 1.0e-9
        return x, LateOutputs(x, WakeUp(delay))


@task
class ReorderedSample(NamedTuple):
    """Passes on one of the last four messages, drawn anew at every tick, while a fault lasts.

    Attributes:
        reach: [-] From how many it is drawn.
    """

    reach: Annotated[int, "-", Within(1, 4)] = 4

    def step(
        self,
        rng: RandomKey,
        message: AnyMessage,
        second: AnyMessage,
        third: AnyMessage,
        fourth: AnyMessage,
        effect: FaultEffect,
    ) -> Passed[AnyMessage]:
        age = np.int64(np.floor(self.reach * uniform(rng, 1)[0]))
        if not effect.is_active or age == 0:
            return Passed(message)
        before = numbers_of(second) if age == 1 else (numbers_of(third) if age == 2 else numbers_of(fourth))
        return Passed(with_numbers(message, replaced(numbers_of(message), before, effect)))
