"""`Definition`: everything that determines the results of a study, as a value to send and compare."""

import hashlib
import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from typing import Any

import numpy as np

from cardan.errors import SettingError, shown
from cardan.scenario import description
from cardan.simulation import Record
from cardan.studies.designs import Table
from cardan.studies.distribution_text import read_distribution
from cardan.studies.faults import Fault
from cardan.studies.inputs import Inputs
from cardan.studies.scoring import Judge, Limit, Scalar, Trace, check_names, read_limit

_KEEP = ("none", "failed", "all")


@dataclass(frozen=True)
class Definition:
    """What a study runs, with which inputs, and what it records.

    Attributes:
        name: What the study is called.
        inputs: What runs are given.
        scalars: Numbers by which runs are judged, besides the mission's results.
        limits: What scalars must keep, by name.
        traces: Curves over time.
        keep: Whose logs are kept: "none", "failed", "all", or numbers of runs.
        timeout: [s] Wall time after which a run fails.
    """

    name: str
    inputs: Inputs
    scalars: tuple[Scalar, ...] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)
    traces: tuple[Trace, ...] | None = None
    keep: Any = "none"
    timeout: float | None = None

    def __post_init__(self) -> None:
        is_chosen = isinstance(self.keep, list | tuple) and all(isinstance(run, int | np.integer) for run in self.keep)
        if not is_chosen and self.keep not in _KEEP:
            raise SettingError(
                f'keep = {shown(self.keep)}.\n  Use "none", "failed", "all", or a list of the numbers of runs.'
            )
        names = [scalar.name for scalar in self.scalars]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise SettingError(f"There are two scalars `{twice[0]}`.\n  Name one otherwise.")
        if self.timeout is not None and not (isinstance(self.timeout, int | float) and self.timeout > 0.0):
            raise SettingError(f"timeout = {shown(self.timeout)}.\n  Use a number of seconds of wall time, or None.")

    def __reduce__(self) -> Any:
        given = (self.name, self.inputs, self.scalars, self.limits, self.traces, self.keep, self.timeout)
        return type(self), given

    # ---- what comes out ------------------------------------------------------------------------------------------

    @cached_property
    def _first_log(self) -> Any:
        """What the nominal run has recorded at its start."""
        subject = self.inputs.subject
        return subject.simulation({}).run(until=0.0, record=subject.recorded, progress=False)

    @cached_property
    def units(self) -> dict[str, str]:
        """The unit of each scalar, by name, in the order of the table."""
        found = {result.name: result.unit for result in self.inputs.subject.results(self._first_log)}
        found |= {scalar.name: scalar.unit for scalar in self.scalars}
        if not found:
            raise SettingError(
                f"The study `{self.name}` looks at nothing.\n  Give it `scalars=[Scalar(name, function, unit)]`."
            )
        return found

    @cached_property
    def all_limits(self) -> dict[str, tuple[Limit, ...]]:
        """What scalars must keep, by name."""
        given = {scalar.name: scalar.limit for scalar in self.scalars if scalar.limit is not None} | dict(self.limits)
        check_names(given, list(self.units))
        return {name: read_limit(limit, name) for name, limit in given.items()}

    @cached_property
    def curves(self) -> tuple[Trace, ...]:
        """The curves that are kept: those that were asked for, or that of the mission."""
        if self.traces is not None:
            return self.traces
        curve = self.inputs.subject.curve(self._first_log)
        if curve is None:
            return ()
        name, _, unit = curve.title.rpartition(" [")
        return (Trace(name or curve.title, MissionCurve(self.inputs.subject.curve), unit.rstrip("]")),)

    def judge(self) -> Judge:
        subject = self.inputs.subject
        return Judge(list(self.units), subject.results, self.scalars, self.curves, subject.end)

    def passed(self, scalars: Mapping[str, np.ndarray], is_ok: np.ndarray) -> np.ndarray:
        """Which runs have ended well and keep all limits."""
        found = np.array(is_ok, bool)
        for name, limits in self.all_limits.items():
            for limit in limits:
                found = found & limit.holds(scalars[name])
        return found

    # ---- who it is -----------------------------------------------------------------------------------------------

    def described(self) -> dict[str, Any]:
        """All that results follow from, as plain data. Limits and kept logs are not: they change no number."""
        inputs = self.inputs
        subject, design = inputs.subject, inputs.design
        scenario = inputs.nominal.scenario
        made = {
            "what": subject.name if subject.mission is not None else _function(subject.source),  # type: ignore[arg-type]
            "settings": {path: np.asarray(value).tolist() for path, value in subject.settings.items()},
            "until_s": subject.end,
            "integrator": repr(inputs.nominal.integrator),
            "dynamics": repr(subject.service),
            "record": _recorded(subject.recorded),
            "disperse": {name: _described(given, name) for name, given in inputs.disperse.items()},
            "design": _table(design) if isinstance(design, Table) else repr(design),
            "seed": inputs.seed,
            "noise": inputs.noise,
            "scalars": dict(self.units)
            | {scalar.name: f"{scalar.unit}, {_function(scalar.of)}" for scalar in self.scalars},
            "curves": {trace.name: f"{trace.unit}, {trace.samples}, {_function(trace.of)}" for trace in self.curves},
            "timeout_s": self.timeout,
            "scenario": description(scenario),
            "cardan": version("cardan"),
        }
        if not design.can_grow:
            made["runs"] = inputs.count
        plain: dict[str, Any] = json.loads(json.dumps(made))
        return plain


class MissionCurve:
    """The curve of a mission as times and values."""

    def __init__(self, curve: Callable[[Any], Any]) -> None:
        self._curve = curve

    def __call__(self, log: Any) -> tuple[np.ndarray, np.ndarray]:
        curve = self._curve(log)
        return curve.t, curve.values


def fingerprint(described: Mapping[str, Any]) -> str:
    """What tells definitions apart."""
    return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()


def differences(first: Any, second: Any, path: str = "") -> Iterator[str]:
    """What differs between two descriptions, one line each."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for name in dict.fromkeys([*first, *second]):
            place = f"{path}.{name}" if path else str(name)
            if name not in first or name not in second:
                side = second if name in second else first
                yield f"{place}: {'only now' if name in second else 'no longer'}: {shown(side[name])}"
            else:
                yield from differences(first[name], second[name], place)
    elif first != second:
        yield f"{path}: {shown(first)} before, {shown(second)} now"


def _described(given: Any, name: str) -> Any:
    if isinstance(given, Fault):
        kinds = {kind: {p: np.asarray(v).tolist() for p, v in changes.items()} for kind, changes in given.kinds.items()}
        return {"kinds": kinds, "at": repr(given.at), "weights": dict(given.weights)}
    return repr(read_distribution(given, name))


def _recorded(record: Record) -> dict[str, Any]:
    ports = record.ports if record.ports is None or isinstance(record.ports, str) else list(record.ports)
    return {"every": record.every, "ports": ports, "periods": dict(record.periods or {})}


def _table(table: Table) -> str:
    content = json.dumps({name: list(map(str, values)) for name, values in table.columns.items()})
    return f"table of {len(table.columns)} columns, {hashlib.sha256(content.encode()).hexdigest()[:16]}"


def _function(function: Callable[..., Any]) -> str:
    """A function by its name and a digest of its text, of its defaults and of what it has captured."""
    if isinstance(function, MissionCurve):
        return "of the mission"
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function).__name__)}"
    try:
        text = inspect.getsource(function)
    except (OSError, TypeError):
        code = getattr(function, "__code__", None)
        text = repr(function) if code is None else f"{code.co_code!r}{code.co_consts!r}"
    held = [repr(cell.cell_contents) for cell in getattr(function, "__closure__", None) or () if _is_plain(cell)]
    text += repr(getattr(function, "__defaults__", None)) + repr(held)
    return f"{name} {hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _is_plain(cell: Any) -> bool:
    try:
        return isinstance(cell.cell_contents, int | float | str | bool | tuple)
    except ValueError:  # not filled yet
        return False
