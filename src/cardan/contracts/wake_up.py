"""`WakeUp`: how a task asks for a tick of its own, between those of its period."""

from typing import Annotated, NamedTuple

from cardan.contracts.message import message


@message
class WakeUp(NamedTuple):
    """When the task that sends this wants to run next, besides its own period.

    Attributes:
        after: [s] From the tick at which it is sent; zero or less asks for nothing.
    """

    after: Annotated[float, "s"] = 0.0
