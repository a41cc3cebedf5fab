"""A contact sensor that remembers."""

from typing import Annotated, NamedTuple

from cardan.contracts import NotNegative, task
from cardan.maths import choose
from cardan.maths.arrays import Scalar
from cardan.messages import ContactHistory, ContactLoad


class ContactMonitorMemory(NamedTuple):
    """What has been seen."""

    was_touching: Annotated[bool, "-"] = False
    first: Annotated[float, "s"] = -1.0
    touches: Annotated[int, "-", NotNegative] = 0
    peak: Annotated[float, "N", NotNegative] = 0.0
    largest: Annotated[float, "N", NotNegative] = 0.0
    penetration: Annotated[float, "m", NotNegative] = 0.0


class ContactMonitorOutputs(NamedTuple):
    history: ContactHistory


@task
class ContactMonitor(NamedTuple):
    """First contact, number of contacts, and the largest force and depth so far, of what it sees at its ticks.

    With the step of the integrator as its period it sees the state after every step. Slower, it misses peaks.
    """

    def step(
        self, t: float, x: ContactMonitorMemory, contact: ContactLoad
    ) -> tuple[ContactMonitorMemory, ContactMonitorOutputs]:
        is_touching = contact.places > 0.0
        first = choose(is_touching & (x.first < 0.0), t, x.first)
        touches = x.touches + 1 * (is_touching & (x.was_touching == False))  # noqa: E712 - traced too
        peak, largest = larger(x.peak, contact.total), larger(x.largest, contact.largest)
        penetration = larger(x.penetration, contact.penetration)
        return ContactMonitorMemory(is_touching, first, touches, peak, largest, penetration), ContactMonitorOutputs(
            ContactHistory(is_touching, first, touches, peak, largest, penetration)
        )


def larger(a: Scalar, b: Scalar) -> Scalar:
    return choose(a > b, a, b)
