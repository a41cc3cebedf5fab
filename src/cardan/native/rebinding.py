"""A function's own source with other modules and functions in it: how parts are traced."""

import types
from collections.abc import Callable
from typing import Any

from cardan import maths
from cardan.maths.stacks import kernel_of


def rebound(
    function: Any, names: dict[str, Any], forms: dict[Any, Any], check: Callable[[types.CodeType], None] | None = None
) -> Any:
    """`function` with some of its globals replaced, in itself and in every plain function it calls.

    Args:
        function: A plain function.
        names: Modules, by the names that they are imported under.
        forms: Functions, and what is called in their place.
        check: Is shown the code of each of these functions, and may raise.
    """
    copies: dict[int, Any] = {}

    def copy(original: types.FunctionType) -> types.FunctionType:
        if id(original) in copies:
            found: types.FunctionType = copies[id(original)]
            return found
        if check is not None:
            check(original.__code__)
        namespace = dict(original.__globals__)
        made = types.FunctionType(
            original.__code__, namespace, original.__name__, original.__defaults__, original.__closure__
        )
        copies[id(original)] = made
        for name in _names_in(original.__code__):
            value = namespace.get(name)
            if name in names and isinstance(value, types.ModuleType):
                namespace[name] = names[name]
            elif isinstance(value, types.FunctionType):
                namespace[name] = in_place_of(value)
            elif value is maths:
                namespace[name] = _Stand(maths, in_place_of)
        return made

    def in_place_of(value: types.FunctionType) -> Any:
        return forms[value] if value in forms else copy(kernel_of(value))

    return copy(function)


class _Stand:
    """What stands for a module: its functions are others."""

    def __init__(self, module: types.ModuleType, in_place_of: Callable[[types.FunctionType], Any]) -> None:
        self._module, self._in_place_of = module, in_place_of

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        return self._in_place_of(value) if isinstance(value, types.FunctionType) else value


def _names_in(code: types.CodeType) -> list[str]:
    """The global names that a function reads, those of its comprehensions among them."""
    inner = [const for const in code.co_consts if isinstance(const, types.CodeType)]
    return [*code.co_names, *(name for const in inner for name in _names_in(const))]
