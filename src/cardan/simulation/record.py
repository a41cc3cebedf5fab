"""What to record, and the buffer that samples go to."""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from typing import Literal, NamedTuple

import numpy as np

from cardan.errors import OutOfMemory, PeriodError, SettingError, UnknownName, did_you_mean, shown
from cardan.files import in_bytes
from cardan.native.layout import Block
from cardan.scenario.clock import NANO, check_multiple, nanoseconds
from cardan.simulation import core
from cardan.simulation.layout import Layout
from cardan.simulation.log import FieldLog
from cardan.simulation.mechanism_memory import default_paths
from cardan.simulation.places import Place
from cardan.simulation.series import Series

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
    """

    every: float | Literal["step"] | None = None
    ports: Sequence[str] | None = None


def recorded_places(record: Record, layout: Layout) -> dict[str, Place]:
    """The places that `record` asks for, by path."""
    if not isinstance(record, Record):
        raise SettingError(f'record = {record!r}.\n  Use e.g. `record=cardan.Record(ports=["plant.state"])`.')
    available = layout.recordable
    if record.ports is None:
        tasks = {placed.name for placed in layout.scenario.parts.values() if placed.is_held}
        mechanism = layout.scenario.mechanism
        by_default = set(default_paths(mechanism)) if mechanism is not None else set()
        return {
            path: place
            for path, place in available.items()
            if path in by_default
            or (path.rpartition(".")[0] in layout.state_places and path.endswith(".state"))
            or (path.rpartition(".")[0] in tasks and not path.endswith((".memory", ".parameters")))
        }
    patterns = [record.ports] if isinstance(record.ports, str) else record.ports
    if not (isinstance(patterns, Iterable) and all(isinstance(pattern, str) for pattern in patterns)):
        raise SettingError(f'Record(ports={shown(record.ports)}).\n  Use a list of paths, e.g. `["plant.state"]`.')
    inputs = layout.recordable_inputs
    chosen: dict[str, Place] = {}
    for pattern in patterns:
        found = {path: place for path, place in available.items() if fnmatchcase(path, pattern)}
        if not found and pattern in inputs:
            found = {pattern: inputs[pattern]}
        if not found:
            known = [*available, *inputs]
            raise UnknownName(
                f"Nothing to record is called `{pattern}`.{did_you_mean(pattern, known)}\n"
                f"  There are: {', '.join(known) or 'none'}"
            )
        chosen |= found
    return chosen


def sample_period(record: Record, base_tick: int, has_tasks: bool) -> int:
    """[ns] Time between samples, or 0 for every tick, -1 for every step, as the core has it."""
    if record.every is None:
        return 0 if has_tasks else -1
    if record.every == "step":
        return -1
    if not isinstance(record.every, int | float):
        raise PeriodError(f'Record(every={record.every!r}).\n  Use a number of seconds, "step" or None.')
    period = nanoseconds(record.every, "The time between samples")
    if period <= 0:
        raise PeriodError(f"Record(every={record.every!r}): the time between samples must be positive.")
    check_multiple(period, base_tick, "The recorder samples every")
    return period


class Samples:
    """Samples in chunks that grow, so that a long run costs no more per sample than a short one.

    No chunk is ever copied: a run may record until no memory is left, and what it has recorded is then still there.

    Args:
        words: In a sample, beside its time.
        period: [ns] As `sample_period` has it.
        begin: [ns] The first instant that may be sampled.
        end: [ns] The last one.
    """

    def __init__(self, words: int, period: int, begin: int, end: int) -> None:
        self._words = 1 + words
        self._chunks: list[np.ndarray] = []
        self._reserve: np.ndarray | None = None
        first = -(-begin // period) * period if period > 0 else begin
        # where the number of samples is known, a run of ordinary length needs one chunk
        expected = 8 * self._words * ((end - begin) // period + 2) if period > 0 else _FIRST_CHUNK
        try:
            chunk = self._chunk(min(expected, _LARGEST_CHUNK))
        except MemoryError:
            raise OutOfMemory(f"There is no memory for the first samples.\n  {_RECORD_LESS}.") from None
        self.recorder = core.Recorder(np.array([first, period, 0], np.int64), chunk)

    def grow(self) -> None:
        """Put the full buffer aside and begin a larger one."""
        full = self.recorder.buffer
        try:
            if self._reserve is None:
                self._reserve = np.empty(_RESERVE, np.uint8)
            empty = self._chunk(min(2 * full.nbytes, _LARGEST_CHUNK))
        except MemoryError:
            self._reserve = None
            chunks = self.chunks()
            count, size = sum(map(len, chunks)), sum(chunk.nbytes for chunk in chunks)
            raise OutOfMemory(
                f"There is no memory for more than {count} samples ({in_bytes(size)}), the last at "
                f"{full[-1, 0] / NANO:.9g} s.\n"
                f"  They are kept in `log`. {_RECORD_LESS}, or run in pieces and save each."
            ) from None
        self._chunks.append(full)
        self.recorder.clock[2] = 0
        self.recorder = self.recorder._replace(buffer=empty)

    def chunks(self) -> tuple[np.ndarray, ...]:
        """All samples so far, where they lie; the first column is the time [ns]."""
        last = self.recorder.buffer[: self.recorder.clock[2]]
        return (*self._chunks, last) if len(last) or not self._chunks else tuple(self._chunks)

    def _chunk(self, size: int) -> np.ndarray:
        return np.empty((max(16, size // (8 * self._words)), self._words), np.int64)


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


NO_SAMPLES = Samples(0, NEVER, 1, 1)
"""For runs that record nothing."""
