"""Functions of one vector or matrix that from plain Python also take stacks of them.

A kernel is written for one vector: `a[0]`, `a[1]`, `a[2]`. Given a stack whose components come first, the same lines
compute all of it, because every operation goes element by element. `on_stacks` brings arguments into that order and
results back out of it, so that a stack gives to the bit what its rows give one by one. A kernel that calls another must
then reach the other's kernel, whose components come first, too.

Native code and JAX know nothing of this: they take the kernel as it is written, for one vector.
"""

import inspect
import re
import types
from collections.abc import Callable
from functools import cache, update_wrapper
from typing import Any, TypeVar

import numpy as np

from cardan.errors import ShapeError

Function = TypeVar("Function", bound=Callable[..., Any])
Shape = tuple[int, ...]

_LISTS = (list, tuple)
_SHAPE = re.compile(r"\(([\d,]*)\)")


def on_stacks(signature: str) -> Callable[[Function], Function]:
    """Let the decorated kernel take stacks of its arguments, with broadcasting, and refuse other shapes.

    Args:
        signature: The shapes of one argument each and of the results, as NumPy writes them: `(3,3),(3)->(3)`.
    """
    takes, gives = (_shapes(side) for side in signature.split("->"))

    def decorate(kernel: Function) -> Function:
        names = list(inspect.signature(kernel).parameters)

        def function(*arguments: Any, **named: Any) -> Any:
            if named or len(arguments) != len(takes):
                arguments = inspect.signature(kernel).bind(*arguments, **named).args
            alone = _reaching_kernels(kernel)
            # the common case first, for plain Python is slow enough
            if [_shape(value) for value in arguments] == takes:
                return alone(*arguments)
            values = [np.asarray(value) if isinstance(value, _LISTS) else value for value in arguments]
            stack = _stack_of(kernel.__name__, names, [np.shape(value) for value in values], takes)
            found = alone(*(_components_first(v, core, stack) for v, core in zip(values, takes, strict=True)))
            if len(gives) == 1:
                return _components_last(found, gives[0])
            return tuple(_components_last(each, core) for each, core in zip(found, gives, strict=True))

        update_wrapper(function, kernel)
        function.__doc__ = (
            f"{(kernel.__doc__ or '').rstrip()}\n\n    On stacks: {_in_words(takes)} -> {_in_words(gives)}."
        )
        function.kernel = kernel  # type: ignore[attr-defined]
        return function  # type: ignore[return-value]

    return decorate


def kernel_of(function: Any) -> Any:
    """What native code and JAX see of a function."""
    return getattr(function, "kernel", function)


@cache
def _reaching_kernels(kernel: types.FunctionType) -> types.FunctionType:
    """A kernel that calls other kernels, and helpers that do, where it says to call functions on stacks."""
    namespace = dict(kernel.__globals__)
    for name in kernel.__code__.co_names:
        value = kernel_of(namespace.get(name))
        if isinstance(value, types.FunctionType):
            namespace[name] = _reaching_kernels(value)
    return types.FunctionType(kernel.__code__, namespace, kernel.__name__, kernel.__defaults__, kernel.__closure__)


def _shape(value: Any) -> Shape | None:
    """Of an array or a number; None of a list, which has to become an array first."""
    return None if isinstance(value, _LISTS) else getattr(value, "shape", ())


def _stack_of(name: str, names: list[str], shapes: list[Shape], takes: list[Shape]) -> Shape:
    """The shape of the stack that all arguments make together."""
    stacks = []
    for argument, shape, core in zip(names, shapes, takes, strict=True):
        n = len(shape) - len(core)
        if n < 0 or shape[n:] != core:
            raise ShapeError(
                f"`{name}`: `{argument}` has shape {shape}.\n  expected {core}, or a stack {_in_words([core])}"
            )
        stacks.append(shape[:n])
    try:
        return np.broadcast_shapes(*stacks)
    except ValueError:
        raise ShapeError(
            f"`{name}`: its arguments are stacks of different shapes.\n  got "
            + ", ".join(f"`{argument}` {shape}" for argument, shape in zip(names, shapes, strict=True))
            + "\n  Give stacks of one shape, or one value for all."
        ) from None


def _components_first(value: Any, core: Shape, stack: Shape) -> Any:
    full, n = np.broadcast_to(value, stack + core), len(stack)
    return full.transpose([*range(n, n + len(core)), *range(n)])


def _components_last(found: Any, core: Shape) -> Any:
    n = len(core)
    ordered = found.transpose([*range(n, found.ndim), *range(n)])
    return np.ascontiguousarray(ordered) if ordered.ndim else ordered[()]


def _shapes(side: str) -> list[Shape]:
    return [tuple(int(size) for size in inner.split(",") if size) for inner in _SHAPE.findall(side)]


def _in_words(shapes: list[Shape]) -> str:
    return ", ".join(f"({', '.join(['...', *map(str, core)])})" for core in shapes)
