"""Dry friction of a slide, smooth through zero rate."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import model, output
from cardan.messages import Force, SlideState


@model
class SlideFriction(NamedTuple):
    """A force that opposes the motion of a slide and hardly depends on the rate.

        force = - friction rate / sqrt(rate^2 + transition^2)                                                     (1)

    Attributes:
        friction: [N] While it moves.
        transition: [m/s] Rate at which 71 % of it is reached; a slide under a load below its friction creeps at less.
    """

    friction: Annotated[float, "N"]
    transition: Annotated[float, "m/s"] = 1.0e-3

    @output
    def force(self, motion: SlideState) -> Force:
        # Eq. (1)
        size = np.sqrt(motion.rate * motion.rate + self.transition * self.transition)
        return Force(-self.friction * motion.rate / size)
