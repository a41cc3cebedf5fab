"""A thread's memory for eight members of a batch at once, and what is moved between them and the mechanism."""

from collections.abc import Callable, Iterable
from functools import cache

import numpy as np

from cardan.contracts.dynamics import Dynamics
from cardan.mechanism.ports import DYNAMIC
from cardan.mechanism.support import connected_inputs
from cardan.native.compilation import Compilation
from cardan.native.entry import kernel_compilation
from cardan.native.lane_entry import is_traced, lane_compilation
from cardan.native.lanes import COUNT, lane_address
from cardan.native.layout import LINE
from cardan.native.pointers import WORD, load_int
from cardan.scenario.order import DYNAMICS, KINEMATICS, Output
from cardan.simulation import core, lane_core
from cardan.simulation.calls import PUBLISH, PUBLISH_FOR_TASKS, AnyRow, ServiceRow
from cardan.simulation.layout import Layout, read_by
from cardan.simulation.native import slots
from cardan.simulation.places import Place, runs_of_words
from cardan.simulation.schedule import Tables
from cardan.simulation.setup import Setup
from cardan.simulation.varying import Varying

Runs = list[tuple[int, int]]
"""Stretches of an arena: first word, length."""

_LARGEST = 1 << 17  # words of an arena of which it is worth having a dozen and more in each thread


def can_group(setup: Setup, tables: Tables) -> bool:
    """Whether eight members can be advanced at once, in the same steps at the same times.

    The service must be able to, all parts must be native, the step fixed and explicit, and no task may ask for ticks. A
    lock is engaged in some members and not in others, so that mechanisms with locks are left out; and so are arenas
    that fill the cache one by one, as those with long delay lines do.
    """
    scenario, layout = setup.scenario, setup.layout
    return (
        isinstance(setup.dynamics, Dynamics)
        and setup.dynamics.has_lanes
        and not setup.schedule.has_callbacks
        and setup.integrator.method().step > 0
        and not setup.integrator.tableau.is_implicit
        and not layout.balances
        and layout.words <= _LARGEST
        and not connected_inputs(scenario.mechanism_inputs).locked
        and bool((tables.plan.tasks[:, 6] < 0).all())
    )


@cache
def group_compilation() -> Compilation:
    """What makes the loop over groups native code."""
    return kernel_compilation("batch in lanes", lane_core.advance_group)


@cache
def _for_lanes(function: Callable[..., int]) -> Callable[..., int]:
    """A function of a service for eight members; its context are two words, an address and where its lanes lie."""

    def run(t, context):  # type: ignore[no-untyped-def]
        return function(t, lane_address(load_int(context), load_int(context + WORD)))

    return run


def _compilation(row: AnyRow) -> Compilation:
    if isinstance(row, ServiceRow):
        return kernel_compilation(f"{row.path} in lanes", _for_lanes(row.function), has_arrays=False)
    return lane_compilation(row.call)


def group_compilations(setup: Setup, tables: Tables) -> list[Compilation]:
    """All that groups of members need beside what single ones do; nothing where there are none."""
    if not can_group(setup, tables):
        return []
    rows = {id(row): row for rows in tables.rows.values() for row in rows}
    return [group_compilation(), *map(_compilation, rows.values())]


class MemberGroups:
    """Eight arenas, and the memory in which their words lie side by side.

    Args:
        setup: What is simulated.
        varying: What belongs to a member beside its state.
        tables: What is kept up to date after a step.
        arena: What the arenas begin as.
        batch: The address of the slots of `batch_core`.
        core_context: The address of what the core is given.
        recorders: (8 n, GROUP) For each of the eight, one after another, where its samples go; then nothing is kept up
            to date after a step.
    """

    def __init__(
        self,
        setup: Setup,
        varying: Varying,
        tables: Tables,
        arena: np.ndarray,
        batch: int,
        core_context: int,
        recorders: np.ndarray | None = None,
    ) -> None:
        layout, plan = setup.layout, tables.plan
        # an odd number of lines from one to the next, so that the same words of all fit into the cache together
        padded = LINE * (-(-len(arena) // LINE) | 1)
        self._arenas = _aligned(COUNT * padded).reshape(COUNT, padded)
        self._arenas[:, : len(arena)] = arena
        self._lanes = _aligned(COUNT * padded)
        self._lanes[:] = np.repeat(self._arenas[0], COUNT)
        self._moves: Runs = []
        self._moved = _Moved(setup, tables)
        self._contexts: dict[tuple[str, int], np.ndarray] = {}

        rows, wanted = tables.rows, (plan.tick[:, 2] & core.FOR_RECORDER != 0) & (recorders is None)
        tick = self._table(rows[core.TICK_TABLE], plan.tick[:, 2])
        assert layout.mechanism is not None
        own = {word for span in varying.spans[1:] for word in range(span.at, span.at + span.words)}
        held = {place.at: place for places in layout.sources.values() for place in places if self._moved.is_held(place)}
        self._given = (
            self._arenas,
            self._lanes,
            self._table(rows[core.STAGE_TABLE], plan.stage[:, 2]),
            tick,
            self._table(rows[core.PROJECT_TABLE], np.zeros(len(plan.projections), np.int64)),
            np.ascontiguousarray(tick[wanted]),
            _runs(self._moves),
            _runs(runs_of_words(held.values())),
            _runs((span.at, span.words) for span in varying.spans[1:]),
            _runs((word, 1) for word in sorted(own & layout.mechanism.whole_numbers())),
            _runs(_within(plan.record.tolist(), layout.x, layout.x + layout.size)),
            np.zeros((0, core.GROUP), np.int64) if recorders is None else recorders,
            np.zeros(1, np.int64),
            self._tasks(rows[core.TASK_TABLE], plan.tasks),
        )
        self._slots = slots((batch, core_context, 0, *self._given))
        self.slots = (
            group_compilation().compile(),
            self._slots.ctypes.data,
            self._slots[lane_core.FIRST].ctypes.data,
        )
        """Three slots of `batch_core`, from GROUPS on."""

    def write(self, at: int, words: np.ndarray) -> None:
        """Write words that all members share."""
        self._arenas[:, at : at + len(words)] = words
        self._lanes[COUNT * at : COUNT * (at + len(words))] = np.repeat(words, COUNT)

    @property
    def arenas(self) -> np.ndarray:
        """(8, words) The arenas, with all but the arrays of the mechanism as they are after the last group."""
        return self._arenas

    @property
    def advanced(self) -> int:
        """How many groups have been advanced; the members of others were advanced one by one."""
        return int(self._given[-2][0])

    def _table(self, rows: Iterable[AnyRow], bits: np.ndarray) -> np.ndarray:
        """A table with the columns of `lane_core`."""
        found = [self._row(row, int(bit)) for row, bit in zip(rows, bits, strict=True)]
        return np.array(found, np.int64).reshape(len(found), lane_core.COLUMNS)

    def _row(self, row: AnyRow, bits: int) -> tuple[int, ...]:
        if isinstance(row, ServiceRow):
            moved = self._note(self._moved.published(row))
            return (_compilation(row).compile(), self._context(row.context), bits, lane_core.SERVICE, 0, 0, *moved)
        down, up = self._moved.around(row)
        address = _compilation(row).compile()
        called = (
            (address, self._stride(row.context), bits, lane_core.TRACED)
            if is_traced(address)
            else (row.address, row.context, bits, lane_core.ALONE)
        )
        return (*called, *self._note(down), *self._note(up))

    def _tasks(self, rows: Iterable[AnyRow], tasks: np.ndarray) -> np.ndarray:
        """(n, 2) Entry and context of tasks that run for all at once; zeros where one runs for each."""
        found = np.zeros((len(tasks), 2), np.int64)
        for i, row in enumerate(rows):
            address = _compilation(row).compile()
            if is_traced(address):
                found[i] = address, self._stride(row.context)
        return found

    def _stride(self, word: int) -> int:
        """The address of the context of a part that is traced (`lane_entry`)."""
        at, stride = self._arenas.ctypes.data + WORD * word, WORD * self._arenas.shape[1]
        return self._kept(("traced", word), [at, stride])

    def _context(self, word: int) -> int:
        """The address of the context of a function that works for all."""
        first, second = self._arenas.ctypes.data, self._lanes.ctypes.data
        return self._kept(("service", word), [first + WORD * word, second - COUNT * first])

    def _kept(self, key: tuple[str, int], words: list[int]) -> int:
        """The address of two words that stay."""
        return int(self._contexts.setdefault(key, np.array(words, np.int64)).ctypes.data)

    def _note(self, runs: Runs) -> tuple[int, int]:
        """Which rows of the table of moves these are."""
        start = len(self._moves)
        self._moves += runs
        return start, len(self._moves)


class _Moved:
    """Which words go between members and the mechanism.

    Args:
        setup: What is simulated.
        tables: What is called, and what is kept up to date after a step.
    """

    def __init__(self, setup: Setup, tables: Tables) -> None:
        self._layout: Layout = setup.layout
        self._schedule = setup.schedule
        self._outputs: dict[int, Output] = {id(row): output for output, row in setup.schedule.rows.items()}
        self._read = {place.at for places in self._layout.sources.values() for place in places}
        for_models, for_tasks = read_by(setup.scenario)
        ports = self._layout.mechanism_ports
        self._published: dict[Output, list[str]] = {
            KINEMATICS: [path for path in for_models if ports[path].role not in DYNAMIC],
            DYNAMICS: [path for path in for_models if ports[path].role in DYNAMIC],
            PUBLISH_FOR_TASKS: for_tasks,
            PUBLISH: [path for path in tables.places if path in ports],
        }

    def is_held(self, place: Place) -> bool:
        """Whether what the mechanism reads there changes at ticks alone: what models send, it has when they have."""
        models = {
            self._layout.outputs[output].at for output in self._layout.order.outputs if output in self._layout.outputs
        }
        return place.at < self._layout.state_words and place.at not in models

    def published(self, row: ServiceRow) -> Runs:
        """What goes down to members after a function of the service: the ports of the mechanism that it publishes."""
        ports = (self._layout.mechanism_ports[path] for path in self._published.get(self._outputs[id(row)], ()))
        return runs_of_words(self._layout.outputs[port.part, port.name] for port in ports)

    def around(self, row: AnyRow) -> tuple[Runs, Runs]:
        """What goes down before a method of a part, its own state; and up after it, what others read, and rates."""
        part, method = self._outputs[id(row)]
        layout, placed = self._layout, self._layout.scenario.parts[part]
        down: list[Place] = []
        if "x" in placed.contract.methods[method].arguments:
            down = [layout.state_places[part]]
        if method == "derivatives":
            state = layout.state_places[part]
            return runs_of_words(down), [(state.at - layout.x + layout.xdot, state.block.words)]
        if method == "project":
            return runs_of_words(down), runs_of_words([layout.state_places[part]])
        sent = layout.outputs[part, method]
        return runs_of_words(down), runs_of_words([sent] if sent.at in self._read else [])


def _within(runs: Iterable[tuple[int, int]], first: int, end: int) -> Runs:
    """What of some stretches lies between two words."""
    clipped = [(max(at, first), min(at + words, end)) for at, words in runs]
    return [(at, stop - at) for at, stop in clipped if stop > at]


def _runs(runs: Iterable[tuple[int, int]]) -> np.ndarray:
    return np.array(list(runs), np.int64).reshape(-1, 2)


def _aligned(words: int) -> np.ndarray:
    """Zeros that begin with a cache line."""
    room = np.zeros(words + LINE)
    start = -(room.ctypes.data // WORD) % LINE
    return room[start : start + words]
