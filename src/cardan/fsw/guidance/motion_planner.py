"""Plans motion along one coordinate, even while it moves."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, OnePer, Positive, task
from cardan.maths import Vec, choose
from cardan.maths.profiles import plan_from, profile_at
from cardan.messages import MotionPlan, MotionReference

_SEGMENTS = 11


class MotionPlannerMemory(NamedTuple):
    """The current plan, and what it was made for; in the unit u of the coordinate."""

    wanted: Annotated[float, "-"]
    is_stopped: Annotated[bool, "-"]
    start_time: Annotated[float, "s"]
    start: Annotated[float, "-"]
    rate: Annotated[float, "-"]
    reference: Annotated[float, "-"]
    duration: Annotated[Vec, "s", NotNegative]
    begin: Annotated[Vec, "-", OnePer("duration")]
    end: Annotated[Vec, "-", OnePer("duration")]


class MotionPlannerOutputs(NamedTuple):
    plan: MotionPlan


@task
class MotionPlanner(NamedTuple):
    """Replans whenever the reference changes: sheds its acceleration, brakes, and goes there from rest.

    Value, rate and acceleration of the new plan begin as those of the old one are at that tick. A move too short for
    its bang segments is made with less acceleration. The unit u of the coordinate is rad or m.

    Attributes:
        start: [u] Where it rests before the first plan.
        max_acceleration: [u/s^2]
        bang: [s] How long the acceleration is at its maximum.
        smooth: [s] How long it takes to get there and back.
    """

    start: Annotated[float, "-"]
    max_acceleration: Annotated[float, "-", Positive]
    bang: Annotated[float, "s", Positive]
    smooth: Annotated[float, "s", Positive]

    def initial(self) -> MotionPlannerMemory:
        none = np.zeros(_SEGMENTS)
        return MotionPlannerMemory(self.start, False, 0.0, self.start, 0.0, self.start, none, none, none)

    def step(
        self, t: float, x: MotionPlannerMemory, reference: MotionReference
    ) -> tuple[MotionPlannerMemory, MotionPlannerOutputs]:
        now = profile_at(t, x.start_time, x.start, x.rate, x.reference, x.duration, x.begin, x.end)
        is_new = (reference.value != x.wanted) | (reference.is_stopped != x.is_stopped)
        segments = plan_from(now, reference.value, reference.is_stopped, self.max_acceleration, self.bang, self.smooth)
        memory = MotionPlannerMemory(
            wanted=1.0 * reference.value,
            is_stopped=reference.is_stopped | False,
            start_time=choose(is_new, t, x.start_time),
            start=choose(is_new, now.value, x.start),
            rate=choose(is_new, now.rate, x.rate),
            reference=choose(is_new, segments.reference, x.reference),
            duration=choose(is_new, segments.duration, x.duration),
            begin=choose(is_new, segments.begin, x.begin),
            end=choose(is_new, segments.end, x.end),
        )
        plan = MotionPlan(
            memory.start_time, memory.start, memory.rate, memory.reference, memory.duration, memory.begin, memory.end
        )
        return memory, MotionPlannerOutputs(plan=plan)
