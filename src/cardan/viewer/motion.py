"""`RecordedMotion`: where every body is at any recorded time, from a log alone."""

from typing import NamedTuple, Protocol

import numpy as np

from cardan.errors import SettingError
from cardan.simulation import FieldLog, Log
from cardan.viewer.drawing import Drawing, Joint, read_drawing
from cardan.viewer.kinematics import Poses, between, body_poses

FIELDS = {"hinge": "angle", "slide": "displacement", "ball": "q_CP"}


class Motion(Protocol):
    """Coordinates of a mechanism at any time."""

    @property
    def drawing(self) -> Drawing:
        """The mechanism."""

    def coordinates(self, t: np.ndarray) -> np.ndarray:
        """(times, nq) At times [s]."""


class _Track(NamedTuple):
    """The samples of some coordinates: times [s], values (n, size), and whether these are a quaternion."""

    at: int
    t: np.ndarray
    values: np.ndarray
    is_attitude: bool

    def at_times(self, t: np.ndarray) -> np.ndarray:
        """Samples at their own times as they are; along a line, or along a turn, in between."""
        after = np.clip(np.searchsorted(self.t, t, side="right"), 1, max(1, len(self.t) - 1))
        before = after - 1
        after = np.minimum(after, len(self.t) - 1)
        span = self.t[after] - self.t[before]
        share = np.clip((t - self.t[before]) / np.where(span > 0.0, span, 1.0), 0.0, 1.0)
        first, second = self.values[before], self.values[after]
        if self.is_attitude:
            return between(first, second, share)
        return np.asarray(first + share[:, np.newaxis] * (second - first))


class RecordedMotion:
    """Where every body is at any time of a log.

    A run records by default what this needs: the motion of each body that flies freely, and the state of every other
    joint. A joint without records stays as the file draws it, and is among `missing`.

    Args:
        log: What was recorded, in this process or another.

    Attributes:
        drawing: The mechanism, as the log describes it.
        t: (n,) [s] The times at which coordinates were recorded.
        missing: The ports that should have been recorded, and were not.
    """

    def __init__(self, log: Log) -> None:
        self.drawing = read_drawing(log.about)
        self._tracks: list[_Track] = []
        missing: list[str] = []
        for joint in self.drawing.joints:
            tracks, port = _free(log, self.drawing, joint) if joint.kind == "free" else _joint(log, joint)
            self._tracks += tracks
            if not tracks:
                missing.append(port)
        self.missing = tuple(missing)
        if not self._tracks or not any(len(track.t) for track in self._tracks):
            raise SettingError(
                f"The log of `{self.drawing.title}` has no motion of its mechanism.\n"
                f"  Record it: leave out `ports`, or add {', '.join(missing) or 'a joint'} to them."
            )
        self.t = max((track.t for track in self._tracks), key=len)

    def coordinates(self, t: np.ndarray) -> np.ndarray:
        """(times, nq) Coordinates at times [s], as MuJoCo orders them; before and after the log, its first and last."""
        found = np.tile(self.drawing.reference, (len(t), 1))
        for track in self._tracks:
            found[:, track.at : track.at + track.values.shape[1]] = track.at_times(np.asarray(t, float))
        return found

    def poses(self, t: np.ndarray | float, relative_to: str | None = None) -> Poses:
        """Where all bodies are at times [s]; body 0 is the world.

        Args:
            t: [s] One time or several.
            relative_to: The body whose origin positions are relative to, in inertial components; the origin of the
                inertial frame if left out.
        """
        q = self.coordinates(np.atleast_1d(np.asarray(t, float)))
        if relative_to is None:
            return body_poses(self.drawing, q)
        return poses_about(self.drawing, q, self.drawing.body(relative_to))


def poses_about(drawing: Drawing, coordinates: np.ndarray, body: int) -> Poses:
    """Where all bodies are relative to the origin of one of them, in inertial components, with all their digits."""
    poses = body_poses(drawing, coordinates, origin_of(drawing, coordinates, body))
    return Poses(poses.r - poses.r[:, body : body + 1], poses.q)


def origin_of(drawing: Drawing, coordinates: np.ndarray, body: int) -> np.ndarray:
    """(times, 3) [m] Where the vehicle of a body is: the position of its free joint, or the inertial origin."""
    root = drawing.roots[body]
    for joint in drawing.joints:
        if joint.kind == "free" and joint.body == root:
            return coordinates[:, joint.at : joint.at + 3]
    return np.zeros((len(coordinates), 3))


def _free(log: Log, drawing: Drawing, joint: Joint) -> tuple[list[_Track], str]:
    body = drawing.bodies[joint.body]
    port = f"{body}.motion"
    position = _field(log, f"{port}.r_BN_N")
    attitude = port if _field(log, f"{port}.sigma_BN") else f"{body}.quaternion"
    attitude = f"{body}.quaternion" if _field(log, f"{body}.quaternion.q_BN") else attitude
    turn = _field(log, f"{attitude}.q_BN") or _field(log, f"{attitude}.sigma_BN")
    if position is None or turn is None or not len(position):
        return [], port
    tracks = [
        _Track(joint.at, position.t, position.values, False),
        _Track(joint.at + 3, turn.t, log.quaternion(turn.path), True),
    ]
    return tracks, port


def _joint(log: Log, joint: Joint) -> tuple[list[_Track], str]:
    port = f"{joint.name}.state" if joint.name else f"the state of a {joint.kind} without a name"
    field = _field(log, f"{port}.{FIELDS[joint.kind]}")
    if field is None or not len(field):
        return [], port
    values = field.values if joint.kind == "ball" else field.values[:, np.newaxis]
    return [_Track(joint.at, field.t, values, joint.kind == "ball")], port


def _field(log: Log, path: str) -> FieldLog | None:
    found = log.fields(path) if not set(path) & set("*?[") else [f for f in log.fields() if f.path == path]
    return next((field for field in found if field.path == path), None)
