"""Thrusters that follow a demand within their limits."""

from typing import Annotated, NamedTuple

from cardan.contracts import NotNegative, model, output
from cardan.maths import Vec, choose, clip
from cardan.messages import ThrusterCommand, ThrusterForces


class ThrusterBankState(NamedTuple):
    """Thrust built up so far behind the lag."""

    thrust: Annotated[Vec, "N"]


@model
class ThrusterBank(NamedTuple):
    """Thrusters with limits and an optional lag.

        wanted = command, between 0 and max_thrust; 0 where it is below min_thrust                                (1)
        d(thrust)/dt = (wanted - thrust) / time_constant, or thrust = wanted without a lag                        (2)

    What they give is a message of its own. `ThrusterWrench` turns it into a force and a torque, and a fault of a
    thruster is a part between the two: `scn.intercept(bank.forces, ...)`.

    Attributes:
        max_thrust: [N] Of each thruster.
        min_thrust: [N] Less than this no thruster can hold: it is shut.
        time_constant: [s] Of the lag; 0 for none.
    """

    max_thrust: Annotated[Vec, "N", NotNegative]
    min_thrust: Annotated[float, "N", NotNegative] = 0.0
    time_constant: Annotated[float, "s", NotNegative] = 0.0

    def initial(self) -> ThrusterBankState:
        return ThrusterBankState(thrust=0.0 * self.max_thrust)

    def derivatives(self, x: ThrusterBankState, command: ThrusterCommand) -> ThrusterBankState:
        # Eq. (2)
        wanted = within_limits(command.thrust, self.min_thrust, self.max_thrust)
        has_lag = self.time_constant > 0.0
        rate = (wanted - x.thrust) / choose(has_lag, self.time_constant, 1.0)
        return ThrusterBankState(thrust=choose(has_lag, 1.0, 0.0) * rate)

    @output
    def forces(self, x: ThrusterBankState, command: ThrusterCommand) -> ThrusterForces:
        # Eq. (2)
        wanted = within_limits(command.thrust, self.min_thrust, self.max_thrust)
        return ThrusterForces(thrust=choose(self.time_constant > 0.0, x.thrust, wanted))


def within_limits(demanded: Vec, least: float, largest: Vec) -> Vec:
    """[N] Eq. (1)."""
    if len(demanded) != len(largest):
        raise ValueError("ThrusterBank: `command` has another number of thrusters than `max_thrust`.")
    limited: Vec = choose(demanded < least, 0.0, clip(demanded, 0.0, largest))
    return limited
