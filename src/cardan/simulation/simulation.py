"""`Simulation`: a scenario that advances through time."""

import platform
import threading
import warnings
from collections.abc import Mapping
from functools import cache, cached_property
from importlib.metadata import version
from typing import Any, NamedTuple

import numba
import numpy as np

from cardan.contracts.dynamics import Dynamics
from cardan.errors import (
    LooseEnds,
    PeriodError,
    SettingError,
    ShapeError,
    SnapshotError,
    StepWarning,
    UnknownName,
    did_you_mean,
    shown,
)
from cardan.mechanism.coordinates import initial_coordinates
from cardan.mechanism.inertia import inertia_at
from cardan.mechanism.ports import MechanismPort, Role
from cardan.mechanism.support import check_supported
from cardan.native.compilation import compile_all
from cardan.native.layout import aligned_copy
from cardan.scenario.clock import check_multiple, nanoseconds, seconds
from cardan.scenario.describe import description
from cardan.scenario.loose_ends import loose_ends
from cardan.scenario.ports import Port
from cardan.scenario.scenario import Scenario
from cardan.simulation import core
from cardan.simulation.audit import Audit, compare, finer_integrator
from cardan.simulation.failures import check_end, raise_failure
from cardan.simulation.integrators import AdaptiveStep, Integrator, Rk4
from cardan.simulation.interrupts import deliver, let_through, pausing
from cardan.simulation.log import Log
from cardan.simulation.native import core_compilation, native_advance
from cardan.simulation.pacing import Pacing
from cardan.simulation.program import CHECK, AnyRow, Place, Program, ServiceRow
from cardan.simulation.progress import CompileProgress
from cardan.simulation.record import (
    NEVER,
    Record,
    Samples,
    recorded_fields,
    recorded_places,
    runs_of_words,
    sample_period,
)
from cardan.simulation.snapshot import Snapshot, forget
from cardan.simulation.stiffness import has_springs, too_long
from cardan.simulation.turns import Turns


class _Run(NamedTuple):
    """The tables of one run."""

    plan: core.Plan
    rows: dict[int, list[AnyRow]]
    places: dict[str, Place]


class Simulation:
    """A scenario with an integrator; it holds *now*.

    Args:
        scenario: What is simulated; it is frozen from here on.
        dynamics: How the accelerations of the scenario's mechanism are found; none without a mechanism.
        integrator: How states are advanced.
        jit: False to run every part as plain Python, for debugging: breakpoints, `print` and exceptions work as usual.
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        dynamics: Dynamics | None = None,
        integrator: Integrator | None = None,
        jit: bool = True,
        _is_audited: bool = False,
    ) -> None:
        self.scenario = scenario
        self.integrator: Integrator = integrator if integrator is not None else Rk4(step=0.1)
        _check_periods(scenario, self.integrator)
        # room for the state before the step and for every stage
        _check_dynamics(scenario, dynamics)
        self.dynamics = dynamics
        self._jit = jit
        work = 1 + len(self.integrator.tableau.b)
        self._program = Program(scenario, dynamics, jit=jit, work_words=work, is_audited=_is_audited)
        identity = int.from_bytes(repr(self.integrator).encode(), "little") % (2**61 - 1)
        self._method = self.integrator.method(identity)
        self._initial = self._program.new_arena()
        self._set_tolerances(self._initial)
        scenario.freeze()
        if not _is_audited:
            _warn_of_loose_ends(scenario)
        self._arena = aligned_copy(self._initial)
        self._turns = Turns(scenario.name)
        self._reading = threading.RLock()
        self._seen: np.ndarray | None = None  # what others see while a run goes on
        self._runs: dict[tuple[str, ...], _Run] = {}
        self._log: Log | None = None
        self._start: np.ndarray | None = None
        self._warn_of_long_steps()

    # ---- now -----------------------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """[s] The time that has been reached; while a run goes on, at its last pause."""
        return seconds(int(self._present().view(np.int64)[core.NOW]))

    @property
    def steps(self) -> dict[str, int]:
        """How many steps were accepted and rejected, and how often the right-hand side was evaluated, since reset."""
        ints = self._present().view(np.int64)
        return {
            "accepted": int(ints[core.STEPS]),
            "rejected": int(ints[core.REJECTED]),
            "evaluations": int(ints[core.EVALUATIONS]),
        }

    @property
    def has_log(self) -> bool:
        """Whether a run has recorded anything since reset."""
        return self._log is not None

    @property
    def log(self) -> Log:
        """What the last run recorded, also if it ended early."""
        if self._log is None:
            raise UnknownName("Nothing was recorded yet.\n  Call `run(until=...)` first.")
        return self._log

    def __getitem__(self, path: str | Port | MechanismPort) -> Any:
        """The present value of a port, a state (`plant.state`) or a memory (`ctl.memory`), by its path.

        Outputs of models are evaluated for the purpose, from the present state and the messages held now. While a run
        goes on, in another thread or around the part that asks, all is as it was at its last pause: some tenth of a
        second ago, at the end of a whole step.
        """
        name = path.path if isinstance(path, Port | MechanismPort) else str(path)
        places = self._program.recordable() | self._program.recordable_inputs()
        if name not in places:
            raise UnknownName(
                f"There is no `{name}`.{did_you_mean(name, places)}\n  There are: {', '.join(places) or 'none'}"
            )
        with self._reading:
            arena = aligned_copy(self._initial)
            arena[: self._program.state_words] = self._present()
            if self._program.mechanism is not None:
                binding = self._program.mechanism.bind(arena)  # noqa: F841 (lives as long as the arena)
                self._program.mechanism.record(arena, [name] if name in self._program.mechanism_ports else [])
            now = seconds(int(arena.view(np.int64)[core.NOW]))
            for row in self._program.rows_behind(name):
                row.evaluate(now, arena)
            return places[name].block.unpack(places[name].words(arena))

    # ---- running -------------------------------------------------------------------------------------------------

    def reset(self, states: Mapping[Any, Any] | None = None) -> None:
        """Back to time zero.

        Args:
            states: Other initial states (or memories) for some parts: `{plant: PlantState(...)}`; for elements of the
                mechanism as in `Scenario.start`. Keys are parts, elements, or their names.
        """
        with self._turns.take("reset"):
            self._arena = self._reset_arena({} if states is None else states)
            self._log = None
            self._start = None

    def _reset_arena(self, states: Mapping[Any, Any]) -> np.ndarray:
        """A fresh arena with other states for some parts."""
        if not isinstance(states, Mapping):
            raise SettingError(f"reset({shown(states)}).\n  Use a dictionary, e.g. `{{plant: PlantState(...)}}`.")
        arena = aligned_copy(self._initial)
        places = self._program.state_places | self._program.memories
        of_mechanism: dict[str, Any] = {}
        for part, value in states.items():
            name = str(getattr(part, "name", part))
            if name not in places and self.scenario.mechanism is not None:
                of_mechanism[name] = value
                continue
            if name not in places:
                raise UnknownName(
                    f"`{name}` has no state to reset.{did_you_mean(name, places)}\n"
                    f"  These have one: {', '.join(places) or 'none'}"
                )
            place = places[name]
            declared = self.scenario.parts[name].contract.state
            assert declared is not None
            taken = declared.take(value, f"{name}.state")
            _check_sizes(place, declared.block.sized_like(taken), name)
            place.block.pack(taken, place.words(arena))
        coordinates = self._program.coordinates
        if self.scenario.mechanism is not None and coordinates is not None:
            start = initial_coordinates(
                self.scenario.mechanism,
                self._program.integrated,
                of_mechanism,
                coordinates.block.unpack(coordinates.words(arena)),
            )
            coordinates.block.pack(start, coordinates.words(arena))
        return arena

    def compile(self, record: Record | None = None, *, progress: bool = True) -> None:
        """Compile all that a run with `record` needs, on all cores. `run` does it too, unless it was done before.

        Args:
            record: What the run will record.
            progress: Whether to show what is being compiled, once that has taken two seconds.
        """
        with self._turns.take("compile"), let_through():
            self._tables(recorded_places(record or Record(), self._program), self._arena, progress)

    def run(
        self,
        until: float,
        *,
        record: Record | None = None,
        realtime: float | None = None,
        progress: bool = True,
    ) -> Log:
        """Advance to `until` and return what was recorded on the way.

        A run can be continued by another, whose log begins after the last sample of this one. If it ends early, by an
        error or by Ctrl-C, `log` has what was recorded and the simulation stands at its last step. A simulation does
        one run at a time, also if it is asked in several threads.

        Args:
            until: [s] Time to stop at.
            record: What to record; by default the outputs of all tasks and all continuous states, at every tick.
            realtime: Simulated seconds per second of wall time; None for as fast as possible.
            progress: Whether to show how far it is, once compiling or the run itself has taken two seconds.
        """
        with self._turns.take("run"):
            return self._run(until, record or Record(), realtime, progress)

    def _run(self, until: float, record: Record, realtime: float | None, progress: bool) -> Log:
        end = self._end(until, self._arena)
        with let_through():
            run = self._tables(recorded_places(record, self._program), self._arena, progress)
        self._log = None  # never that of another run
        ints = self._arena.view(np.int64)
        period = sample_period(record, self.integrator.base_tick, bool(self._program.order.tasks))
        # a tick that is done has been recorded by the run that did it
        first = int(ints[core.NOW] + ints[core.TICK_DONE])
        samples = Samples(int(run.plan.record[:, 1].sum()), period, first, end)
        pacing = Pacing(self.scenario.name, self.now, until, realtime, progress)
        self._start = self._arena[: self._program.state_words].copy()
        with self._reading:
            self._seen = self._start
        try:
            with pacing:
                self._loop(self._arena, run, samples, end, pacing)
        finally:
            self._seen = None
            self._log = self._make_log(run, samples)
        return self._log

    def advance(self, snapshot: Snapshot, until: float) -> Snapshot:
        """The snapshot that `snapshot` becomes at `until` [s]. Pure: *now* and the log stay as they are."""
        with self._turns.take("advance"):
            arena = self._arena_of(snapshot)
            end = self._end(until, arena)
            with let_through():
                run = self._tables({}, arena, progress=True)
            samples = Samples(0, NEVER, 1, 1)
            with Pacing(self.scenario.name, snapshot.t, until, None, progress=False) as pacing:
                self._loop(arena, run, samples, end, pacing)
            return self._snapshot_of(arena)

    def snapshot(self) -> Snapshot:
        """Everything that changes during a run, as a value; while a run goes on, as it was at its last pause."""
        return self._snapshot_of(self._present())

    def _snapshot_of(self, arena: np.ndarray) -> Snapshot:
        words = arena[: self._program.state_words].copy()
        forget(words)
        words.flags.writeable = False
        return Snapshot(self.scenario.name, self._program.fingerprint, words)

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from `snapshot`, to the same bits as the run it was taken from."""
        with self._turns.take("restore"):
            self._arena = self._arena_of(snapshot)

    def audit(self, samples: int = 200) -> Audit:
        """Whether the last run kept momentum and energy, less what loads gave, as far as its integrator can.

        Runs it twice more, once as it was and once with a finer integrator; *now* and the log stay as they are.

        Args:
            samples: How often the balance is looked at.
        """
        with self._turns.take("audit"):
            return self._audit(samples)

    def _audit(self, samples: int) -> Audit:
        if self.scenario.mechanism is None or self._start is None or self._span == 0:
            raise SettingError(
                f"There is nothing to audit in scenario `{self.scenario.name}`.\n"
                "  An audit needs a mechanism, and a run that has come further than its start."
            )
        if not isinstance(samples, int) or samples < 1:
            raise SettingError(f"audit(samples={shown(samples)}).\n  Use a whole number, e.g. 200.")
        start, span = self._start, self._span
        logs = []
        for integrator in (self.integrator, finer_integrator(self.integrator)):
            again = Simulation(
                self.scenario, dynamics=self.dynamics, integrator=integrator, jit=self._jit, _is_audited=True
            )
            again._begin_as(self._program, start)
            tick = self.integrator.base_tick
            every = seconds(max(1, span // (samples * tick)) * tick)
            ports = [f"{body}.{port}" for body in again._program.balances for port in ("momentum", "balance")]
            logs.append(again.run(until=self.now, record=Record(every=every, ports=ports), progress=False))
        vehicles = list(again._program.balances)
        rows = compare(vehicles, logs[0], logs[1], self.steps["accepted"], self.integrator)
        return Audit(seconds(int(start.view(np.int64)[core.NOW])), self.now, rows)

    # ---- details -------------------------------------------------------------------------------------------------

    @property
    def _span(self) -> int:
        """[ns] How far the last run has come."""
        assert self._start is not None
        return int(self._arena.view(np.int64)[core.NOW]) - int(self._start.view(np.int64)[core.NOW])

    def _present(self) -> np.ndarray:
        """A copy of the words that change during a run; while one goes on, as they were at its last pause."""
        with self._reading:  # no run begins meanwhile
            return (self._arena if self._seen is None else self._seen)[: self._program.state_words].copy()

    def _loop(self, arena: np.ndarray, run: _Run, samples: Samples, end: int, pacing: Pacing) -> None:
        """Call the core until it is done."""
        pace = np.zeros(2, np.int64)
        with pausing(pace):
            self._slices(arena, run, samples, end, pacing, pace)

    def _slices(
        self, arena: np.ndarray, run: _Run, samples: Samples, end: int, pacing: Pacing, pace: np.ndarray
    ) -> None:
        advance = native_advance()
        ints = arena.view(np.int64)
        code, began = core.PAUSED, int(ints[core.STEPS])
        while code != core.DONE:
            pace[:] = pacing.slice(seconds(int(ints[core.NOW])))
            deliver()
            steps = int(ints[core.STEPS])
            code = advance(arena, ints, run.plan, self._method, samples.recorder, end, pace)
            if arena is self._arena and code in (core.DONE, core.PAUSED):
                self._seen = arena[: self._program.state_words].copy()
            pacing.spent(int(ints[core.STEPS]) - steps, seconds(int(ints[core.NOW])))
            if code == core.BUFFER_FULL:
                samples.grow()
            elif code not in (core.DONE, core.PAUSED):
                try:
                    raise_failure(code, arena, self._program, run.rows, self.integrator)
                finally:
                    # a step that failed leaves its trial state behind: stand at the last accepted one
                    if int(ints[core.FAIL_TABLE]) in (core.STAGE_TABLE, core.PROJECT_TABLE):
                        size = self._program.size
                        arena[self._program.x :][:size] = arena[self._program.work :][:size]
                    ints[core.FAIL_STATUS : core.FAIL_TIME + 1] = 0
        if int(ints[core.STEPS]) > began:
            check_end(arena, self._program, self.integrator)

    def _warn_of_long_steps(self) -> None:
        """Before a run ends by it: not an error, because a lock or a part may keep what would grow from moving."""
        mechanism, inputs = self.scenario.mechanism, self.scenario.mechanism_inputs.values()
        # what mass properties come in is not known yet
        if mechanism is None or any(given.port.role is Role.MASS_PROPERTIES for given in inputs):
            return
        tree, integrated = mechanism.tree, self._program.integrated
        q, is_known = np.array(tree.reference), np.ones(tree.nv, bool)
        q[integrated.q], is_known[integrated.v] = self._program.start.q, False
        if has_springs(mechanism):
            matrix = inertia_at(tree, q, tree.mass, tree.com, tree.inertia).matrix
            found = too_long(self.integrator, mechanism, matrix, is_known)
            if found is not None:
                warnings.warn(str(found), StepWarning, stacklevel=3)

    def _end(self, until: float, arena: np.ndarray) -> int:
        end = nanoseconds(until, "`until`")
        now = int(arena.view(np.int64)[core.NOW])
        if end < now:
            raise PeriodError(
                f"until = {until!r} s lies before now, {seconds(now):.9g} s.\n"
                "  Run to a later time, or `reset()` or `restore()` first."
            )
        return end

    def _tables(self, places: dict[str, Place], arena: np.ndarray, progress: bool) -> _Run:
        """The tables of a run of `arena` that records `places`; all that is in them is compiled."""
        program = self._program
        if program.mechanism is not None:
            program.mechanism.record(arena, [path for path in places if path in program.mechanism_ports])
        if tuple(places) not in self._runs:
            self._runs[tuple(places)] = self._new_tables(places, progress)
        return self._runs[tuple(places)]

    def _new_tables(self, places: dict[str, Place], progress: bool) -> _Run:
        program = self._program
        ticks = program.tick_rows(places)
        rows = {
            core.STAGE_TABLE: program.stage_rows(),
            core.TICK_TABLE: [row for row, _ in ticks],
            core.TASK_TABLE: program.task_rows(),
            core.PROJECT_TABLE: program.projection_rows(),
        }
        self._compile([row for table in rows.values() for row in table if row.jit], progress)
        tasks = [
            (
                row.address,
                row.context,
                self.scenario.parts[name].period,
                program.due + i,
                self._tick_word(name),
                self.scenario.parts[name].offset,
                program.wake_up_word(name),
            )
            for i, (name, row) in enumerate(zip(program.order.tasks, rows[core.TASK_TABLE], strict=True))
        ]
        timed = {id(row): core.ON_TIME for row in program.timed_rows()}
        settled = {id(row): core.AT_TICKS for row in program.settled_rows(places)}
        seldom = {id(program.rows[CHECK]): core.SELDOM} if CHECK in program.rows else {}
        stage = [
            (row.address, row.context, timed.get(id(row), 0) | settled.get(id(row), 0) | seldom.get(id(row), 0))
            for row in rows[core.STAGE_TABLE]
        ]
        plan = core.Plan(
            stage=_table(stage, 3),
            tick=_table([(row.address, row.context, mask) for row, mask in ticks], 3),
            tasks=_table(tasks, 7),
            delays=_table(program.delays, 6),
            projections=_table([(row.address, row.context) for row in rows[core.PROJECT_TABLE]], 2),
            record=_table(runs_of_words(places.values()), 2),
            breaks=_table([(at,) for at in program.breaks], 1),
            x=program.x,
            xdot=program.xdot,
            size=program.size,
            work=program.work,
            absolute=program.absolute,
            relative=program.relative,
            positions=program.positions,
        )
        return _Run(plan, rows, places)

    def _compile(self, rows: list[AnyRow], progress: bool) -> None:
        """Compile what is not on disk yet; the core and the services first, which take longest."""
        by_length = sorted(rows, key=lambda row: not isinstance(row, ServiceRow))
        with CompileProgress(self.scenario.name, progress) as shown:
            compile_all([core_compilation(), *(row.compilation for row in by_length)], shown.report)

    def _tick_word(self, name: str) -> int:
        key = self._program.keys.get(name)
        return -1 if key is None else key.at + 1

    def _make_log(self, run: _Run, samples: Samples) -> Log:
        t, fields = recorded_fields(run.places, samples.chunks())
        return Log(t, fields, dict(self._about))

    @cached_property
    def _about(self) -> dict[str, Any]:
        versions = {
            "cardan": _cardan_version(),
            "numpy": np.__version__,
            "numba": numba.__version__,
            "python": platform.python_version(),
        }
        services = {} if self.dynamics is None else {"dynamics": repr(self.dynamics)}
        return description(self.scenario) | services | {"integrator": repr(self.integrator), "versions": versions}

    def _begin_as(self, other: Program, words: np.ndarray) -> None:
        """Take over the state of a simulation without an audit; the balance of this one begins at zero."""
        mine, extra = self._program, self._program.size - other.size
        self._arena[: other.x + other.size] = words[: other.x + other.size]
        rest = other.xdot + other.size
        self._arena[rest + 2 * extra : mine.state_words] = words[rest:]
        ints = self._arena.view(np.int64)
        ints[core.FSAL_VALID] = 0

    def _arena_of(self, snapshot: Snapshot) -> np.ndarray:
        """A fresh arena that stands where `snapshot` was taken."""
        if not isinstance(snapshot, Snapshot):
            raise SnapshotError(f"{snapshot!r} is not a snapshot.\n  Read a file with `cardan.load_snapshot(path)`.")
        if snapshot.fingerprint != self._program.fingerprint or len(snapshot.words) != self._program.state_words:
            raise SnapshotError(
                f"The snapshot of `{snapshot.scenario}` does not fit scenario `{self.scenario.name}`.\n"
                "  Both must have the same parts with the same names, classes, sizes, rates and delays."
            )
        arena = aligned_copy(self._initial)
        arena[: self._program.state_words] = snapshot.words
        forget(arena)
        return arena

    def _set_tolerances(self, arena: np.ndarray) -> None:
        if not isinstance(self.integrator, AdaptiveStep):
            return
        states = {state.path: state for state in self._program.states}
        unknown = [path for path in self.integrator.tolerances if path not in states]
        if unknown:
            raise UnknownName(
                f"{type(self.integrator).__name__}: there is no state `{unknown[0]}` to give a tolerance to."
                f"{did_you_mean(unknown[0], states)}\n  states: {', '.join(states) or 'none'}"
            )
        for path, state in states.items():
            absolute, relative = self.integrator.tolerances.get(path, (self.integrator.atol, self.integrator.rtol))
            count = state.declared.field.words
            arena[self._program.absolute + state.start :][:count] = absolute
            arena[self._program.relative + state.start :][:count] = relative


@cache
def _cardan_version() -> str:
    return version("cardan")


def _table(rows: list[Any], columns: int) -> np.ndarray:
    return np.array(rows, np.int64).reshape(len(rows), columns)


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


def _warn_of_loose_ends(scenario: Scenario) -> None:
    lines = loose_ends(scenario)
    if lines:
        warnings.warn(
            f"Scenario `{scenario.name}` has loose ends:\n  "
            + "\n  ".join(lines)
            + "\n  Connect them, or say `scn.leave_open(...)` for each that is meant to be so.",
            LooseEnds,
            stacklevel=3,
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


def _check_sizes(place: Place, given: Any, name: str) -> None:
    for expected, got in zip(place.block.fields, given.fields, strict=True):
        if expected.shape != got.shape:
            raise ShapeError(
                f"`{name}.state.{expected.name}` has the wrong shape.\n"
                f"  expected {expected.shape}\n  got      {got.shape}"
            )
