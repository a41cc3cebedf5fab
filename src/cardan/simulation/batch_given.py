"""What a rollout is given: messages for all members and steps, checked, as words."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import ShapeError, UnknownName
from cardan.scenario.outside import OUTPUT
from cardan.simulation.input_slots import no_such_input
from cardan.simulation.layout import Layout
from cardan.simulation.places import Place


class Rollout(NamedTuple):
    """Messages for some inputs from outside.

    Attributes:
        names: Of the inputs.
        places: Where the messages go.
        numbers: (N, steps x words) What they are.
        steps: How many there are for each member.
    """

    names: list[str]
    places: list[Place]
    numbers: np.ndarray
    steps: int


def rollout_words(layout: Layout, inputs: Sequence[str], count: int, given: Mapping[Any, Any]) -> Rollout:
    """What is given to `count` members, by input or by its name; as in `Batch.rollout`."""
    names, places, columns, lengths = list[str](), list[Place](), list[np.ndarray](), set[int]()
    for source, values in given.items():
        name = str(getattr(source, "part", source))
        if name not in inputs:
            raise UnknownName(no_such_input(layout.scenario.name, name, inputs))
        place = layout.outputs[name, OUTPUT]
        names.append(name)
        places.append(place)
        fields = list(values) if isinstance(values, place.block.type) else [values]
        if len(fields) != len(place.block.fields):
            raise ShapeError(
                f"`{name}` carries {len(place.block.fields)} fields.\n"
                f"  Give a {place.block.type.__name__} of arrays (N, K, ...)."
            )
        for field, value in zip(place.block.fields, fields, strict=True):
            array = np.asarray(value, dtype=np.float64 if field.kind == "float" else np.int64)
            if array.ndim < 2 or array.shape != (count, array.shape[1], *field.shape):
                expected = ", ".join(["steps", *map(str, field.shape)])
                raise ShapeError(
                    f"`{name}.{field.name}` of a rollout has the wrong shape.\n"
                    f"  expected ({count}, {expected})\n  got      {array.shape}"
                )
            if not np.isfinite(array).all():
                raise ShapeError(f"`{name}.{field.name}` of a rollout is not finite everywhere.")
            lengths.add(array.shape[1])
            columns.append(np.ascontiguousarray(array).view(np.float64).reshape(*array.shape[:2], field.words))
    if len(lengths) != 1 or 0 in lengths:
        raise ShapeError(
            "A rollout is given messages for the same number of steps, at least one, for every input.\n"
            f"  got      {sorted(lengths) or 'none'}"
        )
    numbers = (columns[0] if len(columns) == 1 else np.concatenate(columns, axis=2)).reshape(count, -1)
    return Rollout(names, places, numbers, lengths.pop())
