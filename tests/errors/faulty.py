"""Parts that go wrong on demand: few classes, so that few are compiled."""

from typing import Annotated, NamedTuple

import numpy as np

import cardan as cd
from parts import LagState, Number, Numbers

RAISES, NAN, INF, LONGER = 1, 2, 3, 4  # what happens
IN_DERIVATIVES, IN_OUTPUT, IN_PROJECT, IN_MEMORY = 1, 2, 3, 4  # where


def spoiled(values, fault):
    """The values with a fault in them."""
    if fault == RAISES:
        raise ValueError("the level is too high")
    if fault == NAN:
        return values * np.nan
    if fault == INF:
        return values + np.inf
    if fault == LONGER:
        return np.zeros(len(values) + 1)
    return values + 0.0


class TankState(NamedTuple):
    levels: Annotated[cd.Vec, "m"]


@cd.message
class Levels(NamedTuple):
    levels: Annotated[cd.Vec, "m"]


@cd.model
class Tank(NamedTuple):
    """Two levels that rise by 1 m/s; above `limit` something goes wrong."""

    limit: Annotated[float, "m"] = 0.22
    fault: Annotated[int, "-"] = 0
    place: Annotated[int, "-"] = 0

    def initial(self) -> TankState:
        return TankState(np.zeros(2))

    def derivatives(self, x: TankState) -> TankState:
        is_faulty = self.place == IN_DERIVATIVES and x.levels[0] > self.limit
        return TankState(spoiled(np.ones(len(x.levels)), self.fault if is_faulty else 0))

    def project(self, x: TankState) -> TankState:
        is_faulty = self.place == IN_PROJECT and x.levels[0] > self.limit
        return TankState(spoiled(x.levels, self.fault if is_faulty else 0))

    @cd.output
    def gauge(self, t: float, x: TankState) -> Levels:
        is_faulty = self.place == IN_OUTPUT and x.levels[0] > self.limit
        return Levels(spoiled(x.levels, self.fault if is_faulty else 0))


class PumpMemory(NamedTuple):
    seen: Annotated[cd.Vec, "m"]
    ticks: Annotated[int, "-"] = 0


class PumpOutputs(NamedTuple):
    command: Levels


@cd.task
class Pump(NamedTuple):
    """Remembers and sends what it sees; above `limit` something goes wrong."""

    limit: Annotated[float, "m"] = 0.22
    fault: Annotated[int, "-"] = 0
    place: Annotated[int, "-"] = 0

    def initial(self, gauge: Levels) -> PumpMemory:
        return PumpMemory(0.0 * gauge.levels)

    def step(self, dt: float, x: PumpMemory, gauge: Levels) -> tuple[PumpMemory, PumpOutputs]:
        fault = self.fault if gauge.levels[0] > self.limit else 0
        seen = spoiled(gauge.levels, fault if self.place == IN_MEMORY else 0)
        sent = spoiled(gauge.levels, fault if self.place == IN_OUTPUT else 0)
        return PumpMemory(seen, x.ticks + 1), PumpOutputs(Levels(sent))


def station(*, tank: Tank | None = None, pump: Pump | None = None) -> cd.Scenario:
    """A tank whose gauge a pump reads ten times a second."""
    scn = cd.Scenario("station")
    filled = scn.add(tank or Tank(), name="tank")
    scn.add(pump or Pump(), name="pump", every=0.1, gauge=filled.gauge)
    return scn


HUGE = Number(1e300)


@cd.model
class Whole(NamedTuple):
    """Python's whole numbers have no end, those of native code do."""

    is_strict: Annotated[bool, "-"] = False

    @cd.output
    def signal(self, source: Number) -> Number:
        whole = float(int(source.value))
        if self.is_strict and whole != source.value:
            raise ValueError("not whole")
        return Number(whole)


@cd.model
class Replacing(NamedTuple):
    """Right in Python, but Numba has no `_replace`."""

    @cd.output
    def signal(self, source: Number) -> Number:
        return source._replace(value=1.0)


@cd.model
class Runaway(NamedTuple):
    """A rate that is finite, but too large."""

    def derivatives(self, x: LagState) -> LagState:
        return LagState(1e308)


@cd.model
class Forgetful(NamedTuple):
    """Has no `return`."""

    @cd.output
    def signal(self, source: Numbers) -> Number:
        Number(source.values[0])
