"""Time: integer nanoseconds inside, seconds outside. The one place where they meet."""

import math
from numbers import Real
from typing import Any

from cardan.errors import PeriodError, shown

NANO = 1_000_000_000


def nanoseconds(seconds: Any, what: str) -> int:
    """`seconds` as whole nanoseconds; anything else cannot be kept and is refused.

    Args:
        seconds: [s] What a user gave as a time.
        what: How an error calls it.
    """
    try:
        # what is most often given is looked for first: that is quick, the number tower is not
        exact = float(seconds) * NANO if isinstance(seconds, (float, Real)) else math.nan
    except OverflowError:  # a whole number beyond all floats
        exact = math.inf
    if not abs(exact) < 2.0**62:  # so that the sum of two times is one too
        raise PeriodError(
            f"{what} is {shown(seconds)} s, which is not a time.\n  Use a finite number of seconds (up to 146 years)."
        )
    whole = round(exact)
    # a decimal such as 0.1 is not a binary fraction: allow the rounding of the product, no more
    if abs(exact - whole) > 1.0e-3 + 4.0e-16 * abs(exact) or (whole == 0 and exact != 0.0):
        nearest = whole or (1 if exact > 0.0 else -1)
        raise PeriodError(
            f"{what} is {seconds!r} s, which is not a whole number of nanoseconds.\n"
            f"  Use {nearest / NANO!r} s, which is the nearest."
        )
    return whole


def seconds(nano: int) -> float:
    """[s] of whole nanoseconds."""
    return nano / NANO


def check_multiple(period: int, base: int, what: str) -> None:
    """Raise unless `period` [ns] is a whole number of base ticks [ns]."""
    if period % base == 0:
        return
    below, above = period // base * base, (period // base + 1) * base
    fits = f"{seconds(below):.9g} or {seconds(above):.9g}" if below else f"{seconds(above):.9g}"
    raise PeriodError(
        f"{what} {seconds(period):.9g} s, which is not a whole number of base ticks ({seconds(base):.9g} s).\n"
        f"  Use {fits}, or give the integrator a step of {seconds(math.gcd(period, base)):.9g} s."
    )
