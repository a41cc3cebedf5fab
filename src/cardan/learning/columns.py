"""Fields of messages as columns of a matrix: what is observed, what is acted on, and between which limits."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, Positive, Unit, message_declaration
from cardan.errors import SettingError, ShapeError, UnknownName, did_you_mean, shown

Limits = tuple[Any, Any]
"""The least and the largest value: numbers, or arrays of the field's shape."""


class Column(NamedTuple):
    """A field of a message, flat.

    Attributes:
        port: The path of the port, `obs.error`, or the name of an input from outside, `command`.
        field: The field.
        message: The class of the message.
        unit: Of the field.
        shape: Of the field.
        low: (n,) Least values.
        high: (n,) Largest values.
    """

    port: str
    field: str
    message: type
    unit: str
    shape: tuple[int, ...]
    low: np.ndarray
    high: np.ndarray

    @property
    def path(self) -> str:
        return f"{self.port}.{self.field}"

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=int))


def columns_of(names: Iterable[str], ports: Mapping[str, Any], limits: Mapping[str, Limits], what: str) -> list[Column]:
    """The columns that ports and fields name, in their order.

    Args:
        names: `obs.error` for all fields of a port, or `obs.error.r_BR_B` for one.
        ports: What there is: by path, an example of its message with a leading axis of members.
        limits: By path of a field, where they are not those that the message declares.
        what: What these are, for errors.
    """
    found: list[Column] = []
    for name in names:
        port, fields = _split(str(name), ports, what)
        for field in fields:
            found.append(_column(port, field, ports[port], limits, what))
    if not found:
        raise SettingError(f"Nothing is {what}.\n  Name ports or fields, e.g. `obs.error` or `obs.error.r_BR_B`.")
    paths = [column.path for column in found]
    unknown = [path for path in limits if path not in paths]
    if unknown:
        raise UnknownName(
            f"Limits are given for `{unknown[0]}`, which is not {what}.{did_you_mean(unknown[0], paths)}\n"
            f"  There are: {', '.join(paths)}"
        )
    return found


def _split(name: str, ports: Mapping[str, Any], what: str) -> tuple[str, tuple[str, ...]]:
    if name in ports:
        return name, tuple(ports[name]._fields)
    port, _, field = name.rpartition(".")
    if port in ports:
        if field not in ports[port]._fields:
            fields = ports[port]._fields
            raise UnknownName(
                f"`{port}` has no field `{field}` to be {what}.{did_you_mean(field, fields)}\n"
                f"  fields: {', '.join(fields)}"
            )
        return port, (field,)
    raise UnknownName(f"There is no `{name}` to be {what}.{did_you_mean(name, ports)}\n  There are: {', '.join(ports)}")


def _column(port: str, field: str, example: Any, limits: Mapping[str, Limits], what: str) -> Column:
    declared = next(each for each in message_declaration(type(example)).fields if each.name == field)
    values, path = np.asarray(getattr(example, field)), f"{port}.{field}"
    if values.dtype.kind not in "biuf":
        raise ShapeError(f"`{path}` is {shown(values)}, which cannot be {what}.\n  Name fields that hold numbers.")
    shape = values.shape[1:]
    size = int(np.prod(shape, dtype=int))
    if size == 0:
        raise ShapeError(
            f"`{path}` is empty here, so it cannot be {what}: a column has a size that stays.\n"
            "  Give the part its parameters, or leave the field out."
        )
    low, high = (_spread(bound, shape, path) for bound in limits.get(path, _declared(declared)))
    if not (low < high).all():
        raise SettingError(f"The limits of `{path}` leave no room: {shown(low.tolist())} to {shown(high.tolist())}.")
    return Column(port, field, type(example), declared.unit, shape, low, high)


def _declared(field: Any) -> Limits:
    """The limits that follow from what a message declares."""
    if field.field.kind == "bool":
        return 0.0, 1.0
    if Unit in field.constraints or (field.unit == "-" and field.name.startswith("sigma_")):
        return -1.0, 1.0  # a unit vector; modified Rodrigues parameters of the short rotation
    if NotNegative in field.constraints or Positive in field.constraints:
        return 0.0, np.inf
    return -np.inf, np.inf


def _spread(bound: Any, shape: tuple[int, ...], path: str) -> np.ndarray:
    try:
        spread = np.broadcast_to(np.asarray(bound, float), shape)
    except ValueError:
        raise ShapeError(
            f"A limit of `{path}` has shape {np.shape(bound)}.\n  Give one number, or an array of shape {shape}."
        ) from None
    if np.isnan(spread).any():
        raise SettingError(f"A limit of `{path}` is no number: {shown(bound)}.")
    return spread.reshape(-1)


def flat(columns: Iterable[Column], messages: Mapping[str, Any]) -> np.ndarray:
    """(N, n) The fields of messages, by port, side by side."""
    return np.concatenate(
        [np.reshape(getattr(messages[each.port], each.field), (-1, each.size)) for each in columns], axis=1
    )


def split(columns: Iterable[Column], numbers: Any) -> Iterator[tuple[Column, Any]]:
    """Each column with its part of (N, n) numbers, in the shape of its field: what `flat` has put side by side."""
    at = 0
    for each in columns:
        yield each, numbers[:, at : at + each.size].reshape(len(numbers), *each.shape)
        at += each.size
