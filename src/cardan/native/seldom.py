"""Functions that seldom run, out of the way of those that run at every stage."""

from typing import Any

from numba import types

from cardan.native.forms import compiled_as


def _mark(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    for attribute in ("noinline", "cold"):
        builder.function.attributes.add(attribute)
    return context.get_dummy_value()


@compiled_as(types.void(), _mark)
def seldom() -> None:
    """Say, as the first line of a function, that it seldom runs: compiled, it is then no part of its callers.

    A processor keeps little more code at hand than an evaluation has. What it goes around at every stage, copied to
    all that might ask for it, would take the place of what runs.
    """
