"""A log as a flat table: one column per number."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from cardan.simulation.log import FieldLog, Log
from cardan.simulation.log_names import printable


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

    @property
    def values(self) -> np.ndarray:
        """(n,) Its samples."""
        return self._of(self.field.values)

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Those from `start` to before `stop`."""
        return self._of(self.field.rows(start, stop))

    def _of(self, samples: np.ndarray) -> np.ndarray:
        where: tuple[Any, ...] = (slice(None), *self.place)
        values: np.ndarray = samples[where]
        return values


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


def lines_of(log: Log, count: int) -> Iterator[Lines]:
    """All lines, `count` at a time."""
    if len(log.axes) == 1:
        for start in range(0, len(log.time), count):
            t = log.time.rows(start, start + count)
            yield Lines(t, {"time": ((start, start + count), np.arange(len(t)))})
        return
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
