"""What monitors have in common: an alarm, once raised, stays."""

from typing import Annotated, NamedTuple

from cardan.messages import FaultReport

UNKNOWN, DEAD, STUCK_ON, WRONG = 0, 1, 2, 3
"""[-] Modes of a `FaultReport`."""


class AlarmMemory(NamedTuple):
    """An alarm that was raised."""

    is_alarm: Annotated[bool, "-"] = False
    unit: Annotated[int, "-"] = -1
    mode: Annotated[int, "-"] = UNKNOWN
    since: Annotated[float, "s"] = 0.0


class ReportOutputs(NamedTuple):
    report: FaultReport


def latched(x: AlarmMemory, t: float, is_alarm: bool, unit: int, mode: int) -> AlarmMemory:
    """The alarm after a tick at which it would be raised, or not; it keeps its time, and learns its unit once."""
    if not x.is_alarm:
        return AlarmMemory(is_alarm, unit if is_alarm else -1, mode if is_alarm else UNKNOWN, t if is_alarm else 0.0)
    if x.unit < 0 and is_alarm:
        return AlarmMemory(True, unit, mode, x.since)
    return AlarmMemory(x.is_alarm, x.unit, x.mode, x.since)


def report_of(x: AlarmMemory, statistic: float) -> FaultReport:
    """What is told of an alarm."""
    return FaultReport(x.is_alarm, x.unit, x.mode, x.since, statistic)
