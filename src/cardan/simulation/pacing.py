"""How long the core runs before it returns: often enough for Ctrl-C, the progress bar and the wall clock."""

import time
from typing import Any

from cardan.errors import RunTimeout, SettingError, shown
from cardan.scenario.clock import NANO
from cardan.simulation.interrupts import deliver
from cardan.simulation.progress import Progress

_SLICE = 0.1  # [s] wall time between two looks at the world
_FAR = 2**62  # [ns] later than any run
_FASTEST = 1.0e9  # simulated seconds per second; nothing runs faster, and times stay within the clock


class Pacing:
    """Budgets for the core, a progress bar for long runs, and sleep where a run is tied to the wall clock."""

    def __init__(
        self,
        title: str,
        start: float,
        until: float,
        realtime: float | None,
        progress: bool,
        timeout: float | None = None,
    ) -> None:
        if realtime is not None and not (isinstance(realtime, int | float) and 0.0 < realtime <= _FASTEST):
            raise SettingError(f"realtime = {shown(realtime)}.\n  Use simulated seconds per second, e.g. 1.0, or None.")
        if timeout is not None and not (isinstance(timeout, int | float) and timeout > 0.0):
            raise SettingError(f"timeout = {shown(timeout)}.\n  Use a number of seconds of wall time, or None.")
        self._timeout = timeout
        self._title = title
        self._start = start
        self._until = until
        self._realtime = realtime
        self._progress = Progress(progress and until > start)
        self._budget = 64
        self._began = self._asked = time.perf_counter()

    def __enter__(self) -> "Pacing":
        return self

    def __exit__(self, *details: Any) -> None:
        self._progress.__exit__(*details)

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
        self._progress.update(self._title, now - self._start, self._until - self._start)
        if self._timeout is not None and now < self._until and wall - self._began > self._timeout:
            raise RunTimeout(f"`{self._title}` was not done after {self._timeout:g} s of wall time.")
        if self._realtime is not None:
            while (ahead := (now - self._start) / self._realtime - (time.perf_counter() - self._began)) > 0.0:
                time.sleep(min(ahead, _SLICE))
                deliver()
