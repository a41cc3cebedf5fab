"""Shapes as triangles."""

import numpy as np

from cardan.viewer.drawing import WORLD, Drawing, Mesh, Shape
from cardan.viewer.kinematics import body_poses

_AROUND = 24  # faces around a round shape
_ENDLESS = 20.0  # [m] half of what is drawn of a plane without an end


def mesh_of(drawing: Drawing, shape: Shape) -> Mesh | None:
    """The triangles of a shape, in its own frame; None for one that cannot be drawn."""
    size = shape.size
    if shape.kind == "box":
        return box(size)
    if shape.kind == "sphere":
        return ball(np.full(3, size[0]))
    if shape.kind == "ellipsoid":
        return ball(size)
    if shape.kind == "capsule":
        return rod(size[0], size[1], is_round=True)
    if shape.kind == "cylinder":
        return rod(size[0], size[1], is_round=False)
    if shape.kind == "plane":
        x, y = (extent if extent > 0.0 else _ENDLESS for extent in size[:2])
        corners = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
        return Mesh(corners, np.array([[0, 1, 2], [0, 2, 3]]))
    if shape.kind == "mesh":
        return drawing.meshes.get(shape.mesh)
    return None


def box(half: np.ndarray) -> Mesh:
    """A box, by its half sizes; each face has corners of its own, so that edges stay sharp."""
    vertices: list[np.ndarray] = []
    faces: list[list[int]] = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            first = len(vertices)
            for a, b in ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)):
                corner = np.zeros(3)
                corner[axis], corner[u], corner[v] = side * half[axis], a * half[u], b * half[v]
                vertices.append(corner)
            order = [0, 1, 2, 3] if side > 0.0 else [3, 2, 1, 0]
            faces += [[first + order[0], first + order[1], first + order[2]]]
            faces += [[first + order[0], first + order[2], first + order[3]]]
    return Mesh(np.array(vertices), np.array(faces))


def ball(half: np.ndarray, around: int = _AROUND) -> Mesh:
    """An ellipsoid, by its half axes."""
    heights = -np.cos(np.linspace(0.0, np.pi, around // 2 + 1))
    radii = np.sqrt(np.maximum(0.0, 1.0 - heights**2))
    mesh = _revolved(radii, heights, around)
    return Mesh(mesh.vertices * half, mesh.faces)


def rod(radius: float, half: float, *, is_round: bool, around: int = _AROUND) -> Mesh:
    """A cylinder along z, or a capsule whose round ends are beyond `half`."""
    if is_round:
        turn = np.linspace(-0.5 * np.pi, 0.0, around // 4 + 1)
        radii = np.concatenate([np.cos(turn), np.cos(turn)[::-1]]) * radius
        heights = np.concatenate([np.sin(turn) * radius - half, -(np.sin(turn) * radius - half)[::-1]])
        return _revolved(radii, heights, around)
    # each rim twice, so that edges stay sharp
    return _revolved(
        np.array([0.0, radius, radius, radius, radius, 0.0]),
        np.array([-half, -half, -half, half, half, half]),
        around,
    )


def cone(radius: float, length: float, around: int = _AROUND) -> Mesh:
    """A cone along z with its tip at the origin, without a bottom."""
    return _revolved(np.array([0.0, radius]), np.array([0.0, length]), around, is_outward=False)


def _revolved(radii: np.ndarray, heights: np.ndarray, around: int, is_outward: bool = True) -> Mesh:
    """A surface of revolution about z; the profile goes upwards."""
    turn = np.arange(around) * 2.0 * np.pi / around
    rings = [
        np.stack([r * np.cos(turn), r * np.sin(turn), np.full(around, z)], axis=1)
        for r, z in zip(radii, heights, strict=True)
    ]
    faces = []
    for ring in range(len(radii) - 1):
        low, high = ring * around, (ring + 1) * around
        for i in range(around):
            j = (i + 1) % around
            quad = [low + i, low + j, high + j, high + i]
            if not is_outward:
                quad = quad[::-1]
            if radii[ring] > 0.0:
                faces.append([quad[0], quad[1], quad[2]] if is_outward else [quad[1], quad[2], quad[3]])
            if radii[ring + 1] > 0.0:
                faces.append([quad[0], quad[2], quad[3]] if is_outward else [quad[0], quad[1], quad[3]])
    return Mesh(np.concatenate(rings), np.array(faces))


def stand_in(drawing: Drawing, body: int) -> tuple[Mesh, np.ndarray, np.ndarray] | None:
    """A box with the mass and inertia of a body that has no shapes, its position [m] and quaternion in the body."""
    mass = drawing.mass[body]
    if mass <= 0.0:
        return None
    a, b, c = drawing.inertia[body]
    squares = 1.5 / mass * np.array([b + c - a, a + c - b, a + b - c])
    half = np.sqrt(np.maximum(squares, 0.0))
    half = np.maximum(half, 0.01 * max(float(half.max()), 0.05))
    return box(half), drawing.com[body], drawing.inertia_quat[body]


def reach(drawing: Drawing, body: int) -> float:
    """[m] About as far as the vehicle of a body reaches from the origin of its first body, as the file draws it."""
    r, roots = body_poses(drawing, drawing.reference[np.newaxis]).r[0], drawing.roots
    own = roots == roots[body]
    own[WORLD] = False
    away = np.linalg.norm(r - r[roots], axis=1)
    found = [0.1, *away[own]]
    for shape in drawing.shapes:
        if own[shape.body] and shape.kind != "plane":
            extent = np.linalg.norm(shape.pos) + np.linalg.norm(drawing.half_size(shape))
            found.append(float(away[shape.body] + extent))
    for bare in set(np.flatnonzero(own).tolist()) - {shape.body for shape in drawing.shapes}:
        made = stand_in(drawing, bare)
        if made is not None:
            found.append(float(away[bare] + np.linalg.norm(made[1]) + np.linalg.norm(made[0].vertices[0])))
    return float(max(found))
