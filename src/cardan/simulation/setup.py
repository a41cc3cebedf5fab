"""`Setup`: a scenario with its dynamics service and integrator, laid out and scheduled for any number of runs."""

import platform
import warnings
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numba
import numpy as np

from cardan.contracts.dynamics import Dynamics
from cardan.errors import LooseEnds, SettingError, StepWarning, UnknownName, did_you_mean
from cardan.mechanism.inertia import inertia_at
from cardan.mechanism.ports import Role
from cardan.mechanism.support import check_supported
from cardan.scenario.clock import check_multiple
from cardan.scenario.describe import description
from cardan.scenario.loose_ends import loose_ends
from cardan.scenario.scenario import Scenario
from cardan.simulation import core
from cardan.simulation.integrators import AdaptiveStep, Integrator, Rk4
from cardan.simulation.layout import Layout, lay_out
from cardan.simulation.log import Log
from cardan.simulation.numbers import check_varies, has_number
from cardan.simulation.places import State
from cardan.simulation.record import Record, Samples, recorded_groups
from cardan.simulation.run import Run
from cardan.simulation.schedule import Schedule, Tables
from cardan.simulation.stiffness import has_springs, too_long
from cardan.simulation.streaming import StreamedSamples
from cardan.simulation.values import Values, initial_values


@dataclass(frozen=True, eq=False)
class Setup:
    """All that runs of one scenario share.

    Attributes:
        scenario: What is simulated.
        dynamics: How accelerations are found; None without a mechanism.
        integrator: How states are advanced.
        schedule: What is called when, over the layout.
        values: What a run begins with.
    """

    scenario: Scenario
    dynamics: Dynamics | None
    integrator: Integrator
    schedule: Schedule
    values: Values

    @property
    def layout(self) -> Layout:
        return self.schedule.layout

    @cached_property
    def initial(self) -> np.ndarray:
        """An arena at time zero; runs copy it."""
        return self.values.arena()

    def new_run(self, values: Values | None = None, *, is_varied: bool = False) -> Run:
        """A run at time zero, with other initial states maybe; `is_varied` if it will be given other numbers."""
        arena = self.initial if values is None else values.arena()
        return Run(self.schedule, arena, self.values.breaks, self.integrator, self.values.mechanism, is_varied)

    def changed(self, parameters: Mapping[str, Any], seed: int | None = None) -> "Setup":
        """The same with other parameters or another seed, on the same layout."""
        numbers = [path for path in parameters if has_number(self.scenario, path)]
        check_varies(self.scenario, self.dynamics, numbers)
        other = replace(self, values=self.values.changed(parameters, seed))
        if numbers:
            assert self.dynamics is not None and other.values.mechanism is not None
            check_supported(self.dynamics, other.values.mechanism, self.scenario.mechanism_inputs)
        other.warn_of_long_steps()
        return other

    def tables(self, record: Record, progress: bool = True) -> Tables:
        """The tables of a run; all that is in them is compiled."""
        return self.schedule.tables(recorded_groups(record, self.layout, self.integrator.base_tick), progress)

    def samples(
        self, run: Run, tables: Tables, end: int, stream: Path | None = None, about: dict[str, Any] | None = None
    ) -> Samples:
        """Room for what a run records until `end` [ns], in memory or in a file, which says what it is `about`."""
        # a tick that is done has been recorded by the run that did it
        first = run.now + int(run.ints[core.TICK_DONE])
        if stream is None:
            return Samples(tables.groups, first, end)
        return StreamedSamples(tables.groups, first, end, stream, about or dict(self.about))

    def recording_size(self, record: Record, span: int) -> int:
        """[bytes] About as much as a run over `span` [ns] records; of the steps of an adaptive integrator, none."""
        periods = {placed.period for placed in self.scenario.parts.values() if placed.is_task}
        size = 0
        for group in recorded_groups(record, self.layout, self.integrator.base_tick):
            if group.period > 0:
                count = span // group.period
            elif group.period == 0:
                count = sum(span // period for period in periods)
            else:
                step = self.integrator.method().step
                count = span // step if step > 0 else 0
            size += 8 * (1 + group.words) * (1 + count)
        return size

    def log(self, tables: Tables, samples: Samples) -> Log:
        """What was recorded, as a log."""
        return samples.log(tables.groups, dict(self.about))

    @cached_property
    def about(self) -> dict[str, Any]:
        """Where results come from: the scenario, all parameters, the seed, the integrator and the versions involved."""
        versions = {
            "cardan": _cardan_version(),
            "numpy": np.__version__,
            "numba": numba.__version__,
            "python": platform.python_version(),
        }
        services = {} if self.dynamics is None else {"dynamics": repr(self.dynamics)}
        numbers = {path: value.tolist() for path, value in self.values.numbers.items()}
        return (
            description(self.scenario, self.values.parts, self.values.seed)
            | services
            | ({"numbers": numbers} if numbers else {})
            | {"integrator": repr(self.integrator), "versions": versions}
        )

    def warn_of_long_steps(self) -> None:
        """Before a run ends by it: not an error, because a lock or a part may keep what would grow from moving."""
        mechanism, inputs = self.values.mechanism, self.scenario.mechanism_inputs.values()
        # what mass properties come in is not known yet
        if mechanism is None or any(given.port.role is Role.MASS_PROPERTIES for given in inputs):
            return
        if not has_springs(mechanism):
            return
        tree, integrated, start, memory = (
            mechanism.tree,
            self.layout.integrated,
            self.values.coordinates,
            self.layout.mechanism,
        )
        assert integrated is not None and start is not None and memory is not None
        q, is_known = np.array(tree.reference), np.ones(tree.nv, bool)
        q[integrated.q], is_known[integrated.v] = start.q, False
        masses = (memory.array(self.initial, name) for name in ("mass", "com", "inertia"))
        found = too_long(self.integrator, mechanism, inertia_at(tree, q, *masses).matrix, is_known)
        if found is not None:
            warnings.warn(str(found), StepWarning, stacklevel=4)


def set_up(
    scenario: Scenario,
    dynamics: Dynamics | None,
    integrator: Integrator | None,
    *,
    jit: bool = True,
    is_audited: bool = False,
    wanted: Collection[str] = (),
) -> Setup:
    """Check, lay out and schedule a scenario, which is frozen from here on; somebody reads the ports in `wanted`."""
    integrator = integrator if integrator is not None else Rk4(step=0.1)
    _check_periods(scenario, integrator)
    _check_dynamics(scenario, dynamics)
    tableau = integrator.tableau
    layout = lay_out(scenario, dynamics, stages=len(tableau.b), is_implicit=tableau.is_implicit, is_audited=is_audited)
    schedule = Schedule(layout, dynamics, jit=jit, is_audited=is_audited)
    values = initial_values(layout, _tolerances(integrator, layout.states))
    setup = Setup(scenario, dynamics, integrator, schedule, values)
    _ = values.breaks, setup.initial  # whatever is wrong with these is said now
    scenario.freeze()
    if not is_audited:
        _warn_of_loose_ends(scenario, wanted)
    setup.warn_of_long_steps()
    return setup


def _tolerances(integrator: Integrator, states: Iterable[State]) -> dict[str, tuple[float, float]]:
    """Absolute and relative tolerance of each state, by path; none for a fixed step."""
    if not isinstance(integrator, AdaptiveStep):
        return {}
    known = [state.path for state in states]
    unknown = [path for path in integrator.tolerances if path not in known]
    if unknown:
        raise UnknownName(
            f"{type(integrator).__name__}: there is no state `{unknown[0]}` to give a tolerance to."
            f"{did_you_mean(unknown[0], known)}\n  states: {', '.join(known) or 'none'}"
        )
    return {path: integrator.tolerances.get(path, (integrator.atol, integrator.rtol)) for path in known}


@cache
def _cardan_version() -> str:
    return version("cardan")


def _check_dynamics(scenario: Scenario, dynamics: Dynamics | None) -> None:
    """A mechanism needs a service that supports it."""
    mechanism = scenario.mechanism
    if mechanism is None:
        if dynamics is not None:
            raise SettingError(
                f"Scenario `{scenario.name}` has no mechanism, so `dynamics={dynamics}` has nothing to act on.\n"
                "  Leave it out, or make the scenario with `mechanism=...`."
            )
        return
    if not isinstance(dynamics, Dynamics):
        raise SettingError(
            f"Scenario `{scenario.name}` has a mechanism and needs a dynamics service, got {dynamics!r}.\n"
            "  Use e.g. `dynamics=cardan.RecursiveTree()`."
        )
    check_supported(dynamics, mechanism, scenario.mechanism_inputs)


def _warn_of_loose_ends(scenario: Scenario, wanted: Collection[str]) -> None:
    lines = loose_ends(scenario, wanted)
    if lines:
        warnings.warn(
            f"Scenario `{scenario.name}` has loose ends:\n  "
            + "\n  ".join(lines)
            + "\n  Connect them, or say `scn.leave_open(...)` for each that is meant to be so.",
            LooseEnds,
            stacklevel=4,
        )


def _check_periods(scenario: Scenario, integrator: Integrator) -> None:
    if not isinstance(scenario, Scenario):
        raise SettingError(f"{scenario!r} is not a scenario.\n  Use e.g. `cardan.Simulation(scn)`.")
    if not isinstance(integrator, Integrator):
        raise SettingError(f"{integrator!r} is not an integrator.\n  Use e.g. `integrator=cardan.Rk4(step=0.1)`.")
    for placed in scenario.parts.values():
        if placed.is_task:
            check_multiple(placed.period, integrator.base_tick, f"`{placed.name}` runs every")
            check_multiple(placed.offset, integrator.base_tick, f"`{placed.name}` has its first tick at")
