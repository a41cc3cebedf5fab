"""What it takes to draw a mechanism without the files that it was read from, as plain data for JSON.

MuJoCo writes MJCF with six digits and with the names of mesh files. A log is looked at elsewhere, and to a micrometre;
so it also carries frames, joints and shapes as they were compiled, with all their digits, and the meshes themselves.
"""

from typing import Any

import mujoco
import numpy as np

from cardan.mechanism.packing import packed
from cardan.mechanism.textures import paint, textured_meshes, textures_of
from cardan.mechanism.tree import BALL, FREE, HINGE, SLIDE

JOINT_KINDS = {FREE: "free", BALL: "ball", SLIDE: "slide", HINGE: "hinge"}
_SHAPES = {
    mujoco.mjtGeom.mjGEOM_PLANE: "plane",
    mujoco.mjtGeom.mjGEOM_HFIELD: "hfield",
    mujoco.mjtGeom.mjGEOM_SPHERE: "sphere",
    mujoco.mjtGeom.mjGEOM_CAPSULE: "capsule",
    mujoco.mjtGeom.mjGEOM_ELLIPSOID: "ellipsoid",
    mujoco.mjtGeom.mjGEOM_CYLINDER: "cylinder",
    mujoco.mjtGeom.mjGEOM_BOX: "box",
    mujoco.mjtGeom.mjGEOM_MESH: "mesh",
    mujoco.mjtGeom.mjGEOM_SDF: "mesh",
}
_UNPAINTED = np.array([0.5, 0.5, 0.5, 1.0], np.float32)  # MuJoCo's colour of a geom that names none


def drawing_of(model: mujoco.MjModel) -> dict[str, Any]:
    """Bodies, joints, sites, shapes and meshes of a compiled model.

    Positions are in metres, quaternions scalar first, both relative to the parent or to the body; the coordinates in
    `reference` are those at which the file draws the mechanism. `inertia` has the principal moments [kg m^2] about the
    centre of mass, along axes that `inertia_quat` turns. `force_S` of an actuator at a site is the force [N] for a
    command of one, in components of the site. `rgba` of a shape with a texture has the mean of it; `texture` says how
    an image lies on it, and `textures` has the images.
    """
    return {
        "bodies": [_body(model, i) for i in range(1, model.nbody)],
        "joints": [_joint(model, i) for i in range(model.njnt)],
        "sites": [
            {
                "name": model.site(i).name,
                "body": _name_of_body(model, model.site_bodyid[i]),
                "pos": model.site_pos[i].tolist(),
                "quat": model.site_quat[i].tolist(),
            }
            for i in range(model.nsite)
            if model.site(i).name
        ],
        "actuators": [
            {
                "name": model.actuator(i).name,
                "site": model.site(int(model.actuator_trnid[i, 0])).name,
                "force_S": (model.actuator_gainprm[i, 0] * model.actuator_gear[i, :3]).tolist(),
            }
            for i in range(model.nu)
            if model.actuator_trntype[i] == mujoco.mjtTrn.mjTRN_SITE
        ],
        "shapes": [_shape(model, i) for i in range(model.ngeom)],
        "meshes": {_mesh_name(model, i): _mesh(model, i) for i in sorted(set(_drawn_meshes(model)))},
        "textures": textures_of(model),
    }


def _body(model: mujoco.MjModel, i: int) -> dict[str, Any]:
    return {
        "name": _name_of_body(model, i),
        "parent": _name_of_body(model, model.body_parentid[i]),
        "pos": model.body_pos[i].tolist(),
        "quat": model.body_quat[i].tolist(),
        "mass": float(model.body_mass[i]),
        "com": model.body_ipos[i].tolist(),
        "inertia": model.body_inertia[i].tolist(),
        "inertia_quat": model.body_iquat[i].tolist(),
    }


def _joint(model: mujoco.MjModel, i: int) -> dict[str, Any]:
    kind, at = int(model.jnt_type[i]), int(model.jnt_qposadr[i])
    return {
        "name": model.joint(i).name,
        "body": _name_of_body(model, model.jnt_bodyid[i]),
        "kind": JOINT_KINDS[kind],
        "pos": model.jnt_pos[i].tolist(),
        "axis": model.jnt_axis[i].tolist(),
        "reference": model.qpos0[at : at + {FREE: 7, BALL: 4}.get(kind, 1)].tolist(),
    }


def _shape(model: mujoco.MjModel, i: int) -> dict[str, Any]:
    material, rgba = int(model.geom_matid[i]), model.geom_rgba[i]
    if material >= 0 and np.array_equal(rgba, _UNPAINTED):
        rgba = model.mat_rgba[material]
    kind = _SHAPES.get(mujoco.mjtGeom(int(model.geom_type[i])), "unknown")
    painted, texture = paint(model, material, rgba)
    described = {
        "name": model.geom(i).name,
        "body": _name_of_body(model, model.geom_bodyid[i]),
        "kind": kind,
        "size": model.geom_size[i].tolist(),
        "pos": model.geom_pos[i].tolist(),
        "quat": model.geom_quat[i].tolist(),
        "rgba": painted,
        "group": int(model.geom_group[i]),
    } | texture
    return described | ({"mesh": _mesh_name(model, int(model.geom_dataid[i]))} if kind == "mesh" else {})


def _drawn_meshes(model: mujoco.MjModel) -> list[int]:
    return [
        int(model.geom_dataid[i])
        for i in range(model.ngeom)
        if _SHAPES.get(mujoco.mjtGeom(int(model.geom_type[i]))) == "mesh"
    ]


def _mesh(model: mujoco.MjModel, i: int) -> dict[str, str]:
    """Vertices and triangles, in the frame that MuJoCo gives to shapes made of the mesh."""
    first, count = int(model.mesh_vertadr[i]), int(model.mesh_vertnum[i])
    at, faces = int(model.mesh_faceadr[i]), int(model.mesh_facenum[i])
    described = {
        "vertices": packed(np.asarray(model.mesh_vert[first : first + count], "<f4")),
        "faces": packed(np.asarray(model.mesh_face[at : at + faces], "<i4")),
    }
    if model.mesh_texcoordadr[i] >= 0 and i in textured_meshes(model):
        corners = model.mesh_facetexcoord[at : at + faces].ravel() + model.mesh_texcoordadr[i]
        described["uv"] = packed(np.asarray(model.mesh_texcoord[corners], "<f4"))
    return described


def _mesh_name(model: mujoco.MjModel, i: int) -> str:
    return model.mesh(i).name or f"mesh {i}"


def _name_of_body(model: mujoco.MjModel, i: int) -> str:
    return model.body(int(i)).name or (f"body {int(i)}" if i else "world")
