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
