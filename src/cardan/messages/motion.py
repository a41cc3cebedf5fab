"""Motion along one coordinate: what is wanted, and the plan for it; in the unit u of the coordinate, rad or m."""

from typing import Annotated, NamedTuple

from cardan.contracts import NotNegative, OnePer, message
from cardan.maths import Vec


@message
class MotionReference(NamedTuple):
    """Where a coordinate is to go.

    Attributes:
        value: [-] In the unit u.
        is_stopped: [-] True to come to rest as soon as possible instead.
    """

    value: Annotated[float, "-"] = 0.0
    is_stopped: Annotated[bool, "-"] = False


@message
class MotionPlan(NamedTuple):
    """Segments of smoothly changing acceleration, one after the other.

    Attributes:
        start_time: [s] When they begin.
        start: [-] Where, in the unit u.
        rate: [-] How fast then, in u/s.
        reference: [-] Where they end, at rest, in u.
        duration: [s] Of each segment.
        begin: [-] Acceleration at the beginning of each segment, in u/s^2.
        end: [-] Acceleration at its end, in u/s^2.
    """

    start_time: Annotated[float, "s"]
    start: Annotated[float, "-"]
    rate: Annotated[float, "-"]
    reference: Annotated[float, "-"]
    duration: Annotated[Vec, "s", NotNegative]
    begin: Annotated[Vec, "-", OnePer("duration")]
    end: Annotated[Vec, "-", OnePer("duration")]
