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
    row = sum(field.dtype.itemsize * math.prod(field.shape) for field in (log.time, *log.fields()))
    count = max(1, size // row)
    return ((start, min(start + count, len(log.time))) for start in range(0, len(log.time), count))


def numbers(log: Log, start: int, stop: int) -> Iterator[np.ndarray]:
    """The samples from `start` to before `stop` of every column in turn; the others take no memory."""
    for field in log.fields():
        # of all columns of a field at once: it lies in pieces, which would be put together for each
        yield from field.rows(start, stop).reshape(stop - start, -1).T


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
