"""Small parts that many tests wire together."""

from typing import Annotated, NamedTuple

import numpy as np

import cardan as cd
from cardan.maths import normal


@cd.message
class Number(NamedTuple):
    value: Annotated[float, "-"]


@cd.message
class Numbers(NamedTuple):
    values: Annotated[cd.Vec, "-"]


@cd.model
class Ramp(NamedTuple):
    """value = slope * t"""

    slope: Annotated[float, "1/s"] = 1.0

    @cd.output
    def signal(self, t: float) -> Number:
        return Number(self.slope * t)


@cd.model
class Gain(NamedTuple):
    """An output that follows its input at once."""

    factor: Annotated[float, "-"] = 2.0

    @cd.output
    def signal(self, source: Number) -> Number:
        return Number(self.factor * source.value)


class LagState(NamedTuple):
    value: Annotated[float, "-"] = 0.0


@cd.model
class Lag(NamedTuple):
    """dx/dt = (source - x) / time_constant"""

    time_constant: Annotated[float, "s"] = 1.0

    def derivatives(self, x: LagState, source: Number = Number(0.0)) -> LagState:
        return LagState((source.value - x.value) / self.time_constant)

    @cd.output
    def signal(self, x: LagState) -> Number:
        return Number(x.value)


class CountMemory(NamedTuple):
    ticks: Annotated[int, "-"] = 0


class CountOutputs(NamedTuple):
    signal: Number
    time: Number


@cd.task
class Count(NamedTuple):
    """Counts its ticks from 1, and says when it ran."""

    def step(self, t: float, x: CountMemory) -> tuple[CountMemory, CountOutputs]:
        return CountMemory(x.ticks + 1), CountOutputs(signal=Number(x.ticks + 1.0), time=Number(t))


class RelayOutputs(NamedTuple):
    signal: Number


@cd.task
class Relay(NamedTuple):
    """Sends what it receives."""

    def step(self, source: Number) -> RelayOutputs:
        return RelayOutputs(Number(source.value))


class NoiseOutputs(NamedTuple):
    signal: Numbers


@cd.task
class Noise(NamedTuple):
    """White noise, a number per deviation."""

    deviations: Annotated[cd.Vec, "-"]

    def step(self, rng: cd.RandomKey) -> NoiseOutputs:
        return NoiseOutputs(Numbers(self.deviations * normal(rng, len(self.deviations))))


@cd.task
class Wide(NamedTuple):
    """The time, many times over: samples that fill memory."""

    size: Annotated[int, "-"]

    def step(self, t: float) -> NoiseOutputs:
        return NoiseOutputs(Numbers(np.full(self.size, t)))


class BankState(NamedTuple):
    values: Annotated[cd.Vec, "-"]


@cd.model
class Bank(NamedTuple):
    """As many lags as its parameters have time constants; one value per lag throughout."""

    time_constants: Annotated[cd.Vec, "s"]

    def initial(self) -> BankState:
        return BankState(0.0 * self.time_constants)

    def derivatives(self, x: BankState, source: Numbers) -> BankState:
        return BankState((source.values - x.values) / self.time_constants)

    @cd.output
    def signal(self, x: BankState) -> Numbers:
        return Numbers(x.values)


@cd.model
class Weights(NamedTuple):
    """A matrix times a list of numbers: the sizes of input and output differ."""

    weights: Annotated[cd.Mat, "-"]

    @cd.output
    def signal(self, source: Numbers) -> Numbers:
        result = np.zeros(self.weights.shape[0])
        for i in range(self.weights.shape[0]):
            for j in range(self.weights.shape[1]):
                result[i] += self.weights[i, j] * source.values[j]
        return Numbers(result)


def plain(scenario: cd.Scenario, integrator: object = None) -> cd.Simulation:
    """A simulation of plain Python parts: nothing to compile, so wiring and timing are tested quickly."""
    return cd.Simulation(scenario, integrator=integrator or cd.Rk4(step=0.1), jit=False)  # type: ignore[arg-type]
