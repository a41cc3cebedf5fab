"""Conversion of thrusts to pulses of on-off valves."""

from typing import Annotated, NamedTuple

from cardan.contracts import NotNegative, Positive, task
from cardan.maths import Vec, choose, clip
from cardan.messages import ThrusterCommand, ThrusterPulses


class PulseModulationMemory(NamedTuple):
    """What each thruster still owes, and how many commands were sent."""

    owed: Annotated[Vec, "N s"]
    number: Annotated[int, "-"] = 0


class PulseModulationOutputs(NamedTuple):
    pulses: ThrusterPulses


@task
class PulseModulation(NamedTuple):
    """Pulse-width modulation: in each period a valve is open long enough to give the demanded impulse.

        wanted  = owed + command dt                                                                               (1)
        on_time = wanted / max_thrust, between 0 and dt; 0 where it is below min_on; dt where it is beyond
                  dt - min_off                                                                                    (2)
        owed    = wanted - on_time max_thrust, between -dt max_thrust and dt max_thrust                           (3)

    What a pulse cannot give is carried over to the next period, so that small demands add up until they are worth a
    pulse. Debts are limited to one period, so that a demand beyond the limits is forgotten.

    Attributes:
        max_thrust: [N] Of each thruster while its valve is open.
        min_on: [s] The shortest pulse.
        min_off: [s] The shortest pause within a period.
    """

    max_thrust: Annotated[Vec, "N", Positive]
    min_on: Annotated[float, "s", NotNegative] = 0.0
    min_off: Annotated[float, "s", NotNegative] = 0.0

    def initial(self) -> PulseModulationMemory:
        return PulseModulationMemory(owed=0.0 * self.max_thrust)

    def step(
        self, dt: float, x: PulseModulationMemory, command: ThrusterCommand
    ) -> tuple[PulseModulationMemory, PulseModulationOutputs]:
        if len(command.thrust) != len(self.max_thrust):
            raise ValueError("PulseModulation: `command` has another number of thrusters than `max_thrust`.")
        # Eqs. (1) and (2)
        wanted = x.owed + dt * command.thrust
        on_time = clip(wanted / self.max_thrust, 0.0, dt)
        on_time = choose(on_time > dt - self.min_off, dt, on_time)
        on_time = choose(on_time < self.min_on, 0.0, on_time)
        # Eq. (3)
        most = dt * self.max_thrust
        owed = clip(wanted - on_time * self.max_thrust, -most, most)
        return PulseModulationMemory(owed=owed, number=x.number + 1), PulseModulationOutputs(
            pulses=ThrusterPulses(on_time=on_time, number=x.number + 1)
        )
