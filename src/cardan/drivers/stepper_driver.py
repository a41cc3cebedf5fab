"""The steps of a stepper motor, one after the other."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, OneOf, Positive, task
from cardan.maths import choose, clip, pulse_count
from cardan.messages import AngleArc, StepCommand, StepperState, WakeUp


class StepperDriverMemory(NamedTuple):
    """Where the motor is, and what it has been told.

    Attributes:
        place: [-] Complete steps from the lower hard stop.
        direction: [-] Of the step in progress: 1, -1, or 0 at rest.
        remaining: [-] Steps that have not begun, negative for backward.
        number: [-] Of the last command that was read.
        is_waiting: [-] Whether that command has not taken effect yet.
        sequence: [-] Commands that have taken effect.
        lost: [-] Steps that were commanded beyond a hard stop.
    """

    place: Annotated[int, "-", NotNegative] = 0
    direction: Annotated[int, "-", OneOf(-1, 0, 1)] = 0
    remaining: Annotated[int, "-"] = 0
    number: Annotated[int, "-"] = 0
    is_waiting: Annotated[bool, "-"] = False
    sequence: Annotated[int, "-"] = 0
    lost: Annotated[int, "-"] = 0


class StepperDriverOutputs(NamedTuple):
    arc: AngleArc
    motor: StepperState
    wake_up: WakeUp


@task
class StepperDriver(NamedTuple):
    """A stepper motor with its drive: every step accelerates over its first half and brakes over its second.

        acceleration = +- 4 step_angle / step_time^2                                                              (1)

    Steps begin at whole multiples of the step time. A step that has begun is completed; a new command replaces what was
    left of the one before. The motor does not go beyond its hard stops: steps that would are lost. The task runs at
    every half step while the motor moves, and asks for these ticks itself.

    Attributes:
        step_angle: [rad] Of one step.
        step_time: [s] Of one step.
        max_steps: [-] Steps from the lower to the upper hard stop.
    """

    step_angle: Annotated[float, "rad", Positive]
    step_time: Annotated[float, "s", Positive]
    max_steps: Annotated[int, "-", NotNegative]

    def step(
        self, t: float, x: StepperDriverMemory, command: StepCommand
    ) -> tuple[StepperDriverMemory, StepperDriverOutputs]:
        half, is_on_half = pulse_count(t, 0.5 * self.step_time)
        is_pulse = is_on_half & (half % 2 == 0)

        # a step in progress is complete at the next pulse
        place = x.place + choose(is_pulse, x.direction, 0)
        direction = choose(is_pulse, 0, x.direction)

        # a new command counts from the end of that step, and ends at a hard stop at the latest
        is_new = command.number != x.number
        wanted = choose(is_new, command.steps, x.remaining)
        remaining = clip(place + direction + wanted, 0, self.max_steps) - place - direction
        lost = x.lost + np.abs(wanted - remaining)
        is_waiting = x.is_waiting | is_new

        # the next step begins
        direction = choose(is_pulse, np.sign(remaining), direction)
        remaining = remaining - choose(is_pulse, direction, 0)
        sequence = x.sequence + choose(is_pulse & is_waiting, 1, 0)
        is_waiting = is_waiting & np.logical_not(is_pulse)

        memory = StepperDriverMemory(place, direction, remaining, command.number, is_waiting, sequence, lost)
        motor = StepperState(place * self.step_angle, direction, remaining, sequence, lost)
        arc = step_arc(half, self.step_time, direction, place, self.step_angle)
        wake_up = WakeUp(after=until_next_edge(t, half, self.step_time, direction != 0, remaining != 0))
        return memory, StepperDriverOutputs(arc, motor, wake_up)


def step_arc(half: int, step_time: float, direction: float, place: float, step_angle: float) -> AngleArc:
    """The half step that is going on, after `half` half steps since time zero; Eqs. (1) and (2)."""
    is_first = half % 2 == 0
    acceleration = direction * 4.0 * step_angle / (step_time * step_time)
    return AngleArc(
        start=half * 0.5 * step_time,
        angle=step_angle * (place + choose(is_first, 0.0, 0.5) * direction),
        rate=choose(is_first, 0.0, 2.0) * direction * step_angle / step_time,
        acceleration=choose(is_first, 1.0, -1.0) * acceleration,
    )


def until_next_edge(t: float, half: int, step_time: float, is_moving: bool, is_waiting: bool) -> float:
    """[s] From now to the end of the half step in progress, or to the next pulse where one is waited for, or zero."""
    edge = choose(is_moving, half + 1, 2 * (half // 2 + 1))
    after: float = choose(is_moving | is_waiting, (edge - t / (0.5 * step_time)) * 0.5 * step_time, 0.0)
    return after
