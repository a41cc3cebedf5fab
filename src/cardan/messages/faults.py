"""Faults: what is wrong with a connection, and what flight software believes to be wrong."""

from typing import Annotated, NamedTuple

from cardan.contracts import NotNegative, Within, message
from cardan.maths import Mat, Vec


@message
class FaultEffect(NamedTuple):
    """What a fault does to numbers of a message, from one tick to the next; they keep their own units.

    Attributes:
        is_active: [-] Whether it acts at all.
        kind: [-] Which of the kinds that the fault can have.
        channel: [-] The first of the numbers that it acts on, as `numbers_of` counts them.
        since: [s] When the fault struck.
        weight: [-] How far it has come, from 0 to 1.
        gain: [-] What is left of the numbers, as a matrix.
        offset: [-] What is added to each.
        low: [-] No number is less.
        high: [-] No number is more.
        is_lost: [-] Whether the last message before is seen again.
        backlash: [-] How far a number must come back before that is seen.
        flipped_bit: [-] Which bit of which number is inverted: 64 times its place, and the bit; -1 for none.
        curve: [-] Demanded numbers, evenly spaced, above what is given for them; one column for no curve.
    """

    is_active: Annotated[bool, "-"]
    kind: Annotated[int, "-"]
    channel: Annotated[int, "-", NotNegative]
    since: Annotated[float, "s"]
    weight: Annotated[float, "-", Within(0.0, 1.0)]
    gain: Annotated[Mat, "-"]
    offset: Annotated[Vec, "-"]
    low: Annotated[float, "-"]
    high: Annotated[float, "-"]
    is_lost: Annotated[bool, "-"]
    backlash: Annotated[float, "-", NotNegative]
    flipped_bit: Annotated[int, "-"]
    curve: Annotated[Mat, "-"]


@message
class Residual(NamedTuple):
    """What was measured less what was expected, in units of what is usual: white with deviation 1 while all is well.

    Attributes:
        value: [-]
    """

    value: Annotated[Vec, "-"]


@message
class RedundantMeasurements(NamedTuple):
    """One quantity along several axes, by a sensor each.

    Attributes:
        value: [-] In the unit of the sensors.
    """

    value: Annotated[Vec, "-"]


@message
class FaultReport(NamedTuple):
    """What flight software believes to be wrong.

    Attributes:
        is_alarm: [-] Whether something is.
        suspect: [-] Which unit, from 0; -1 where that is not known.
        mode: [-] How: 0 not known, 1 dead or stuck off, 2 stuck on, 3 otherwise wrong.
        since: [s] When the alarm was raised.
        statistic: [-] Of the test behind it.
    """

    is_alarm: Annotated[bool, "-"] = False
    suspect: Annotated[int, "-"] = -1
    mode: Annotated[int, "-"] = 0
    since: Annotated[float, "s"] = 0.0
    statistic: Annotated[float, "-"] = 0.0
