"""Parts that do not compile, each for one reason, and one helper that does not."""

from typing import Annotated, NamedTuple

import numpy as np

import cardan as cd
from parts import Number


class Count(NamedTuple):
    n: Annotated[int, "-"] = 0


class Outputs(NamedTuple):
    out: Number


@cd.message
class Copied(NamedTuple):
    """A message with the fields of another."""

    value: Annotated[float, "-"]


class CopiedOutputs(NamedTuple):
    out: Copied


@cd.task
class Changes(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        x.n += 1
        return x, Outputs(Number(1.0))


@cd.task
class Formats(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        if x.n > 3:
            raise ValueError(f"too many: {x.n:d}")
        return x, Outputs(Number(1.0))


@cd.task
class Forgets(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        Count(x.n + 1), Outputs(Number(1.0))


@cd.task
class ForgetsSometimes(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        if x.n < 3:
            return Count(x.n + 1), Outputs(Number(1.0))


@cd.task
class Confuses(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        return x, CopiedOutputs(Copied(1.0))


@cd.task
class Drops(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        return Outputs(Number(1.0))


@cd.model
class Widens(NamedTuple):
    @cd.output
    def signal(self, source: Number) -> Number:
        return Number(np.ones(3))


@cd.task
class Misspells(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        return Count(x.m + 1), Outputs(Number(1.0))


@cd.task
class Misnames(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        return Count(count=1), Outputs(Number())


@cd.task
class Replaces(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        return x._replace(n=1), Outputs(Number(1.0))


@cd.task
class CallsItself(NamedTuple):
    def helper(self):
        return 1.0

    def step(self, x: Count) -> tuple[Count, Outputs]:
        return x, Outputs(Number(self.helper()))


@cd.task
class Imports(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        import math

        with open("nowhere"):  # noqa: PTH123
            return x, Outputs(Number(math.pi))


@cd.task
class Guesses(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        return x, Outputs(Number(np.linalg.nrm(np.ones(3)) + nothing))  # noqa: F821


@cd.task
class Writes(NamedTuple):
    levels: Annotated[cd.Vec, "-"] = np.arange(3.0)

    def step(self, x: Count) -> tuple[Count, Outputs]:
        self.levels[0] = 1.0
        return x, Outputs(Number(1.0))


@cd.task
class Adds(NamedTuple):
    levels: Annotated[cd.Vec, "-"] = np.arange(3.0)

    def step(self, x: Count) -> tuple[Count, Outputs]:
        levels = self.levels
        levels += 7.0
        return x, Outputs(Number(levels[0]))


@cd.task
class Mixes(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        if x.n > 3:
            y = 1.0
        else:
            y = np.ones(3)
        return x, Outputs(Number(y))


def not_everywhere(value):
    if value > 3.0:
        y = 2.0
    return y


@cd.task
class LeavesUnassigned(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        return x, Outputs(Number(not_everywhere(1.0)))


@cd.task
class Unheard(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        return x, Outputs(Number(np.busday_count("2026-01", "2026-02")))


def endless(x):
    if x > 1e300:
        return x
    return endless(x + 1.0)


def halved(x):
    return 0.5 * quartered(x) if x > 1.0 else x


def quartered(x):
    return halved(0.5 * x)


def entrance(x):
    return halved(x)


@cd.task
class Recurs(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        return x, Outputs(Number(endless(1.0)))


@cd.task
class RecursByAnother(NamedTuple):
    def step(self, x: Count) -> tuple[Count, Outputs]:
        return x, Outputs(Number(entrance(8.0)))
