"""Inputs from outside: a message that a script, a policy or a device gives, held until it gives another."""

from typing import Any, NamedTuple

from cardan.contracts.fields import Declaration
from cardan.contracts.message import is_message, message_declaration
from cardan.contracts.part import PartContract
from cardan.errors import WiringError

OUTPUT = "given"  # the name of its one port


class OutsideInput(NamedTuple):
    """Stands among the parts of a scenario for what comes from outside; it has no parameters."""


_NO_PARAMETERS = Declaration(OutsideInput, ())


def outside_contract(name: str, message: Any) -> tuple[PartContract, Any]:
    """How an input from outside looks to the rest of a scenario, and the message that it begins with, if any."""
    cls = message if isinstance(message, type) else type(message)
    if not is_message(cls):
        raise WiringError(
            f"The input `{name}` cannot carry {message!r}.\n"
            '  Give the message that it begins with, e.g. `scn.input("command", WheelTorques(...))`, or its class.'
        )
    declared = message_declaration(cls)
    if message is cls and not declared.block.is_sized:
        raise WiringError(
            f"The input `{name}` carries {cls.__name__}, whose size each instance fixes.\n"
            f"  Give a message instead of its class: `scn.input({name!r}, {cls.__name__}(...))`."
        )
    first = None if message is cls else declared.take(message, f"{name}.{OUTPUT}")
    contract = PartContract("input", OutsideInput, True, _NO_PARAMETERS, (), None, {}, {OUTPUT: cls}, {}, None)
    return contract, first
