"""Results of a run: scalars with units and limits, curves over time, and how it ended."""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import RunTimeout, SettingError, UnknownName, did_you_mean, shown
from cardan.simulation import Log

OK, FAILED, TIMED_OUT = "ok", "failed", "timed out"
_LIMIT = re.compile(r"\s*(<=|>=|<|>)\s*([-+0-9.eE]+)\s*")
_COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip


class Limit(NamedTuple):
    """What a scalar must keep.

    Attributes:
        sign: "<=", ">=", "<" or ">".
        value: In the unit of the scalar.
    """

    sign: str
    value: float

    def holds(self, value: Any) -> Any:
        """Whether a number keeps it, or each of an array; nan does not."""
        return _COMPARE[self.sign](value, self.value)

    def __str__(self) -> str:
        return f"{self.sign} {self.value:g}"


def read_limit(given: Any, name: str) -> tuple[Limit, ...]:
    """Limits from `"<= 0.2"`, a number (at most that), or a list of such; `">= 1, <= 2"` are two."""
    if isinstance(given, Limit):
        return (given,)
    if isinstance(given, bool) or not isinstance(given, str | int | float | list | tuple):
        raise SettingError(f"The limit of `{name}` is {shown(given)}.\n  Write e.g. `<= 0.2`.")
    if isinstance(given, int | float):
        return (Limit("<=", float(given)),)
    if isinstance(given, list | tuple):
        return tuple(limit for each in given for limit in read_limit(each, name))
    found = []
    for text in given.split(","):
        matched = _LIMIT.fullmatch(text)
        try:
            assert matched is not None
            found.append(Limit(matched[1], float(matched[2])))
        except (AssertionError, ValueError):
            raise SettingError(
                f"The limit of `{name}` is {shown(given)}.\n  Write e.g. `<= 0.2`, or `>= 1, <= 2`."
            ) from None
    return tuple(found)


@dataclass(frozen=True)
class Scalar:
    """A number by which a run is judged.

    Attributes:
        name: What it is.
        of: A function of the log.
        unit: Its unit.
        limit: What it must keep, e.g. `"<= 0.2"`; None for a number that is only looked at.
    """

    name: str
    of: Callable[[Log], float]
    unit: str = "-"
    limit: Any = None


@dataclass(frozen=True)
class Trace:
    """A curve over time, of which a study keeps mean, percentiles and envelope.

    Attributes:
        name: What it is.
        of: A function of the log that gives its values at `log.t`, or times and values.
        unit: Its unit.
        samples: At how many times, evenly spaced from start to end, it is kept.
    """

    name: str
    of: Callable[[Log], Any]
    unit: str = "-"
    samples: int = 101


class Row(NamedTuple):
    """How one run ended.

    Attributes:
        run: Its number.
        status: "ok", "failed" or "timed out".
        error: Why it failed, or "".
        until: [s] The time of the last sample.
        scalars: By name; nan where there is none.
        traces: By name, (samples,).
        log: The bytes of its log as a netCDF file, where that is kept.
    """

    run: int
    status: str
    error: str
    until: float
    scalars: dict[str, float]
    traces: dict[str, np.ndarray]
    log: bytes | None = None


class Judge:
    """Makes rows of logs.

    Args:
        names: Of all scalars, in order.
        results: Gives the scalars that a mission reports, as its results.
        scalars: Those of the study.
        traces: Curves.
        until: [s] How long a run is.
    """

    def __init__(
        self,
        names: Sequence[str],
        results: Callable[[Log], list[Any]],
        scalars: Sequence[Scalar],
        traces: Sequence[Trace],
        until: float,
    ) -> None:
        self._names = list(names)
        self._results = results
        self._scalars = scalars
        self._traces = traces
        self._until = until

    def row(self, run: int, log: Log | None, error: Exception | None) -> Row:
        """What a run came to."""
        until = float(log.t[-1]) if log is not None and len(log.t) else 0.0
        values = dict.fromkeys(self._names, np.nan)
        traces = {trace.name: np.full(trace.samples, np.nan) for trace in self._traces}
        if error is None:
            assert log is not None
            try:
                values |= self._scalars_of(log)
            except Exception as raised:
                error = raised
        if log is not None and len(log.t):
            for trace in self._traces:
                try:
                    traces[trace.name] = self._trace(trace, log)
                except Exception as raised:
                    error = error or raised
        status = OK if error is None else TIMED_OUT if isinstance(error, RunTimeout) else FAILED
        values = values if error is None else dict.fromkeys(self._names, np.nan)
        return Row(run, status, told(error), until, values, traces)

    def _scalars_of(self, log: Log) -> dict[str, float]:
        found = {result.name: result.value for result in self._results(log) if result.name in self._names}
        found |= {scalar.name: float(scalar.of(log)) for scalar in self._scalars}
        return {name: np.nan if value is None else float(value) for name, value in found.items()}

    def _trace(self, trace: Trace, log: Log) -> np.ndarray:
        """Values at evenly spaced times: each the last sample that is not after it; nan where a run did not come to."""
        given = trace.of(log)
        t, values = (log.t, given) if not isinstance(given, tuple) else given
        t, values = np.asarray(t, float), np.asarray(values, float)
        if values.shape != t.shape:
            raise SettingError(
                f"The curve `{trace.name}` has values of shape {values.shape} for {len(t)} times.\n"
                "  Give one number for each time."
            )
        times = np.linspace(0.0, self._until, trace.samples)
        # a time that is computed may fall short of the sample that is meant
        at = np.searchsorted(t, times + 1e-9 * self._until, side="right") - 1
        return np.where((at < 0) | (times > t[-1] + 1e-6 * self._until), np.nan, values[np.maximum(at, 0)])


def told(error: BaseException | None) -> str:
    """An error in one line, as tables have it."""
    if error is None:
        return ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def check_names(limits: Mapping[str, Any], names: Sequence[str]) -> None:
    """Every limit belongs to a scalar."""
    for name in limits:
        if name not in names:
            raise UnknownName(
                f"There is a limit for `{name}`, and no such scalar.{did_you_mean(name, names)}\n"
                f"  scalars: {', '.join(names) or 'none'}"
            )
