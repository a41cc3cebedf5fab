"""How large everything is: the sizes that each instance fixes, found by asking the parts themselves.

A message with one value per wheel has a size only in a given scenario. It follows from parameters, from the state, or
from another message, so each such output is evaluated once, in plain Python, with the messages known so far.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cardan.contracts.calls import result_places
from cardan.contracts.fields import Declaration
from cardan.contracts.message import message_declaration
from cardan.errors import CardanError, ShapeError, WiringError
from cardan.maths.random import RandomKey
from cardan.mechanism.ports import MechanismPort
from cardan.native.layout import KINDS
from cardan.native.python_entry import check_class, part_of
from cardan.native.shapes import only_shapes
from cardan.scenario.clock import seconds
from cardan.scenario.placed import Placed
from cardan.scenario.ports import Connection

Path = tuple[str, str]  # part, port


class Sizes(NamedTuple):
    """What every state and message starts as; its arrays have their sizes.

    Attributes:
        states: The initial state or memory of each part that has one.
        outputs: The message in each output port before anything has been evaluated.
    """

    states: dict[str, Any]
    outputs: dict[Path, Any]


def find_sizes(parts: dict[str, Placed]) -> Sizes:
    """Initial states and messages of the parts of a scenario, or an error that names what has no size."""
    sizes = Sizes({}, {})
    for placed in parts.values():
        for port, message in placed.contract.outputs.items():
            declared = message_declaration(message)
            if placed.is_outside and placed.initial is not None:
                sizes.outputs[placed.name, port] = placed.initial
            elif declared.block.is_sized:
                sizes.outputs[placed.name, port] = declared.default(f"{placed.name}.{port}")

    # each round settles what the rounds before made known
    progress = True
    while progress:
        progress = False
        for placed in parts.values():
            progress |= _find_state(placed, sizes)
            for port in placed.contract.outputs:
                progress |= _find_output(placed, port, sizes)

    lost = [f"{p.name} (its state)" for p in parts.values() if p.contract.state and p.name not in sizes.states]
    lost += [f"{p.name}.{o}" for p in parts.values() for o in p.contract.outputs if (p.name, o) not in sizes.outputs]
    if lost:
        raise WiringError(
            "These have sizes that depend on each other, so none can be found:\n  " + "\n  ".join(lost) + "\n"
            "  Give one of the parts an `initial` state, or one of their connections a delay with an `initial` message."
        )
    return sizes


def input_message(placed: Placed, name: str, sizes: Sizes) -> tuple[bool, Any]:
    """The message in an input before anything has been evaluated, and whether it is known yet."""
    connection = placed.inputs.get(name)
    if connection is None:
        return True, placed.contract.inputs[name].default
    if connection.constant is not None:
        return True, connection.constant
    assert connection.source is not None
    source = (connection.source.part, connection.source.name)
    if isinstance(connection.source, MechanismPort):
        sizes.outputs.setdefault(source, mechanism_message(connection.source))
    if connection.initial is not None:
        _check_alike(connection, placed, name, sizes.outputs.get(source))
        return True, connection.initial
    return source in sizes.outputs, sizes.outputs.get(source)


def mechanism_message(port: MechanismPort) -> Any:
    """The message in an output of a mechanism before anything has been evaluated; groups have an element each."""
    declared = port.declaration
    if declared.block.is_sized:
        return declared.default(port.path)
    count = len(port.elements)
    values = [
        np.zeros([count if size is None else size for size in field.shape]) if not field.is_sized else None
        for field in declared.block.fields
    ]
    return declared.shaped(declared.type._make(values), port.path)


def _find_state(placed: Placed, sizes: Sizes) -> bool:
    declared = placed.contract.state
    if declared is None or placed.name in sizes.states:
        return False
    path = f"{placed.name}.state"
    initial = placed.contract.initial
    if placed.initial is not None:
        sizes.states[placed.name] = placed.initial
    elif initial is not None:
        known, arguments = _arguments(placed, initial.arguments, sizes)
        if not known:
            return False
        value = _evaluate(f"{placed.name}.initial", initial.function, placed, arguments)
        # a message that nobody has sent yet need not be possible
        take = declared.shaped if placed.contract.holds_message else declared.take
        sizes.states[placed.name] = take(value, path)
    else:
        missing = [
            f.name for f in declared.fields if not f.field.is_sized and f.name not in declared.type._field_defaults
        ]
        if missing:
            raise WiringError(
                f"`{path}.{missing[0]}` has a size that each instance fixes, and nothing says which.\n"
                f"  Give {placed.contract.label} a method `initial(self, ...) -> {declared.type.__name__}`, or pass "
                f"`initial={declared.type.__name__}(...)` to `scn.add`."
            )
        sizes.states[placed.name] = declared.take(declared.default(path), path)
    return True


def _find_output(placed: Placed, port: str, sizes: Sizes) -> bool:
    if (placed.name, port) in sizes.outputs:
        return False
    method = placed.contract.methods["step" if placed.is_task else port]
    known, arguments = _arguments(placed, method.arguments, sizes)
    if not known:
        return False
    returned = _evaluate(f"{placed.name}.{method.name}", method.function, placed, arguments)
    places = result_places(placed.contract, method)
    for name in placed.contract.outputs if placed.is_task else [port]:
        declared = message_declaration(placed.contract.outputs[name])
        if not declared.block.is_sized:
            value = part_of(returned, places[name])
            sizes.outputs[placed.name, name] = _zeros_like(declared, value, f"{placed.name}.{name}")
    return True


def _zeros_like(declared: Declaration, value: Any, path: str) -> Any:
    """The message with the shapes of `value`: defaults where the class has them, else zeros."""
    check_class(declared.type, value, path)
    defaults = declared.type._field_defaults
    fields = [
        defaults.get(field.name, np.zeros(np.shape(getattr(value, field.name)), KINDS[field.kind]))
        for field in declared.block.fields
    ]
    return declared.shaped(declared.type._make(fields), path)


def _arguments(placed: Placed, names: tuple[str, ...], sizes: Sizes) -> tuple[bool, list[Any]]:
    """Arguments for one call before the run, and whether all are known."""
    values: list[Any] = []
    for name in names:
        if name == "t":
            values.append(0.0)
        elif name == "dt" and placed.is_task:
            values.append(seconds(placed.period))
        elif name == "rng" and placed.is_task:
            values.append(RandomKey(0, 0))
        elif name == "x":
            if placed.name not in sizes.states:
                return False, []
            values.append(sizes.states[placed.name])
        else:
            known, message = input_message(placed, name, sizes)
            if not known:
                return False, []
            values.append(message)
    return True, values


def _evaluate(path: str, function: Callable[..., Any], placed: Placed, arguments: list[Any]) -> Any:
    try:
        # only shapes matter here, so zeros in initial messages may give whatever they give
        with np.errstate(all="ignore"), only_shapes():
            return function(placed.part, *arguments)
    except CardanError:
        raise
    except Exception as error:
        error.add_note(f"while finding the size of `{path}` from the initial messages")
        raise


def _check_alike(connection: Connection, placed: Placed, name: str, message: Any) -> None:
    if message is None:
        return
    declared = message_declaration(type(message)).block
    given, needed = (declared.sized_like(value).fields for value in (connection.initial, message))
    for ours, theirs in zip(given, needed, strict=True):
        if ours.shape != theirs.shape:
            assert connection.source is not None
            raise ShapeError(
                f"The initial message for `{placed.name}.{name}` does not fit `{connection.source.path}`.\n"
                f"  `{ours.name}` expected {theirs.shape}, got {ours.shape}"
            )
