"""`Pieces`: logs of runs that follow each other, as one."""

import threading
from typing import Any

import numpy as np

from cardan.simulation import FieldLog, Log


class Pieces:
    """Samples of one run after the other, copied, so that what a short run has set aside for more is given back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # pages ask for plots while a run goes on
        self._about: dict[str, Any] = {}
        self._t: dict[str, list[np.ndarray]] = {}
        self._values: dict[str, list[np.ndarray]] = {}
        self._told: dict[str, tuple[str, str, str]] = {}  # axis, unit, frame

    def add(self, log: Log) -> None:
        """One more, which begins where the last one has ended."""
        with self._lock:
            self._add(log)

    def _add(self, log: Log) -> None:
        if not self._about:
            self._about = log.about
            self._t = {name: [] for name in log.axes}
            for field in log.fields():
                self._told[field.path] = log.axis(field), field.unit, field.frame
                self._values[field.path] = []
        for name, axis in log.axes.items():
            self._t[name].append(axis.t.copy())
        for field in log.fields():
            self._values[field.path].append(field.values.copy())

    def log(self, more: dict[str, Any]) -> Log:
        """All of them, described as the first is, and with `more`."""
        with self._lock:
            t = {name: np.concatenate(parts) for name, parts in self._t.items()}
            values = {path: np.concatenate(parts) for path, parts in self._values.items()}
        for array in (*t.values(), *values.values()):
            array.flags.writeable = False
        fields = [
            FieldLog(path, t[axis], values[path], unit, frame) for path, (axis, unit, frame) in self._told.items()
        ]
        return Log(t.get("time", np.zeros(0)), fields, self._about | more)
