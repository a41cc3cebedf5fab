"""What to record, and the buffer that samples go to."""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from cardan.errors import OutOfMemory, PeriodError, SettingError, UnknownName, did_you_mean, shown
from cardan.files import in_bytes
from cardan.native.layout import Block
from cardan.scenario.clock import NANO, check_multiple, nanoseconds
from cardan.simulation import core
from cardan.simulation.layout import Layout
from cardan.simulation.log import FieldLog, Log
from cardan.simulation.places import Place, runs_of_words
from cardan.simulation.series import Series

Every = float | Literal["step"] | None

NEVER = 2**62  # [ns] a period longer than any run
_FIRST_CHUNK = 1 << 20  # [bytes]
_LARGEST_CHUNK = 1 << 26  # [bytes]
_RESERVE = 1 << 24  # [bytes] given back when memory runs out, so that what was recorded can be looked at and saved
_RECORD_LESS = "Record less often, `Record(every=...)`, or fewer ports, `Record(ports=[...])`"


class Record(NamedTuple):
    """What a run records, and how often.

    Attributes:
        every: [s] Time between samples; "step" for every step of the integrator; None for every tick of a task (every
            step where there are no tasks).
        ports: Paths such as `ctl.torque`, `plant.state`, `ctl.memory`, or `ctl.parameters` where some of them change,
            with `*` for any; None for the outputs of all tasks and all continuous states.
        periods: Ports that are sampled at times of their own, in `ports` or not: `{"nav.attitude": 0.1, "ctl.*":
            "step"}`. Paths as in `ports`, values as in `every`; of several that match a port the last one counts.
    """

    every: Every = None
    ports: Sequence[str] | None = None
    periods: Mapping[str, Every] | None = None


class Group(NamedTuple):
    """Ports that are sampled together.

    Attributes:
        period: [ns] Time between samples, or 0 for every tick, -1 for every step, as the core has it.
        places: Where they lie, by path.
    """

    period: int
    places: dict[str, Place]

    @property
    def words(self) -> int:
        """In a sample, beside its time."""
        return sum(place.block.words for place in self.places.values())


def recorded_groups(record: Record, layout: Layout, base_tick: int) -> tuple[Group, ...]:
    """What `record` asks for; those that are sampled at `every` come first."""
    if not isinstance(record, Record):
        raise SettingError(f'record = {record!r}.\n  Use e.g. `record=cardan.Record(ports=["plant.state"])`.')
    has_tasks = bool(layout.order.tasks)
    of_path: dict[str, int] = {}
    places = _places(record, layout)
    for pattern, every in _periods(record).items():
        name = f"Record(periods={{{pattern!r}: {every!r}}})"
        found, period = _matching(pattern, layout), _period(every, name, base_tick, has_tasks)
        places |= found
        of_path |= dict.fromkeys(found, period)
    usual = _period(record.every, f"Record(every={record.every!r})", base_tick, has_tasks)
    groups: dict[int, dict[str, Place]] = {usual: {}}
    for path, place in places.items():
        groups.setdefault(of_path.get(path, usual), {})[path] = place
    if len(groups) > 1 and not groups[usual]:
        del groups[usual]
    if len(groups) > core.MOST_GROUPS:
        raise SettingError(
            f"Record(periods=...) asks for {len(groups)} different times between samples.\n"
            f"  There may be {core.MOST_GROUPS} at the most."
        )
    return tuple(Group(period, places) for period, places in groups.items())


def _places(record: Record, layout: Layout) -> dict[str, Place]:
    """The places that `record.ports` asks for, by path."""
    if record.ports is None:
        return dict(layout.recorded_by_default)
    patterns = [record.ports] if isinstance(record.ports, str) else record.ports
    if not (isinstance(patterns, Iterable) and all(isinstance(pattern, str) for pattern in patterns)):
        raise SettingError(f'Record(ports={shown(record.ports)}).\n  Use a list of paths, e.g. `["plant.state"]`.')
    chosen: dict[str, Place] = {}
    for pattern in patterns:
        chosen |= _matching(pattern, layout)
    return chosen


def _periods(record: Record) -> Mapping[str, Every]:
    periods = {} if record.periods is None else record.periods
    if not (isinstance(periods, Mapping) and all(isinstance(pattern, str) for pattern in periods)):
        raise SettingError(
            f"Record(periods={shown(periods)}).\n"
            '  Use the time between samples by path, e.g. `{"nav.attitude": 0.1}`.'
        )
    return periods


def _matching(pattern: str, layout: Layout) -> dict[str, Place]:
    """The places whose path matches, or the input that is called so."""
    available, inputs = layout.recordable, layout.recordable_inputs
    found = {path: place for path, place in available.items() if fnmatchcase(path, pattern)}
    if not found and pattern in inputs:
        found = {pattern: inputs[pattern]}
    if not found:
        known = [*available, *inputs]
        raise UnknownName(
            f"Nothing to record is called `{pattern}`.{did_you_mean(pattern, known)}\n"
            f"  There are: {', '.join(known) or 'none'}"
        )
    return found


def _period(every: Every, said: str, base_tick: int, has_tasks: bool) -> int:
    """[ns] Time between samples, or 0 for every tick, -1 for every step, as the core has it."""
    if every is None:
        return 0 if has_tasks else -1
    if every == "step":
        return -1
    if not isinstance(every, int | float):
        raise PeriodError(f'{said}.\n  Use a number of seconds, "step" or None.')
    period = nanoseconds(every, "The time between samples")
    if period <= 0:
        raise PeriodError(f"{said}: the time between samples must be positive.")
    check_multiple(period, base_tick, "The recorder samples every")
    return period


class Samples:
    """Samples in chunks that grow, so that a long run costs no more per sample than a short one.

    No chunk is ever copied: a run may record until no memory is left, and what it has recorded is then still there.

    Args:
        groups: What is sampled together.
        begin: [ns] The first instant that may be sampled.
        end: [ns] The last one.
    """

    def __init__(self, groups: Sequence[Group], begin: int, end: int) -> None:
        self._chunks: list[list[np.ndarray]] = [[] for _ in groups]
        self._buffers: list[np.ndarray] = []
        self._reserve: np.ndarray | None = None
        table = np.zeros((len(groups), core.GROUP), np.int64)
        row = 0
        for g, group in enumerate(groups):
            period, words, rows = group.period, 1 + group.words, len(runs_of_words(group.places.values()))
            table[g, core.DUE] = -(-begin // period) * period if period > 0 else begin
            table[g, [core.PERIOD, core.WORDS, core.FIRST, core.END]] = period, words, row, row + rows
            row += rows
            try:
                self._buffers.append(self._chunk(self._first_size(period, words, begin, end), words))
            except MemoryError:
                raise OutOfMemory(f"There is no memory for the first samples.\n  {_RECORD_LESS}.") from None
        self.recorder = core.Recorder(table)
        for g in range(len(groups)):
            self._point(g)

    def grow(self) -> None:
        """Put full buffers aside and begin larger ones."""
        for g in self._full():
            full = self._buffers[g]
            try:
                if self._reserve is None:
                    self._reserve = np.empty(_RESERVE, np.uint8)
                empty = self._chunk(min(2 * full.nbytes, _LARGEST_CHUNK), full.shape[1])
            except MemoryError:
                self._reserve = None
                raise self._exhausted() from None
            self._chunks[g].append(full)
            self._buffers[g] = empty
            self._point(g)

    def make_room(self, span: int, step: int) -> None:
        """Let each group have room for the samples of the next `span` [ns], in steps of `step` [ns]."""
        table = self.recorder.groups
        for g in range(len(table)):
            period, buffer = int(table[g, core.PERIOD]), self._buffers[g]
            count = span // (period if period > 0 else step) + 2
            if table[g, core.ROOM] - table[g, core.WRITTEN] < count:
                self._chunks[g].append(self._rest(g))
                size = max(min(2 * buffer.nbytes, _LARGEST_CHUNK), 8 * buffer.shape[1] * count)
                self._buffers[g] = self._chunk(size, buffer.shape[1])
                self._point(g)

    def chunks(self, g: int) -> tuple[np.ndarray, ...]:
        """All samples of a group so far, where they lie; the first column is the time [ns]."""
        before, last = self._chunks[g], self._rest(g)
        return (*before, last) if len(last) or not before else tuple(before)

    def log(self, groups: Sequence[Group], about: dict[str, Any]) -> Log:
        """What was recorded; no more samples come."""
        recorded = [recorded_fields(group.places, self.chunks(g)) for g, group in enumerate(groups)]
        return Log(recorded[0][0], [field for _, fields in recorded for field in fields], about)

    def _first_size(self, period: int, words: int, begin: int, end: int) -> int:
        """[bytes] Where the number of samples is known, a run of ordinary length needs one chunk."""
        expected = 8 * words * ((end - begin) // period + 2) if period > 0 else _FIRST_CHUNK
        return min(expected, _LARGEST_CHUNK)

    def _full(self) -> list[int]:
        table = self.recorder.groups
        return [g for g in range(len(table)) if table[g, core.WRITTEN] == table[g, core.ROOM]]

    def _rest(self, g: int) -> np.ndarray:
        """The samples in a buffer."""
        return self._buffers[g][: self.recorder.groups[g, core.WRITTEN]]

    def _point(self, g: int) -> None:
        """Let samples of a group go to the beginning of its buffer."""
        buffer = self._buffers[g]
        self.recorder.groups[g, [core.WRITTEN, core.ROOM, core.BUFFER]] = 0, len(buffer), buffer.ctypes.data

    def _exhausted(self) -> OutOfMemory:
        chunks = [chunk for g in range(len(self._chunks)) for chunk in self.chunks(g) if len(chunk)]
        count, size = sum(map(len, chunks)), sum(chunk.nbytes for chunk in chunks)
        last = max(chunk[-1, 0] for chunk in chunks)
        return OutOfMemory(
            f"There is no memory for more than {count} samples ({in_bytes(size)}), the last at {last / NANO:.9g} s.\n"
            f"  They are kept in `log`. {_RECORD_LESS}, or let them go to a file, `run(stream=...)`."
        )

    def _chunk(self, size: int, words: int) -> np.ndarray:
        return np.empty((max(16, size // (8 * words)), words), np.int64)


def recorded_fields(places: Mapping[str, Place], chunks: Sequence[np.ndarray]) -> tuple[Series, list[FieldLog]]:
    """Times and fields of samples in which `places` lie one after the other."""
    t = Series(chunks, times)
    fields = []
    column = 1
    for path, place in places.items():
        where = slice(column, column + place.block.words)
        for index, declared in enumerate(place.fields):
            values = Series(chunks, partial(_values, place.block, index, where))
            fields.append(FieldLog(f"{path}.{declared.name}", t, values, declared.unit, declared.frame))
        column = where.stop
    return t, fields


def _values(block: Block, index: int, where: slice, rows: np.ndarray) -> np.ndarray:
    """The samples of one field in some rows of a chunk."""
    values: np.ndarray = block.column(index, rows[:, where].view(np.float64))
    return values


def times(words: np.ndarray) -> np.ndarray:
    """[s] The times of samples."""
    return words[:, 0] / NANO


NO_SAMPLES = Samples((), 0, 0)
"""For runs that record nothing."""
