"""Redundant sensors: parities of many axes, and the vote of three."""

from typing import Annotated, Generic, NamedTuple

import numpy as np

from cardan.contracts import AnyMessage, Constraint, NotNegative, Positive, task
from cardan.fsw.fault.reporting import UNKNOWN, WRONG, AlarmMemory, ReportOutputs, latched, report_of
from cardan.maths import Mat, choose, numbers_of, total, with_numbers
from cardan.maths.matrices import times
from cardan.messages import FaultReport, RedundantMeasurements

_Parities = Constraint(
    "rows of length 1 that are perpendicular to each other, one at least",
    lambda parities: len(parities) > 0 and np.allclose(parities @ parities.T, np.eye(len(parities)), atol=1e-9),
)


@task
class ParityTest(NamedTuple):
    """Finds which of several redundant sensors disagrees with the others, in parity space.

        p = V y / noise,   V H = 0,   V V^T = 1                                                                   (1)
        c = p . p,   f_i = (V_i . p)^2 / (V_i . V_i)                                                              (2)

    y are measurements y = H q of a quantity q along the rows of H; V_i is the column of V for sensor i. p is free of q.
    c has a chi-square distribution while all is well; the sensor with the largest f is named.

    Attributes:
        parities: [-] V, a row for each redundant sensor; `parities_of` makes it of H.
        noise: [-] Deviation of the sensors, in their unit.
        limit: [-] Of c; see `chi_square_limit`.
    """

    parities: Annotated[Mat, "-", _Parities]
    noise: Annotated[float, "-", Positive]
    limit: Annotated[float, "-", Positive]

    def step(self, t: float, x: AlarmMemory, measured: RedundantMeasurements) -> tuple[AlarmMemory, ReportOutputs]:
        if self.parities.shape[1] != len(measured.value):
            raise ValueError("ParityTest: `measured` has another number of sensors than `parities` has columns.")
        # Eqs. (1) and (2)
        p = times(self.parities, measured.value) / self.noise
        c = total(p * p)
        worst, largest = 0, -1.0
        for i in range(self.parities.shape[1]):
            column = self.parities[:, i].copy()
            along = total(column * p)
            f = along * along / max(total(column * column), 1.0e-12)
            if f > largest:
                worst, largest = i, f
        # with one parity alone all sensors look the same
        is_named = len(p) > 1
        alarm = latched(x, t, c > self.limit, worst if is_named else -1, WRONG if is_named else UNKNOWN)
        return alarm, ReportOutputs(report_of(alarm, c))


def parities_of(axes: Mat) -> Mat:
    """[-] V of `ParityTest` for sensors along the rows of `axes`, H: perpendicular to all that H can say."""
    u, sizes, _ = np.linalg.svd(np.asarray(axes, dtype=np.float64))
    rank = int(np.sum(sizes > 1.0e-9 * sizes[0]))
    return u[:, rank:].T.copy()


class VoteOutputs(NamedTuple, Generic[AnyMessage]):
    voted: AnyMessage
    report: FaultReport


class VoteMemory(NamedTuple):
    """For how many ticks each has disagreed, and an alarm that was raised."""

    first: Annotated[int, "-"] = 0
    second: Annotated[int, "-"] = 0
    third: Annotated[int, "-"] = 0
    is_alarm: Annotated[bool, "-"] = False
    unit: Annotated[int, "-"] = -1
    mode: Annotated[int, "-"] = UNKNOWN
    since: Annotated[float, "s"] = 0.0


@task
class MedianVote(NamedTuple):
    """The median of three messages, number by number, and which of the three is the odd one out.

        voted = max(min(a, b), min(max(a, b), c))                                                                 (1)

    A message disagrees if one of its numbers is further from the median than `tolerance`; who does so for `patience`
    ticks in a row is named. The vote is free of one bad message from its first tick.

    Attributes:
        tolerance: [-] In the unit of the numbers.
        patience: [-] Ticks.
    """

    tolerance: Annotated[float, "-", NotNegative]
    patience: Annotated[int, "-", Positive] = 3

    def step(
        self, t: float, x: VoteMemory, a: AnyMessage, b: AnyMessage, c: AnyMessage
    ) -> tuple[VoteMemory, VoteOutputs[AnyMessage]]:
        first, second, third = numbers_of(a), numbers_of(b), numbers_of(c)
        # Eq. (1)
        voted = np.maximum(np.minimum(first, second), np.minimum(np.maximum(first, second), third))
        one = x.first + 1 if np.max(np.abs(first - voted)) > self.tolerance else 0
        two = x.second + 1 if np.max(np.abs(second - voted)) > self.tolerance else 0
        three = x.third + 1 if np.max(np.abs(third - voted)) > self.tolerance else 0
        most = max(one, two, three)
        odd = choose(one == most, 0, choose(two == most, 1, 2))
        before = AlarmMemory(x.is_alarm, x.unit, x.mode, x.since)
        alarm = latched(before, t, most >= self.patience, odd, WRONG)
        memory = VoteMemory(one, two, three, alarm.is_alarm, alarm.unit, alarm.mode, alarm.since)
        return memory, VoteOutputs(with_numbers(a, voted), report_of(alarm, 1.0 * most))
