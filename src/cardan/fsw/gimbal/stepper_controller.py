"""How many steps bring a motor to an angle."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, Positive, task
from cardan.maths import choose, clip, pulse_count
from cardan.messages import MotorAngle, StepCommand, StepCount


class StepperControllerMemory(NamedTuple):
    """The command that the motor is obeying: where it began, when, and how far it goes.

    Attributes:
        begin: [-] Steps from the lower hard stop at which the command took effect.
        steps: [-] Steps of the command.
        pulse: [-] Pulse of the step clock at which it took effect.
        number: [-] Of the command.
    """

    begin: Annotated[int, "-"] = 0
    steps: Annotated[int, "-"] = 0
    pulse: Annotated[int, "-"] = 0
    number: Annotated[int, "-"] = 0


class StepperControllerOutputs(NamedTuple):
    command: StepCommand
    motor: StepCount


@task
class StepperController(NamedTuple):
    """Steps from the motor's position to the whole step nearest to the requested angle.

        steps = sign(e) ceil(|e| - 1/2),   e = (angle asked for - angle) / step_angle                             (1)

    Half a step between two whole ones is not taken. The angle is that at the end of a step in progress. The target lies
    between the hard stops. A command is sent when the target changes, and only then.

    Attributes:
        step_angle: [rad] Of one step.
        step_time: [s] Of one step; steps begin at whole multiples of it.
        max_steps: [-] Steps from the lower to the upper hard stop.
    """

    step_angle: Annotated[float, "rad", Positive]
    step_time: Annotated[float, "s", Positive]
    max_steps: Annotated[int, "-", NotNegative]

    def step(
        self, t: float, x: StepperControllerMemory, target: MotorAngle
    ) -> tuple[StepperControllerMemory, StepperControllerOutputs]:
        # dead reckoning: complete steps of the present command, and where the step in progress ends
        pulse, is_on_pulse = pulse_count(t, self.step_time)
        direction = np.sign(x.steps)
        done = clip(pulse - x.pulse, 0, np.abs(x.steps))
        place = x.begin + direction * done
        is_between = (pulse >= x.pulse) & (done < np.abs(x.steps)) & np.logical_not(is_on_pulse)
        next_place = place + choose(is_between, direction, 0)

        # Eq. (1), and no further than the hard stops; rounding does not decide between two halves
        error = target.angle / self.step_angle - next_place
        nearest = next_place + np.int64(np.sign(error) * np.ceil(np.abs(error) - 0.5 - 1.0e-9))
        wanted = clip(nearest, 0, self.max_steps)

        # a new command only for a new target
        is_new = wanted != x.begin + x.steps
        memory = StepperControllerMemory(
            begin=choose(is_new, next_place, x.begin),
            steps=choose(is_new, wanted - next_place, x.steps),
            pulse=choose(is_new, choose(is_on_pulse, pulse, pulse + 1), x.pulse),
            number=x.number + choose(is_new, 1, 0),
        )
        remaining = memory.begin + memory.steps - place
        sent = StepCount(place * self.step_angle, place, remaining, nearest != wanted)
        return memory, StepperControllerOutputs(StepCommand(memory.steps, memory.number), sent)
