"""A mechanism as arrays: links, one per joint, in an order in which parents come first.

A body with several joints is a chain of links of which the last carries the body; a body without joints belongs to the
link of its parent. Link 0 is the world. Coordinates `q` and `v` are MuJoCo's `qpos` and `qvel`: of a free joint the
position r_BN_N and the quaternion q_BN, and the velocity v_BN_N in inertial and omega_BN_B in body components.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import mujoco
import numpy as np

from cardan.maths import dcm_from_quaternion, quaternion_product

FREE, BALL, SLIDE, HINGE = 0, 1, 2, 3  # MuJoCo's numbers
Q_SIZE = {FREE: 7, BALL: 4, SLIDE: 1, HINGE: 1}
V_SIZE = {FREE: 6, BALL: 3, SLIDE: 1, HINGE: 1}


Masses = tuple[float, np.ndarray, np.ndarray]
"""[kg], (3,) [m], (3, 3) [kg m^2] Mass, centre of mass, and inertia about it."""


class Frame(NamedTuple):
    """A frame fixed to a link.

    Attributes:
        link: The link.
        pos: [m] Of the frame's origin, in the link's components.
        quat: [-] Of the frame relative to the link.
    """

    link: int
    pos: np.ndarray
    quat: np.ndarray


@dataclass(frozen=True, eq=False)
class Tree:
    """The arrays, which nobody writes to; `links` counts the world. Mechanisms of the same content share one tree.

    Attributes:
        parent: (links,) Link before each link.
        kind: (links,) Kind of joint that leads to it; -1 for the world.
        q_at: (links,) Where its coordinates begin.
        v_at: (links,) Where its velocities begin.
        vehicle: (links,) Which vehicle (tree) it belongs to.
        body_link: (links,) Last link of the body that each link belongs to.
        roots: (vehicles,) First link of each vehicle.
        offset_pos: (links, 3) [m] Of its frame before the joint moves, relative to its parent's.
        offset_quat: (links, 4) [-]
        anchor: (links, 3) [m] Point on the joint, in the link's components.
        axis: (links, 3) [-] Of the joint, in the link's components.
        reference: (nq,) Coordinates at which the file draws the mechanism.
        rest: (nq,) Coordinates at which springs are at rest.
        armature: (nv,)
        damping: (nv,)
        stiffness: (nv,)
        mass: (links,) [kg]
        com: (links, 3) [m] In the link's components.
        inertia: (links, 3, 3) [kg m^2] About the centre of mass, in the link's components.
        joints: The names of joints by link.
        bodies: For each body by name its frame.
        body_mass: For each body by name its mass, centre of mass and inertia in body components.
        sites: For each site by name its frame.
        site_frames: The frames of all sites, also of those without a name, in the order of the compiled model.
    """

    parent: np.ndarray
    kind: np.ndarray
    q_at: np.ndarray
    v_at: np.ndarray
    vehicle: np.ndarray
    body_link: np.ndarray
    roots: np.ndarray
    offset_pos: np.ndarray
    offset_quat: np.ndarray
    anchor: np.ndarray
    axis: np.ndarray
    reference: np.ndarray
    rest: np.ndarray
    armature: np.ndarray
    damping: np.ndarray
    stiffness: np.ndarray
    mass: np.ndarray
    com: np.ndarray
    inertia: np.ndarray
    joints: tuple[str, ...]
    bodies: dict[str, Frame]
    body_mass: dict[str, Masses]
    sites: dict[str, Frame]
    site_frames: tuple[Frame, ...]

    @property
    def links(self) -> int:
        return len(self.parent)

    @property
    def nq(self) -> int:
        return len(self.reference)

    @property
    def nv(self) -> int:
        return int(self.armature.shape[-1])


_MOST_TREES = 64
_trees: dict[bytes, Tree] = {}  # by the digest of the model that each was read from


def read_tree(model: mujoco.MjModel) -> Tree:
    """The arrays of a compiled model, the same ones for models of the same content.

    A mechanism is often made again from the same file; what others remember of a tree is then not found anew.
    """
    digest = digest_of(model)
    tree = _trees.get(digest)
    if tree is None:
        if len(_trees) >= _MOST_TREES:
            _trees.clear()
        tree = _trees[digest] = _tree_of(model)
    return tree


def digest_of(model: mujoco.MjModel) -> bytes:
    """What tells models of different content apart."""
    content = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, content)
    return hashlib.sha256(content.data).digest()


def _tree_of(model: mujoco.MjModel) -> Tree:
    rows: list[dict[str, object]] = [_world()]
    names = [""]
    frame_of_body = {0: Frame(0, np.zeros(3), _NO_TURN)}
    for body in range(1, model.nbody):
        above = frame_of_body[int(model.body_parentid[body])]
        offset = compose(above, model.body_pos[body], model.body_quat[body])
        count = int(model.body_jntnum[body])
        first = int(model.body_jntadr[body])
        for joint in range(first, first + count):
            rows.append(_joint_row(model, joint, offset))
            names.append(model.joint(joint).name)
            offset = Frame(len(rows) - 1, np.zeros(3), _NO_TURN)
        frame_of_body[body] = offset
    arrays = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    mass, com, inertia, body_mass = _mass_properties(model, frame_of_body, len(rows))
    site_frames = tuple(
        compose(frame_of_body[int(model.site_bodyid[i])], model.site_pos[i], model.site_quat[i])
        for i in range(model.nsite)
    )
    vehicle, roots = _vehicles(arrays["parent"])
    tree = Tree(
        parent=arrays["parent"],
        kind=arrays["kind"],
        q_at=arrays["q_at"],
        v_at=arrays["v_at"],
        vehicle=vehicle,
        body_link=_last_links(model, len(rows)),
        roots=roots,
        offset_pos=arrays["offset_pos"],
        offset_quat=arrays["offset_quat"],
        anchor=arrays["anchor"],
        axis=arrays["axis"],
        reference=np.array(model.qpos0),
        **coefficients(model),
        mass=mass,
        com=com,
        inertia=inertia,
        joints=tuple(names),
        bodies={model.body(i).name: frame for i, frame in frame_of_body.items()},
        body_mass=body_mass,
        sites={model.site(i).name: frame for i, frame in enumerate(site_frames) if model.site(i).name},
        site_frames=site_frames,
    )
    _protect(vars(tree).values())
    return tree


def _protect(values: Iterable[object]) -> None:
    """Let nobody write to arrays, also to those within other collections."""
    for value in values:
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        elif isinstance(value, dict):
            _protect(value.values())
        elif isinstance(value, tuple):
            _protect(value)


_NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])


def coefficients(model: mujoco.MjModel) -> dict[str, np.ndarray]:
    """Where springs are at rest; armature, damping and stiffness of each freedom."""
    stiffness = np.zeros(model.nv)
    if not is_disabled(model, "SPRING"):
        stiffness[:] = model.jnt_stiffness[model.dof_jntid]
    damping = np.zeros(model.nv) if is_disabled(model, "DAMPER") else np.array(model.dof_damping)
    return {
        "rest": np.array(model.qpos_spring), "armature": np.array(model.dof_armature), "damping": damping,
        "stiffness": stiffness,
    }  # fmt: skip


def is_disabled(model: mujoco.MjModel, what: str) -> bool:
    """Whether the flags of the file switch something off: "LIMIT", "CONTACT", ...; `constraint` stands for several."""
    bits = mujoco.mjtDisableBit
    wanted = int(getattr(bits, f"mjDSBL_{what}"))
    if what in ("EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT"):
        wanted |= int(bits.mjDSBL_CONSTRAINT)
    return bool(model.opt.disableflags & wanted)


def compose(frame: Frame, pos: np.ndarray, quat: np.ndarray) -> Frame:
    """The frame that lies at `pos` and `quat` in `frame`, as a frame of the same link; or a stack of such."""
    turn = dcm_from_quaternion(frame.quat).T
    return Frame(frame.link, frame.pos + _turned(turn, pos), quaternion_product(np.asarray(quat), frame.quat))


def _turned(turn: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """The matrix times a vector, or each of a stack."""
    return np.asarray(np.matmul(turn, vectors[..., None])[..., 0])


def _world() -> dict[str, object]:
    still = np.zeros(3)
    return {
        "parent": 0, "kind": -1, "q_at": 0, "v_at": 0, "offset_pos": still, "offset_quat": _NO_TURN, "anchor": still,
        "axis": still,
    }  # fmt: skip


def _joint_row(model: mujoco.MjModel, joint: int, offset: Frame) -> dict[str, object]:
    return {
        "parent": offset.link,
        "kind": int(model.jnt_type[joint]),
        "q_at": int(model.jnt_qposadr[joint]),
        "v_at": int(model.jnt_dofadr[joint]),
        "offset_pos": offset.pos,
        "offset_quat": offset.quat,
        "anchor": np.array(model.jnt_pos[joint]),
        "axis": np.array(model.jnt_axis[joint]),
    }


def _mass_properties(
    model: mujoco.MjModel, frames: dict[int, Frame], links: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[str, Masses]]:
    """Mass, centre of mass and inertia of each link, and of each body by name in its own components."""
    mass, com, inertia = np.zeros(links), np.zeros((links, 3)), np.zeros((links, 3, 3))
    of_body: dict[str, Masses] = {}
    parts: list[list[Masses]] = [[] for _ in range(links)]
    for body in range(1, model.nbody):
        own = of_body[model.body(body).name] = own_masses(model, body)
        parts[frames[body].link].append(in_link(frames[body], own))
    for link, pieces in enumerate(parts):
        mass[link], com[link], inertia[link] = lump(pieces)
    return mass, com, inertia, of_body


def own_masses(model: mujoco.MjModel, body: int) -> Masses:
    """Of a body, by its number, in its own components."""
    tensor = tensor_of(model.body_inertia[body], model.body_iquat[body])
    mass = float(model.body_mass[body])
    # the centre of nothing is at the origin; MuJoCo has it anywhere
    centre = np.array(model.body_ipos[body]) if mass > 0.0 or tensor.any() else np.zeros(3)
    return mass, centre, tensor


def tensor_of(moments: np.ndarray, quat: np.ndarray) -> np.ndarray:
    """[kg m^2] The inertia with these principal moments, along axes that are turned so; or a stack of them."""
    turn = dcm_from_quaternion(quat).swapaxes(-1, -2)
    return np.asarray(turn @ (moments[..., None] * np.eye(3)) @ turn.swapaxes(-1, -2))


def in_link(frame: Frame, own: Masses) -> Masses:
    """Mass properties in the components of a link, of what has them in those of a frame in it; or a stack of them."""
    mass, centre, tensor = own
    attitude = dcm_from_quaternion(frame.quat).T
    return mass, frame.pos + _turned(attitude, centre), attitude @ tensor @ attitude.T


def lump(pieces: list[Masses]) -> Masses:
    """Mass, centre of mass and inertia of several (mass, centre of mass, inertia) taken together."""
    mass = sum(piece[0] for piece in pieces)
    if mass == 0.0:
        return 0.0, np.zeros(3), sum((piece[2] for piece in pieces), np.zeros((3, 3)))
    if len(pieces) == 1:
        return pieces[0]
    com = sum(m * at for m, at, _ in pieces) / mass
    inertia = np.zeros((3, 3))
    for m, at, tensor in pieces:
        arm = at - com
        inertia += tensor + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return mass, np.asarray(com), inertia


def _last_links(model: mujoco.MjModel, links: int) -> np.ndarray:
    last = np.zeros(links, dtype=np.int64)
    for joint in range(model.njnt):
        body = model.jnt_bodyid[joint]
        last[joint + 1] = model.body_jntadr[body] + model.body_jntnum[body]
    return last


def _vehicles(parent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    vehicle, roots = np.zeros(len(parent), dtype=np.int64), []
    for link in range(1, len(parent)):
        if parent[link] == 0:
            roots.append(link)
        vehicle[link] = len(roots) - 1 if parent[link] == 0 else vehicle[parent[link]]
    return vehicle, np.array(roots, dtype=np.int64)
