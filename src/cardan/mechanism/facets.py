"""The outside of a body as flat facets, from the shapes that its file gives it."""

from typing import Any, NamedTuple

import mujoco
import numpy as np

from cardan.errors import MechanismError
from cardan.maths import dcm_from_quaternion
from cardan.mechanism.ports import Body


class Facets(NamedTuple):
    """Flat pieces of the outside of a body B; the first three fields are those of `FacetDrag` and `FacetRadiation`.

    Attributes:
        area: [m^2] (n,) Of each facet.
        normal_B: [-] (n, 3) Outward unit normals, in body components.
        r_FB_B: [m] (n, 3) Centres, in body components.
        corners_B: [m] Of each facet, (k, 3) counter-clockwise seen from outside.
    """

    area: np.ndarray
    normal_B: np.ndarray
    r_FB_B: np.ndarray
    corners_B: tuple[np.ndarray, ...]


def facets_of(body: Body, *, sides: int = 12) -> Facets:
    """The facets of the boxes, cylinders, spheres and meshes of a body, as its file has them.

    A thin box is a panel: two large facets and four narrow ones. Shapes that lie within each other are not cut; a
    cylinder is a prism, a sphere a polyhedron of the same area. A mesh must be closed with its triangles turned
    outwards; each triangle is a facet.

    Args:
        body: The body.
        sides: Of a cylinder, and half as many rings of a sphere.

    Raises:
        MechanismError: The body has no shape, or one that has no facets, or a mesh that is not closed or is inside out.
    """
    model = body.mechanism.model
    number = model.body(body.name).id
    polygons: list[np.ndarray] = []
    for geom in range(model.ngeom):
        if model.geom_bodyid[geom] == number:
            turn = dcm_from_quaternion(model.geom_quat[geom]).T
            shapes = _polygons(model, geom, sides, body.name)
            polygons += [model.geom_pos[geom] + corners @ turn.T for corners in shapes]
    if not polygons:
        raise MechanismError(
            f"`{body.name}` has no shape, so it has no facets.\n"
            "  Give it boxes or meshes in its file, or write facets down: area, normal_B, r_FB_B."
        )
    area, normal_B, r_FB_B = zip(*map(_measured, polygons), strict=True)
    return Facets(np.array(area), np.array(normal_B), np.array(r_FB_B), tuple(polygons))


def _measured(corners: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Area, normal and centre of a flat convex polygon."""
    first = corners[0]
    halves = 0.5 * np.cross(corners[1:-1] - first, corners[2:] - first)
    areas = np.linalg.norm(halves, axis=1)
    total = halves.sum(axis=0)
    area = float(np.linalg.norm(total))
    centres = (first + corners[1:-1] + corners[2:]) / 3.0
    return area, total / area, areas @ centres / areas.sum()


def _polygons(model: Any, geom: int, sides: int, body: str) -> list[np.ndarray]:
    """The faces of a shape in its own frame, corners counter-clockwise from outside."""
    kind, size = model.geom_type[geom], model.geom_size[geom]
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return _box(size)
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return _cylinder(size[0], size[1], sides)
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return _sphere(size[0], sides)
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        return _mesh(model, int(model.geom_dataid[geom]), body)
    name = mujoco.mjtGeom(kind).name.removeprefix("mjGEOM_").lower()
    raise MechanismError(
        f"`{body}` has a {name}, of which no facets are made.\n  Use boxes, cylinders, spheres or meshes."
    )


def _box(half: np.ndarray) -> list[np.ndarray]:
    faces = []
    for axis in range(3):
        for sign in (1.0, -1.0):
            a, b = (axis + 1) % 3, (axis + 2) % 3
            corners = np.zeros((4, 3))
            corners[:, axis] = sign * half[axis]
            corners[:, a] = half[a] * np.array([1.0, -1.0, -1.0, 1.0])
            corners[:, b] = half[b] * np.array([1.0, 1.0, -1.0, -1.0])
            faces.append(corners if sign > 0.0 else corners[::-1])
    return faces


def _cylinder(radius: float, half: float, sides: int) -> list[np.ndarray]:
    """A prism whose cross-section has the area of the circle."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    radius *= np.sqrt(2.0 * np.pi / (sides * np.sin(2.0 * np.pi / sides)))
    ring = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(sides, half)], axis=1)
    low = ring * np.array([1.0, 1.0, -1.0])
    around = [np.array([low[i], low[(i + 1) % sides], ring[(i + 1) % sides], ring[i]]) for i in range(sides)]
    return [ring, low[::-1], *around]


def _sphere(radius: float, sides: int) -> list[np.ndarray]:
    """Quadrilaterals between parallels and meridians, scaled to the area of the sphere."""
    rings = max(2, sides // 2)
    angle, polar = 2.0 * np.pi * np.arange(sides + 1) / sides, np.pi * np.arange(rings + 1) / rings

    def point(i: int, j: int) -> np.ndarray:
        sine = np.sin(polar[i]) if 0 < i < rings else 0.0
        return np.array([sine * np.cos(angle[j]), sine * np.sin(angle[j]), np.cos(polar[i])])

    faces = []
    for i in range(rings):
        for j in range(sides):
            corners = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)]
            faces.append(np.array(corners[:3] if i == 0 else corners if i < rings - 1 else [*corners[:2], corners[3]]))
    area = sum(_measured(face)[0] for face in faces)
    return [radius * np.sqrt(4.0 * np.pi / area) * face for face in faces]


def _mesh(model: Any, mesh: int, body: str) -> list[np.ndarray]:
    first, count = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
    vertices = np.array(model.mesh_vert[first : first + count], dtype=float)
    first, count = model.mesh_faceadr[mesh], model.mesh_facenum[mesh]
    faces = np.array(model.mesh_face[first : first + count])
    triangles = vertices[faces]
    halves = 0.5 * np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    areas = np.linalg.norm(halves, axis=1)
    name = model.mesh(mesh).name
    if np.linalg.norm(halves.sum(axis=0)) > 1e-3 * areas.sum():
        raise MechanismError(f"`{body}`: the mesh `{name}` is not closed, so it has no outside.\n  Close it.")
    if np.einsum("ij,ij->", halves, triangles.mean(axis=1)) <= 0.0:
        raise MechanismError(f"`{body}`: the mesh `{name}` is inside out.\n  Turn its triangles round.")
    return [triangle for triangle, area in zip(triangles, areas, strict=True) if area > 1e-9 * areas.max()]
