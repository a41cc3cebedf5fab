"""Ends the process at a second Ctrl-C, if native code has not returned since the first.

The interpreter handles signals when native code has returned. An endless loop in a native part never does. But the
interpreter also writes the number of each signal to a socket, at once; a thread reads it there.
"""

import contextlib
import ctypes
import os
import select
import signal
import socket
import sys
import threading
import time
from functools import cache

_PATIENCE = 1.0  # [s] wall time in which a step is expected to end
_GRACE = 0.2  # [s] wall time in which the interpreter handles a signal if it can
_LOOK = 0.02  # [s] wall time between two looks

_WAITING = (
    "\nCtrl-C: the run stops after its present step, which is taking long. Press Ctrl-C again to stop it at once.\n"
)
_ENDING = "\nCtrl-C again: native code does not return, so the process ends, and what was recorded is lost.\n"


class _Watch:
    """A thread that hears of signals. It is started once, with the first run."""

    def __init__(self) -> None:
        self.beats = 0  # grows whenever the main thread is back in the interpreter
        self.is_listening = False
        self._heard, self.told = socket.socketpair()
        self.told.setblocking(False)
        threading.Thread(target=self._listen, name="Ctrl-C of cardan", daemon=True).start()

    def _listen(self) -> None:
        while True:
            if signal.SIGINT not in self._heard.recv(64):
                continue
            beats = self.beats
            if self._is_back(beats, _PATIENCE):
                continue
            self._drain()
            _say(_WAITING)
            while not self._is_back(beats):
                if self._is_pressed() and not self._is_back(beats, _GRACE):
                    _say(_ENDING)
                    _end_process()

    def _is_back(self, beats: int, patience: float = 0.0) -> bool:
        """Whether the main thread comes back to the interpreter within `patience` [s]."""
        until = time.monotonic() + patience
        while not (is_back := self.beats != beats or not self.is_listening) and time.monotonic() < until:
            time.sleep(_LOOK)
        return is_back

    def _is_pressed(self) -> bool:
        ready, _, _ = select.select([self._heard], [], [], _LOOK)
        return bool(ready) and signal.SIGINT in self._heard.recv(64)

    def _drain(self) -> None:
        while self._is_pressed():
            pass


_watch: _Watch | None = None


def begin() -> None:
    """Listen, unless somebody else in this process does."""
    global _watch  # noqa: PLW0603 - one thread for all runs
    if _watch is None:
        _watch = _Watch()
        _register()
    before = signal.set_wakeup_fd(_watch.told.fileno(), warn_on_full_buffer=False)
    _watch.beats += 1
    _watch.is_listening = before == -1
    if before != -1:
        signal.set_wakeup_fd(before)


def end() -> None:
    """Listen no longer."""
    if _watch is not None and _watch.is_listening:
        _watch.is_listening = False
        signal.set_wakeup_fd(-1)


def beat() -> None:
    """Say that the main thread is in the interpreter."""
    if _watch is not None:
        _watch.beats += 1


def _say(text: str) -> None:
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text)
        sys.stderr.flush()


def _end_process() -> None:
    """As Ctrl-C ends a process that has no handler, so that a shell sees the reason."""
    ctypes.pythonapi.PyOS_setsig(int(signal.SIGINT), None)  # None: SIG_DFL, which is 0 everywhere
    signal.raise_signal(signal.SIGINT)
    os._exit(130)


def _forget() -> None:
    """A forked process has no such thread, and must not speak to that of its parent."""
    global _watch  # noqa: PLW0603
    if _watch is not None and _watch.is_listening:
        with contextlib.suppress(ValueError):
            signal.set_wakeup_fd(-1)
    _watch = None


@cache
def _register() -> None:
    if hasattr(os, "register_at_fork"):  # Windows has no fork
        os.register_at_fork(after_in_child=_forget)
