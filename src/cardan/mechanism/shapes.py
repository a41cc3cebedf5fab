"""Shapes, for mechanisms that are built in Python, to be seen: they have no mass, and nothing touches them."""

from typing import Any, NamedTuple

import mujoco
import numpy as np

from cardan.contracts.constraints import OfShape, Positive, require
from cardan.errors import ImpossibleValue


class Box(NamedTuple):
    """A box.

    Attributes:
        half_sizes: [m] Along its own x, y and z.
    """

    half_sizes: Any


class Ellipsoid(NamedTuple):
    """An ellipsoid.

    Attributes:
        half_axes: [m] Along its own x, y and z.
    """

    half_axes: Any


class Sphere(NamedTuple):
    """A ball.

    Attributes:
        radius: [m]
    """

    radius: float


class Cylinder(NamedTuple):
    """A cylinder along its own z.

    Attributes:
        radius: [m]
        half_length: [m]
    """

    radius: float
    half_length: float


class Capsule(NamedTuple):
    """A cylinder along its own z with half a ball at each end.

    Attributes:
        radius: [m]
        half_length: [m] Of the cylinder alone.
    """

    radius: float
    half_length: float


class Prism(NamedTuple):
    """A convex plate of any outline, in the plane of its own x and y.

    Attributes:
        outline: [m] (n, 2) Its corners, counter-clockwise.
        half_thickness: [m] Along z, to both sides.
    """

    outline: Any
    half_thickness: float


Shape = Box | Ellipsoid | Sphere | Cylinder | Capsule | Prism

_KINDS = {
    Box: mujoco.mjtGeom.mjGEOM_BOX,
    Ellipsoid: mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    Sphere: mujoco.mjtGeom.mjGEOM_SPHERE,
    Cylinder: mujoco.mjtGeom.mjGEOM_CYLINDER,
    Capsule: mujoco.mjtGeom.mjGEOM_CAPSULE,
}


def geom_of(spec: mujoco.MjSpec, body: str, shape: Shape) -> dict[str, Any]:
    """What `add_geom` of a specification takes for a shape on a body; a prism adds its mesh."""
    if isinstance(shape, Prism):
        mesh = f"{body} prism {len(spec.meshes)}"
        vertices, faces = _prism(body, shape)
        spec.add_mesh(name=mesh, uservert=vertices.ravel(), userface=faces.ravel())
        return {"type": mujoco.mjtGeom.mjGEOM_MESH, "meshname": mesh}
    if type(shape) not in _KINDS:
        raise ImpossibleValue(f"{shape!r} is not a shape.\n  Use e.g. `cardan.mechanism.Box([0.5, 0.5, 0.5])`.")
    if isinstance(shape, Box | Ellipsoid):
        size = require(f"{body}.{type(shape)._fields[0]}", shape[0], "m", OfShape(3), Positive)
    else:
        numbers = [
            float(require(f"{body}.{field}", value, "m", OfShape(), Positive))
            for field, value in shape._asdict().items()
        ]
        size = np.array([*numbers, 0.0, 0.0][:3])
    return {"type": _KINDS[type(shape)], "size": size}


def _prism(body: str, shape: Prism) -> tuple[np.ndarray, np.ndarray]:
    """Corners (2 n, 3) and triangles, outwards."""
    half = float(require(f"{body}.half_thickness", shape.half_thickness, "m", OfShape(), Positive))
    outline = np.asarray(shape.outline, float)
    if outline.ndim != 2 or outline.shape[1] != 2 or len(outline) < 3 or not np.isfinite(outline).all():
        raise ImpossibleValue(f"`{body}`: the outline of a prism has 3 corners or more, (n, 2) [m]; got {outline!r}.")
    n = len(outline)
    low, high = (np.column_stack([outline, np.full(n, z)]) for z in (-half, half))
    faces = []
    for i in range(1, n - 1):
        faces += [[0, i + 1, i], [n, n + i, n + i + 1]]
    for i in range(n):
        j = (i + 1) % n
        faces += [[i, j, n + j], [i, n + j, n + i]]
    return np.concatenate([low, high]), np.array(faces)
