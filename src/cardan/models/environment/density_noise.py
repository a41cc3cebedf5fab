"""Random variations of air density."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, Positive, task
from cardan.maths import RandomKey, exp, normal
from cardan.messages import DensityFactor


class DensityNoiseMemory(NamedTuple):
    """Where the process is.

    Attributes:
        x: [-] Logarithm of the factor, before its mean is taken off.
    """

    x: Annotated[float, "-"] = 0.0


class DensityNoiseOutputs(NamedTuple):
    factor: DensityFactor


@task
class DensityNoise(NamedTuple):
    """An Ornstein-Uhlenbeck process, exact at any period; its exponential has mean 1.

        x_(k+1) = x_k e^(-dt/time_constant) + deviation sqrt(1 - e^(-2 dt/time_constant)) n                         (1)
        factor = exp(x - deviation^2 / 2)                                                                         (2)

    Attributes:
        deviation: [-] Standard deviation of the logarithm of the density, e.g. 0.15.
        time_constant: [s] After which swings are forgotten.
    """

    deviation: Annotated[float, "-", NotNegative] = 0.15
    time_constant: Annotated[float, "s", Positive] = 10800.0

    def step(self, dt: float, x: DensityNoiseMemory, rng: RandomKey) -> tuple[DensityNoiseMemory, DensityNoiseOutputs]:
        kept = exp(-dt / self.time_constant)
        value = kept * x.x + self.deviation * np.sqrt(1.0 - kept * kept) * normal(rng, 1)[0]
        factor = exp(value - 0.5 * self.deviation * self.deviation)
        return DensityNoiseMemory(x=value), DensityNoiseOutputs(factor=DensityFactor(factor=factor))
