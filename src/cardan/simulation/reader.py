"""Reading ports beside a run: outputs are evaluated for the purpose, in an arena of their own."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import UnknownName, did_you_mean
from cardan.mechanism import Mechanism
from cardan.native.layout import aligned_copy
from cardan.native.pointers import WORD
from cardan.native.python_entry import CALLBACK
from cardan.native.status import Status
from cardan.scenario.clock import seconds
from cardan.simulation import core
from cardan.simulation.calls import PUBLISH, AnyRow, Row
from cardan.simulation.places import Place
from cardan.simulation.schedule import Schedule


class Evaluation(NamedTuple):
    """All that follows from one state of a run.

    Attributes:
        rates: The rate of each field of the continuous state, by its path, such as `plant.speed` or `hub_joint.v_BN_N`.
        accelerations: (nv,) Of all joints of the mechanism, in its own order; empty without one.
        ports: The messages in all output ports, by path.
    """

    rates: dict[str, np.ndarray]
    accelerations: np.ndarray
    ports: dict[str, Any]


class Reader:
    """Gives the value of a port, a state or a memory at any state of a run.

    Args:
        schedule: What is called when.
        initial: An arena as it begins.
        mechanism: The mechanism with the numbers that it has in this run, if they are not the scenario's.
    """

    def __init__(self, schedule: Schedule, initial: np.ndarray, mechanism: Mechanism | None = None) -> None:
        self._schedule = schedule
        self._initial = initial
        self._mechanism = mechanism
        self._places = schedule.layout.recordable | schedule.layout.recordable_inputs
        self._arena: np.ndarray | None = None
        self._binding: Any = None
        self._published: list[str] = []
        self._rows: dict[str, list[AnyRow]] = {}
        self._native: dict[AnyRow, Callable[[float, int], int]] = {}

    def read(self, words: np.ndarray, path: str) -> Any:
        """The value at `path`, from the state of a run: what is held as it is, outputs of models as they follow."""
        place = self._places.get(path)
        if place is None:
            raise UnknownName(
                f"There is no `{path}`.{did_you_mean(path, self._places)}\n"
                f"  There are: {', '.join(self._places) or 'none'}"
            )
        rows = self._rows.get(path)
        if rows is None:
            rows = self._rows[path] = self._schedule.rows_behind(path)
        if not rows and place.at + place.block.words <= len(words):
            return place.read(words)
        return self._evaluated(words, path, place, rows)

    def evaluate(self, words: np.ndarray, t: float | None, q: np.ndarray | None, v: np.ndarray | None) -> Evaluation:
        """One evaluation of the right-hand side, at the state of a run or with other coordinates of the mechanism."""
        schedule, layout = self._schedule, self._schedule.layout
        arena = self._arena if self._arena is not None else self._new_arena()
        arena[: len(words)] = words
        if layout.coordinates is not None and layout.integrated is not None:
            place, moved = layout.coordinates, layout.integrated
            for name, given, which in (("q", q, moved.q), ("v", v, moved.v)):
                if given is not None:
                    start = place.word(name)
                    arena[start : start + len(which)] = np.asarray(given, float)[which]
            for path in layout.mechanism_ports:
                self._publish(path)
        now = seconds(int(arena.view(np.int64)[core.NOW])) if t is None else t
        for row in schedule.stage_rows():
            self._evaluate(row, now, arena)
        for output in layout.order.outputs:
            if output not in layout.order.stage_outputs:
                self._evaluate(schedule.rows[output], now, arena)
        if PUBLISH in schedule.rows:
            self._evaluate(schedule.rows[PUBLISH], now, arena)
        rates = {}
        for path, start, declared in layout.states:
            words = arena[layout.xdot + start :][: declared.field.words]
            rates[path] = words.reshape([size or 0 for size in declared.field.shape]).copy()
        memory = layout.mechanism
        return Evaluation(
            rates,
            np.empty(0) if memory is None else memory.array(arena, "v_dot").copy(),
            {".".join(path): place.read(arena) for path, place in layout.outputs.items()},
        )

    def _evaluated(self, words: np.ndarray, path: str, place: Place, rows: list[AnyRow]) -> Any:
        arena = self._arena if self._arena is not None else self._new_arena()
        arena[: len(words)] = words
        self._publish(path)
        now = seconds(int(arena.view(np.int64)[core.NOW]))
        for row in rows:
            self._evaluate(row, now, arena)
        return place.read(arena)

    def _new_arena(self) -> np.ndarray:
        self._arena, mechanism = aligned_copy(self._initial), self._schedule.layout.mechanism
        self._address = self._arena.ctypes.data
        if mechanism is not None:
            self._binding = mechanism.bind(self._arena, self._mechanism)
        return self._arena

    def _publish(self, path: str) -> None:
        """Let the mechanism publish a port, if that is one of its own."""
        layout = self._schedule.layout
        if path in layout.mechanism_ports and path not in self._published and layout.mechanism is not None:
            self._published.append(path)
            assert self._arena is not None
            layout.mechanism.record(self._arena, self._published)

    def _evaluate(self, row: AnyRow, now: float, arena: np.ndarray) -> None:
        # a part that no run has needed yet is not compiled for this
        if isinstance(row, Row) and not (row.jit and "address" in vars(row)):
            row.evaluate(now, arena)
            return
        if row not in self._native:
            self._native[row] = CALLBACK(row.address) if row.jit or isinstance(row, Row) else row.function
        status = self._native[row](now, self._address + WORD * row.context)
        if status != Status.OK and isinstance(row, Row):
            row.evaluate(now, arena)  # raises what native code cannot say
