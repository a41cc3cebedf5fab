"""How long the core runs before it returns: often enough for Ctrl-C, the progress bar and the wall clock."""

import time
from typing import Any

from cardan.errors import SettingError, shown
from cardan.scenario.clock import NANO
from cardan.simulation.interrupts import deliver

_SLICE = 0.1  # [s] wall time between two looks at the world
_SHOW_AFTER = 2.0  # [s] wall time before a progress bar appears
_FAR = 2**62  # [ns] later than any run
_FASTEST = 1.0e9  # simulated seconds per second; nothing runs faster, and times stay within the clock


class Pacing:
    """Budgets for the core, a progress bar for long runs, and sleep where a run is tied to the wall clock."""

    def __init__(self, title: str, start: float, until: float, realtime: float | None, progress: bool) -> None:
        if realtime is not None and not (isinstance(realtime, int | float) and 0.0 < realtime <= _FASTEST):
            raise SettingError(f"realtime = {shown(realtime)}.\n  Use simulated seconds per second, e.g. 1.0, or None.")
        self._title = title
        self._start = start
        self._until = until
        self._realtime = realtime
        self._wants_bar = progress
        self._bar: Any = None
        self._budget = 64
        self._began = self._asked = time.perf_counter()

    def __enter__(self) -> "Pacing":
        return self

    def __exit__(self, *details: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def slice(self, now: float) -> tuple[int, int]:
        """Where to pause [ns], and after how many steps; neither changes a step."""
        self._asked = time.perf_counter()
        if self._realtime is None:
            return _FAR, self._budget
        return int((now + 0.2 * _SLICE * self._realtime) * NANO), self._budget

    def spent(self, steps: int, now: float) -> None:
        """Take note of what a slice took, and let the world catch up."""
        wall = time.perf_counter()
        took = wall - self._asked
        if steps >= self._budget or took > 2.0 * _SLICE:
            self._budget = max(1, min(int(self._budget * min(4.0, _SLICE / max(took, 1.0e-6))), 2**40))
        self._show(now, wall - self._began)
        if self._realtime is not None:
            while (ahead := (now - self._start) / self._realtime - (time.perf_counter() - self._began)) > 0.0:
                time.sleep(min(ahead, _SLICE))
                deliver()

    def _show(self, now: float, elapsed: float) -> None:
        if not self._wants_bar or elapsed < _SHOW_AFTER or self._until <= self._start:
            return
        if self._bar is None:
            self._bar = _new_bar()
            self._task = self._bar.add_task(self._title, total=self._until - self._start)
            self._bar.start()
        self._bar.update(self._task, completed=now - self._start)


def _new_bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
