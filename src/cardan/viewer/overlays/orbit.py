"""The orbit, the central body true to scale and lit by the Sun, and the Hill frame."""

from typing import Any, NamedTuple

import numpy as np

from cardan.celestial import EARTH
from cardan.viewer.epoch import epoch_of, sun_direction
from cardan.viewer.frame import Frame, Source
from cardan.viewer.meshes import ball
from cardan.viewer.overlays.overlay import Arrows, Lines, Overlay
from cardan.viewer.scene import LAMPS, ROOT

_POINTS = 720  # of an orbit
_NO_EPOCH_SUN_N = np.array([1.0, 0.0, 0.0])  # where the Sun stands if no date is known


class Centre(NamedTuple):
    """The body at the origin of the inertial frame: gravitational parameter [m^3/s^2] and radius [m]."""

    mu: float
    radius: float


def centre_of(source: Source) -> Centre | None:
    """What the vehicles orbit, if a part pulls them towards the origin: one with a parameter `mu` [m^3/s^2]."""
    for part in source.about.get("parts", {}).values():
        told = part.get("parameters", {}).get("mu", {})
        value = np.ravel(told.get("value", ())) if told.get("unit") == "m^3/s^2" else np.zeros(0)
        if value.size and np.isfinite(value[0]) and value[0] > 0.0:
            mu = float(value[0])
            is_earth = abs(mu / EARTH.mu - 1.0) < 1.0e-3
            # without a radius in the log: that of a ball as dense as the Earth
            return Centre(mu, EARTH.radius if is_earth else EARTH.radius * (mu / EARTH.mu) ** (1.0 / 3.0))
    return None


def _state(frame: Frame) -> tuple[np.ndarray, np.ndarray] | None:
    """Position [m] and velocity [m/s] of the vehicle that is followed."""
    drawing = frame.source.drawing
    name = drawing.bodies[drawing.roots[frame.view.follow]]
    r, v = frame.value(f"{name}.motion.r_BN_N"), frame.value(f"{name}.motion.v_BN_N")
    return None if r is None or v is None else (r, v)


class _NearCentre(Overlay):
    """Something that needs a central body and a vehicle outside of it."""

    @classmethod
    def is_offered(cls, source: Source) -> bool:
        drawing = source.drawing
        names = [drawing.bodies[root] for root in drawing.vehicles]
        return centre_of(source) is not None and any(source.has(f"{name}.motion.v_BN_N") for name in names)


class Orbit(_NearCentre, Lines):
    """The ellipse or hyperbola that the vehicle is on at this moment."""

    label = "orbit"
    color = (170, 170, 255)
    thickness = 0.01

    def _make(self) -> list[Any]:
        segments = np.zeros((1, 2, 3), np.float32)
        return [self._scene.add_line_segments(f"{ROOT}/{self.label}", segments, self.color, line_width=2.0)]

    def _update(self, frame: Frame) -> None:
        centre, state = centre_of(self._source), _state(frame)
        if centre is not None and state is not None:
            self._draw([conic(*state, centre.mu) - frame.origin_N])


def conic(r: np.ndarray, v: np.ndarray, mu: float) -> np.ndarray:
    """(n, 3) [m] Points of the orbit through a position [m] with a velocity [m/s]; the first is the position itself."""
    h = np.cross(r, v)
    p = float(h @ h) / mu
    e_vector = np.cross(v, h) / mu - r / np.linalg.norm(r)
    e = float(np.linalg.norm(e_vector))
    if p <= 0.0:
        return np.stack([r, r])
    x = e_vector / e if e > 1.0e-9 else r / np.linalg.norm(r)
    y = np.cross(h / np.linalg.norm(h), x)
    start = np.arctan2(r @ y, r @ x)
    if e < 1.0:
        f = start + np.linspace(0.0, 2.0 * np.pi, _POINTS)
    else:
        end = 0.98 * np.arccos(-1.0 / e)
        f = np.concatenate([[start], np.linspace(start, end, _POINTS // 2), np.linspace(-end, start, _POINTS // 2)])
    radius = p / (1.0 + e * np.cos(f))
    return np.asarray(radius[:, np.newaxis] * (np.cos(f)[:, np.newaxis] * x + np.sin(f)[:, np.newaxis] * y))


class CentralBody(_NearCentre):
    """The Earth, or what else the vehicles orbit, where it is and as large as it is; the Sun lights everything."""

    label = "central body and Sun"

    def _make(self) -> list[Any]:
        centre = centre_of(self._source)
        assert centre is not None
        shape = ball(np.full(3, centre.radius), around=96)
        globe = self._scene.add_mesh_simple(
            f"{ROOT}/central body", shape.vertices, shape.faces, color=(60, 110, 200), cast_shadow=False,
            receive_shadow=False,
        )  # fmt: skip
        self._sun = self._scene.add_light_directional(f"{ROOT}/sun", intensity=3.0)
        return [globe, self._sun]

    def show(self, is_on: bool) -> None:
        super().show(is_on)
        lamps = self._scene.get_handle_by_name(LAMPS)
        if lamps is not None:
            lamps.visible = not is_on

    def _update(self, frame: Frame) -> None:
        assert self._nodes is not None
        self._nodes[0].position = -frame.origin_N
        epoch = epoch_of(self._source.about)
        sun_N = _NO_EPOCH_SUN_N if epoch is None else sun_direction(epoch, frame.t)
        self._sun.position = tuple(sun_N * 10.0 * self._size)


class HillFrame(_NearCentre, Arrows):
    """Radial, along-track and cross-track axes at the body that is followed."""

    label = "Hill frame"
    color = (230, 230, 230)

    def _update(self, frame: Frame) -> None:
        state = _state(frame)
        if state is not None:
            here = frame.r[frame.view.follow]
            self._draw([(here, 0.8 * self._size * axis) for axis in hill_axes(*state)])


def hill_axes(r: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(3, 3) Unit vectors away from the centre, along the track, and along the orbit's momentum, in this order."""
    radial = r / np.linalg.norm(r)
    h = np.cross(r, v)
    cross = h / np.linalg.norm(h)
    return np.stack([radial, np.cross(cross, radial), cross])
