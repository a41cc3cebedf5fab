"""On-off valves of thrusters."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, task
from cardan.maths import Vec, choose
from cardan.messages import ThrusterCommand, ThrusterPulses, WakeUp

_CLOSE = 1.0e-9  # [s] a valve that would be open for less than a tick of the clock is shut


class ThrusterValvesMemory(NamedTuple):
    """When each valve shuts, and what the bank has been told."""

    shuts: Annotated[Vec, "s"]
    number: Annotated[int, "-"] = 0


class ThrusterValvesOutputs(NamedTuple):
    command: ThrusterCommand
    wake_up: WakeUp


@task
class ThrusterValves(NamedTuple):
    """Opens each valve for the time that a pulse asks for, and shuts it to the nanosecond.

        thrust = max_thrust while t < start of the pulse + on_time, else 0                                        (1)

    A pulse shorter than `min_on` does not open the valve: the least impulse is `max_thrust min_on`. A new command
    replaces what is left of the one before. The task asks for ticks where valves shut.

    Attributes:
        max_thrust: [N] Of each thruster while its valve is open.
        min_on: [s] The shortest pulse.
    """

    max_thrust: Annotated[Vec, "N", NotNegative]
    min_on: Annotated[float, "s", NotNegative] = 0.0

    def initial(self) -> ThrusterValvesMemory:
        return ThrusterValvesMemory(shuts=0.0 * self.max_thrust)

    def step(
        self, t: float, x: ThrusterValvesMemory, pulses: ThrusterPulses
    ) -> tuple[ThrusterValvesMemory, ThrusterValvesOutputs]:
        if len(pulses.on_time) != len(self.max_thrust):
            raise ValueError("ThrusterValves: `pulses` has another number of thrusters than `max_thrust`.")
        is_new = pulses.number != x.number
        is_long = (pulses.on_time >= self.min_on) & (pulses.on_time > 0.0)
        shuts = choose(is_new, choose(is_long, t + pulses.on_time, t), x.shuts)
        # Eq. (1)
        left = shuts - t
        is_open = left > _CLOSE
        next_edge = np.min(choose(is_open, left, np.inf))
        return ThrusterValvesMemory(shuts=shuts, number=pulses.number + 0), ThrusterValvesOutputs(
            command=ThrusterCommand(thrust=choose(is_open, self.max_thrust, 0.0)),
            wake_up=WakeUp(after=choose(next_edge < np.inf, next_edge, 0.0)),
        )
