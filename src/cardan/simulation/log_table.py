"""A log as a flat table: one column per number."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cardan.simulation.log import FieldLog, Log
from cardan.simulation.log_names import printable

if TYPE_CHECKING:
    import pandas

_STRETCH = 1 << 20  # [bytes] of numbers that are put into a table at a time


class Column(NamedTuple):
    """One number of a recorded field.

    Attributes:
        name: The field's path, with the place in its array: `ctl.torque.torque_B[0]`, `nav.covariance[1][2]`.
        field: The field.
        place: The place.
    """

    name: str
    field: FieldLog
    place: tuple[int, ...]


def stretches(log: Log, size: int) -> Iterator[tuple[int, int]]:
    """All samples in order, some at a time, as (start, stop): about `size` [bytes] of numbers, at least one sample."""
    count = max(1, size // _row_size(log))
    return ((start, min(start + count, len(log.time))) for start in range(0, len(log.time), count))


def _row_size(log: Log) -> int:
    """[bytes] Of a line of the table."""
    return sum(field.dtype.itemsize * math.prod(field.shape) for field in (log.time, *log.fields()))


def numbers(log: Log, start: int, stop: int) -> Iterator[np.ndarray]:
    """The samples from `start` to before `stop` of every column in turn; the others take no memory."""
    for field in log.fields():
        yield from columns_of(field, start, stop)


def columns_of(field: FieldLog, start: int, stop: int) -> np.ndarray:
    """(columns, samples) Some samples of a field.

    Of all its columns at once: it lies in pieces, which would be put together for each.
    """
    values = field.rows(start, stop)
    return values.reshape(len(values), math.prod(field.shape)).T


def all_times(log: Log) -> np.ndarray:
    """[s] The times at which any port was recorded."""
    if len(log.axes) == 1:
        return log.t
    return np.unique(np.concatenate([axis.t for axis in log.axes.values()]))


class Lines(NamedTuple):
    """Some lines of the table.

    Attributes:
        t: [s] Their times.
        of_axis: For the name of each axis its samples there, the first and the one after the last, and on which of
            the lines they are.
    """

    t: np.ndarray
    of_axis: dict[str, tuple[tuple[int, int], np.ndarray]]


def lines_of(log: Log, size: int) -> Iterator[Lines]:
    """All lines, about `size` [bytes] of numbers at a time."""
    if len(log.axes) == 1:
        for start, stop in stretches(log, size):
            yield Lines(log.time.rows(start, stop), {"time": ((start, stop), np.arange(stop - start))})
        return
    count = max(1, size // _row_size(log))
    times = all_times(log)
    own = {name: axis.t for name, axis in log.axes.items()}
    for start in range(0, len(times), count):
        t = times[start : start + count]
        of_axis = {}
        for name, known in own.items():
            first, end = np.searchsorted(known, t[0]), np.searchsorted(known, t[-1], side="right")
            of_axis[name] = (int(first), int(end)), np.searchsorted(t, known[first:end])
        yield Lines(t, of_axis)


def columns(log: Log) -> Iterator[Column]:
    """All numbers of all fields, in the order of recording."""
    for field in log.fields():
        for place in np.ndindex(field.shape):
            yield Column(printable(field.path) + "".join(f"[{i}]" for i in place), field, place)


def table_of(log: Log, start: int, stop: int) -> "pandas.DataFrame":
    """Some samples as a pandas table (see `Log.to_pandas`), which takes the memory of its numbers and no more."""
    import pandas

    table = list(columns(log))
    # a block for each kind of number, filled a stretch after another: pandas takes its rows as they are
    kinds = [column.field.dtype for column in table]
    blocks = {kind: np.empty((kinds.count(kind), stop - start), kind) for kind in dict.fromkeys(kinds)}
    for first, last in stretches(log, _STRETCH):
        first, last = max(first, start), min(last, stop)
        if first < last:
            free = {kind: iter(block) for kind, block in blocks.items()}
            for kind, values in zip(kinds, numbers(log, first, last), strict=True):
                next(free[kind])[first - start : last - start] = values
    rows = {kind: iter(block) for kind, block in blocks.items()}
    times = pandas.Index(log.time.rows(start, stop), name="time")
    named = {column.name: next(rows[kind]) for column, kind in zip(table, kinds, strict=True)}
    frame = pandas.DataFrame(named, index=times, copy=False)
    frame.attrs["units"] = {column.name: column.field.unit for column in table}
    frame.attrs["frames"] = {column.name: column.field.frame for column in table}
    return frame


def table_with_gaps(log: Log) -> "pandas.DataFrame":
    """A log whose ports were recorded at different times as a pandas table (see `Log.to_pandas`)."""
    import pandas

    table, times = list(columns(log)), pandas.Index(all_times(log), name="time")
    with_gaps = {"i": "Int64", "b": "boolean"}  # floats have nan
    values = (values for field in log.fields() for values in columns_of(field, 0, len(field)))
    data = {
        column.name: pandas.Series(own, column.field.t, dtype=with_gaps.get(column.field.dtype.kind)).reindex(times)
        for column, own in zip(table, values, strict=True)
    }
    frame = pandas.DataFrame(data, index=times)
    frame.attrs["units"] = {column.name: column.field.unit for column in table}
    frame.attrs["frames"] = {column.name: column.field.frame for column in table}
    return frame
