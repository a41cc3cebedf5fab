"""Shapes with an image on them, as files that a page can show."""

import io
from importlib import import_module
from typing import Any

import numpy as np

from cardan.viewer.drawing import Mesh, Shape


def textured(mesh: Mesh, shape: Shape) -> bytes:
    """A binary glTF file of a shape with its texture."""
    trimesh: Any = import_module("trimesh")  # comes with viser, as the next one does
    images: Any = import_module("PIL.Image")
    assert shape.texture is not None
    corners = np.asarray(mesh.vertices, float)[mesh.faces.ravel()]
    uv = image_places(mesh, shape)
    made = trimesh.Trimesh(corners, np.arange(len(corners)).reshape(-1, 3), process=False)
    tint = [round(255.0 * float(part)) for part in np.clip(shape.texture.tint, 0.0, 1.0)]
    material = trimesh.visual.material.PBRMaterial(
        baseColorTexture=images.fromarray(np.ascontiguousarray(shape.texture.pixels)),
        baseColorFactor=tint,
        metallicFactor=0.0,
        roughnessFactor=0.8,
        doubleSided=shape.kind in ("plane", "mesh"),
        alphaMode="OPAQUE" if tint[3] == 255 else "BLEND",
    )
    # trimesh counts from the lower left corner
    visual = trimesh.visual.TextureVisuals(np.stack([uv[:, 0], 1.0 - uv[:, 1]], axis=1), material=material)
    made.visual = visual
    if shape.kind not in ("box", "plane"):
        made.vertex_normals = _smooth_normals(mesh)
    with io.BytesIO() as file:
        made.export(file, file_type="glb")
        return file.getvalue()


def image_places(mesh: Mesh, shape: Shape) -> np.ndarray:
    """(3 faces, 2) Where the corners of all faces lie on the image, from its upper left corner, in whole images.

    A mesh may say so itself. On a box an image lies on each face; on anything else it lies in the x-y plane, and goes
    through the shape along z.
    """
    texture = shape.texture
    assert texture is not None
    if mesh.uv is not None:
        return np.asarray(mesh.uv, float)
    corners = np.asarray(mesh.vertices, float)[mesh.faces]
    across, up = np.tile(np.eye(3)[:2, np.newaxis], (1, len(corners), 1))
    if shape.kind == "box":
        outwards = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        outwards /= np.linalg.norm(outwards, axis=1, keepdims=True)
        is_side = np.abs(outwards[:, 2]) < 0.5
        up = np.where(is_side[:, np.newaxis], [0.0, 0.0, 1.0], up)
        across = np.cross(up, outwards)
    half = np.abs(np.asarray(mesh.vertices)).max(axis=0)
    found = []
    for axis, repeat in ((across, texture.repeat[0]), (-up, texture.repeat[1])):
        extent = np.where(texture.is_uniform, 1.0, np.maximum(np.abs(axis) @ half, 1.0e-12))
        found.append(0.5 * repeat * np.einsum("fci,fi->fc", corners, axis) / extent[:, np.newaxis] - 0.5)
    return np.stack(found, axis=2).reshape(-1, 2)


def _smooth_normals(mesh: Mesh) -> np.ndarray:
    """(3 faces, 3) Normals at the corners of all faces: the mean of those of the faces that meet there."""
    vertices, faces = np.asarray(mesh.vertices, float), mesh.faces
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    areas = np.cross(b - a, c - a)
    sums = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(sums, faces[:, k], areas)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return np.asarray((sums / np.where(length > 0.0, length, 1.0))[faces.ravel()])
