"""What is drawn at one moment, and where it comes from."""

from typing import Any, NamedTuple, Protocol

import numpy as np

from cardan.simulation import Log
from cardan.viewer.drawing import WORLD, Drawing
from cardan.viewer.kinematics import Poses, body_poses, fixed_poses, product, turned
from cardan.viewer.motion import RecordedMotion, origin_of
from cardan.viewer.trace import Trace, thinned_trace


class View(NamedTuple):
    """How the scene is looked at.

    Attributes:
        follow: The body whose origin is the origin of the scene.
        ride: The frame whose axes are those of the page: a body, or a site as its number less than zero (-1 is the
            first); None for inertial axes.
        pinned: [m] (3,) The point that is the origin instead, in inertial components: a camera that stays behind.
    """

    follow: int
    ride: int | None = None
    pinned: np.ndarray | None = None


class Source(Protocol):
    """Where poses and messages come from: a log, or a simulation as it stands."""

    @property
    def drawing(self) -> Drawing:
        """The mechanism."""

    @property
    def about(self) -> dict[str, Any]:
        """The description of the run."""

    def coordinates(self, t: np.ndarray) -> np.ndarray:
        """(times, nq) At times [s]."""

    def value(self, path: str, t: float) -> np.ndarray | None:
        """The field of a port as it is at a time [s], held since it was sent; None if it is not known."""

    def has(self, path: str) -> bool:
        """Whether a field is known."""

    def sent_at(self, path: str, t: float) -> float:
        """[s] When the value of a field was sent that is held at a time."""

    def largest(self, path: str) -> float:
        """The largest length of a vector field, as far as it is known."""

    @property
    def trace(self) -> Trace:
        """Where the mechanism is at times of the run, as far as it is known."""

    def positions(self, dimensions: int) -> list[str]:
        """Fields of outputs of parts in metres and inertial components, with so many axes."""


class Frame(NamedTuple):
    """One moment.

    Attributes:
        t: [s]
        r: (n, 3) [m] Origins of the bodies relative to that of the scene, in inertial components.
        q: (n, 4) [-] Attitudes of the bodies relative to the inertial frame.
        sites: Positions (m, 3) [m] and attitudes (m, 4) of the sites, in the same way.
        origin_N: [m] (3,) Where the origin of the scene is.
        source: What else is known.
        view: How the scene is looked at.
    """

    t: float
    r: np.ndarray
    q: np.ndarray
    sites: Poses
    origin_N: np.ndarray
    source: Source
    view: View

    def value(self, path: str) -> np.ndarray | None:
        """A field as it is now."""
        return self.source.value(path, self.t)

    def place(self, path: str) -> np.ndarray | None:
        """(3,) [m] A field with a position in inertial components, relative to the origin of the scene.

        A vehicle in orbit has moved by kilometres since a message was sent; so the place goes with the body that is
        followed.
        """
        value = self.value(path)
        if value is None:
            return None
        then = frame_at(self.source, self.source.sent_at(path, self.t), View(self.view.follow))
        return np.asarray(self.r[self.view.follow] + (value - then.origin_N))

    @property
    def axes(self) -> tuple[np.ndarray, np.ndarray]:
        """Position [m] and quaternion that take the scene to the page: identity, unless the camera rides."""
        ride = self.view.ride
        if ride is None:
            return np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        r, q = (self.r[ride], self.q[ride]) if ride >= 0 else (self.sites.r[-1 - ride], self.sites.q[-1 - ride])
        back = q * np.array([1.0, -1.0, -1.0, -1.0])
        return -turned(back, r), back


def frame_at(source: Source, t: float, view: View) -> Frame:
    """Everything at a time [s], found relative to the origin of the scene in double precision."""
    drawing = source.drawing
    q = source.coordinates(np.array([t]))
    near = origin_of(drawing, q, view.follow) if view.pinned is None else view.pinned[np.newaxis]
    poses = body_poses(drawing, q, near)
    offset = poses.r[0, view.follow] if view.pinned is None else np.zeros(3)
    poses = Poses(poses.r - offset, poses.q)
    bodies = np.array([site.body for site in drawing.sites], int)
    pos = np.array([site.pos for site in drawing.sites]).reshape(-1, 3)
    quat = np.array([site.quat for site in drawing.sites]).reshape(-1, 4)
    sites = fixed_poses(poses, bodies, pos, quat)
    return Frame(t, poses.r[0], poses.q[0], Poses(sites.r[0], sites.q[0]), near[0] + offset, source, view)


def in_page(frame: Frame, body: int) -> tuple[np.ndarray, np.ndarray]:
    """Position [m] and attitude of a body as the page has them."""
    r, q = frame.axes
    return r + turned(q, frame.r[body]), product(q, frame.q[body])


class Recording:
    """A log as a source."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.motion = RecordedMotion(log)
        self._fields = {field.path: field for field in log.fields()}
        self._largest: dict[str, float] = {}
        self._trace: Trace | None = None

    @property
    def drawing(self) -> Drawing:
        return self.motion.drawing

    @property
    def about(self) -> dict[str, Any]:
        return self.log.about

    @property
    def t(self) -> np.ndarray:
        """[s] The times at which coordinates were recorded."""
        return self.motion.t

    def coordinates(self, t: np.ndarray) -> np.ndarray:
        return self.motion.coordinates(t)

    def has(self, path: str) -> bool:
        return path in self._fields and len(self._fields[path]) > 0

    def value(self, path: str, t: float) -> np.ndarray | None:
        return np.asarray(self._fields[path].values[self._row(path, t)]) if self.has(path) else None

    def sent_at(self, path: str, t: float) -> float:
        return float(self._fields[path].t[self._row(path, t)]) if self.has(path) else t

    def _row(self, path: str, t: float) -> int:
        """The last sample that is not after a time [s], or the first one."""
        return max(0, int(np.searchsorted(self._fields[path].t, t + 1.0e-9, side="right")) - 1)

    def largest(self, path: str) -> float:
        if path not in self._largest:
            values = np.asarray(self._fields[path].values, float)
            lengths = np.linalg.norm(values, axis=-1) if values.ndim > 1 else np.abs(values)
            self._largest[path] = float(np.nanmax(lengths, initial=0.0))
        return self._largest[path]

    @property
    def trace(self) -> Trace:
        if self._trace is None:
            self._trace = thinned_trace(self.motion)
        return self._trace

    def positions(self, dimensions: int) -> list[str]:
        parts = self.about.get("parts", {})
        return [
            field.path
            for field in self._fields.values()
            if field.unit == "m" and field.frame == "N" and len(field.shape) == dimensions and field.shape[-1] == 3
            if field.path.partition(".")[0] in parts
        ]


def start_of(drawing: Drawing, follow: str | None) -> View:
    """The view to begin with: of a body by name, or of the first vehicle."""
    if follow is not None:
        return View(drawing.body(follow))
    return View(drawing.vehicles[0] if drawing.vehicles else min(WORLD + 1, len(drawing.bodies) - 1))
