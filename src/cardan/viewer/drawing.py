"""`Drawing`: the mechanism as a log describes it, read into arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import LogFileError, SettingError, UnknownName, did_you_mean
from cardan.mechanism import unpacked

WORLD = 0  # the number of the body that does not move
_COORDINATES = {"free": 7, "ball": 4, "slide": 1, "hinge": 1}


class Joint(NamedTuple):
    """A joint of a body.

    Attributes:
        name: What it is called; "" if it has no name.
        body: The number of the body that it moves.
        kind: "free", "ball", "slide" or "hinge".
        pos: [m] A point on it, in components of the body.
        axis: [-] Its axis, in components of the body.
        reference: The coordinates at which the file draws the mechanism.
        at: Where its coordinates begin.
    """

    name: str
    body: int
    kind: str
    pos: np.ndarray
    axis: np.ndarray
    reference: np.ndarray
    at: int

    @property
    def size(self) -> int:
        """How many coordinates it has."""
        return _COORDINATES[self.kind]


class Site(NamedTuple):
    """A frame that is fixed to a body: its name, the number of the body, position [m] and quaternion in it."""

    name: str
    body: int
    pos: np.ndarray
    quat: np.ndarray


class Texture(NamedTuple):
    """An image on a shape.

    Attributes:
        name: What it is called.
        pixels: (rows, columns, 3) Red, green and blue, from 0 to 255.
        tint: [-] Colour and opacity by which it is multiplied.
        repeat: How often it is repeated along x and y of the shape.
        is_uniform: Whether that is per metre; else it is per half size.
    """

    name: str
    pixels: np.ndarray
    tint: np.ndarray
    repeat: np.ndarray
    is_uniform: bool


class Shape(NamedTuple):
    """A shape on a body.

    Attributes:
        name: What it is called, "" if it has no name.
        body: The number of the body.
        kind: "box", "sphere", "capsule", "cylinder", "ellipsoid", "plane", "mesh", or what cannot be drawn.
        size: [m] As MJCF has it: half sizes, or radius and half length.
        pos: [m] In the body.
        quat: [-] Relative to the body.
        rgba: [-] Colour and opacity; of a shape with a texture, the mean.
        group: MuJoCo's group; those from 3 on are for collisions, by convention.
        mesh: The name of its mesh.
        texture: The image on it, if there is one.
    """

    name: str
    body: int
    kind: str
    size: np.ndarray
    pos: np.ndarray
    quat: np.ndarray
    rgba: np.ndarray
    group: int
    mesh: str
    texture: Texture | None = None

    @property
    def is_for_collisions(self) -> bool:
        return self.group >= 3


class Thruster(NamedTuple):
    """An actuator at a site: its name, the number of the site, and its force [N] for a command of one in site axes."""

    name: str
    site: int
    force_S: np.ndarray


class Mesh(NamedTuple):
    """Triangles: vertices (n, 3) [m] and the numbers of the three vertices of each face (m, 3).

    `uv` (3 m, 2) says where each corner of each face lies on an image, from its upper left corner, if that is known.
    """

    vertices: np.ndarray
    faces: np.ndarray
    uv: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Drawing:
    """All that it takes to draw a mechanism; body 0 is the world.

    Attributes:
        title: The name of the scenario.
        bodies: Their names.
        parent: (n,) The number of the body that each hangs on; a parent comes before its children.
        pos: (n, 3) [m] Of the body's frame in its parent's, before joints move it.
        quat: (n, 4) [-] The same, its attitude.
        mass: (n,) [kg]
        com: (n, 3) [m] The centre of mass, in components of the body.
        inertia: (n, 3) [kg m^2] Principal moments.
        inertia_quat: (n, 4) [-] Of the principal axes relative to the body.
        joints: In the order of the coordinates.
        sites: All that have a name.
        thrusters: Actuators that push at sites.
        shapes: All shapes.
        meshes: By name.
    """

    title: str
    bodies: tuple[str, ...]
    parent: np.ndarray
    pos: np.ndarray
    quat: np.ndarray
    mass: np.ndarray
    com: np.ndarray
    inertia: np.ndarray
    inertia_quat: np.ndarray
    joints: tuple[Joint, ...]
    sites: tuple[Site, ...]
    thrusters: tuple[Thruster, ...]
    shapes: tuple[Shape, ...]
    meshes: dict[str, Mesh]

    @property
    def nq(self) -> int:
        """How many coordinates it has."""
        return sum(joint.size for joint in self.joints)

    @property
    def roots(self) -> np.ndarray:
        """(n,) The body of the world on which each body hangs in the end; its vehicle, as a number."""
        root = np.zeros(len(self.bodies), int)
        for i in range(1, len(self.bodies)):
            root[i] = i if self.parent[i] == WORLD else root[self.parent[i]]
        return root

    @property
    def vehicles(self) -> tuple[int, ...]:
        """The numbers of the bodies that hang on the world and move."""
        roots = self.roots
        moving = {int(roots[joint.body]) for joint in self.joints}
        return tuple(i for i in range(1, len(self.bodies)) if i in moving)

    @property
    def reference(self) -> np.ndarray:
        """(nq,) Coordinates at which the file draws it."""
        return np.concatenate([np.zeros(0), *(joint.reference for joint in self.joints)])

    def body(self, name: str) -> int:
        """The number of a body."""
        if name not in self.bodies[1:]:
            raise UnknownName(
                f"There is no body `{name}` to follow.{did_you_mean(name, self.bodies[1:])}\n"
                f"  bodies: {', '.join(self.bodies[1:])}"
            )
        return self.bodies.index(name)

    def half_size(self, shape: Shape) -> np.ndarray:
        """[m] (3,) About half of the extent of a shape."""
        if shape.kind == "mesh" and shape.mesh in self.meshes:
            return np.asarray(np.abs(self.meshes[shape.mesh].vertices).max(axis=0))
        return shape.size


def read_drawing(about: Mapping[str, Any]) -> Drawing:
    """The mechanism that the description of a run has.

    Raises:
        SettingError: The run had no mechanism, or nothing of it can be drawn.
        LogFileError: The description was written by an older Cardan, or is not as Cardan writes it.
    """
    name = str(about.get("name", "a run"))
    described = about.get("mechanism")
    if not isinstance(described, Mapping):
        raise SettingError(
            f"The log of `{name}` has no mechanism, so there is nothing to see in three dimensions.\n"
            "  Make the scenario with `mechanism=...`, or plot the log: `log.plot(...)`."
        )
    if "drawing" not in described:
        raise LogFileError(
            f"The log of `{name}` was saved before logs carried what it takes to draw them.\n"
            "  Run the scenario again with this version of Cardan, and save it."
        )
    try:
        drawing = _read(name, described["drawing"])
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise LogFileError(
            f"The mechanism in the log of `{name}` is not described as Cardan does it: {type(error).__name__}, {error}."
        ) from None
    if len(drawing.bodies) < 2:
        raise SettingError(f"The mechanism of `{name}` has no bodies, so there is nothing to see.")
    return drawing


def _read(title: str, told: Mapping[str, Any]) -> Drawing:
    bodies = told["bodies"]
    names = ("world", *(str(body["name"]) for body in bodies))
    number = {name: i for i, name in enumerate(names)}
    parent = np.array([0, *(number[body["parent"]] for body in bodies)])
    if (parent[1:] >= np.arange(1, len(names))).any():
        raise ValueError("a body stands before its parent")
    joints, at = [], 0
    for joint in told["joints"]:
        read = Joint(
            str(joint["name"]), number[joint["body"]], str(joint["kind"]), _numbers(joint["pos"], 3),
            _numbers(joint["axis"], 3), _numbers(joint["reference"], _COORDINATES[joint["kind"]]), at,
        )  # fmt: skip
        joints.append(read)
        at += read.size
    sites = [site["name"] for site in told["sites"]]
    images = {str(name): _image(image) for name, image in told.get("textures", {}).items()}
    return Drawing(
        title=title,
        bodies=names,
        parent=parent,
        pos=_rows(bodies, "pos", 3),
        quat=_rows(bodies, "quat", 4),
        mass=np.array([0.0, *(float(body["mass"]) for body in bodies)]),
        com=_rows(bodies, "com", 3),
        inertia=_rows(bodies, "inertia", 3),
        inertia_quat=_rows(bodies, "inertia_quat", 4),
        joints=tuple(joints),
        sites=tuple(
            Site(str(site["name"]), number[site["body"]], _numbers(site["pos"], 3), _numbers(site["quat"], 4))
            for site in told["sites"]
        ),
        thrusters=tuple(
            Thruster(str(one["name"]), sites.index(one["site"]), _numbers(one["force_S"], 3))
            for one in told["actuators"]
            if one["site"] in sites
        ),
        shapes=tuple(
            Shape(
                str(shape["name"]),
                number[shape["body"]],
                str(shape["kind"]),
                _numbers(shape["size"], 3),
                _numbers(shape["pos"], 3),
                _numbers(shape["quat"], 4),
                _numbers(shape["rgba"], 4),
                int(shape["group"]),
                str(shape.get("mesh", "")),
                _texture(shape.get("texture"), images),
            )
            for shape in told["shapes"]
        ),
        meshes={str(name): _mesh(mesh) for name, mesh in told["meshes"].items()},
    )


def _mesh(told: Mapping[str, str]) -> Mesh:
    uv = unpacked(told["uv"], "<f4", 2) if "uv" in told else None
    mesh = Mesh(unpacked(told["vertices"], "<f4"), unpacked(told["faces"], "<i4"), uv)
    if uv is not None and len(uv) != 3 * len(mesh.faces):
        raise ValueError("a mesh whose image has not three places for each face")
    if len(mesh.faces) and not (mesh.faces.min() >= 0 and mesh.faces.max() < len(mesh.vertices)):
        raise ValueError("a mesh with faces between vertices that it does not have")
    return mesh


def _image(told: Mapping[str, Any]) -> np.ndarray:
    """(rows, columns, 3)"""
    return unpacked(told["pixels"], np.uint8).reshape(int(told["rows"]), int(told["columns"]), 3)


def _texture(told: Mapping[str, Any] | None, images: Mapping[str, np.ndarray]) -> Texture | None:
    if told is None:
        return None
    name = str(told["name"])
    return Texture(name, images[name], _numbers(told["tint"], 4), _numbers(told["repeat"], 2), bool(told["is_uniform"]))


def _rows(bodies: Any, field: str, size: int) -> np.ndarray:
    none = [1.0, 0.0, 0.0, 0.0] if size == 4 else [0.0] * size
    return np.array([none, *(_numbers(body[field], size) for body in bodies)])


def _numbers(value: Any, size: int) -> np.ndarray:
    read: np.ndarray = np.array(value, dtype=np.float64)
    if read.shape != (size,) or not np.isfinite(read).all():
        raise ValueError(f"{size} finite numbers expected, got {value!r}")
    return read
