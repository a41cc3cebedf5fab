"""Ctrl-C while a simulation is at work: noted at once, delivered where nothing is left half done.

A handler of Python may run between any two instructions of the interpreter. What it raises at the edge of a callback
is lost in C, and what it raises between two slices leaves tables half written. So while a simulation is at work the
handler only takes note, and asks the core to pause after its step. Between slices the note is delivered: what was
installed before is called, which raises `KeyboardInterrupt` unless the user's handler does something else.

A second Ctrl-C does not wait. It goes at once into the Python of a part. Native code cannot be left from outside: where
that does not return, `watch` lets a second Ctrl-C end the process.

Only the main thread of a process handles signals. In any other thread nothing here does anything.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from cardan.native.python_entry import call_part
from cardan.simulation import watch


class _State:
    """Of the main thread: what is at work there, and what has been noted."""

    depth = 0  # of simulations, one at work inside a part of another
    is_installed = False
    is_noted = False
    is_let_through = False
    before: Callable[[int, FrameType | None], Any] | None = None  # None where Ctrl-C is left alone
    paces: list[np.ndarray] = []  # noqa: RUF012 - of the cores at work; the innermost is the last


def _is_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


@contextmanager
def held() -> Iterator[None]:
    """While this lasts, Ctrl-C is noted; what is noted at its end is delivered there."""
    if not _is_main_thread():
        yield
        return
    _State.depth += 1
    try:
        if _State.depth == 1:
            _install()
        yield
    finally:
        _State.depth -= 1
        if _State.depth == 0:
            _remove()
        deliver()


@contextmanager
def let_through() -> Iterator[None]:
    """Within `held`: while this lasts, Ctrl-C is delivered at once, as ever."""
    before = _State.is_let_through
    if _is_main_thread():
        deliver()
        _State.is_let_through = True
    try:
        yield
    finally:
        if _is_main_thread():
            _State.is_let_through = before


@contextmanager
def pausing(pace: np.ndarray) -> Iterator[None]:
    """Within `held`: while this lasts, a core is at work that pauses once `pace[0]` [ns] has come."""
    if not _is_main_thread():
        yield
        return
    _State.paces.append(pace)
    try:
        if len(_State.paces) == 1:
            watch.begin()
        yield
    finally:
        _State.paces.pop()
        if not _State.paces:
            watch.end()


def deliver() -> None:
    """Call what was installed before if Ctrl-C has been noted; to be called where an exception does no harm."""
    if not _is_main_thread():
        return
    watch.beat()
    if _State.is_noted and _State.before is not None:
        _State.is_noted = False
        _State.before(signal.SIGINT, None)


def _install() -> None:
    handler = signal.getsignal(signal.SIGINT)
    _State.is_noted = _State.is_let_through = False
    if handler is not _note:  # which a debugger may have put back after a run
        # without a handler of Python, Ctrl-C is ignored or ends the process: so it stays
        _State.before = handler if callable(handler) else None
    if _State.before is not None:
        _State.is_installed = True
        signal.signal(signal.SIGINT, _note)


def _remove() -> None:
    _State.is_let_through = False
    # a part, or a debugger in it, may have put a handler of its own there
    if _State.is_installed and signal.getsignal(signal.SIGINT) is _note:
        signal.signal(signal.SIGINT, _State.before)
    _State.is_installed = False


def _note(number: int, frame: FrameType | None) -> None:
    """The handler of Ctrl-C while a simulation is at work."""
    watch.beat()
    is_impatient = _State.is_noted and _is_in_part(frame)
    if _State.before is not None and (not _State.is_installed or _State.is_let_through or is_impatient):
        _State.is_noted = False
        _State.before(number, frame)
        return
    _State.is_noted = True
    for pace in _State.paces:
        pace[0] = 0


def _is_in_part(frame: FrameType | None) -> bool:
    """Whether the interpreter is in the Python of a part of the innermost core, not in what surrounds it."""
    parts = 0
    while frame is not None:
        parts += frame.f_code is call_part.__code__
        frame = frame.f_back
    return 0 < len(_State.paces) == parts
