"""Trails, planned paths and predicted horizons."""

from typing import Any

import numpy as np

from cardan.viewer.drawing import Drawing
from cardan.viewer.frame import Frame, Recording, Source
from cardan.viewer.kinematics import Poses, body_poses, fixed_poses
from cardan.viewer.motion import origin_of
from cardan.viewer.overlays.overlay import Lines

_POINTS = 600  # of a path


class Trails(Lines):
    """Where sites and vehicles have been, as seen from the body that is followed, in inertial axes."""

    label = "trails"
    color = (90, 170, 255)

    def _make(self) -> list[Any]:
        self._of: tuple[Any, ...] = ()
        self._drawn: tuple[Any, ...] = ()
        return super()._make()

    def _update(self, frame: Frame) -> None:
        trace, follow = self._source.trace, frame.view.follow
        if self._of != (trace, trace.version, follow):
            self._of = (trace, trace.version, follow)
            self._points = trail_points(self._source.drawing, trace.coordinates, follow)
        elif len(self._points) < len(trace.t):
            more = trail_points(self._source.drawing, trace.coordinates[len(self._points) :], follow)
            self._points = np.concatenate([self._points, more])
        past = int(np.searchsorted(trace.t[: len(self._points)], frame.t, side="right"))
        # where the scene stays behind, the trail is that of the body's surroundings all the same
        now = frame.r[follow]
        if self._drawn != (*self._of, past, *now):
            self._drawn = (*self._of, past, *now)
            self._draw([now + self._points[:past, k] for k in range(self._points.shape[1])])


def trail_points(drawing: Drawing, coordinates: np.ndarray, follow: int) -> np.ndarray:
    """(times, n, 3) [m] Sites and first bodies of other vehicles, or ends of chains where there are neither."""
    poses = body_poses(drawing, coordinates, origin_of(drawing, coordinates, follow))
    poses = Poses(poses.r - poses.r[:, follow : follow + 1], poses.q)
    others = [root for root in drawing.vehicles if root != drawing.roots[follow]]
    points = [poses.r[:, others]] if others else []
    if drawing.sites:
        bodies = np.array([site.body for site in drawing.sites])
        pos, quat = np.array([s.pos for s in drawing.sites]), np.array([s.quat for s in drawing.sites])
        points.append(fixed_poses(poses, bodies, pos, quat).r)
    if not points:
        ends = [i for i in range(1, len(drawing.bodies)) if i not in drawing.parent[1:]]
        bodies = np.array(ends)
        points.append(fixed_poses(poses, bodies, drawing.com[bodies], np.tile([1.0, 0.0, 0.0, 0.0], (len(ends), 1))).r)
    return np.concatenate(points, axis=1)


class PlannedPaths(Lines):
    """The whole path of references for a tip or a vehicle: fields `r_.._N` of messages that are references."""

    label = "planned paths"
    color = (90, 255, 140)

    @classmethod
    def is_offered(cls, source: Source) -> bool:
        return isinstance(source, Recording) and bool(_planned(source))

    def _update(self, frame: Frame) -> None:
        assert isinstance(self._source, Recording)
        lines = []
        for path in _planned(self._source):
            values = self._source.log[path].values
            values = values[:: max(1, len(values) // _POINTS)]
            lines.append(values - frame.origin_N)
        self._draw(lines)


def _planned(source: Recording) -> list[str]:
    found = []
    for path in source.positions(dimensions=1):
        part, port = path.split(".")[:2] if path.count(".") == 2 else ("", "")
        message = source.about.get("parts", {}).get(part, {}).get("outputs", {}).get(port, "")
        if "Reference" in message or "Plan" in message:
            found.append(path)
    return found


class Horizons(Lines):
    """Paths within one message: fields `r_.._N` with a row for each point, such as what a controller predicts."""

    label = "horizons"
    color = (255, 230, 90)

    @classmethod
    def is_offered(cls, source: Source) -> bool:
        return bool(source.positions(dimensions=2))

    def _update(self, frame: Frame) -> None:
        values = [frame.value(path) for path in self._source.positions(dimensions=2)]
        self._draw([value - frame.origin_N for value in values if value is not None])
