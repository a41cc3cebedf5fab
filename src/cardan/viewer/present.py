"""`Present`: a simulation as it stands, as a source."""

import time
from typing import Any

import numpy as np

from cardan.errors import CardanError
from cardan.scenario import description
from cardan.simulation import Simulation
from cardan.viewer.drawing import Drawing, read_drawing
from cardan.viewer.trace import Trace

_TRACE_PERIOD = 0.2  # [s] of wall time between two points of trails


class Present:
    """Poses and messages of a simulation now; whatever it publishes is known."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.about: dict[str, Any] = description(simulation.scenario)
        self._drawing = read_drawing(self.about)
        self._ports: dict[str, bool] = {}
        self._largest: dict[str, float] = {}
        self.trace = Trace(np.zeros(0), np.zeros((0, self._drawing.nq)))
        self._traced = 0.0

    @property
    def drawing(self) -> Drawing:
        return self._drawing

    def coordinates(self, t: np.ndarray) -> np.ndarray:
        """(1, nq) Those of now, whatever the time."""
        found = self.drawing.reference
        for joint in self.drawing.joints:
            if joint.kind == "free":
                name = self.drawing.bodies[joint.body]
                found[joint.at : joint.at + 3] = self.simulation[f"{name}.motion"].r_BN_N
                found[joint.at + 3 : joint.at + 7] = self.simulation[f"{name}.quaternion"].q_BN
            elif joint.name:
                # angle, displacement or quaternion: the first field of each
                found[joint.at : joint.at + joint.size] = self.simulation[f"{joint.name}.state"][0]
        if time.monotonic() - self._traced > _TRACE_PERIOD:
            self._traced = time.monotonic()
            self.trace.add(float(t[0]), found)
        return found[np.newaxis]

    def has(self, path: str) -> bool:
        port, _, field = path.rpartition(".")
        if path not in self._ports:
            try:
                self._ports[path] = hasattr(self.simulation[port], field)
            except CardanError:
                self._ports[path] = False
        return self._ports[path]

    def value(self, path: str, t: float) -> np.ndarray | None:
        if not self.has(path):
            return None
        port, _, field = path.rpartition(".")
        value = np.asarray(getattr(self.simulation[port], field), float)
        size = float(np.max(np.linalg.norm(np.atleast_1d(value), axis=-1), initial=0.0))
        self._largest[path] = max(self._largest.get(path, 0.0), size)
        return value

    def sent_at(self, path: str, t: float) -> float:
        return t

    def largest(self, path: str) -> float:
        """So far."""
        if path not in self._largest:
            self.value(path, 0.0)
        return self._largest.get(path, 0.0)

    def positions(self, dimensions: int) -> list[str]:
        return [
            f"{name}.{port}.{field.name}"
            for name, placed in self.simulation.scenario.parts.items()
            for port in placed.contract.outputs
            for field in getattr(self.simulation.scenario[name], port).declaration.fields
            if field.unit == "m" and field.frame == "N" and len(field.field.shape) == dimensions
        ]
