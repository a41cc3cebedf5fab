"""`Volume`: something to mark in the scene, such as a keep-out zone."""

from collections.abc import Sequence
from typing import NamedTuple


class Volume(NamedTuple):
    """An ellipsoid or a box, half transparent.

    Attributes:
        half_sizes: [m] Three half axes or half sizes; one number for a ball.
        r_VB_B: [m] Its centre, in the body's frame.
        body: The body that it is fixed to; "world" for the inertial frame.
        is_box: Whether it is a box.
        color: Red, green and blue, each from 0 to 1.
    """

    half_sizes: float | Sequence[float]
    r_VB_B: Sequence[float] = (0.0, 0.0, 0.0)
    body: str = "world"
    is_box: bool = False
    color: tuple[float, float, float] = (1.0, 0.25, 0.2)
