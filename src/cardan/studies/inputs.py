"""What runs are given: paths, what they name, and the values of each run.

| path | names |
|---|---|
| `wheel.misalignment` | an option of the mission, or an argument of the function that builds the scenario |
| `ctl.K` | a parameter of a part |
| `bus.mass`, `elbow.damping`, `mount.r_SB_B` | a number of the mechanism |
| `body.state.omega_BN_B`, `ctl.memory.integral` | what a part starts with, as a log calls it |
| `bus.motion.sigma_BN`, `elbow.state.angle` | how a body that flies freely, or a joint, starts |
| `limit.max_torque[0]` | an element of any of these |
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import CardanError, SettingError, UnknownName, did_you_mean, shown
from cardan.maths import stream_of
from cardan.scenario import description
from cardan.simulation import Batch, Record, Simulation
from cardan.studies.designs import Design, Dispersed, Table
from cardan.studies.distribution_text import read_distribution
from cardan.studies.distributions import Nominal
from cardan.studies.faults import Fault
from cardan.studies.subject import Subject, unknown_path
from cardan.studies.tensors import Correlated, fitting

_INDEXED = re.compile(r"(.+)\[(\d+(?:\s*,\s*\d+)*)\]")
_START_PORTS = ("state", "memory", "motion")
SEED = "seed"


class Target(NamedTuple):
    """What a path names.

    Attributes:
        kind: "option", "number" (of a part or of the mechanism), "start".
        element: The part or element that starts so; "" for others.
        field: Of its state; "" for others.
        nominal: What it is without dispersion.
        is_native: Whether a batch can vary it, without building the scenario again.
    """

    kind: str
    element: str
    field: str
    nominal: Nominal
    is_native: bool


class Given(NamedTuple):
    """What some runs are given.

    Attributes:
        values: (n, ...) All that they are given, by path; lists where it is no number.
        built: Values that the scenario is built with, by path; each has one item for each run.
        numbers: (n, ...) Parameters and numbers that vary without building again, by path.
        starts: (n, ...) Initial values by element and field.
        changes: For each run, the parameters that change during it, by path and time [s].
        seeds: One for each run.
    """

    values: dict[str, Any]
    built: dict[str, Any]
    numbers: dict[str, np.ndarray]
    starts: dict[str, dict[str, np.ndarray]]
    changes: list[dict[tuple[str, float], Any]]
    seeds: list[int]


@dataclass(frozen=True)
class Inputs:
    """What varies in a study, and how.

    Attributes:
        subject: What is run.
        disperse: Distributions, or their text, by path; groups and faults by their own names.
        design: Where runs lie.
        wanted: How many runs are asked for; None where the design says it.
        seed: Of the study.
        noise: "each" for different random numbers in every run, "same" for the scenario's.
    """

    subject: Subject
    disperse: Mapping[str, Any]
    design: Design
    wanted: int | None
    seed: int = 0
    noise: str = "each"
    _targets: dict[str, Target] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.noise not in ("each", "same"):
            raise SettingError(f'noise = {shown(self.noise)}.\n  Use "each" or "same".')
        if not isinstance(self.seed, int) or isinstance(self.seed, bool):
            raise SettingError(f"The seed of a study is {shown(self.seed)}.\n  Use a whole number.")
        if isinstance(self.design, Table):
            both = [path for path in self.design.columns if path in self.disperse]
            if self.disperse:
                raise SettingError(
                    f"{self.design.source} says what runs are given, and so does `disperse`: "
                    f"{', '.join(both or self.disperse)}.\n  Leave one of them out."
                )

    def __reduce__(self) -> Any:
        # what has been found out stays behind
        return type(self), (self.subject, self.disperse, self.design, self.wanted, self.seed, self.noise)

    # ---- what varies ---------------------------------------------------------------------------------------------

    @cached_property
    def nominal(self) -> Simulation:
        """The scenario as it is without dispersion."""
        return self.subject.simulation({})

    @cached_property
    def dispersed(self) -> tuple[Dispersed, ...]:
        """All that has a distribution, in the order in which it was given."""
        found = []
        for name, given in self.disperse.items():
            if isinstance(given, Fault):
                self._check_fault(name, given)
                found += [Dispersed(path, how, about) for path, (how, about) in given.inputs(name).items()]
                continue
            how = read_distribution(given, name)
            if isinstance(how, Correlated):
                values = [float(self.target(path).nominal.value) for path in how.paths]
                found.append(Dispersed(name, how, Nominal(name, np.array(values))))
            else:
                nominal = self.target(name).nominal
                found.append(Dispersed(name, fitting(how, nominal), nominal))
        return tuple(found)

    @cached_property
    def count(self) -> int:
        """How many runs there are."""
        return self.design.runs(self.wanted, self.dispersed)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """All that differs from run to run, one by one; groups by their members."""
        if isinstance(self.design, Table):
            return tuple(dict.fromkeys(_base_of_column(name, self) for name in self.design.columns))
        found: list[str] = []
        for each in self.dispersed:
            found += each.how.paths if isinstance(each.how, Correlated) else [each.name]
        twice = [path for path in found if found.count(path) > 1]
        if twice:
            raise SettingError(f"`{twice[0]}` varies in two ways.\n  Give it one distribution.")
        return tuple(found)

    @cached_property
    def faults(self) -> dict[str, Fault]:
        return {name: given for name, given in self.disperse.items() if isinstance(given, Fault)}

    @property
    def is_native(self) -> bool:
        """Whether batches can run it, because nothing varies but numbers, starts and seeds."""
        return not self.faults and all(self.target(path).is_native for path in self.paths)

    @cached_property
    def native_numbers(self) -> tuple[str, ...]:
        """Paths, without indices, that batches are to vary."""
        wanted = [path for path in self.paths if not self._is_of_fault(path)]
        targets = [(_base(path), self.target(path)) for path in wanted]
        found = [base for base, found in targets if found.kind == "number" and found.is_native]
        return tuple(dict.fromkeys([*found, *self._set_numbers]))

    @cached_property
    def _set_numbers(self) -> dict[str, Any]:
        """Numbers of the mechanism that are others in all runs."""
        mechanism = self.nominal.scenario.mechanism
        given = self.subject.settings.items()
        return {path: value for path, value in given if mechanism is not None and mechanism.number_at(path) is not None}

    def unit(self, path: str) -> str:
        """The unit of an input."""
        if self._is_of_fault(path):
            return "s" if path.endswith(".at") else ""
        return self.target(path).nominal.unit

    def is_array(self, path: str) -> bool:
        return not self._is_of_fault(path) and bool(self.target(path).nominal.shape)

    # ---- values --------------------------------------------------------------------------------------------------

    def values(self, runs: Sequence[int] | np.ndarray) -> dict[str, Any]:
        """(n, ...) What some runs are given, by path; lists where it is no number."""
        numbers = np.asarray(runs, np.int64)
        if isinstance(self.design, Table):
            return self._from_table(self.design, numbers)
        points = self.design.points(numbers, self.count, self.seed, self.dispersed)
        found: dict[str, Any] = {}
        for each in self.dispersed:
            values = each.how.values(points[each.name], each.nominal)
            if isinstance(each.how, Correlated):
                found |= {path: values[:, i] for i, path in enumerate(each.how.paths)}
            else:
                found[each.name] = self._fitting(values, each)
        return {path: found[path] for path in self.paths}

    def _fitting(self, values: Any, each: Dispersed) -> Any:
        """Whole numbers stay whole; every value has the shape that it had."""
        if isinstance(values, list):
            return values
        shape = each.nominal.shape
        if values.shape[1:] != shape and each.nominal.value is not None:
            raise SettingError(
                f"`{each.name}` has shape {shape}, and its distribution gives {values.shape[1:]}.\n"
                "  Give values of the same shape."
            )
        if np.asarray(each.nominal.value).dtype.kind in "iu" and values.dtype.kind == "f":
            raise SettingError(
                f"`{each.name}` is a whole number, and a {type(each.how).__name__} gives others.\n"
                "  Use `Choice(...)` of whole numbers."
            )
        return values

    def _from_table(self, table: Table, runs: np.ndarray) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for path in self.paths:
            shape = self.target(path).nominal.shape
            if path in table.columns:
                found[path] = _listed([table.columns[path][run] for run in runs])
                continue
            whole = np.broadcast_to(np.asarray(self.target(path).nominal.value, float), (len(runs), *shape)).copy()
            for name, column in table.columns.items():
                matched = _INDEXED.fullmatch(name)
                if matched and matched[1] == path:
                    whole[(slice(None), *_index(matched[2], path, shape))] = [column[run] for run in runs]
            found[path] = whole
        return found

    def seeds(self, runs: Sequence[int] | np.ndarray) -> list[int]:
        """The seeds of the random numbers of some runs."""
        if self.noise == "same":
            return [self.nominal.scenario.seed] * len(runs)
        return [stream_of(self.seed, f"noise of run {int(run)}") for run in runs]

    def given(self, runs: Sequence[int] | np.ndarray) -> Given:
        """What some runs are given, sorted by how they get it."""
        values = self.values(runs)
        built: dict[str, Any] = {}
        numbers: dict[str, np.ndarray] = {}
        starts: dict[str, dict[str, np.ndarray]] = {}
        for path in self.paths:
            if self._is_of_fault(path):
                continue
            target, whole = self.target(path), values[path]
            base = _base(path)
            indexed = _INDEXED.fullmatch(path)
            if indexed:
                before = numbers.get(base, built.get(base, starts.get(target.element, {}).get(target.field)))
                own = self.target(base).nominal
                merged = np.broadcast_to(np.asarray(own.value, float), (len(whole), *own.shape)).copy()
                merged = merged if before is None else np.array(before)
                merged[(slice(None), *_index(indexed[2], base, own.shape))] = whole
                whole = merged
            if target.kind == "start":
                starts.setdefault(target.element, {})[target.field] = whole
            elif target.is_native:
                numbers[base] = whole
            else:
                built[base] = whole
        for path, value in self._set_numbers.items():
            if path not in numbers:
                numbers[path] = np.broadcast_to(np.asarray(value, float), (len(runs), *np.shape(value)))
        return Given(values, built, numbers, starts, self._changes(values, len(runs)), self.seeds(runs))

    def _changes(self, values: Mapping[str, Any], count: int) -> list[dict[tuple[str, float], Any]]:
        found: list[dict[tuple[str, float], Any]] = [{} for _ in range(count)]
        for name, fault in self.faults.items():
            for i, (kind, at) in enumerate(zip(values[f"{name}.kind"], values[f"{name}.at"], strict=True)):
                # the clock has whole nanoseconds
                found[i] |= {(path, round(float(at), 9)): value for path, value in fault.kinds[kind].items()}
        return found

    # ---- paths ---------------------------------------------------------------------------------------------------

    def target(self, path: str) -> Target:
        """What a path names, or an error with the nearest one."""
        if path not in self._targets:
            self._targets[path] = self._find(path)
        return self._targets[path]

    def _find(self, path: str) -> Target:
        indexed = _INDEXED.fullmatch(path)
        if indexed:
            whole = self.target(indexed[1])
            value = np.asarray(whole.nominal.value)
            element = value[_index(indexed[2], indexed[1], value.shape)]
            return whole._replace(nominal=Nominal(path, element.item(), whole.nominal.unit))
        options = self.subject.options
        if path in options:
            value = self.subject.settings.get(path, options[path])
            return Target("option", "", "", Nominal(path, value, ""), False)
        number = self._number(path)
        if number is not None:
            return Target("number", "", "", number, self._can_batch(path))
        element, _, name = path.rpartition(".")
        element, _, port = element.rpartition(".")
        if port in _START_PORTS and f"{element}.{port}" in self._starts:
            start = self._starts[f"{element}.{port}"]
            if name in start._fields:
                unit = self._units(f"{element}.{port}")[name]
                return Target("start", element, name, Nominal(path, getattr(start, name), unit), True)
        raise unknown_path(path, self.known, self.subject)

    @cached_property
    def known(self) -> list[str]:
        """All that can vary, by path."""
        scenario = self.nominal.scenario
        parameters = [
            f"{part}.{name}" for part, about in description(scenario)["parts"].items() for name in about["parameters"]
        ]
        mechanism = [] if scenario.mechanism is None else list(scenario.mechanism.numbers)
        starts = [f"{port}.{name}" for port, start in self._starts.items() for name in start._fields]
        return [*self.subject.options, *parameters, *mechanism, *starts]

    def _number(self, path: str) -> Nominal | None:
        scenario = self.nominal.scenario
        part, _, name = path.rpartition(".")
        placed = scenario.parts.get(part)
        if placed is not None and name in placed.part._fields:
            about = description(scenario)["parts"][part]["parameters"][name]
            return Nominal(path, getattr(placed.part, name), about["unit"])
        mechanism = scenario.mechanism
        if mechanism is not None and mechanism.number_at(path) is not None:
            value = self.subject.settings.get(path, mechanism.number(path))
            return Nominal(path, value, mechanism.numbers.get(path, ""))
        return None

    def _can_batch(self, path: str) -> bool:
        try:
            Batch(
                self.nominal.scenario,
                1,
                dynamics=self.subject.service,
                integrator=self.nominal.integrator,
                varies=[path],
            )
        except CardanError:
            return False
        return True

    @cached_property
    def _starts(self) -> dict[str, Any]:
        """What parts and elements start with, by the path of the port that shows it."""
        sim, found = self.nominal, {}
        scenario = sim.scenario
        for part in scenario.parts:
            for port in ("state", "memory"):
                try:
                    found[f"{part}.{port}"] = sim[f"{part}.{port}"]
                except UnknownName:
                    continue
        mechanism = scenario.mechanism
        if mechanism is not None:
            for joint, element in mechanism.joints.items():
                try:
                    found[f"{joint}.state"] = scenario.initial_states.get(joint, sim[element.state])
                except UnknownName:
                    continue  # a free joint, whose body is below
            for body in mechanism.bodies:
                if mechanism.flies_freely(body):
                    found[f"{body}.motion"] = scenario.initial_states.get(body, sim[f"{body}.motion"])
        return found

    def _units(self, port: str) -> dict[str, str]:
        log = self.subject.simulation({}).run(until=0.0, record=Record(ports=[port]), progress=False)
        return dict(log[port].unit)

    def _is_of_fault(self, path: str) -> bool:
        return path.rpartition(".")[0] in self.faults

    def _check_fault(self, name: str, fault: Fault) -> None:
        """Say now what is wrong with a change."""
        for changes in fault.kinds.values():
            for path, value in changes.items():
                if self._number(path) is None:
                    numbers = [known for known in self.known if self._number(known) is not None]
                    raise UnknownName(
                        f"The fault `{name}` changes `{path}`, which is no parameter.{did_you_mean(path, numbers)}"
                    )
                self.subject.simulation({}, {(path, 1.0): value})


def start_of(sim: Simulation, element: str) -> Any:
    """What a part or an element of the mechanism starts with in a simulation, as a state or message."""
    given = sim.scenario.initial_states.get(element)
    if given is not None:
        return given
    ports = ("state", "memory") if element in sim.scenario.parts else ("motion", "state")
    for port in ports:
        try:
            return sim[f"{element}.{port}"]
        except UnknownName:
            continue
    raise UnknownName(f"`{element}` starts with nothing that can vary.")


def _base(path: str) -> str:
    """A path without its index."""
    indexed = _INDEXED.fullmatch(path)
    return indexed[1] if indexed else path


def _base_of_column(name: str, inputs: Inputs) -> str:
    """The path that a column of a table belongs to: arrays are spread over several."""
    base = _base(name)
    if base != name:
        inputs.target(name)  # says what is wrong with it
    return base


def _index(text: str, path: str, shape: tuple[int, ...]) -> tuple[Any, ...]:
    index = tuple(int(each) for each in text.split(","))
    if len(index) != len(shape) or any(i >= size for i, size in zip(index, shape, strict=False)):
        raise UnknownName(
            f"`{path}[{text}]` is no element of `{path}`, which has shape {shape}.\n  Elements are numbered from 0."
        )
    return index


def _listed(values: list[Any]) -> Any:
    return values if isinstance(values[0], str | bool) else np.array(values)
