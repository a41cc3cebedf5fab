"""What is shown to those who wait: a bar in a terminal or a notebook, two lines in a log, nothing if it is short."""

import sys
import threading
import time
from importlib.util import find_spec
from types import TracebackType
from typing import Any, Protocol, Self

SHOW_AFTER = 2.0  # [s] of waiting before anything is shown
_NAMED = 2  # at most so many are named at once


class Progress:
    """Shows on the error stream how far something is, once it has taken two seconds.

    Args:
        is_wanted: False to show nothing at all.
        in_log: The line of a log when the waiting begins, and the one when it is over with the seconds that it took;
            None for no lines in a log.
    """

    def __init__(self, is_wanted: bool, in_log: tuple[str, str] | None = None) -> None:
        self._is_wanted = is_wanted
        self._in_log = in_log
        self._began = time.perf_counter()
        self._display: _Display | None = None
        self._latest: tuple[str, float, float] = ("", 0.0, 1.0)
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()  # the timer shows what another thread has reported

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._lock:
            self._is_wanted = False
            if self._timer is not None:
                self._timer.cancel()
            if self._display is not None:
                self._display.close(time.perf_counter() - self._began, is_done=error is None)

    def update(self, text: str, completed: float, total: float) -> None:
        """Say what is going on and how far it is."""
        self._latest = (text, completed, total)
        if self._is_wanted and (self._display is not None or time.perf_counter() - self._began >= SHOW_AFTER):
            self._show()

    def show_in_time(self) -> None:
        """Show what was said last once it is time, also if nothing is said until then."""
        if self._is_wanted and self._timer is None:
            self._timer = threading.Timer(SHOW_AFTER, self._show)
            self._timer.daemon = True
            self._timer.start()

    def _show(self) -> None:
        with self._lock:
            if not self._is_wanted:
                return
            if self._display is None:
                self._display = _new_display(self._in_log)
            self._display.update(*self._latest)


class CompileProgress(Progress):
    """How far the compiling is before a run.

    Args:
        scenario: The name of the scenario.
        is_wanted: False to show nothing at all.
    """

    def __init__(self, scenario: str, is_wanted: bool) -> None:
        name = f" for `{scenario}`" if scenario else ""
        super().__init__(is_wanted, (f"compiling{name} (kept for the next run) ...", "compiled in {:.0f} s"))

    def report(self, done: int, total: int, labels: list[str]) -> None:
        """Take note that `done` of `total` are compiled, and which are being compiled."""
        named = ", ".join(labels[:_NAMED]) + (" ..." if len(labels) > _NAMED else "")
        self.update(f"compiling {min(done + 1, total)} of {total}" + (f": {named}" if named else ""), done, total)
        self.show_in_time()


class _Display(Protocol):
    def update(self, text: str, completed: float, total: float) -> None: ...

    def close(self, took: float, *, is_done: bool) -> None: ...


def _new_display(in_log: tuple[str, str] | None) -> _Display:
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_jupyter:
        return _Bar(console) if _has_widgets() else _RewrittenLine()
    return _Bar(console) if console.is_terminal else _Lines(in_log)


def _has_widgets() -> bool:
    return find_spec("ipywidgets") is not None


class _Bar:
    """A bar that is gone when the waiting is over."""

    def __init__(self, console: Any) -> None:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        self._bar = Progress(*columns, console=console, transient=True)
        self._task = self._bar.add_task("")
        self._bar.start()

    def update(self, text: str, completed: float, total: float) -> None:
        self._bar.update(self._task, description=text, completed=completed, total=total)

    def close(self, took: float, *, is_done: bool) -> None:
        self._bar.stop()


class _RewrittenLine:
    """One line that is written over: in a notebook without widgets."""

    def __init__(self) -> None:
        self._line = ""

    def update(self, text: str, completed: float, total: float) -> None:
        self._write(f"{text} ({100.0 * completed / total:.0f} %)")

    def close(self, took: float, *, is_done: bool) -> None:
        self._write("")
        sys.stderr.write("\r")

    def _write(self, line: str) -> None:
        if line != self._line:
            sys.stderr.write("\r" + line.ljust(len(self._line)))
            sys.stderr.flush()
        self._line = line


class _Lines:
    """A line when the waiting begins and one when it is over: in a log."""

    def __init__(self, in_log: tuple[str, str] | None) -> None:
        self._in_log = in_log
        if in_log is not None:
            print(in_log[0], file=sys.stderr, flush=True)

    def update(self, text: str, completed: float, total: float) -> None:
        pass

    def close(self, took: float, *, is_done: bool) -> None:
        if self._in_log is not None and is_done:
            print(self._in_log[1].format(took), file=sys.stderr, flush=True)
