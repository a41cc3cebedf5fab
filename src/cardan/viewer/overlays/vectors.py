"""Arrows: rates, momentum, forces, torques; and plumes of thrusters."""

from typing import Any, NamedTuple

import numpy as np

from cardan.viewer.drawing import Drawing
from cardan.viewer.frame import Frame, Source
from cardan.viewer.kinematics import turned
from cardan.viewer.meshes import cone
from cardan.viewer.overlays.frames import centre_of_mass
from cardan.viewer.overlays.overlay import Arrows, Overlay
from cardan.viewer.scene import ROOT


class Rates(Arrows):
    """The angular velocity of bodies that fly freely."""

    label = "rates"
    color = (120, 255, 160)

    @classmethod
    def is_offered(cls, source: Source) -> bool:
        return any(source.has(path) for _, path in _rates(source))

    def _update(self, frame: Frame) -> None:
        known = [(i, path) for i, path in _rates(self._source) if self._source.has(path)]
        largest = max((self._source.largest(path) for _, path in known), default=0.0)
        values = [(i, frame.value(path)) for i, path in known]
        self._draw([(frame.r[i], self._scaled(turned(frame.q[i], v), largest)) for i, v in values if v is not None])


def _rates(source: Source) -> list[tuple[int, str]]:
    drawing = source.drawing
    return [(i, f"{name}.motion.omega_BN_B") for i, name in enumerate(drawing.bodies) if i]


class Momentum(Arrows):
    """The angular momentum of vehicles about their centre of mass."""

    label = "angular momentum"
    color = (255, 120, 220)

    @classmethod
    def is_offered(cls, source: Source) -> bool:
        return any(source.has(path) for _, path in _momenta(source))

    def _update(self, frame: Frame) -> None:
        known = [(i, path) for i, path in _momenta(self._source) if self._source.has(path)]
        largest = max((self._source.largest(path) for _, path in known), default=0.0)
        values = [(i, frame.value(path)) for i, path in known]
        self._draw([(centre_of_mass(frame, i), self._scaled(v, largest)) for i, v in values if v is not None])


def _momenta(source: Source) -> list[tuple[int, str]]:
    drawing = source.drawing
    return [(i, f"{drawing.bodies[i]}.momentum.momentum_C_N") for i in drawing.vehicles]


class Load(NamedTuple):
    """A force that acts at a frame.

    Attributes:
        body: The number of the body.
        site: The number of the site, or -1.
        pos: [m] Where it acts, in the body.
        path: The field that has it.
        is_inertial: Whether its components are inertial; else they are those of the frame.
        per_command: [N] The force for a command of one, if the field has that of an actuator.
    """

    body: int
    site: int
    pos: np.ndarray
    path: str
    is_inertial: bool
    per_command: np.ndarray | None = None

    def at(self, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
        """Where it acts [m], and the force [N], both in the scene."""
        force = frame.value(self.path)
        assert force is not None
        if self.per_command is not None:
            force = force * self.per_command
        if self.site >= 0:
            r, q = frame.sites.r[self.site], frame.sites.q[self.site]
        else:
            q = frame.q[self.body]
            r = frame.r[self.body] + turned(q, self.pos)
        return r, np.asarray(force if self.is_inertial else turned(q, force))


def loads(source: Source) -> list[Load]:
    """The forces on frames of the mechanism whose messages are known, by who sends them."""
    inputs = source.about.get("mechanism", {}).get("inputs", {})
    found = []
    for path, senders in inputs.items():
        element, _, port = path.rpartition(".")
        if port == "command":
            found += _thrust(source, element, senders)
        if port not in ("wrench", "wrench_N", "force_N"):
            continue
        place = _place(source.drawing, element)
        if place is None:
            continue
        field = "force_B" if port == "wrench" else "force_N"
        for sender in senders:
            message = f"{sender.partition(' (')[0]}.{field}"
            if source.has(message):
                found.append(Load(place.body, place.site, place.pos, message, field == "force_N"))
    return found


def _thrust(source: Source, actuator: str, senders: list[str]) -> list[Load]:
    """Forces of an actuator at a site, by who commands it."""
    sites = source.drawing.sites
    return [
        Load(sites[found.site].body, found.site, sites[found.site].pos, field, False, found.force_S)
        for found in source.drawing.thrusters
        for field in (f"{sender.partition(' (')[0]}.command" for sender in senders)
        if found.name == actuator and source.has(field)
    ]


class _Place(NamedTuple):
    """A body, the site that is meant or -1, and the place in the body [m]."""

    body: int
    site: int
    pos: np.ndarray


def _place(drawing: Drawing, element: str) -> _Place | None:
    """Where an element of the mechanism is."""
    names = [site.name for site in drawing.sites]
    if element.removesuffix(".site") in names and (element.endswith(".site") or element not in drawing.bodies):
        i = names.index(element.removesuffix(".site"))
        return _Place(drawing.sites[i].body, i, drawing.sites[i].pos)
    body = element.removesuffix(".com")
    if body not in drawing.bodies:
        return None
    i = drawing.bodies.index(body)
    return _Place(i, -1, drawing.com[i] if element.endswith(".com") else np.zeros(3))


def _largest(source: Source, known: list[Load]) -> float:
    """[N] The largest of some forces, as far as it is known."""
    sizes = [1.0 if load.per_command is None else float(np.linalg.norm(load.per_command)) for load in known]
    return max((source.largest(load.path) * size for load, size in zip(known, sizes, strict=True)), default=0.0)


class Forces(Arrows):
    """Forces that parts send to bodies and sites."""

    label = "forces"
    color = (255, 90, 70)

    @classmethod
    def is_offered(cls, source: Source) -> bool:
        return bool(loads(source))

    def _update(self, frame: Frame) -> None:
        known = loads(self._source)
        largest = _largest(self._source, known)
        drawn = [load.at(frame) for load in known]
        self._draw([(r, self._scaled(force, largest)) for r, force in drawn])


def jets(source: Source) -> list[Load]:
    """The forces at sites that thrusters give.

    These are commands of actuators at sites, and messages of which the path, or the class of the part that sends them,
    says so; a gripper pulls at a site too, and has no plume.
    """
    parts = source.about.get("parts", {})
    found = []
    for load in loads(source):
        sender = parts.get(load.path.partition(".")[0], {}).get("class", "")
        words = f"{load.path} {sender.rpartition('.')[2]}".lower()
        if load.site >= 0 and (load.per_command is not None or any(word in words for word in _JETS)):
            found.append(load)
    return found


_JETS = ("thrust", "jet", "nozzle", "engine", "plume")


class Plumes(Overlay):
    """A cone against the force of each thruster at a site, as long as the thrust is large."""

    label = "plumes"

    @classmethod
    def is_offered(cls, source: Source) -> bool:
        return bool(jets(source))

    def _make(self) -> list[Any]:
        shape = cone(0.22, 1.0)
        count = len(jets(self._source))
        return [
            self._scene.add_mesh_simple(
                f"{ROOT}/plume {i}", shape.vertices, shape.faces, color=(140, 190, 255), opacity=0.55, side="double",
                cast_shadow=False, receive_shadow=False,
            )
            for i in range(count)
        ]  # fmt: skip

    def _update(self, frame: Frame) -> None:
        assert self._nodes is not None
        for node, (r, along, length) in zip(self._nodes, plume_lengths(frame, self._size), strict=True):
            node.visible = self.is_on and length > 0.0
            if node.visible:
                node.position, node.wxyz, node.scale = r, _turn_to(along), length


def plume_lengths(frame: Frame, size: float) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """For each thruster: where it acts [m], the direction of its plume, and the length of that [m].

    A plume of the largest thrust is as long as half of what a vehicle reaches, `size` [m].
    """
    known = jets(frame.source)
    largest = _largest(frame.source, known)
    found = []
    for load in known:
        r, force = load.at(frame)
        thrust = float(np.linalg.norm(force))
        share = thrust / largest if largest > 0.0 else 0.0
        is_seen = share > 2.0e-3
        along = -force / thrust if is_seen else np.array([0.0, 0.0, 1.0])
        found.append((r, along, 0.5 * size * share if is_seen else 0.0))
    return found


def _turn_to(direction: np.ndarray) -> np.ndarray:
    """(4,) A rotation that takes z to a direction."""
    unit = direction / np.linalg.norm(direction)
    if unit[2] < -0.999999:
        return np.array([0.0, 1.0, 0.0, 0.0])
    q = np.array([1.0 + unit[2], -unit[1], unit[0], 0.0])
    return np.asarray(q / np.linalg.norm(q))


class JointTorques(Arrows):
    """Torques that parts send to hinges, along their axes."""

    label = "joint torques"
    color = (255, 170, 50)

    @classmethod
    def is_offered(cls, source: Source) -> bool:
        return bool(efforts(source))

    def _update(self, frame: Frame) -> None:
        drawing, arrows = self._source.drawing, []
        known = efforts(self._source)
        largest = max((self._source.largest(path) for path, _, _ in known), default=0.0)
        for path, joint, element in known:
            value = frame.value(path)
            if value is None:
                continue
            moved = drawing.joints[joint]
            q = frame.q[moved.body]
            torque = float(np.atleast_1d(value)[element])
            start = frame.r[moved.body] + turned(q, moved.pos)
            arrows.append((start, self._scaled(torque * turned(q, moved.axis), largest)))
        self._draw(arrows)


def efforts(source: Source) -> list[tuple[str, int, int]]:
    """Fields with torques on hinges: the path, the number of the joint, and its element in the field."""
    described = source.about.get("mechanism", {})
    numbers = {joint.name: i for i, joint in enumerate(source.drawing.joints) if joint.kind == "hinge"}
    found = []
    for path, senders in described.get("inputs", {}).items():
        if path.rpartition(".")[2] not in ("effort", "efforts"):
            continue
        for sender in senders:
            field = f"{sender.partition(' (')[0]}.torque"
            for element, joint in enumerate(described.get("acts_on", {}).get(path, ())):
                if joint in numbers and source.has(field):
                    found.append((field, numbers[joint], element))
    return found


class Reactions(Arrows):
    """Forces that parents exert on children in their joints."""

    label = "joint reactions"
    color = (200, 200, 90)

    @classmethod
    def is_offered(cls, source: Source) -> bool:
        return any(source.has(f"{joint.name}.reaction.force_B") for joint in source.drawing.joints)

    def _update(self, frame: Frame) -> None:
        known = [
            (joint, f"{joint.name}.reaction.force_B")
            for joint in self._source.drawing.joints
            if self._source.has(f"{joint.name}.reaction.force_B")
        ]
        largest = max((self._source.largest(path) for _, path in known), default=0.0)
        arrows = []
        for joint, path in known:
            force = frame.value(path)
            assert force is not None
            q = frame.q[joint.body]
            arrows.append((frame.r[joint.body] + turned(q, joint.pos), self._scaled(turned(q, force), largest)))
        self._draw(arrows)
