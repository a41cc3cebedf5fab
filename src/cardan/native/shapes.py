"""Calls that are made for the shapes of their results alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_is_for_shapes: ContextVar[bool] = ContextVar("_is_for_shapes", default=False)


@contextmanager
def only_shapes() -> Iterator[None]:
    """Let plain Python call linked kernels in vain (`linking`): nothing is compiled or solved only to know a shape."""
    before = _is_for_shapes.set(True)
    try:
        yield
    finally:
        _is_for_shapes.reset(before)


def is_for_shapes() -> bool:
    return _is_for_shapes.get()
