"""Whether something that changes no faster than a way is long stays above a limit, from a few samples."""

from collections.abc import Callable

_STEP = 1.0e-3  # [m] pieces of a way that are not divided further


def stays_above(value: Callable[[float], float], first: float, last: float, length: float, limit: float) -> bool:
    """Whether a value stays at or above a limit along a way, by bisection.

    Over a piece of length L between two samples a and b it is nowhere below (a + b - L) / 2. Pieces of a millimetre
    count as a whole.

    Args:
        value: At a share of the way, from 0 to 1; between two shares it changes by no more than the way is long.
        first: The value at the start.
        last: The value at the end.
        length: Of the way, in the unit of the value.
        limit: In the unit of the value.
    """
    if first < limit or last < limit:
        return False
    pieces = [(0.0, 1.0, first, last)]
    while pieces:
        low, high, a, b = pieces.pop()
        span = (high - low) * length
        if 0.5 * (a + b - span) >= limit or span <= _STEP:
            continue
        middle = 0.5 * (low + high)
        c = value(middle)
        if c < limit:
            return False
        pieces += [(low, middle, a, c), (middle, high, c, b)]
    return True
