"""Chi-square and cumulative-sum tests of residuals that are white with standard deviation 1 while all is well."""

from statistics import NormalDist
from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, Positive, task
from cardan.fsw.fault.reporting import UNKNOWN, WRONG, AlarmMemory, ReportOutputs, latched, report_of
from cardan.maths import Vec, total
from cardan.messages import Residual


class ChiSquareMemory(NamedTuple):
    """Sums of squares of the last ticks, and an alarm that was raised."""

    squares: Annotated[Vec, "-"]
    ticks: Annotated[int, "-"]
    is_alarm: Annotated[bool, "-"]
    unit: Annotated[int, "-"]
    mode: Annotated[int, "-"]
    since: Annotated[float, "s"]


@task
class ChiSquareTest(NamedTuple):
    """Raises an alarm when residuals (filter innovations, parities, balances) are larger than they should be.

        c = sum over the last `window` ticks of r . r                                                             (1)

    has a chi-square distribution with `window` times as many degrees of freedom as r has numbers; `chi_square_limit`
    gives the limit for a chance of a false alarm. It says that something is wrong, not what.

    Attributes:
        window: [-] Ticks that are summed.
        limit: [-] Of c.
    """

    window: Annotated[int, "-", Positive]
    limit: Annotated[float, "-", Positive]

    def initial(self) -> ChiSquareMemory:
        return ChiSquareMemory(np.zeros(self.window), 0, False, -1, UNKNOWN, 0.0)

    def step(self, t: float, x: ChiSquareMemory, residual: Residual) -> tuple[ChiSquareMemory, ReportOutputs]:
        # Eq. (1)
        squares = 1.0 * x.squares
        squares[x.ticks % self.window] = total(residual.value * residual.value)
        c = total(squares)
        before = AlarmMemory(x.is_alarm, x.unit, x.mode, x.since)
        alarm = latched(before, t, c > self.limit, -1, UNKNOWN)
        memory = ChiSquareMemory(squares, x.ticks + 1, alarm.is_alarm, alarm.unit, alarm.mode, alarm.since)
        return memory, ReportOutputs(report_of(alarm, c))


def chi_square_limit(numbers: int, false_alarm: float) -> float:
    """[-] What a sum of squares of so many normal numbers exceeds with a chance, by Wilson and Hilferty's cube."""
    z = NormalDist().inv_cdf(1.0 - false_alarm)
    share = 2.0 / (9.0 * numbers)
    return float(numbers * (1.0 - share + z * share**0.5) ** 3)


class CusumMemory(NamedTuple):
    """Cumulative sums upwards and downwards, and an alarm that was raised."""

    up: Annotated[Vec, "-"]
    down: Annotated[Vec, "-"]
    is_alarm: Annotated[bool, "-"]
    unit: Annotated[int, "-"]
    mode: Annotated[int, "-"]
    since: Annotated[float, "s"]


@task
class CusumTest(NamedTuple):
    """Raises an alarm when the mean of a residual has shifted, and names which number: Page's two-sided test.

        up = max(0, up + r - allowance),   down = max(0, down - r - allowance)                                    (1)

    It finds a shift of twice the allowance soonest. The unit that it names is the number whose sum is largest.

    Attributes:
        allowance: [-] Shift that is let pass, in deviations.
        limit: [-] Of either sum.
    """

    allowance: Annotated[float, "-", NotNegative] = 0.5
    limit: Annotated[float, "-", Positive] = 15.0

    def initial(self, residual: Residual) -> CusumMemory:
        return CusumMemory(0.0 * residual.value, 0.0 * residual.value, False, -1, UNKNOWN, 0.0)

    def step(self, t: float, x: CusumMemory, residual: Residual) -> tuple[CusumMemory, ReportOutputs]:
        # Eq. (1)
        up = np.maximum(0.0, x.up + residual.value - self.allowance)
        down = np.maximum(0.0, x.down - residual.value - self.allowance)
        sums = np.maximum(up, down)
        worst: Any = np.argmax(sums)
        before = AlarmMemory(x.is_alarm, x.unit, x.mode, x.since)
        alarm = latched(before, t, sums[worst] > self.limit, worst, WRONG)
        memory = CusumMemory(up, down, alarm.is_alarm, alarm.unit, alarm.mode, alarm.since)
        return memory, ReportOutputs(report_of(alarm, sums[worst]))
