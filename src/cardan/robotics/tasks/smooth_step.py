"""From one end of a path to the other without jumps."""

from cardan.maths import clip
from cardan.maths.arrays import Scalar


def smooth_step(share: Scalar) -> tuple[Scalar, Scalar]:
    """From 0 to 1 with rate and acceleration of zero at both ends: 10 s^3 - 15 s^4 + 6 s^5, and its slope."""
    s = clip(share, 0.0, 1.0)
    return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * s * s * (1.0 - 2.0 * s + s * s)
