"""What a study runs: a mission, or a function that builds a scenario."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cardan.contracts import Dynamics
from cardan.errors import SettingError, UnknownName, did_you_mean, shown
from cardan.missions import Curve, Mission, Result, find_mission
from cardan.scenario import Scenario
from cardan.simulation import Integrator, Log, Record, Simulation


@dataclass(frozen=True)
class Subject:
    """All that it takes to run a scenario once.

    Attributes:
        source: A mission or its name, or a function that builds a scenario; its arguments can vary.
        settings: Values that are not the scenario's own in any run, by path.
        until: [s] How long a run is; that of the mission if left out.
        integrator: What it runs with; that of the mission if left out.
        dynamics: The dynamics service; the usual one of the mission if left out.
        record: What is recorded for scalars to look at; what the mission records if left out.
    """

    source: str | Mission | Callable[..., Scenario]
    settings: Mapping[str, Any] = field(default_factory=dict)
    until: float | None = None
    integrator: Integrator | None = None
    dynamics: Dynamics | str | None = None
    record: Record | None = None

    def __post_init__(self) -> None:
        if self.mission is None and not callable(self.source):
            raise SettingError(
                f"A study of {shown(self.source)}.\n  Give the name of a mission, or a function that builds a scenario."
            )
        if self.end <= 0.0:
            raise SettingError(f"A study of runs of {self.end:g} s.\n  Let them last longer than nothing.")

    def __reduce__(self) -> Any:
        given = (self.source, self.settings, self.until, self.integrator, self.dynamics, self.record)
        return type(self), given

    @cached_property
    def mission(self) -> Mission | None:
        if isinstance(self.source, Mission):
            return self.source
        return find_mission(self.source) if isinstance(self.source, str) else None

    @property
    def name(self) -> str:
        return self.mission.name if self.mission is not None else getattr(self.source, "__name__", "study")

    @cached_property
    def options(self) -> dict[str, Any]:
        """Arguments of the function, or options of the mission, with their defaults; None for those without one."""
        if self.mission is not None:
            return self.mission.defaults()
        arguments = inspect.signature(self.source).parameters.values()  # type: ignore[arg-type]
        return {each.name: None if each.default is each.empty else each.default for each in arguments}

    @property
    def end(self) -> float:
        """[s]"""
        if self.until is not None:
            return float(self.until)
        if self.mission is None:
            raise SettingError(f"Nothing says how long a run of `{self.name}` is.\n  Add e.g. `until=600.0` [s].")
        return self.mission.until

    @property
    def recorded(self) -> Record:
        if self.record is not None:
            return self.record
        return Record() if self.mission is None else self.mission.record

    @property
    def service(self) -> Dynamics | None:
        if isinstance(self.dynamics, Dynamics):
            return self.dynamics
        if self.mission is None:
            if self.dynamics is not None:
                raise SettingError(f"dynamics = {shown(self.dynamics)}.\n  Use e.g. `dynamics=cardan.RecursiveTree()`.")
            return None
        return self.mission.service(self.dynamics)

    def results(self, log: Log) -> list[Result]:
        """What the mission says of a run."""
        return [] if self.mission is None else self.mission.results(log)

    def curve(self, log: Log) -> Curve | None:
        """The curve that the mission shows."""
        return None if self.mission is None else self.mission.curve(log)

    def simulation(
        self, values: Mapping[str, Any], changes: Mapping[tuple[str, float], Any] | None = None
    ) -> Simulation:
        """A simulation whose options, parameters and numbers of the mechanism are those in `values`, by path.

        Args:
            values: By path.
            changes: Parameters that change during the run, by path and time [s].
        """
        all_values = {**self.settings, **values}
        options = {name: value for name, value in all_values.items() if name in self.options}
        scenario = self._scenario(options)
        numbers = {}
        for path, value in all_values.items():
            if scenario.mechanism is not None and scenario.mechanism.number_at(path) is not None:
                numbers[path] = value
            elif path not in options:
                scenario.set(path, value)
        for (path, at), value in sorted((changes or {}).items(), key=lambda item: item[0][1]):
            scenario.change(path, value, at=at)
        sim = Simulation(scenario, dynamics=self.service, integrator=self._integrator(options))
        return sim.variant(numbers) if numbers else sim

    def _scenario(self, options: Mapping[str, Any]) -> Scenario:
        if self.mission is not None:
            return self.mission.scenario(options)
        missing = [name for name, value in self.options.items() if value is None and name not in options]
        if missing and any(
            each.default is each.empty and each.name == missing[0]
            for each in inspect.signature(self.source).parameters.values()  # type: ignore[arg-type]
        ):
            raise SettingError(
                f"`{self.name}` needs a value of `{missing[0]}`.\n"
                "  Give the argument a default: it is what the study varies about."
            )
        built = self.source(**options)  # type: ignore[operator]
        if not isinstance(built, Scenario):
            raise SettingError(f"`{self.name}` returned {shown(built)}.\n  Let it return a Scenario.")
        return built

    def _integrator(self, options: Mapping[str, Any]) -> Integrator | None:
        if self.integrator is not None or self.mission is None:
            return self.integrator
        return self.mission.integrator_for(options)


def unknown_path(path: str, known: list[str], subject: Subject) -> UnknownName:
    """What to say of a path that names nothing."""
    part = path.partition(".")[0]
    own = [each for each in known if each.partition(".")[0] == part]
    shown_paths = own or known
    more = f" and {len(shown_paths) - 40} more" if len(shown_paths) > 40 else ""
    return UnknownName(
        f"Nothing of `{subject.name}` is called `{path}`, so it cannot vary.{did_you_mean(path, known)}\n"
        f"  {'There are' if own else 'What can vary'}: {', '.join(shown_paths[:40])}{more}"
    )
