"""Calls of parts in an arena: where the parameters of a part lie, and what each of its methods reads and writes."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from cardan.contracts.calls import method_call, result_places
from cardan.contracts.part import Method
from cardan.native.call import Call
from cardan.native.layout import Block
from cardan.scenario.placed import Placed
from cardan.scenario.sizes import Path
from cardan.simulation.places import Place, Stretch


class PlacedCall(NamedTuple):
    """A method of a part with the places of all that it reads and writes, in the order of its context."""

    call: Call
    places: tuple[Place, ...]
    context: int


def parameters_place(values: Stretch, placed: Placed) -> Place:
    """Room for the numbers among the parameters of a part."""
    contract = placed.contract
    numbers = contract.parameters.type._make(getattr(placed.part, f.name) for f in contract.parameters.fields)
    block = contract.parameters.block.sized_like(numbers)
    if contract.objects:
        block = Block(_Rebuilt(placed.part, contract.parameters.type._fields), block.fields)
    return values.place(block, contract.parameters.fields)


def placed_call(
    placed: Placed,
    method: Method,
    found: dict[str, dict[str, Place]],
    inputs: dict[Path, Place | None],
    outputs: dict[Path, Place],
    to_rates: int,
    tables: Stretch,
) -> PlacedCall:
    """One method of a part.

    Args:
        placed: The part.
        method: The method.
        found: Where parameters, periods, random keys, states and renewed states of parts lie.
        inputs: Where inputs lie.
        outputs: Where outputs lie.
        to_rates: Words from a state to its rates.
        tables: What its context is taken from.
    """

    def argument(name: str) -> Place | None:
        if name == "t":
            return None
        if name == "x":
            return found["states"][placed.name]
        if placed.is_task and name == "dt":
            return found["periods"][placed.name]
        if placed.is_task and name == "rng":
            return found["keys"][placed.name]
        return inputs[placed.name, name]

    def result(name: str) -> Place:
        if name == "derivatives":
            state = found["states"][placed.name]
            return state._replace(at=state.at + to_rates)
        if name in ("state", "memory"):
            # a new value of what is also read: it is copied into place when the call is over
            return found["renewed"][placed.name]
        return outputs[placed.name, name]

    read: dict[str, Place | None] = {"self": found["parameters"][placed.name]}
    read |= {name: argument(name) for name in method.arguments}
    written = {name: result(name) for name in result_places(placed.contract, method)}
    call = method_call(
        placed.contract,
        method,
        {name: place.block if place else None for name, place in read.items()},
        {name: place.block for name, place in written.items()},
    )
    places = (*(place for place in read.values() if place), *written.values())
    return PlacedCall(call, places, tables.reserve(call.context_words))


class _Rebuilt:
    """Makes a part with objects among its parameters from the numbers in memory."""

    def __init__(self, part: Any, numbers: tuple[str, ...]) -> None:
        self._part = part
        self._numbers = numbers

    def _make(self, values: Iterable[Any]) -> Any:
        numbers = dict(zip(self._numbers, values, strict=True))
        return self._part._make(numbers.get(name, value) for name, value in self._part._asdict().items())
