"""How far a study is: runs per second, failures so far, time left."""

import sys
import time
from typing import Any, Self

_SHOW_EVERY = 10.0  # [s] between lines where there is no terminal
_SHOW_AFTER = 1.0  # [s]


class StudyProgress:
    """A bar in a terminal, a line now and then elsewhere, nothing if it is short.

    Args:
        name: Of the study.
        total: How many runs there are.
        done: How many are done already.
        is_wanted: False to show nothing.
    """

    def __init__(self, name: str, total: int, done: int, is_wanted: bool) -> None:
        self._name, self._total, self._before, self._done = name, total, done, done
        self._failed = 0
        self._is_wanted = is_wanted
        self._began = self._shown = time.perf_counter()
        self._bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *details: Any) -> None:
        if self._bar is not None:
            self._bar.stop()

    def add(self, done: int, failed: int) -> None:
        """Take note of runs that are done, and of how many of them do not pass."""
        self._done += done
        self._failed += failed
        now = time.perf_counter()
        if self._is_wanted and now - self._began > _SHOW_AFTER:
            self._show(now)

    @property
    def text(self) -> str:
        """`417 of 1000 runs, 41.2 per second, 3 failed, 14 s left`."""
        seconds = time.perf_counter() - self._began
        rate = (self._done - self._before) / max(seconds, 1e-9)
        left = (self._total - self._done) / rate if rate > 0.0 else 0.0
        return (
            f"{self._done} of {self._total} runs, {rate:.3g} per second, {self._failed} failed, {_duration(left)} left"
        )

    def _show(self, now: float) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(stderr=True)
        if console.is_terminal:
            if self._bar is None:
                columns = (TextColumn("{task.fields[name]}"), BarColumn(), TextColumn("{task.description}"))
                self._bar = Progress(*columns, console=console, transient=True)
                self._task = self._bar.add_task("", name=self._name, total=self._total)
                self._bar.start()
            self._bar.update(self._task, description=self.text, completed=self._done)
        elif now - self._shown > _SHOW_EVERY:
            self._shown = now
            print(f"{self._name}: {self.text}", file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    if seconds < 120.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 7200.0 else f"{seconds / 3600.0:.1f} h"
