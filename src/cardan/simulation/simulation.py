"""`Simulation`: a scenario that advances through time."""

import copy
import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cardan.contracts.dynamics import Dynamics
from cardan.errors import (
    PeriodError,
    SettingError,
    ShapeError,
    SnapshotError,
    UnknownName,
    WiringError,
    shown,
)
from cardan.mechanism.ports import MechanismPort
from cardan.scenario.clock import nanoseconds, seconds
from cardan.scenario.ports import Port
from cardan.scenario.scenario import Scenario
from cardan.simulation import core
from cardan.simulation.audit import Audit, compare, finer_integrator
from cardan.simulation.input_slots import InputSlot, input_slots, no_such_input
from cardan.simulation.integrators import Integrator
from cardan.simulation.interrupts import let_through
from cardan.simulation.log import Log
from cardan.simulation.pacing import Pacing
from cardan.simulation.reader import Evaluation, Reader
from cardan.simulation.record import NO_SAMPLES, Record
from cardan.simulation.run import Run
from cardan.simulation.schedule import Tables
from cardan.simulation.setup import Setup, set_up
from cardan.simulation.snapshot import Snapshot, forget
from cardan.simulation.streaming import check_stream
from cardan.simulation.turns import Turns

_PORTS = (Port, MechanismPort)


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
        self._begin(set_up(scenario, dynamics, integrator, jit=jit, is_audited=_is_audited))
        self._jit = jit

    def _begin(self, setup: Setup) -> None:
        """Stand at time zero."""
        self._setup = setup
        self._run = setup.new_run()
        self._turns = Turns(setup.scenario.name)
        self._reading = threading.RLock()
        self._seen: np.ndarray | None = None  # what others see while a run goes on
        self._reader = Reader(setup.schedule, setup.initial, setup.values.mechanism)
        self._ungiven = {p.name for p in setup.scenario.parts.values() if p.is_outside and p.initial is None}
        self._log: Log | None = None
        self._start: np.ndarray | None = None

    @classmethod
    def standing_at(cls, setup: Setup, words: np.ndarray) -> "Simulation":
        """A simulation in the midst of a run, made from what others share; for batches."""
        sim = cls.__new__(cls)
        sim._jit = True
        sim._begin(setup)
        sim._run.load(words)
        return sim

    @property
    def scenario(self) -> Scenario:
        """What is simulated."""
        return self._setup.scenario

    @property
    def dynamics(self) -> Dynamics | None:
        """How accelerations are found."""
        return self._setup.dynamics

    @property
    def integrator(self) -> Integrator:
        """How states are advanced."""
        return self._setup.integrator

    def __repr__(self) -> str:
        return f"<simulation of {self._setup.scenario.name} at t = {self.now:g} s>"

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
        name = path.path if isinstance(path, _PORTS) else str(path)
        with self._reading:  # no run begins meanwhile
            return self._reader.read(self._run.words if self._seen is None else self._seen, name)

    @property
    def states(self) -> dict[str, tuple[int, ...]]:
        """What the integrator advances: the fields of the continuous state by path, each with its shape."""
        return {state.path: tuple(state.declared.field.shape) for state in self._setup.layout.states}  # type: ignore[arg-type]

    def evaluate(self, *, q: Any = None, v: Any = None, t: float | None = None) -> Evaluation:
        """All that follows from the present state: rates, accelerations of the mechanism, messages in all ports.

        Args:
            q: (nq,) Other coordinates of the mechanism, in its own order; those of prescribed joints do not count.
            v: (nv,) Other velocities.
            t: [s] Another time.
        """
        mechanism = self.scenario.mechanism
        for name, given in (("q", q), ("v", v)):
            size = 0 if mechanism is None else getattr(mechanism.tree, f"n{name}")
            if given is not None and np.shape(given) != (size,):
                raise ShapeError(f"evaluate({name}=...): expected ({size},), got {np.shape(given)}.")
        with self._reading:
            return self._reader.evaluate(self._run.words if self._seen is None else self._seen, t, q, v)

    # ---- running -------------------------------------------------------------------------------------------------

    def reset(self, states: Mapping[Any, Any] | None = None) -> None:
        """Back to time zero.

        Args:
            states: Other initial states (or memories) for some parts: `{plant: PlantState(...)}`; for elements of the
                mechanism as in `Scenario.start`. Keys are parts, elements, or their names.
        """
        with self._turns.take("reset"):
            values = self._setup.values
            self._run = self._setup.new_run(None if states is None else values.starting(states))
            self._log = None
            self._start = None

    def recording_size(self, until: float, record: Record | None = None) -> int:
        """[bytes] About as much memory as a run to `until` [s] needs for what it records.

        How many steps an adaptive integrator takes is not known, so what is recorded at every step of one counts
        nothing.
        """
        return self._setup.recording_size(record or Record(), self._end(until, self._run.now) - self._run.now)

    def compile(self, record: Record | None = None, *, progress: bool = True) -> None:
        """Compile all that a run with `record` needs, on all cores. `run` does it too, unless it was done before.

        Args:
            record: What the run will record.
            progress: Whether to show what is being compiled, once that has taken two seconds.
        """
        with self._turns.take("compile"), let_through():
            self._setup.tables(record or Record(), progress)

    def run(
        self,
        until: float,
        *,
        record: Record | None = None,
        stream: str | Path | None = None,
        realtime: float | None = None,
        progress: bool = True,
        timeout: float | None = None,
    ) -> Log:
        """Advance to `until` and return what was recorded on the way.

        A run can be continued by another, whose log begins after the last sample of this one. If it ends early, by an
        error or by Ctrl-C, `log` has what was recorded and the simulation stands at its last step. A simulation does
        one run at a time, also if it is asked in several threads.

        Args:
            until: [s] Time to stop at.
            record: What to record; by default the outputs of all tasks and all continuous states, at every tick.
            stream: A netCDF file that samples go to while the run goes on, for more than memory holds. The log reads
                them from there. However the run ends, the file has what was recorded, as `Log.save` would write it.
            realtime: Simulated seconds per second of wall time; None for as fast as possible.
            progress: Whether to show how far it is, once compiling or the run itself has taken two seconds.
            timeout: [s] Wall time after which the run ends with a `RunTimeout`; what was recorded is kept.
        """
        with self._turns.take("run"):
            return self._run_to(until, record or Record(), stream, realtime, progress, timeout)

    def _run_to(
        self,
        until: float,
        record: Record,
        stream: str | Path | None,
        realtime: float | None,
        progress: bool,
        timeout: float | None,
    ) -> Log:
        run = self._run
        end = self._end(until, run.now)
        self._check_given()
        file = None if stream is None else Path(stream)
        if file is not None:
            check_stream(file)
        with let_through():
            tables = self._setup.tables(record, progress)
        run.record(tables)
        pacing = Pacing(self.scenario.name, self.now, until, realtime, progress, timeout)
        self._log = None  # never that of another run
        samples = self._setup.samples(run, tables, end, file)
        self._start = run.words.copy()
        with self._reading:
            self._seen = self._start
        try:
            with pacing:
                run.advance(tables, samples, end, pacing, at_pause=self._see)
        finally:
            self._seen = None
            self._log = self._setup.log(tables, samples)
        return self._log

    def _see(self) -> None:
        """Let others see where the run stands."""
        self._seen = self._run.words.copy()

    # ---- from outside --------------------------------------------------------------------------------------------

    def give(self, messages: Mapping[Any, Any] | None = None, /, **named: Any) -> None:
        """Give messages to the inputs of the scenario; they are held until others are given.

        A message given at t acts from t on, as the output of a task does: on models from there on, and on tasks at this
        very tick, if `advance_to` has come to it.

        Args:
            messages: By input, or by its name: `{command: WheelTorques(...)}`.
            named: By name: `command=WheelTorques(...)`.
        """
        with self._turns.take_briefly("give"):
            if messages:
                named = {**{str(getattr(source, "part", source)): said for source, said in messages.items()}, **named}
            for name, message in named.items():
                slot = self._inputs.get(name)
                if slot is None:
                    raise UnknownName(no_such_input(self.scenario.name, name, self._inputs))
                slot.give(self._run.arena, message)
                self._setup.layout.renew_parameters(self._run.arena, name)
                self._ungiven.discard(name)
            self._run.ints[core.FSAL_VALID] = 0

    @cached_property
    def _inputs(self) -> dict[str, InputSlot]:
        return input_slots(self._setup.layout)

    def advance_to(self, t: float) -> None:
        """Go on to `t` [s] without recording, and wait there for what is given.

        In the tick of `t`, tasks run that do not depend on inputs from outside. Those that do run when the simulation
        goes on, with what `give` has given meanwhile.
        """
        self._check_given()
        tables = self._nothing_recorded
        if not self._setup.schedule.has_callbacks:
            with self._turns.take_briefly("advance_to"):
                run = self._run
                if run.quick(tables, NO_SAMPLES, self._end(t, run.now)):
                    return
        with self._turns.take("advance_to"):
            self._advance_slowly(t, tables)

    def _advance_slowly(self, t: float, tables: Tables) -> None:
        """In slices, with all that a long run needs."""
        run, end = self._run, self._end(t, self._run.now)
        with self._reading:
            self._seen = run.words.copy()
        try:
            with Pacing(self.scenario.name, self.now, t, None, progress=False) as pacing:
                run.advance(tables, NO_SAMPLES, end, pacing, waits=True, at_pause=self._see)
        finally:
            self._seen = None

    @cached_property
    def _nothing_recorded(self) -> Tables:
        with let_through():
            return self._setup.schedule.tables((), progress=True)

    def _check_given(self) -> None:
        if self._ungiven:
            names = ", ".join(f"`{name}`" for name in sorted(self._ungiven))
            raise WiringError(
                f"Nothing was given to {names} yet, and the scenario says nothing to begin with.\n"
                "  Call `give(...)` first, or make the input with a message: `scn.input(name, message)`."
            )

    def variant(self, parameters: Mapping[str, Any], *, seed: int | None = None) -> "Simulation":
        """A simulation like this one at time zero, with other parameters or another seed; nothing is built again.

        Args:
            parameters: By path: parameters of parts, `ctl.K`; mass properties of bodies, `bus.mass`, `bus.r_CB_B`,
                `bus.inertia_B`; of joints `elbow.damping`, `stiffness`, `rest`, `armature`, `friction`; poses of sites,
                `nozzle.r_SB_B`, `nozzle.q_SB`. They keep their sizes.
            seed: What all random numbers follow from; by default the same.
        """
        other = copy.copy(self)
        other._begin(self._setup.changed(parameters, seed))
        return other

    def advance(self, snapshot: Snapshot, until: float) -> Snapshot:
        """The snapshot that `snapshot` becomes at `until` [s]. Pure: *now* and the log stay as they are."""
        with self._turns.take("advance"):
            run = self._setup.new_run()
            self._load(run, snapshot)
            end = self._end(until, run.now)
            with let_through():
                tables = self._setup.schedule.tables((), progress=True)
            with Pacing(self.scenario.name, snapshot.t, until, None, progress=False) as pacing:
                run.advance(tables, NO_SAMPLES, end, pacing)
            return self._snapshot_of(run.words)

    def snapshot(self) -> Snapshot:
        """Everything that changes during a run, as a value; while a run goes on, as it was at its last pause."""
        return self._snapshot_of(self._present())

    def _snapshot_of(self, words: np.ndarray) -> Snapshot:
        words = words.copy()
        forget(words)
        words.flags.writeable = False
        return Snapshot(self.scenario.name, self._setup.layout.fingerprint, words)

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from `snapshot`, to the same bits as the run it was taken from."""
        with self._turns.take("restore"):
            run = self._setup.new_run()
            self._load(run, snapshot)
            self._run = run

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
            again._begin_as(self, start)
            tick = self.integrator.base_tick
            every = seconds(max(1, span // (samples * tick)) * tick)
            ports = [f"{body}.{port}" for body in again._setup.layout.balances for port in ("momentum", "balance")]
            logs.append(again.run(until=self.now, record=Record(every=every, ports=ports), progress=False))
        vehicles = list(again._setup.layout.balances)
        rows = compare(vehicles, logs[0], logs[1], self.steps["accepted"], self.integrator)
        return Audit(seconds(int(start.view(np.int64)[core.NOW])), self.now, rows)

    def view(self, **options: Any) -> Any:
        """Open a page in which a run can be followed, paused, stepped and changed by hand (extra `view`).

        Args:
            options: As `cardan.viewer.Live` takes them: `pace`, `record`, `follow`, `host`, `port` ...

        Returns:
            A `cardan.viewer.Live`, whose `run(until)` returns a log: `log = sim.view(pace=10.0).run(until=600.0)`.
        """
        from cardan.viewer import view_simulation

        return view_simulation(self, **options)

    # ---- details -------------------------------------------------------------------------------------------------

    @property
    def _span(self) -> int:
        """[ns] How far the last run has come."""
        assert self._start is not None
        return self._run.now - int(self._start.view(np.int64)[core.NOW])

    def _present(self) -> np.ndarray:
        """A copy of the words that change during a run; while one goes on, as they were at its last pause."""
        with self._reading:  # no run begins meanwhile
            return (self._run.words if self._seen is None else self._seen).copy()

    def _end(self, until: float, now: int) -> int:
        end = nanoseconds(until, "`until`")
        if end < now:
            raise PeriodError(
                f"until = {until!r} s lies before now, {seconds(now):.9g} s.\n"
                "  Run to a later time, or `reset()` or `restore()` first."
            )
        return end

    def _begin_as(self, other: "Simulation", words: np.ndarray) -> None:
        """Take over the state of a simulation without an audit; the balance of this one begins at zero."""
        mine, theirs = self._setup.layout, other._setup.layout
        values = replace(other._setup.values, layout=mine, tolerances=self._setup.values.tolerances)
        self._begin(replace(self._setup, values=values))
        end, extra = theirs.x + theirs.size, mine.size - theirs.size
        self._run.words[:end] = words[:end]
        self._run.words[end + extra :] = words[end:]
        self._run.ints[core.FSAL_VALID] = 0

    def _load(self, run: Run, snapshot: Snapshot) -> None:
        """Let a run stand where `snapshot` was taken."""
        if not isinstance(snapshot, Snapshot):
            raise SnapshotError(f"{snapshot!r} is not a snapshot.\n  Read a file with `cardan.load_snapshot(path)`.")
        layout = self._setup.layout
        if snapshot.fingerprint != layout.fingerprint or len(snapshot.words) != layout.state_words:
            raise SnapshotError(
                f"The snapshot of `{snapshot.scenario}` does not fit scenario `{self.scenario.name}`.\n"
                "  Both must have the same parts with the same names, classes, sizes, rates and delays."
            )
        run.load(snapshot.words)
