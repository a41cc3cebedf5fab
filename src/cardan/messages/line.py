"""Motion along a line."""

from typing import Annotated, NamedTuple

from cardan.contracts import message


@message
class LineMotion(NamedTuple):
    """Where something is on a line, and how fast it moves.

    Attributes:
        position: [m] From the origin of the line.
        velocity: [m/s]
    """

    position: Annotated[float, "m"]
    velocity: Annotated[float, "m/s"]


@message
class LineIntegral(NamedTuple):
    """The integral of a position error over time.

    Attributes:
        integral: [m s]
    """

    integral: Annotated[float, "m s"]
