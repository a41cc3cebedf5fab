"""A tip reference along a straight line."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Positive, task
from cardan.maths import ZERO3, Vec3
from cardan.messages import TipReference
from cardan.robotics.tasks.smooth_step import smooth_step


class TipLineOutputs(NamedTuple):
    reference: TipReference


@task
class TipLine(NamedTuple):
    """A tip reference along a straight line, at a fixed attitude.

        r = start + (end - start) f((t - begin) / duration),    f(s) = 10 s^3 - 15 s^4 + 6 s^5                    (1)

    It waits at the start before `begin`, and at the end afterwards; velocity and acceleration have no jumps.

    Attributes:
        start_N: [m] In inertial components.
        end_N: [m] In inertial components.
        duration: [s]
        begin: [s]
        sigma_TN: [-] MRP of the tip relative to the inertial frame, throughout.
    """

    start_N: Annotated[Vec3, "m"]
    end_N: Annotated[Vec3, "m"]
    duration: Annotated[float, "s", Positive]
    begin: Annotated[float, "s"] = 0.0
    sigma_TN: Annotated[Vec3, "-"] = ZERO3

    def step(self, t: float) -> TipLineOutputs:
        # Eq. (1)
        share, slope = smooth_step((t - self.begin) / self.duration)
        way_N = self.end_N - self.start_N
        return TipLineOutputs(
            reference=TipReference(
                self.start_N + share * way_N, (slope / self.duration) * way_N, 1.0 * self.sigma_TN, np.zeros(3)
            )
        )
