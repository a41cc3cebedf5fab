"""What a fault acts on: a port, and which of its numbers."""

import re
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import CardanError, UnknownName, UnknownPort, did_you_mean, shown
from cardan.mechanism import MechanismPort
from cardan.messages import MassProperties
from cardan.scenario import Port, Scenario, first_message, port_at

_INDEX = re.compile(r"(.+)\[(\d+)\]")


class Target(NamedTuple):
    """Numbers of the messages of a port.

    Attributes:
        path: As it was given.
        port: An output, or an input of the mechanism.
        first: The first number, as `numbers_of` counts them.
        width: How many there are.
        message: What the port carries before the run.
    """

    path: str
    port: Port | MechanismPort
    first: int
    width: int
    message: Any


def find_target(scn: Scenario, path: Any) -> Target:
    """What a path names: `bank.forces`, `bank.forces.thrust`, `bank.forces.thrust[3]`; or a port itself."""
    if not isinstance(path, str):
        if not isinstance(path, Port | MechanismPort):
            raise UnknownPort(f"A fault on {shown(path)}.\n  Give a path such as `bank.forces.thrust[3]`, or a port.")
        message = _message(scn, path)
        return Target(path.path, path, 0, _size(message), message)
    indexed = _INDEX.fullmatch(path)
    base, index = (indexed[1], int(indexed[2])) if indexed else (path, None)
    port, field = _port_and_field(scn, base)
    message = _message(scn, port)
    first = 0
    for name, value in zip(message._fields, message, strict=True):
        size = int(np.size(value))
        if name == field:
            if index is not None and index >= size:
                raise UnknownName(f"`{path}`: `{base}` has {size} number{'s' * (size > 1)}, counted from 0.")
            return Target(path, port, first + (index or 0), size if index is None else 1, message)
        first += size
    if field:
        raise UnknownName(
            f"`{path}`: {type(message).__name__} has no field `{field}`.{did_you_mean(field, message._fields)}\n"
            f"  fields: {', '.join(message._fields)}"
        )
    if index is not None:
        raise UnknownName(f"`{path}`: say which field is meant, e.g. `{base}.{message._fields[0]}[{index}]`.")
    return Target(path, port, 0, first, message)


def _port_and_field(scn: Scenario, path: str) -> tuple[Port | MechanismPort, str]:
    try:
        return port_at(scn, path), ""
    except CardanError as error:
        before, _, field = path.rpartition(".")
        try:
            return port_at(scn, before), field
        except CardanError as other:
            # the longer path is what was meant where it names a part
            known = before.rpartition(".")[0] in scn.parts
            raise (other if known else error) from None


def _message(scn: Scenario, port: Port | MechanismPort) -> Any:
    """What a port carries before the run; for mass properties, those of the mechanism."""
    if not port.is_output and not isinstance(port, MechanismPort):
        raise UnknownPort(f"`{port.path}` is an input.\n  Let the fault act on the output that feeds it.")
    if isinstance(port, MechanismPort) and port.message is MassProperties and scn.mechanism is not None:
        body, numbers = port.part, scn.mechanism
        return MassProperties(
            numbers.number(f"{body}.mass"), numbers.number(f"{body}.r_CB_B"), numbers.number(f"{body}.inertia_B")
        )
    return first_message(scn, port)


def _size(message: Any) -> int:
    return sum(int(np.size(value)) for value in message)
