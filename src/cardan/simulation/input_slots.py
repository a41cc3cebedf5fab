"""Where messages from outside go, and how they are checked on the way."""

from collections.abc import Collection
from typing import Any

import numpy as np

from cardan.contracts.fields import all_finite
from cardan.contracts.message import message_declaration
from cardan.errors import did_you_mean
from cardan.scenario.outside import OUTPUT
from cardan.simulation.layout import Layout
from cardan.simulation.places import Place
from cardan.simulation.values import check_shapes

_FLOAT = np.dtype(np.float64)


class InputSlot:
    """An input from outside in an arena.

    Args:
        name: Of the input.
        place: Where its message lies.
    """

    def __init__(self, name: str, place: Place) -> None:
        self.name = name
        self.place = place
        self._declared = message_declaration(place.block.type)
        # arrays of finite numbers in the right shape are all that most messages ask for
        self._is_plain = all(
            field.kind == "float" and field.shape and not declared.constraints
            for field, declared in zip(place.block.fields, self._declared.fields, strict=True)
        )
        self._type = place.block.type
        self._fields = [
            (i, field.shape, slice(place.at + where.start, place.at + where.stop))
            for i, (field, where) in enumerate(zip(place.block.fields, place.block.slices, strict=True))
        ]

    def give(self, arena: np.ndarray, message: Any) -> None:
        """Write a message, or raise what is wrong with it."""
        if self._is_plain and type(message) is self._type and self._give_plainly(arena, message):
            return
        path = f"{self.name}.{OUTPUT}"
        taken = self._declared.take(message, path)
        check_shapes(self.place.block, self.place.block.sized_like(taken), path)
        self.place.write(arena, taken)

    def _give_plainly(self, arena: np.ndarray, message: Any) -> bool:
        """Write arrays as they are; returns whether that could be done."""
        numbers = []
        for i, shape, where in self._fields:
            value = message[i]
            if type(value) is not np.ndarray or value.dtype != _FLOAT or value.shape != shape:
                return False
            if not all_finite(value):
                return False
            numbers.append((where, value.ravel()))
        for where, flat in numbers:
            arena[where] = flat
        return True


def input_slots(layout: Layout) -> dict[str, InputSlot]:
    """The inputs from outside of a scenario, by name."""
    return {
        placed.name: InputSlot(placed.name, layout.outputs[placed.name, OUTPUT])
        for placed in layout.scenario.parts.values()
        if placed.is_outside
    }


def no_such_input(scenario: str, name: str, inputs: Collection[str]) -> str:
    """The text for an input that does not exist."""
    return (
        f"`{name}` is not an input of scenario `{scenario}`.{did_you_mean(name, inputs)}\n"
        f"  inputs: {', '.join(inputs) or 'none; make one with `scn.input(...)`'}"
    )
