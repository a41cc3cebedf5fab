"""A log as a flat table: one column per number."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cardan.simulation.log import FieldLog, Log


class Column(NamedTuple):
    """One number of a recorded field.

    Attributes:
        name: The field's path, with the place in its array: `ctl.torque.torque_B[0]`, `nav.covariance[1][2]`.
        field: The field.
        values: (n,) Its samples.
    """

    name: str
    field: FieldLog
    values: np.ndarray


def columns(log: Log) -> Iterator[Column]:
    """All numbers of all fields, in the order of recording."""
    for field in log.fields():
        for place in np.ndindex(field.values.shape[1:]):
            name = field.path + "".join(f"[{i}]" for i in place)
            yield Column(name, field, field.values[(slice(None), *place)])
