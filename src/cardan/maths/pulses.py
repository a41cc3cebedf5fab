"""A clock that pulses at whole multiples of its period."""

from typing import Any

import numpy as np

from cardan.maths.arrays import Scalar

CLOSE = 1.0e-3
"""[-] A time closer to a pulse than this part of the period falls on it: seconds are rounded, pulses are not."""


def pulse_count(t: Scalar, period: Scalar) -> tuple[Any, Any]:
    """How many periods [s] have passed at the time `t` [s], and whether `t` falls on a pulse."""
    place = t / period
    whole = np.floor(place + CLOSE)
    return np.int64(whole), place - whole < CLOSE
