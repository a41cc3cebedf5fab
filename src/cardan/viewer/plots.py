"""Plots beside the scene: any recorded field by its path, several in one plot, with a cursor at the time shown."""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.simulation import FieldLog, Log

_POINTS = 500  # of a curve: as many as a panel has dots
_MOST_CURVES = 12  # of a plot
_PERIOD = 0.15  # [s] between two moves of the cursor
_GROWING_PERIOD = 0.5  # [s] between two drawings of curves that grow
_COLORS = ("#4c9be8", "#f2a541", "#63c174", "#e5534b", "#b083f0", "#39c5cf", "#f778ba", "#d4c14a")


class Plots:
    """A tab with plots, and what it takes to add and remove them.

    Args:
        server: Of the page.
        log: Gives what was recorded, so far.
        shown: Paths of a first plot.
        is_growing: Whether there is more of it from time to time, so that curves are drawn anew.
    """

    def __init__(
        self, server: Any, log: Callable[[], Log], shown: tuple[str, ...] = (), is_growing: bool = False
    ) -> None:
        self._gui, self._log, self._is_growing = server.gui, log, is_growing
        self._lock = threading.Lock()
        self._plots: list[_Plot] = []
        self._drawn = 0.0
        paths = [] if is_growing else [field.path for field in log().fields()]
        self._wanted = self._gui.add_text("fields", "", hint="paths with *, separated by commas: ctl.torque, bus.*")
        if paths:
            self._choice = self._gui.add_dropdown("recorded", paths, initial_value=paths[0])
            self._choice.on_update(lambda event: self._choose() if event.client is not None else None)
        self._add = self._gui.add_button("add a plot")
        self._clear = self._gui.add_button("remove all plots")
        self._told = self._gui.add_markdown("")
        self._folder = self._gui.add_folder("plots")
        self._add.on_click(lambda _: self.add(*(text.strip() for text in self._wanted.value.split(","))))
        self._clear.on_click(lambda _: self.clear())
        if shown:
            self.add(*shown)

    def _choose(self) -> None:
        self._wanted.value = self._choice.value

    def add(self, *patterns: str) -> None:
        """One more plot, of all fields that match; what is wrong with a path is said in the page."""
        log = self._log()
        fields = list(dict.fromkeys(field for pattern in patterns if pattern for field in log.fields(pattern)))
        fields = [field for field in fields if len(field) > 1 and field.dtype.kind in "fiub"]
        if not any(curves_of(field) for field in fields):
            self._told.content = f"Nothing that was recorded matches `{', '.join(patterns)[:200]}`."
            return
        self._told.content = ""
        with self._lock, self._folder:
            self._plots.append(_Plot(self._gui, fields))

    def clear(self) -> None:
        """Remove all plots."""
        with self._lock:
            for plot in self._plots:
                plot.remove()
            self._plots = []

    def update(self, t: float) -> None:
        """Move the cursor to a time [s]."""
        now = time.monotonic()
        if self._plots and now - self._drawn > (_GROWING_PERIOD if self._is_growing else _PERIOD):
            self._drawn = now
            log = self._log() if self._is_growing else None
            with self._lock:
                for plot in self._plots:
                    if log is not None:
                        plot.renew(log)
                    plot.move(t)


class _Plot:
    """Curves over time, all at times that they share."""

    def __init__(self, gui: Any, fields: list[FieldLog]) -> None:
        self._paths = [field.path for field in fields]
        curves, left_out = self._take(fields)
        series = [{"label": "t [s]"}] + [
            {"label": label, "stroke": _COLORS[i % len(_COLORS)], "width": 1.5}
            for i, (label, _, _) in enumerate(curves)
        ]
        series.append({"label": "now", "stroke": "#999999", "width": 1})
        units = ", ".join(dict.fromkeys(field.unit for field in fields))
        more = f", {left_out} more curves not shown" if left_out > 0 else ""
        self._handle = gui.add_uplot(
            data=self._data(float(self._t[0])),
            series=tuple(series),
            title=f"[{units}]{more}",
            scales=self._scales(),
            axes=({"stroke": "#999999"}, {"stroke": "#999999"}),
            aspect=1.5,
        )

    def _take(self, fields: list[FieldLog]) -> tuple[list[tuple[str, np.ndarray, np.ndarray]], int]:
        """Curves of the fields, at times that they share; and how many more there would be."""
        curves = [curve for field in fields for curve in curves_of(field)]
        left_out = len(curves) - _MOST_CURVES
        curves = curves[:_MOST_CURVES]
        first, last = min(t[0] for _, t, _ in curves), max(t[-1] for _, t, _ in curves)
        self._t = np.linspace(first, last, _POINTS)
        self._values = [np.interp(self._t, t, y) for _, t, y in curves]
        low, high = min(y.min() for y in self._values), max(y.max() for y in self._values)
        room = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
        self._low, self._high = low - room, high + room
        return curves, left_out

    def _scales(self) -> dict[str, Any]:
        return {"x": {"time": False}, "y": {"auto": False, "range": (self._low, self._high)}}

    def renew(self, log: Log) -> None:
        """Show what there is by now."""
        fields = [log[path] for path in self._paths if log.fields(path)]
        if any(curves_of(field) for field in fields):
            self._take(fields)
            self._handle.scales = self._scales()

    def move(self, t: float) -> None:
        self._handle.data = self._data(t)

    def remove(self) -> None:
        self._handle.remove()

    def _data(self, now: float) -> tuple[np.ndarray, ...]:
        """The curves, with three points more at the cursor: it rises from the bottom to the top there."""
        t = np.insert(self._t, np.searchsorted(self._t, now), [now] * 3)
        at = int(np.searchsorted(t, now))
        cursor = np.full(len(t), self._low)
        cursor[at + 1] = self._high
        return t, *(np.interp(t, self._t, y) for y in self._values), cursor


def curves_of(field: FieldLog) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """For each number of a field: a label, times [s] and values, thinned to what a plot can show."""
    every = max(1, len(field) // (4 * _POINTS))
    t = field.t[::every]
    values = np.asarray(field.values[::every], float).reshape(len(t), -1)
    is_known = np.isfinite(values).all(axis=1)
    t, values = t[is_known], values[is_known]
    if len(t) < 2:
        return []
    short = field.path
    if values.shape[1] == 1:
        return [(short, t, values[:, 0])]
    return [(f"{short}[{i}]", t, values[:, i]) for i in range(values.shape[1])]
