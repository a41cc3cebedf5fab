"""What belongs to one member of a batch: how it failed, what its log says of it, its values in memory."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import OutOfMemory, SettingError, shown
from cardan.files import in_bytes
from cardan.mechanism.ports import MechanismPort
from cardan.native.layout import LINE
from cardan.scenario.ports import Port
from cardan.simulation.places import Place


class MemberFailure(NamedTuple):
    """What is needed to let a member fail once more, alone.

    Attributes:
        row: Its row before.
        until: [ns] How far it went in its first step.
        span: [ns] How much further in each later one.
        given: (steps, words) What was given from outside before each step.
        given_at: Where in the arena that goes, and how many words.
        kept: What the words of the row may point at.
    """

    row: np.ndarray
    until: int
    span: int
    given: np.ndarray
    given_at: Sequence[tuple[int, int]]
    kept: Any


def about_member(about: Mapping[str, Any], member: int, seed: int, varies: Mapping[str, Any]) -> dict[str, Any]:
    """Where the results of a member come from: as a simulation of its own would say, and which member it is.

    Args:
        about: The same of the scenario itself.
        member: Its number.
        seed: Its seed.
        varies: What it has of what varies, by path.
    """
    plain = {path: np.asarray(value).tolist() for path, value in varies.items()}
    parts, numbers = dict(about["parts"]), dict(about.get("numbers", {}))
    for path, value in plain.items():
        name, _, field = path.rpartition(".")
        if name not in parts:
            numbers[path] = value
            continue
        parameters = parts[name]["parameters"]
        parts[name] = parts[name] | {"parameters": parameters | {field: parameters[field] | {"value": value}}}
    own = {"parts": parts, "member": member, "seed": seed, "varies": plain}
    return {**about, **own} | ({"numbers": numbers} if numbers else {})


def views(place: Place, words: np.ndarray, at: int) -> Any:
    """The fields of a message that begins at word `at` of the last axis, without copying; truth values are 0 or 1."""
    fields = []
    for field, where in zip(place.block.fields, place.block.slices, strict=True):
        columns = words[..., at + where.start : at + where.stop]
        if field.kind != "float":
            columns = columns.view(np.int64)
        fields.append(columns.reshape(*words.shape[:-1], *field.shape))
    return place.block.type._make(fields)


def paths_of(outputs: Any) -> list[str]:
    """Ports by their paths."""
    ports = [outputs] if isinstance(outputs, str | Port | MechanismPort) else outputs
    return [port.path if isinstance(port, Port | MechanismPort) else str(port) for port in ports]


def whole_number(number: Any, what: str) -> int:
    if not isinstance(number, int | np.integer) or isinstance(number, bool) or number < 1:
        raise SettingError(f"{what} = {shown(number)}.\n  Use a whole number, at least 1.")
    return int(number)


def core_count() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def rows_of_words(count: int, words: int) -> np.ndarray:
    """(count, words) Rows, each of whole lines of the processor's cache."""
    padded = -(-words // LINE) * LINE
    try:
        room = np.zeros(count * padded + LINE)
    except (MemoryError, ValueError):
        size = in_bytes(8 * count * padded)
        raise OutOfMemory(
            f"There is no memory for a batch of {count} members, {size}.\n  Make a smaller one."
        ) from None
    start = -(room.ctypes.data // 8) % LINE
    return room[start : start + count * padded].reshape(count, padded)
