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


def columns(log: Log) -> Iterator[Column]:
    """All numbers of all fields, in the order of recording."""
    for field in log.fields():
        for place in np.ndindex(field.shape):
            yield Column(printable(field.path) + "".join(f"[{i}]" for i in place), field, place)
