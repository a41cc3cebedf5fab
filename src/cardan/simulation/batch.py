"""`Batch`: many runs of one scenario, each a row of memory, advanced on all cores."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cardan.contracts.dynamics import Dynamics
from cardan.errors import (
    SettingError,
    ShapeError,
    UnknownName,
    WiringError,
    did_you_mean,
    shown,
)
from cardan.maths.random import stream_of
from cardan.mechanism.ports import MechanismPort
from cardan.native.compilation import compile_all
from cardan.native.lanes import COUNT
from cardan.scenario.clock import NANO, nanoseconds, seconds
from cardan.scenario.outside import OUTPUT
from cardan.scenario.ports import Port
from cardan.scenario.scenario import Scenario
from cardan.simulation import batch_core, core
from cardan.simulation.batch_files import new_folder
from cardan.simulation.batch_given import rollout_words
from cardan.simulation.batch_log import BatchLog
from cardan.simulation.batch_member import (
    MemberFailure,
    core_count,
    paths_of,
    rows_of_words,
    views,
    whole_number,
)
from cardan.simulation.batch_recording import RecordedRuns
from cardan.simulation.batch_run import MemberRun, batch_compilation
from cardan.simulation.batch_start import Starts
from cardan.simulation.crew import Crew, Given, crew_compilation
from cardan.simulation.integrators import Integrator
from cardan.simulation.interrupts import held, let_through, pausing
from cardan.simulation.lane_run import group_compilations
from cardan.simulation.log import Log
from cardan.simulation.pacing import Pacing
from cardan.simulation.places import Place, runs_of_words
from cardan.simulation.record import NEVER, NO_SAMPLES, Group, Record, Samples
from cardan.simulation.setup import set_up
from cardan.simulation.simulation import Simulation
from cardan.simulation.snapshot import Snapshot
from cardan.simulation.varying import Varying
from cardan.simulation.workers import Workers


class Batch:
    """N runs of one scenario, side by side. Each gives the same bits as a `Simulation` of its own.

    Ports are read and written for all members at once: `batch["nav.attitude"].sigma_BN` is (N, 3), a view of the
    batch's own memory.

    Args:
        scenario: What is simulated; it is frozen from here on.
        members: How many runs, N.
        dynamics: How the accelerations of the scenario's mechanism are found; none without a mechanism.
        integrator: How states are advanced.
        outputs: Ports that `rollout` returns, and that are kept up to date after each `advance`. What is held anyway
            (outputs of tasks, states, memories, inputs from outside) can always be read.
        varies: Paths of what differs between members beside their states: parameters of parts, `ctl.K`; mass properties
            of bodies, `bus.mass`; coefficients of joints, `elbow.damping`; poses of sites, `nozzle.q_SB`.
        seeds: One for each member; by default the scenario's own seed and the numbers after it.
        threads: How many threads share the work; by default one for each core that this process may use.
        jit: False to run every part as plain Python.
    """

    def __init__(
        self,
        scenario: Scenario,
        members: int,
        *,
        dynamics: Dynamics | None = None,
        integrator: Integrator | None = None,
        outputs: Sequence[str | Port | MechanismPort] = (),
        varies: Sequence[str] = (),
        seeds: Iterable[int] | None = None,
        threads: int | None = None,
        jit: bool = True,
    ) -> None:
        self._count = whole_number(members, "members")
        self._workers = Workers(core_count() if threads is None else whole_number(threads, "threads"))
        paths = paths_of(outputs)
        self._setup = set_up(scenario, dynamics, integrator, jit=jit, wanted=paths)
        self._layout = self._setup.layout
        self._varying = Varying(self._setup, varies, self._count)
        self._starts = Starts(self._layout, self._count)
        self._initial = self._varying.row(self._setup.initial)
        self._rows = rows_of_words(self._count, len(self._initial))
        self._rows[:, : len(self._initial)] = self._initial
        self._ints = self._rows.view(np.int64)
        self._everyone, self._untils = np.arange(self._count), np.zeros(self._count, np.int64)
        self._inputs = {name: placed for name, placed in scenario.parts.items() if placed.is_outside}
        self._seeds = self._take_seeds(seeds, self._setup.values.seed)
        self._write_keys(np.ones(self._count, bool))
        self._outputs = self._take_outputs(paths)
        with let_through():
            self._tables = self._setup.schedule.tables([Group(NEVER, self._outputs)], progress=True)
            groups = group_compilations(self._setup, self._tables) if self._count >= COUNT else []
            compile_all([batch_compilation(), crew_compilation(), *groups], lambda *_: None)
        self._out = np.zeros((self._count, sum(place.block.words for place in self._outputs.values())))
        self._codes = np.zeros(self._count, np.int64)
        self._shared: dict[int, np.ndarray] = {}  # words of parameters that all have got from `share`, by their place
        new_run = partial(MemberRun, self._setup, self._varying, self._tables, self._count, self._shared)
        self._crew = Crew(self._workers.count, new_run, self._common_slots())
        self._one_step = Given(1, np.empty((self._count, 0)), (), self._out, is_changed=bool(self._inputs))
        self._under_way: tuple[np.ndarray, int, Given] | None = None
        self._failures: dict[int, MemberFailure] = {}
        self._ungiven = {placed.name for placed in self._inputs.values() if placed.initial is None}
        self._is_stale = True
        self._log: BatchLog | None = None

    # ---- looking -------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<batch of {self._setup.scenario.name}: {self._count} members, {int(self.failed.sum())} failed>"

    @property
    def scenario(self) -> Scenario:
        """What is simulated."""
        return self._setup.scenario

    @property
    def t(self) -> np.ndarray:
        """(N,) [s] The time that each member has reached."""
        times: np.ndarray = self._ints[:, core.NOW] / NANO
        return times

    @property
    def failed(self) -> np.ndarray:
        """(N,) Which members have failed since they were reset; they stand where they stood before, and stay there."""
        return self._codes.astype(bool)  # DONE is 0

    @property
    def seeds(self) -> list[int]:
        """What the random numbers of each member follow from."""
        return list(self._seeds)

    def __getitem__(self, path: str | Port | MechanismPort) -> Any:
        """The values of a port, a state, a memory or of what varies, (N, ...) for each field.

        They are views: they follow the batch, and inputs from outside, states and memories may be written to. An input
        from outside has a short name: `batch["command"]`. Values of what varies are changed by `set`.
        """
        name = path.path if isinstance(path, Port | MechanismPort) else str(path)
        if name in self._varying.paths:
            values = self._varying.view(self._rows, name).view()
            values.flags.writeable = False
            return values
        if name in self._inputs:
            self._ungiven.discard(name)
            name = f"{name}.{OUTPUT}"
        if name in self._outputs:
            self._refresh()
            return views(self._outputs[name], self._out, self._column(name))
        place = self._layout.recordable.get(name)
        if place is None:
            known = [*self._layout.recordable, *self._varying.paths]
            raise UnknownName(f"There is no `{name}`.{did_you_mean(name, known)}\n  There are: {', '.join(known)}")
        part, _, port = name.rpartition(".")
        placed = self.scenario.parts.get(part)
        if placed is None or not (placed.is_held or port in ("state", "parameters")):
            raise UnknownName(
                f"`{name}` is evaluated at every stage; a batch keeps it only where that is asked for.\n"
                f"  Make the batch with `outputs=[{name!r}]`."
            )
        return views(place, self._rows, place.at)

    # ---- changing ------------------------------------------------------------------------------------------------

    def reset(
        self, states: Mapping[Any, Any] | None = None, *, where: Any = None, seeds: Iterable[int] | None = None
    ) -> None:
        """Back to time zero, all members or some. What varies keeps its values.

        Args:
            states: Other initial states, as in `Simulation.reset`; each field has one value for all, or (N, ...).
            where: (N,) A mask of the members that are reset; by default all.
            seeds: (N,) Other seeds, of which those of the members that are reset count.
        """
        mask = self._mask(where)
        taken = self._starts.take({} if states is None else states, mask)
        if seeds is not None:
            others = self._take_seeds(seeds, 0)
            self._seeds = [new if reset else old for new, old, reset in zip(others, self._seeds, mask, strict=True)]
        words = self._layout.state_words
        self._rows[mask, :words] = self._initial[:words]
        self._varying.begin(self._rows, mask)
        self._varying.restart(self._rows, mask)
        for at, values in taken:
            self._rows[mask, at : at + values.shape[1]] = values[mask]
        self._write_keys(mask)
        self._codes[mask] = core.DONE
        self._failures = {member: known for member, known in self._failures.items() if not mask[member]}
        self._is_stale = True

    def set(self, values: Mapping[str, Any], *, where: Any = None) -> None:
        """Give members other values of what varies.

        Args:
            values: By path, `{"ctl.K": K}`: one value for all, or (N, ...).
            where: (N,) A mask of the members that are changed; by default all.
        """
        mask = self._mask(where)
        self._varying.write(self._rows, values, mask)
        self._ints[mask, core.FSAL_VALID] = 0
        self._is_stale = True

    def share(self, values: Mapping[str, Any]) -> None:
        """Give all members other values of parameters that do not vary, such as the weights of a policy.

        They lie once in the memory of each thread, so that large ones cost no more than small ones.

        Args:
            values: By path, `{"policy.weights": W}`: one value for all, of the shape that it had.
        """
        varying = [path for path in values if path in self._varying.paths]
        if varying:
            raise SettingError(f"`{varying[0]}` varies in this batch.\n  Change it by `set`.")
        others = self._setup.changed(values)
        for path in values:
            at, words = self._varying.place_of(path)
            if at < self._layout.state_words:
                raise SettingError(f"`{path}` changes during a run.\n  Make the batch with `varies=[{path!r}]`.")
            self._shared[at] = others.initial[at : at + words].copy()
        self._setup = others
        self._crew.write(self._shared)
        self._ints[:, core.FSAL_VALID] = 0
        self._is_stale = True

    def take(self, other: "Batch", members: Any, *, where: Any = None) -> None:
        """Let members stand where members of another batch of the same scenario stand.

        With their seeds and with what varies: what they do from there on is the same to the bit. So a batch whose
        members stand ready replaces a `reset` of few members at a time, as training does at the end of episodes.

        Args:
            other: A batch of the same scenario with the same `outputs` and `varies`.
            members: Of `other`, one for each member that is changed.
            where: (N,) A mask of the members that are changed; by default all.
        """
        changed = np.flatnonzero(self._mask(where))
        wanted = np.asarray(members)
        if wanted.shape != changed.shape or wanted.dtype.kind not in "iu":
            raise ShapeError(
                f"`members` names one member of the other batch for each of the {len(changed)} that are changed.\n"
                f"  got      {wanted.dtype} of shape {wanted.shape}"
            )
        if len(wanted) and not 0 <= wanted.min() <= wanted.max() < len(other):
            raise UnknownName(f"There is no such member.\n  The other batch has members 0 to {len(other) - 1}.")
        is_alike = isinstance(other, Batch) and list(other._outputs) == list(self._outputs)
        if (
            not is_alike
            or other._layout.fingerprint != self._layout.fingerprint
            or not self._varying.is_like(other._varying)
        ):
            raise SettingError(
                "Members can be taken from a batch of the same scenario alone, with the same `outputs` and `varies`."
            )
        if other._codes[wanted].any():
            raise SettingError(
                f"Member {int(wanted[np.argmax(other._codes[wanted] != 0)])} of the other batch has failed."
            )
        if self._is_stale:
            self._refresh()
        other._refresh()
        self._rows[changed] = other._rows[wanted]
        self._out[changed] = other._out[wanted]
        self._varying.take(other._varying, changed, wanted)
        for member, source in zip(changed.tolist(), wanted.tolist(), strict=True):
            self._seeds[member] = other._seeds[source]
            self._failures.pop(member, None)
        self._codes[changed] = core.DONE
        self._ungiven &= other._ungiven

    # ---- running -------------------------------------------------------------------------------------------------

    def advance(self, dt: float) -> np.ndarray:
        """Advance every member that has not failed by `dt` [s]; returns `failed`.

        In the tick at the end, tasks run that do not depend on inputs from outside. The others run when the batch goes
        on, with what was written into these inputs meanwhile. With `dt = 0`, that is all that happens.

        Ctrl-C is heard when all members have come to the end of it.
        """
        self._check_given()
        self._advance(self._span(dt), self._one_step)
        self._is_stale = False
        return self.failed

    def rollout(self, given: Mapping[Any, Any], dt: float, *, steps: int | None = None) -> dict[str, Any]:
        """Give inputs from outside and advance by `dt` [s], again and again, without coming back to Python.

        Args:
            given: By input or by its name: an array (N, K, ...) where its message has one field, else a message of such
                arrays.
            dt: [s] How long each is held.
            steps: How many, where nothing is given from outside: with `{}`, all commands come from tasks.

        Returns:
            For each path of `outputs` a message of values after each step, (N, K, ...); zeros once a member has failed.
        """
        if not given and steps is not None:
            places: list[Place] = []
            numbers, steps = np.empty((self._count, 0)), whole_number(steps, "steps")
        else:
            asked = steps
            taken = rollout_words(self._layout, list(self._inputs), self._count, given)
            places, numbers, steps = taken.places, taken.numbers, taken.steps
            self._ungiven.difference_update(taken.names)
            if asked not in (None, steps):
                raise SettingError(f"steps = {shown(asked)}, and messages are given for {steps}.\n  Leave `steps` out.")
        self._check_given()
        width = self._out.shape[1]
        # whoever fails on the way clears the rest of several steps; the failed do not run
        out = (np.empty if steps > 1 else np.zeros)((self._count, steps * width))
        out[self.failed] = 0.0
        self._advance(self._span(dt), Given(steps, numbers, runs_of_words(places), out))
        shaped = out.reshape(self._count, steps, width)
        self._out[:] = shaped[:, -1]
        self._is_stale = False
        return {name: views(place, shaped, self._column(name)) for name, place in self._outputs.items()}

    def run(self, until: float, *, record: Record | None = None, stream: str | Path | None = None) -> BatchLog:
        """Run every member that has not failed to `until` [s], and return what was recorded, with a `run` dimension.

        A member that fails keeps what it had recorded; `failed` and `error` tell of it. If memory or a disk ends the
        run, `log` has what was recorded, and members that were not run stand where they stood. Ctrl-C leaves each
        member where it was or at `until`, as `t` shows, and the same call goes on from there.

        Args:
            until: [s] Time to stop at.
            record: What to record; by default the outputs of all tasks and all continuous states, at every tick.
            stream: A folder for recordings that are larger than memory: the samples of each member go to a netCDF file
                there while it runs, as in `Simulation.run`. The log reads them from there; so does `load_logs(folder)`.
        """
        self._check_given()
        end, record = nanoseconds(until, "`until`"), record or Record()
        folder = None if stream is None else new_folder(stream)
        with let_through():
            tables = self._setup.tables(record)
        logs: list[Any] = [None] * self._count

        def keep(member: int, log: Any, error: Exception | None) -> None:
            logs[member] = log

        self._log = None
        self._is_stale = True
        trouble = self._recorded_runs().run(keep, self._everyone, end, tables, folder=folder)
        nothing = Samples(tables.groups, 0, 0).log(tables.groups, dict(self._setup.about))
        self._log = BatchLog([nothing if log is None else log for log in logs])
        if trouble:
            raise trouble[0]
        return self._log

    @property
    def log(self) -> BatchLog | None:
        """What the last run recorded, also if memory or a disk has ended it; None before there was one."""
        return self._log

    def map(
        self,
        function: Callable[[int, Log, Exception | None], Any],
        until: float,
        *,
        record: Record | None = None,
        where: Any = None,
        timeout: float | None = None,
    ) -> list[Any]:
        """Run members to `until` [s], and return what a function makes of each; logs are let go one by one.

        So a batch may record more than memory holds. The function is called in the thread that has run the member while
        others go on, so it must not change what they share.

        Args:
            function: Is given the member's number, its log, and why it has failed or None.
            until: [s] Where they stop.
            record: What is recorded.
            where: (N,) A mask of the members that run; by default all.
            timeout: [s] Wall time after which a member fails.

        Returns:
            One item for each member that ran, in order.
        """
        self._check_given()
        end, record = nanoseconds(until, "`until`"), record or Record()
        with let_through():
            tables = self._setup.tables(record)
        members, found = np.flatnonzero(self._mask(where)), dict[int, Any]()

        def apply(member: int, log: Any, error: Exception | None) -> None:
            found[member] = function(member, log, error)

        self._is_stale = True
        trouble = self._recorded_runs().run(apply, members, end, tables, timeout=timeout)
        if trouble:
            raise trouble[0]
        return [found[int(member)] for member in members]

    # ---- one member ----------------------------------------------------------------------------------------------

    def error(self, member: int) -> Exception | None:
        """Why a member has failed, as a simulation of its own would say; None if it has not."""
        self._note_failures()
        failure = self._failures.get(self._member(member))
        if failure is None:
            return None
        run, schedule = self._varying.new_run(), self._setup.schedule
        self._varying.stand(run, failure.row)
        run.record(self._tables)
        try:
            for k, given in enumerate(failure.given):
                run.put(failure.given_at, given)
                with Pacing(self.scenario.name, seconds(run.now), 0.0, None, progress=False) as pacing:
                    run.advance(self._tables, NO_SAMPLES, failure.until + k * failure.span, pacing, waits=True)
                for path in self._outputs:
                    for row in schedule.rows_behind(path):
                        row.evaluate(seconds(run.now), run.arena)
        except Exception as error:
            return error
        return None

    def simulation(self, member: int) -> Simulation:
        """A simulation that stands where a member stands, with its parameters and its seed, to look at it closely."""
        row = self._rows[self._member(member)]
        changed = self._setup.changed(self._varying.values(self._rows, member), self._seeds[member])
        return Simulation.standing_at(changed, row[: self._layout.state_words])

    def snapshot(self, member: int) -> Snapshot:
        """All that changes during a run, of one member."""
        return self.simulation(member).snapshot()

    def restore(self, member: int, snapshot: Snapshot) -> None:
        """Let a member go on from a snapshot of the same scenario."""
        sim = self.simulation(member)
        sim.restore(snapshot)
        self._rows[member, : self._layout.state_words] = sim.snapshot().words
        self._codes[member] = core.DONE
        self._failures.pop(member, None)
        self._is_stale = True

    def snapshot_all(self) -> np.ndarray:
        """(N, words) All that changes during a run, of all members; what varies, and seeds, are not in it."""
        return self._rows[:, : self._layout.state_words].copy()

    def restore_all(self, words: np.ndarray) -> None:
        """Let all members go on from what `snapshot_all` of a batch of the same scenario has given."""
        if np.shape(words) != (self._count, self._layout.state_words):
            raise ShapeError(
                f"These are not the words of {self._count} members of `{self.scenario.name}`.\n"
                f"  expected {(self._count, self._layout.state_words)}\n  got      {np.shape(words)}"
            )
        self._rows[:, : self._layout.state_words] = words
        self._codes[:] = core.DONE
        self._failures.clear()
        self._is_stale = True

    # ---- details -------------------------------------------------------------------------------------------------

    def _recorded_runs(self) -> RecordedRuns:
        return RecordedRuns(
            self._setup, self._varying, self._rows, self._codes, self._failures, self._seeds, self._workers
        )

    def _common_slots(self) -> dict[int, np.ndarray]:
        """What stays for all calls, by slot of the native loop."""
        plan = self._tables.plan
        return {
            batch_core.ROWS: self._rows,
            batch_core.SPANS: np.array(self._varying.spans, np.int64),
            batch_core.UNTILS: self._untils,
            batch_core.TICK: np.ascontiguousarray(plan.tick[plan.tick[:, 2] & core.FOR_RECORDER != 0]),
            batch_core.OUTPUTS: plan.record,
            batch_core.CODES: self._codes,
        }

    def _take_seeds(self, seeds: Iterable[int] | None, first: int) -> list[int]:
        taken = list(range(first, first + self._count)) if seeds is None else list(seeds)
        if len(taken) != self._count or not all(isinstance(seed, int | np.integer) for seed in taken):
            raise SettingError(f"seeds: a batch of {self._count} takes as many whole numbers, got {len(taken)} items.")
        return [int(seed) for seed in taken]

    def _write_keys(self, mask: np.ndarray) -> None:
        """Random numbers begin again."""
        ints = self._ints
        for task, place in self._layout.keys.items():
            stream, tick = place.word("stream"), place.word("tick")
            for member in np.flatnonzero(mask):
                ints[member, stream] = stream_of(self._seeds[member], task)
            ints[mask, tick] = -1

    def _take_outputs(self, paths: Sequence[str]) -> dict[str, Place]:
        known = self._layout.recordable
        for path in paths:
            if path not in known:
                raise UnknownName(
                    f"There is no output `{path}`.{did_you_mean(path, known)}\n"
                    f"  There are: {', '.join(known) or 'none'}"
                )
        return {path: known[path] for path in paths}

    def _column(self, name: str) -> int:
        """Where an output begins among all."""
        names = list(self._outputs)
        return sum(self._outputs[other].block.words for other in names[: names.index(name)])

    def _check_given(self) -> None:
        if self._ungiven:
            names = ", ".join(f"`{name}`" for name in sorted(self._ungiven))
            raise WiringError(
                f"Nothing was given to {names} yet, and the scenario says nothing to begin with.\n"
                "  Write to it, `batch[name].field[:] = ...`, or make it with a message: `scn.input(name, message)`."
            )

    def _mask(self, where: Any) -> np.ndarray:
        if where is None:
            return np.ones(self._count, bool)
        mask = np.asarray(where)
        if mask.shape != (self._count,) or mask.dtype != bool:
            raise ShapeError(
                f"`where` is a mask with a truth value for each of the {self._count} members.\n"
                f"  got      {mask.dtype} of shape {mask.shape}"
            )
        return mask

    def _span(self, dt: float) -> int:
        span = nanoseconds(dt, "`dt`")
        if span < 0:
            raise SettingError(f"dt = {shown(dt)} s.\n  Time goes forward: use a time that is not negative.")
        return span

    def _member(self, member: int) -> int:
        if not isinstance(member, int | np.integer) or not 0 <= member < self._count:
            raise UnknownName(
                f"There is no member {shown(member)}.\n  Members are numbered from 0 to {self._count - 1}."
            )
        return int(member)

    def _standing(self) -> np.ndarray:
        """The members that have not failed."""
        self._note_failures()
        return np.flatnonzero(self._codes == core.DONE) if self._failures else self._everyone

    def _refresh(self) -> None:
        """Evaluate outputs where nothing has advanced since they were last changed."""
        if self._is_stale and self._out.shape[1]:
            for name in self._inputs:
                self._layout.renew_parameters(self._rows, name)
            self._advance(0, self._one_step._replace(steps=0, is_changed=False))
        self._is_stale = False

    def _advance(self, span: int, given: Given) -> None:
        """Let the native loop run over all members that have not failed, with steps of `span` [ns].

        Python looks after Ctrl-C when native code has returned. It may do so between any two lines here, and leaves
        nothing that the next call does not make up for. Only a part that runs in the interpreter has to be left alone:
        in C its exception would be lost.
        """
        members = self._standing()
        self._is_stale = True
        self._under_way = members, span, given
        if self._setup.schedule.has_callbacks:
            with held(), pausing(np.zeros(2, np.int64)):  # nothing pauses, but a second Ctrl-C goes into a part
                if self._crew.advance(members, span, given):
                    self._note_failures()
                self._raise_interrupt()
        elif self._crew.advance(members, span, given):
            self._note_failures()
        self._under_way = None

    def _raise_interrupt(self) -> None:
        """Raise what is no failure of a member: Ctrl-C that went into a part which runs in the interpreter."""
        for row in self._setup.schedule.rows.values():
            kept = {} if row.jit else row.python.exceptions
            for context in [at for at, exception in kept.items() if not isinstance(exception, Exception)]:
                raise kept.pop(context)

    def _note_failures(self) -> None:
        """Keep what is needed to tell why members have failed in the call that was last under way."""
        if self._under_way is None:
            return
        members, span, given = self._under_way
        for member in members[self._codes[members] != core.DONE].tolist():
            if member not in self._failures:
                words = given.words[member].reshape(max(1, given.steps), -1).copy()
                until = int(self._untils[member])
                kept = self._varying.kept(member)
                self._failures[member] = MemberFailure(self._rows[member].copy(), until, span, words, given.at, kept)
