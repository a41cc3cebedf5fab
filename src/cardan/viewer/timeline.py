"""`Timeline`: play, pause, scrub, speed, loop."""

import datetime
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.errors import SettingError, shown
from cardan.viewer.epoch import utc

SLOWEST, FASTEST = 0.1, 1000.0  # simulated seconds per second
_FRAME = 1.0 / 30.0  # [s] between two pictures
_STEPS = 2000  # of the slider


class Timeline:
    """Controls of a page that move through the time of a log.

    One thread draws: what pages ask for meanwhile is drawn when it comes to it, and of several requests the last one.

    Args:
        server: Of the page.
        t: (n,) [s] The recorded times.
        epoch: The date at time zero, if it is known.
        draw: Draws the scene at a time [s].
        speed: Simulated seconds per second to begin with.
    """

    def __init__(
        self,
        server: Any,
        t: np.ndarray,
        epoch: datetime.datetime | None,
        draw: Callable[[float], None],
        speed: float,
    ) -> None:
        self._t, self._epoch, self._draw = t, epoch, draw
        self._first, self._last = float(t[0]), float(t[-1])
        self.now = self._first
        self.is_playing = False
        self._changed, self._ended = threading.Condition(), False
        self._is_stale = True
        self._make(server, speed)
        self._thread = threading.Thread(target=self._work, name="cardan viewer", daemon=True)
        self._thread.start()

    def _make(self, server: Any, speed: float) -> None:
        gui = server.gui
        self._clock = gui.add_markdown(self._text())
        span = self._last - self._first
        self._slider = gui.add_slider(
            "time [s]",
            self._first,
            self._last if span > 0.0 else self._first + 1.0e-9,
            max(span / _STEPS, 1.0e-9),
            self._first,
        )
        self._buttons = gui.add_button_group("", ("start", "back", "play", "forward", "end"))
        self._speed = gui.add_number("speed", speed, min=SLOWEST, max=FASTEST, step=0.1, hint="simulated s per s")
        self._loop = gui.add_checkbox("loop", False)
        self._slider.on_update(self._scrubbed)
        self._buttons.on_click(self._pressed)

    # ---- asked for by pages and scripts --------------------------------------------------------------------------

    def go(self, t: float) -> None:
        """Show a time [s], and stay there."""
        with self._changed:
            self.is_playing = False
            self._to(t)

    def play(self, is_playing: bool = True) -> None:
        """Go on from the time that is shown, from the start if that is the end."""
        with self._changed:
            if is_playing and self.now >= self._last:
                self._to(self._first)
            self.is_playing = is_playing
            self._changed.notify_all()

    def redraw(self) -> None:
        """Draw the time that is shown once more, because something else has changed."""
        with self._changed:
            self._is_stale = True
            self._changed.notify_all()

    def settle(self, seconds: float = 10.0) -> bool:
        """Wait until all that was asked for is drawn; returns whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._is_stale, seconds)

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        self._thread.join(5.0)

    def _to(self, t: float) -> None:
        self.now = float(np.clip(t, self._first, self._last))
        self._is_stale = True
        self._changed.notify_all()

    def _scrubbed(self, event: Any) -> None:
        if event.client is not None:  # a page, and not the thread below
            self.go(float(self._slider.value))

    def _pressed(self, _: Any) -> None:
        pressed = self._buttons.value
        after = int(np.searchsorted(self._t, self.now, side="right"))
        before = int(np.searchsorted(self._t, self.now, side="left")) - 1
        if pressed == "play":
            self.play(not self.is_playing)
        elif pressed == "start":
            self.go(self._first)
        elif pressed == "end":
            self.go(self._last)
        elif pressed == "back":
            self.go(float(self._t[max(0, before)]))
        else:
            self.go(float(self._t[min(len(self._t) - 1, after)]))

    # ---- drawn -----------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        drawn = time.perf_counter()
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self.is_playing or self._is_stale or self._ended)
                if self._ended:
                    return
                wall = time.perf_counter()
                if self.is_playing:
                    self._advance(wall - drawn)
                drawn, t = wall, self.now
            self._draw(t)
            self._clock.content = self._text()
            self._slider.value = t
            with self._changed:
                self._is_stale = self.now != t
                self._changed.notify_all()
            time.sleep(max(0.0, _FRAME - (time.perf_counter() - wall)) if self.is_playing else 0.0)

    def _advance(self, seconds: float) -> None:
        # a picture that took long is not caught up with in one leap
        speed = float(np.clip(self._speed.value, SLOWEST, FASTEST))
        self.now += min(seconds, 10.0 * _FRAME) * speed
        if self.now >= self._last:
            self.now = self._first if self._loop.value else self._last
            self.is_playing = bool(self._loop.value)

    def _text(self) -> str:
        date = "" if self._epoch is None else f"  \n{utc(self._epoch, self.now)}"
        return f"**t = {self.now:.3f} s**{date}"


def usual_speed(span: float) -> float:
    """Simulated seconds per second, 1 or more, at which a run of `span` [s] plays for a minute at the most."""
    for speed in (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0):
        if span <= 60.0 * speed:
            return speed
    return FASTEST


def check_speed(speed: float) -> None:
    """Refuse what no page can play at."""
    if not isinstance(speed, int | float) or not SLOWEST <= speed <= FASTEST or not np.isfinite(speed):
        raise SettingError(f"speed = {shown(speed)}.\n  Use simulated seconds per second from {SLOWEST} to {FASTEST}.")
