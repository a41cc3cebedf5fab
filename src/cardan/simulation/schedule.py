"""The schedule of a scenario: what is called, in which order, for which reader."""

import inspect
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cardan.contracts.dynamics import Dynamics
from cardan.contracts.wake_up import WakeUp
from cardan.errors import NotFinite, ShapeError, shown
from cardan.mechanism import plumbing
from cardan.mechanism.ports import DYNAMIC, MechanismPort
from cardan.native.compilation import compile_all
from cardan.native.fingerprint import at_one_look
from cardan.scenario.order import DYNAMICS, KINEMATICS, Output
from cardan.scenario.placed import Placed
from cardan.simulation import core
from cardan.simulation.calls import CHECK, PUBLISH, PUBLISH_FOR_TASKS, AnyRow, Row, ServiceRow
from cardan.simulation.layout import Layout, read_by
from cardan.simulation.native import core_compilation
from cardan.simulation.places import Place, runs_of_words
from cardan.simulation.progress import CompileProgress
from cardan.simulation.record import Group


class Tables(NamedTuple):
    """The tables of a run that records certain places.

    Attributes:
        plan: What the core walks.
        rows: For each table of calls what stands in it, for errors.
        groups: What is recorded, by the times at which it is.
    """

    plan: core.Plan
    rows: dict[int, list[AnyRow]]
    groups: tuple[Group, ...]

    @property
    def places(self) -> dict[str, Place]:
        """What is recorded, by path."""
        return _all_places(self.groups)


class Schedule:
    """What is called when.

    Args:
        layout: Where everything lies.
        dynamics: The service of the scenario's mechanism.
        jit: Whether parts run as native code, where they do not say otherwise.
        is_audited: Whether what loads give to each vehicle is integrated too.
    """

    def __init__(self, layout: Layout, dynamics: Dynamics | None, *, jit: bool, is_audited: bool = False) -> None:
        self.layout = layout
        self._parts = layout.scenario.parts
        native = jit and os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
        self.rows: dict[Output, AnyRow] = {
            (part, method): Row(
                f"{part}.{method}", found.call, found.places, found.context, native and self._parts[part].contract.jit
            )
            for (part, method), found in layout.calls.items()
        }
        if layout.mechanism is not None and dynamics is not None:
            self.rows |= _service_rows(layout, dynamics, is_audited)
        self._tables: dict[tuple[Any, ...], Tables] = {}

    @cached_property
    def has_callbacks(self) -> bool:
        """Whether anything runs in the interpreter."""
        return any(not row.jit for row in self.rows.values())

    def tables(self, groups: Sequence[Group], progress: bool) -> Tables:
        """The tables of a run that records `groups`; all that is in them is compiled."""
        key = tuple((group.period, *group.places) for group in groups)
        if key not in self._tables:
            self._tables[key] = self._new_tables(tuple(groups), progress)
        return self._tables[key]

    def _new_tables(self, groups: tuple[Group, ...], progress: bool) -> Tables:
        layout, order, ticks = self.layout, self.layout.order, self.tick_rows(groups)
        rows = {
            core.STAGE_TABLE: self.stage_rows(),
            core.TICK_TABLE: [row for row, _ in ticks],
            core.TASK_TABLE: [self.rows[name, "step"] for name in order.tasks],
            core.PROJECT_TABLE: [row for (_, method), row in self.rows.items() if method == "project"],
        }
        self.compile([row for table in rows.values() for row in table if row.jit], progress)
        timed, settled = self.timed_rows, self.settled_rows(groups)
        seldom = [self.rows[CHECK]] if CHECK in self.rows else []
        skipped = (
            (timed, core.ON_TIME), (settled, core.AT_TICKS), (seldom, core.SELDOM), (self.held_rows, core.HELD)
        )  # fmt: skip
        plan = core.Plan(
            stage=_table(
                [
                    (row.address, row.context, sum(bit for some, bit in skipped if row in some))
                    for row in rows[core.STAGE_TABLE]
                ],
                3,
            ),
            tick=_table([(row.address, row.context, mask) for row, mask in ticks], 3),
            tasks=_table(
                [
                    self._task(i, name, row)
                    for i, (name, row) in enumerate(zip(order.tasks, rows[core.TASK_TABLE], strict=True))
                ],
                7,
            ),
            delays=_table(
                [
                    (
                        layout.outputs[line.source].at,
                        line.seen.at,
                        line.seen.block.words,
                        line.length,
                        line.clock,
                        line.notes,
                    )
                    for line in layout.lines
                ],
                6,
            ),
            projections=_table([(row.address, row.context) for row in rows[core.PROJECT_TABLE]], 2),
            record=_table([row for group in groups for row in runs_of_words(group.places.values())], 2),
            breaks=_table([], 1),  # these depend on parameters, and come with what a run begins with
            changes=_table([(c.change.at, c.value.at, c.target, c.value.block.words) for c in layout.changes], 4),
            updates=_table(
                [
                    (order.tasks.index(u.sender) if u.sender in order.tasks else -1, u.source, u.target, u.words)
                    for u in layout.updates
                ],
                4,
            ),
            x=layout.x,
            xdot=layout.xdot,
            size=layout.size,
            work=layout.work,
            absolute=layout.absolute,
            relative=layout.relative,
            positions=layout.positions,
            waiting=order.waiting,
        )
        return Tables(plan, rows, groups)

    def _task(self, i: int, name: str, row: AnyRow) -> tuple[int, ...]:
        """A row of `core.Plan.tasks`."""
        placed, key = self._parts[name], self.layout.keys.get(name)
        tick_word = -1 if key is None else key.word("tick")
        return (
            row.address,
            row.context,
            placed.period,
            self.layout.due + i,
            tick_word,
            placed.offset,
            self._wake_up(name),
        )

    def _wake_up(self, task: str) -> int:
        """Where the delay [s] of the tick that a task asks for lies; -1 for a task that never asks."""
        for name, message in self._parts[task].contract.outputs.items():
            if message is WakeUp:
                return self.layout.outputs[task, name].at
        return -1

    def compile(self, rows: Iterable[AnyRow], progress: bool) -> None:
        """Compile what is not on disk yet; the core and the services first, which take longest."""
        by_length = sorted(rows, key=lambda row: not isinstance(row, ServiceRow))
        with at_one_look():
            wanted = [core_compilation(), *(row.compilation for row in by_length)]
        with CompileProgress(self.layout.scenario.name, progress) as shown:
            compile_all(wanted, shown.report)

    # ---- who needs what ------------------------------------------------------------------------------------------

    def stage_rows(self) -> list[AnyRow]:
        """What every stage evaluates: outputs that rates depend on, with the mechanism's services, then the rates."""
        order = self.layout.order
        wanted = [output for output in order.outputs if output in order.stage_outputs]
        if CHECK in self.rows and DYNAMICS in wanted:
            wanted.insert(wanted.index(DYNAMICS) + 1, CHECK)
        outputs = [self.rows[output] for output in wanted]
        return outputs + [row for (_, method), row in self.rows.items() if method == "derivatives"]

    @cached_property
    def timed_rows(self) -> list[AnyRow]:
        """Outputs that depend on time alone, directly and through others; parameters that change are no constants."""
        found: set[Output] = set()
        for part, name in self.layout.order.outputs:
            placed = self._parts.get(part)
            if (
                placed is not None
                and part not in self.layout.live
                and all(
                    argument == "t" or self._is_timed(placed, argument, found)
                    for argument in placed.contract.methods[name].arguments
                )
            ):
                found.add((part, name))
        return [self.rows[output] for output in found]

    def _is_timed(self, placed: Placed, argument: str, timed: set[Output]) -> bool:
        """Whether an argument is a constant, or comes from an output that depends on time alone."""
        if argument == "x":
            return False
        connection = placed.inputs.get(argument)
        source = connection.source if connection is not None else None
        return source is None or (source.part, source.name) in timed

    @cached_property
    def held_rows(self) -> list[AnyRow]:
        """Outputs that depend on held messages and parameters alone, directly and through others."""
        found: set[Output] = set()
        for part, name in self.layout.order.outputs:
            placed = self._parts.get(part)
            if placed is not None and all(
                self._is_held(placed, argument, found) for argument in placed.contract.methods[name].arguments
            ):
                found.add((part, name))
        return [self.rows[output] for output in found]

    def _is_held(self, placed: Placed, argument: str, held: set[Output]) -> bool:
        """Whether an argument changes at ticks alone: it is constant, held, delayed, or follows from such."""
        if argument in ("t", "x"):
            return False
        connection = placed.inputs.get(argument)
        if connection is None or connection.source is None or connection.delay:
            return True
        source = connection.source
        return (source.part, source.name) in held or (source.part in self._parts and self._parts[source.part].is_held)

    def tick_rows(self, groups: Sequence[Group]) -> list[tuple[AnyRow, int]]:
        """Outputs that a tick evaluates, each with who wants it."""
        layout = self.layout
        wanted = [layout.order.behind(self._node(path) for path in group.places) for group in groups]
        rows = []
        for output in layout.order.outputs:
            mask = core.FOR_TASKS * (output in layout.order.task_outputs) | _bits(output in some for some in wanted)
            if mask:
                rows.append((self.rows[output], mask))
        if PUBLISH_FOR_TASKS in self.rows:
            # an input that is recorded is one of these messages
            recorders = _bits(any(path in layout.recordable_inputs for path in group.places) for group in groups)
            rows.append((self.rows[PUBLISH_FOR_TASKS], core.FOR_TASKS | recorders))
        recorders = _bits(any(path in layout.mechanism_ports for path in group.places) for group in groups)
        if layout.mechanism is not None and recorders:
            rows.append((self.rows[PUBLISH], recorders))
        return rows

    def settled_rows(self, groups: Sequence[Group]) -> list[AnyRow]:
        """What a tick evaluates for its tasks and the first stage after it would only evaluate again."""
        ticks = self.tick_rows(groups)
        if any(row is self.rows.get(DYNAMICS) for row, _ in ticks):
            return []  # a service may leave its kinematics different once it has gone on to the dynamics
        steady = [self.rows[output] for output in self.layout.order.outputs if output in self.layout.order.steady]
        return [row for row, mask in ticks if mask & core.FOR_TASKS and row in steady]

    def rows_behind(self, path: str) -> list[AnyRow]:
        """What to evaluate, in order, so that what lies at `path` is up to date."""
        layout = self.layout
        wanted = layout.order.behind([self._node(path)])
        rows = [self.rows[output] for output in layout.order.outputs if output in wanted]
        if PUBLISH_FOR_TASKS in self.rows and path in layout.recordable_inputs:
            rows.append(self.rows[PUBLISH_FOR_TASKS])
        return rows + ([self.rows[PUBLISH]] if path in layout.mechanism_ports else [])

    def _node(self, path: str) -> Output:
        """The node of the order that what lies at `path` comes from."""
        layout = self.layout
        part, _, port = path.rpartition(".")
        if port == "balance" and part in layout.balances:
            return (part, port)
        if path in layout.mechanism_ports:
            return DYNAMICS if layout.mechanism_ports[path].role in DYNAMIC else KINEMATICS
        connection = self._parts[part].inputs.get(port)
        source = connection.source if connection else None
        if isinstance(source, MechanismPort):
            return self._node(source.path)
        return (source.part, source.name) if source else (part, port)


def _service_rows(layout: Layout, dynamics: Dynamics, is_audited: bool) -> dict[Output, AnyRow]:
    memory, kernels, name, jit = layout.mechanism, dynamics.kernels(), dynamics.name, dynamics.jit
    assert memory is not None
    rows: dict[Output, AnyRow] = {
        KINEMATICS: ServiceRow(f"{name}.kinematics", kernels.kinematics, memory.context, jit),
        DYNAMICS: ServiceRow(f"{name}.dynamics", kernels.dynamics, memory.context, jit),
        PUBLISH: ServiceRow("mechanism.publish", plumbing.publish, memory.record_context, jit),
        ("", "project"): ServiceRow("mechanism.project", plumbing.project, memory.context, jit),
    }
    if read_by(layout.scenario)[1]:
        rows[PUBLISH_FOR_TASKS] = ServiceRow("mechanism.publish", plumbing.publish, memory.task_context, jit)
    if kernels.check is not None:
        rows[CHECK] = ServiceRow(f"{name}.check", kernels.check, memory.context, jit)
    if is_audited:
        rows["", "derivatives"] = ServiceRow("mechanism.balance", plumbing.balance, memory.context, jit)
    return rows


def _bits(wants: Iterable[bool]) -> int:
    """Which groups of recorded ports want something, as bits of `core.Plan.tick`."""
    return sum(core.FOR_RECORDER << g for g, is_wanted in enumerate(wants) if is_wanted)


def _all_places(groups: Iterable[Group]) -> dict[str, Place]:
    return {path: place for group in groups for path, place in group.places.items()}


def breaks(parts: Mapping[str, Placed]) -> np.ndarray:
    """(n, 1) [ns] Just before and just after each instant at which a part says that it is not smooth."""
    said = [_breaks_of(p) for p in parts.values() if inspect.isfunction(getattr(type(p.part), "breaks", None))]
    # what lies beyond the clock never comes
    instants = sorted(core.NANO * t for times in said for t in times if abs(core.NANO * t) < 2.0**62)
    found: list[int] = []
    for instant in instants:
        before = math.ceil(instant) - 1
        # instants that differ by rounding alone are one
        if not found or before - found[-1] > 1000:
            found += [before, before + core.BREAK]
        else:
            found[-1] = before + core.BREAK
    return _table([(at,) for at in found if at > 0], 1)


def _breaks_of(placed: Placed) -> list[float]:
    """[s] When a part says that it is not smooth; infinity is never."""
    path = f"{placed.name}.breaks"
    try:
        said = placed.part.breaks()
    except Exception as error:
        error.add_note(f"in `{path}`")
        raise
    try:
        times = np.asarray(said)
    except (TypeError, ValueError):  # lists of lists of different lengths
        times = np.empty((0, 0))
    if times.ndim != 1 or times.dtype.kind not in "iuf":
        raise ShapeError(f"`{path}` returned {shown(said)}.\n  expected times [s], e.g. `np.array([1.0, 2.5])`")
    if np.isnan(times).any():
        raise NotFinite(f"`{path}` returned nan: {shown(said)}.\n  Return finite times [s]; inf for never.")
    return [float(t) for t in times]


def _table(rows: Sequence[tuple[int, ...]], columns: int) -> np.ndarray:
    return np.array(rows, np.int64).reshape(len(rows), columns)
