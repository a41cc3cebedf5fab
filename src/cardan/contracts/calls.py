"""The methods of a part as native calls: which blocks they read and write."""

from collections.abc import Mapping
from typing import NamedTuple

from cardan.contracts.part import Method, PartContract
from cardan.maths.random import RandomKey
from cardan.native.call import Argument, Call, Result
from cardan.native.layout import Block, Field


class Period(NamedTuple):
    """The period of a task as a block of its own."""

    dt: float


PERIOD_BLOCK = Block(Period, (Field("dt", "float", ()),))
KEY_BLOCK = Block(RandomKey, (Field("stream", "int", ()), Field("tick", "int", ())))


def method_call(
    contract: PartContract, method: Method, read: Mapping[str, Block | None], written: Mapping[str, Block]
) -> Call:
    """The call of one method.

    Args:
        contract: Of the part.
        method: One of its methods.
        read: The layout of `self` and of each argument; None for the time and for an input that stays at None.
        written: The layout of each result: `derivatives`, `state` (projected), `memory`, or an output port.
    """
    arguments = [Argument("self", read["self"])]
    for name in method.arguments:
        arguments.append(Argument(name, read[name], is_time=name == "t", is_scalar=read[name] is PERIOD_BLOCK))
    results = tuple(
        Result(name, index, written[name], replaces="x" if name in ("state", "memory") else None)
        for name, index in result_places(contract, method).items()
    )
    return Call(f"{contract.label}.{method.name}", method.function, tuple(arguments), results)


def result_places(contract: PartContract, method: Method) -> dict[str, tuple[int, ...]]:
    """What a method returns, by name, and where in the returned value it stands."""
    if method.name == "project":
        return {"state": ()}
    if contract.kind == "model":
        return {method.name: ()}
    outputs = contract.packed_outputs._fields
    if contract.state is None:
        return {name: (i,) for i, name in enumerate(outputs)}
    return {"memory": (0,)} | {name: (1, i) for i, name in enumerate(outputs)}
