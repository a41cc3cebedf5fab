"""Banks of thrusters: what is asked of them, what they give, and what they can give."""

from typing import Annotated, NamedTuple

from cardan.contracts import AtLeast, NotNegative, OnePer, message
from cardan.maths import Vec


@message
class ThrusterCommand(NamedTuple):
    """Thrust that is demanded of each thruster of a bank.

    Attributes:
        thrust: [N]
    """

    thrust: Annotated[Vec, "N"]


@message
class ThrusterForces(NamedTuple):
    """Thrust that each thruster of a bank really gives.

    Attributes:
        thrust: [N]
    """

    thrust: Annotated[Vec, "N"]


@message
class ThrusterLimits(NamedTuple):
    """The least and the largest thrust that each thruster of a bank can be asked for; both zero for one that is dead.

    Attributes:
        lower: [N]
        upper: [N]
    """

    lower: Annotated[Vec, "N", NotNegative]
    upper: Annotated[Vec, "N", OnePer("lower"), AtLeast("lower")]


@message
class ThrusterPulses(NamedTuple):
    """How long each valve of a bank is to be open, from now on.

    Attributes:
        on_time: [s] Zero for one that stays shut.
        number: [-] Of the command; a bank obeys a command once, when its number is new.
    """

    on_time: Annotated[Vec, "s", NotNegative]
    number: Annotated[int, "-"] = 0


@message
class ThrusterImpulses(NamedTuple):
    """What each thruster of a bank has given since the start.

    Attributes:
        impulse: [N s] Thrust over time, which never decreases.
    """

    impulse: Annotated[Vec, "N s"]


@message
class AllocationStatus(NamedTuple):
    """How well a bank of thrusters can give what is asked of it.

    Attributes:
        shortfall: [-] Length of the wrench that is not given, in parts of what the bank can give along each axis.
        saturated: [-] How many thrusters are at their upper limit.
        iterations: [-] That the search for the thrusts took.
    """

    shortfall: Annotated[float, "-"] = 0.0
    saturated: Annotated[int, "-"] = 0
    iterations: Annotated[int, "-"] = 0
