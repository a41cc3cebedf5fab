"""What a mission is: a scenario with everything needed to run it and to show its result."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import signature
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from cardan.contracts import Dynamics
from cardan.errors import SettingError, UnknownName, did_you_mean
from cardan.plots import Panel
from cardan.scenario import Scenario
from cardan.simulation import Integrator, Log, Record


class Result(NamedTuple):
    """One number that a mission reports. It is of what was recorded: "at the end" is at the last sample.

    Attributes:
        name: What it is.
        value: The number; None where the run has not come to it.
        unit: Its unit.
        note: Why there is no number, or what limits it.
    """

    name: str
    value: float | None
    unit: str
    note: str = ""

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.name}: {self.note}"
        return f"{self.name}: {self.value:.6g} {self.unit}" + (f" ({self.note})" if self.note else "")


def last_of(name: str, values: np.ndarray, unit: str) -> Result:
    """The last of values that start with the second sample, because at the first some parts have heard of no tick."""
    if not len(values):
        return Result(name, None, unit, "known from the second sample on")
    return Result(name, float(values[-1]), unit)


def direction(value: Sequence[float], option: str) -> np.ndarray:
    """[-] The value of an option that is a direction, of unit length."""
    length = float(np.linalg.norm(value))
    if length == 0.0:
        raise SettingError(f"The option `{option}` is a direction; got {tuple(value)}, which has none.")
    return np.asarray(value) / length


def parameter(log: Log, path: str) -> np.ndarray:
    """The value of a parameter as the run had it, such as `ctl.K`; `--set` may have changed it."""
    part, _, name = path.rpartition(".")
    return np.asarray(log.about["parts"][part]["parameters"][name]["value"])


class Curve(NamedTuple):
    """What the terminal shows of a mission.

    Attributes:
        title: What is drawn, with its unit.
        t: [s]
        values: Of the same length.
    """

    title: str
    t: np.ndarray
    values: np.ndarray


def settled(t: np.ndarray, error: np.ndarray, within: float) -> Result:
    """Since when an error [deg] is small at every sample, if it is at the last one."""
    name, end = f"within {within:g} deg after", t[-1]
    if error[-1] > within:
        return Result(name, None, "s", f"not within {within:g} deg by {end:g} s: {error[-1]:.3g} deg")
    outside = np.flatnonzero(error > within)
    since = t[outside[-1] + 1] if len(outside) else t[0]
    return Result(name, float(since), "s", f"until the end, at {end:g} s")


class Campaign(NamedTuple):
    """How a mission is varied by `cardan study`, as text.

    Attributes:
        disperse: How inputs vary, by path.
        limits: What results must keep, by name.
        runs: How many runs.
        record: What results need of a run; what the mission records if left out.
        by: An input by whose values `cardan study` also sums up the results; "" for none.
        labels: What the values 0, 1, ... of that input are called.
        figure: For a figure of them: the results that are shares of runs, and last one that takes time.
        settings: Options and parameters that all runs have, by path.
        until: [s] How long a run is; as long as the mission if left out.
    """

    disperse: Mapping[str, str]
    limits: Mapping[str, str]
    runs: int = 1000
    record: Record | None = None
    by: str = ""
    labels: tuple[str, ...] = ()
    figure: tuple[str, ...] = ()
    settings: Mapping[str, Any] = MappingProxyType({})
    until: float | None = None


@dataclass(frozen=True)
class Mission:
    """A ready scenario that `cardan run` offers.

    Attributes:
        name: How the command line calls it.
        title: What it shows, in one line.
        about: What happens in it, in a few sentences.
        build: Makes the scenario; its arguments are the mission's options.
        until: [s] How long it runs.
        integrator: What it runs with, or a function of the options that says so.
        results: The numbers it reports.
        curve: The curve it shows in the terminal.
        figures: For each figure, by its name, the paths that it plots, or a function that makes its diagrams.
        record: What it records.
        options: What each option means, by its name; the dots of a name are underscores in the argument of `build`.
        dynamics: The services that it runs with, the usual one first; none without a mechanism.
        campaign: How `cardan study` varies it, unless told otherwise; None for a mission without a ready study.
    """

    name: str
    title: str
    about: str
    build: Callable[..., Scenario]
    until: float
    integrator: Integrator | Callable[..., Integrator]
    results: Callable[[Log], list[Result]]
    curve: Callable[[Log], Curve]
    figures: Mapping[str, Sequence[str] | Callable[[Log], list[Panel]]]
    record: Record = field(default_factory=Record)
    options: Mapping[str, str] = field(default_factory=dict)
    dynamics: tuple[Dynamics, ...] = ()
    campaign: Campaign | None = None

    def defaults(self) -> dict[str, Any]:
        """The value that each option has if it is left alone, by its name."""
        arguments = signature(self.build).parameters
        return {name: arguments[name.replace(".", "_")].default for name in self.options}

    def scenario(self, options: Mapping[str, Any] | None = None) -> Scenario:
        """The scenario, with other values of some options, by their names."""
        return self.build(**self._arguments(options))

    def integrator_for(self, options: Mapping[str, Any] | None = None) -> Integrator:
        """What it runs with, with these options."""
        return self.integrator(**self._arguments(options)) if callable(self.integrator) else self.integrator

    def _arguments(self, options: Mapping[str, Any] | None) -> dict[str, Any]:
        defaults = self.defaults()
        chosen = {}
        for name, value in (options or {}).items():
            if name not in defaults:
                raise UnknownName(
                    f"`{self.name}` has no option `{name}`.{did_you_mean(name, defaults)}\n"
                    f"  options: {', '.join(defaults) or 'none'}"
                )
            chosen[name.replace(".", "_")] = _like(defaults[name], value, name)
        return chosen

    def service(self, name: str | None = None) -> Dynamics | None:
        """The dynamics service of this name, such as `recursive-tree`; the usual one for None."""
        if name is None:
            return self.dynamics[0] if self.dynamics else None
        if not self.dynamics:
            raise SettingError(
                f"`{self.name}` has no mechanism, so `--dynamics {name}` has nothing to act on.\n  Leave it out."
            )
        named = {service_name(service): service for service in self.dynamics}
        if name not in named:
            raise UnknownName(
                f"`{self.name}` does not run with `{name}`.{did_you_mean(name, named)}\n"
                f"  It runs with: {', '.join(named)}"
            )
        return named[name]


def service_name(service: Dynamics) -> str:
    """How the command line calls a dynamics service: `recursive-tree` for `RecursiveTree`."""
    name = type(service).__name__
    return name[0].lower() + "".join(f"-{c.lower()}" if c.isupper() else c for c in name[1:])


def _like(default: Any, value: Any, name: str) -> Any:
    """`value` if it is what `default` is: a text, yes or no, an integer, a number, or numbers in the same shape."""
    if isinstance(default, str):
        if not isinstance(value, str):
            raise SettingError(f"The option `{name}` is a text; got {value!r}.")
        return value
    if isinstance(default, bool):
        fits, expected = isinstance(value, bool), "true or false"
    elif isinstance(default, int):
        fits, expected = isinstance(value, int) and not isinstance(value, bool), "an integer"
    elif isinstance(default, float):
        fits, expected = isinstance(value, int | float) and not isinstance(value, bool), "a number"
    else:
        shape = np.shape(default)
        expected = f"numbers in a list of shape {shape}"
        try:
            given = np.asarray(value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            given = np.zeros(())
        fits, value = given.shape == shape, tuple(given.tolist()) if given.ndim else value
    if not fits or not _is_finite(value):
        raise SettingError(f"The option `{name}` is {expected}, e.g. {default}; got {value!r}.")
    return value


def _is_finite(value: Any) -> bool:
    try:
        return bool(np.all(np.isfinite(np.asarray(value, dtype=float))))
    except OverflowError:  # a whole number that is larger than any float
        return False
