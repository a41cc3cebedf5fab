"""A mechanism with other numbers: mass properties and poses of bodies, coefficients of joints, poses of sites.

The specification is edited and compiled again. All that follows from a number is then what it would be, to the bit,
had the mechanism been built with it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import mujoco
import numpy as np

from cardan.contracts.constraints import AnyInertia, Constraint, NotNegative, OfShape, Positive, Unit, require
from cardan.errors import MechanismError
from cardan.mechanism.tree import (
    FREE,
    HINGE,
    SLIDE,
    Tree,
    coefficients,
    compose,
    in_link,
    is_disabled,
    lump,
    own_masses,
    read_tree,
)

DECOMPOSED = 1.0e-9  # [-] what a decomposition of an inertia may change
_QUAT = mujoco.mjtOrientation.mjORIENTATION_QUAT


class Number(NamedTuple):
    """A number of an element that may be another, under the name that builds the element in Python.

    Attributes:
        name: What it is called: the last word of its path.
        unit: Its unit; of a slide, of a hinge.
        meaning: In words, for documentation.
        constraints: What it must be.
        own: What a compiled model has, by the number of the element.
    """

    name: str
    unit: str
    meaning: str
    constraints: tuple[Constraint, ...]
    own: Callable[[mujoco.MjModel, int], Any]

    @property
    def shape(self) -> tuple[int, ...]:
        return _SHAPES.get(self.name, ())

    def take(self, path: str, value: Any) -> np.ndarray:
        """A value that it may have, or an error that names `path`."""
        return require(path, value, self.unit, OfShape(*self.shape), *self.constraints)


_SHAPES = {"inertia_B": (3, 3), "r_CB_B": (3,), "r_SB_B": (3,), "q_SB": (4,), "r_BP_P": (3,), "q_BP": (4,)}


def _of_dof(array: str) -> Callable[[mujoco.MjModel, int], Any]:
    return lambda model, i: getattr(model, array)[model.jnt_dofadr[i]]


def _inertia(model: mujoco.MjModel, i: int) -> np.ndarray:
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.body_iquat[i])
    axes = turn.reshape(3, 3)
    return np.asarray(axes * model.body_inertia[i] @ axes.T)


BODY = (
    Number("mass", "kg", "mass", (Positive,), lambda model, i: model.body_mass[i]),
    Number("r_CB_B", "m", "centre of mass from the origin", (), lambda model, i: model.body_ipos[i]),
    Number("inertia_B", "kg m^2", "inertia about the centre of mass", (AnyInertia,), _inertia),
)
POSE = (
    Number("r_BP_P", "m", "position in its parent", (), lambda model, i: model.body_pos[i]),
    Number("q_BP", "-", "attitude relative to its parent", (Unit,), lambda model, i: model.body_quat[i]),
)
"""Of a body that has joints of its own: where these are."""

JOINT = (
    Number("damping", "N s/m, N m s/rad", "viscous damping", (NotNegative,), _of_dof("dof_damping")),
    Number("stiffness", "N/m, N m/rad", "of its spring", (), lambda model, i: model.jnt_stiffness[i]),
    Number(
        "rest", "m, rad", "where its spring is at rest", (), lambda model, i: model.qpos_spring[model.jnt_qposadr[i]]
    ),
    Number("armature", "kg, kg m^2", "inertia of its drive", (NotNegative,), _of_dof("dof_armature")),
    Number("friction", "N, N m", "dry friction", (NotNegative,), _of_dof("dof_frictionloss")),
)
SITE = (
    Number("r_SB_B", "m", "position in its body", (), lambda model, i: model.site_pos[i]),
    Number("q_SB", "-", "attitude relative to its body", (Unit,), lambda model, i: model.site_quat[i]),
)


class Numbered(NamedTuple):
    """A number of one element.

    Attributes:
        kind: "body", "joint" or "site".
        element: The name of the element.
        row: Its number in the compiled model.
        number: Which of its numbers.
    """

    kind: str
    element: str
    row: int
    number: Number


def _numbers_of(model: mujoco.MjModel, tree: Tree) -> tuple[tuple[str, Collection[str], tuple[Number, ...]], ...]:
    """Kinds of elements, the names of those that have numbers, and which."""
    return (
        ("body", tree.body_mass, BODY),
        ("body", [name for name in tree.bodies if is_on_joint(model, name)], POSE),
        ("joint", [joint for joint in tree.joints if joint], JOINT),
        ("site", tree.sites, SITE),
    )


def is_on_joint(model: mujoco.MjModel, body: str) -> bool:
    """Whether a body has joints that are not free; where a free one is, its state says."""
    row = model.body(body).id
    return bool(model.body_jntnum[row]) and int(model.jnt_type[model.body_jntadr[row]]) != FREE


def all_numbers(model: mujoco.MjModel, tree: Tree) -> Iterator[Numbered]:
    """Every number that may be another."""
    for kind, known, numbers in _numbers_of(model, tree):
        for name in known:
            for number in numbers:
                numbered = Numbered(kind, name, int(getattr(model, kind)(name).id), number)
                if not why_not(model, numbered):
                    yield numbered


def number_at(model: mujoco.MjModel, tree: Tree, path: str) -> Numbered | None:
    """What a path such as `bus.mass`, `elbow.damping` or `nozzle.q_SB` names; None if it names no number."""
    element, _, name = str(path).rpartition(".")
    for kind, known, numbers in _numbers_of(model, tree):
        bare = element.removesuffix(".site") if kind == "site" else element
        found = next((number for number in numbers if number.name == name), None)
        if found is not None and bare in known:
            return Numbered(kind, bare, int(getattr(model, kind)(bare).id), found)
    return None


def why_not(model: mujoco.MjModel, numbered: Numbered) -> str:
    """Why a joint cannot have a number, in words; empty if it can."""
    if numbered.kind != "joint":
        return ""
    kind, name = int(model.jnt_type[numbered.row]), numbered.number.name
    if name == "rest" and kind not in (HINGE, SLIDE):
        return "it is neither a hinge nor a slide, so one number does not say where its spring is at rest"
    switches = {"damping": "DAMPER", "stiffness": "SPRING", "rest": "SPRING", "friction": "FRICTIONLOSS"}
    if name in switches and is_disabled(model, switches[name]):
        return "an option of the file switches it off"
    return ""


def put(spec: mujoco.MjSpec, model: mujoco.MjModel, values: Mapping[Numbered, np.ndarray]) -> None:
    """Write numbers into a specification that compiles to `model`."""
    for numbered, value in values.items():
        if numbered.kind == "body":
            _put_body(spec.body(numbered.element), model, numbered, value)
        elif numbered.kind == "joint":
            _put_joint(spec.joint(numbered.element), model, numbered, value)
        else:
            _put_site(spec.site(numbered.element), model, numbered, value)


def check_put(model: mujoco.MjModel, values: Mapping[Numbered, np.ndarray]) -> None:
    """Refuse a compiled model that has other numbers than were written."""
    for numbered, value in values.items():
        found = np.asarray(numbered.number.own(model, numbered.row))
        if numbered.number.name in ("q_SB", "q_BP") and found @ value < 0.0:
            found = -found
        if not np.abs(found - value).max() <= DECOMPOSED * np.abs(value).max():
            raise MechanismError(
                f"`{numbered.element}.{numbered.number.name}` cannot be changed: the options of the file have the "
                "last word.\n  Remove inertiafromgeom, boundmass, boundinertia, balanceinertia or settotalmass there."
            )


def _put_body(body: Any, model: mujoco.MjModel, numbered: Numbered, value: np.ndarray) -> None:
    i = numbered.row
    if numbered.number in POSE:
        _put_pose(body, model.body_pos[i], model.body_quat[i], numbered.number.name == "r_BP_P", value)
        return
    if not body.explicitinertial:  # what followed from shapes stays as it is
        body.mass, body.ipos = float(model.body_mass[i]), model.body_ipos[i]
        body.inertia, body.iquat = model.body_inertia[i], model.body_iquat[i]
        body.explicitinertial = True
    if numbered.number.name == "mass":
        body.mass = float(value)
    elif numbered.number.name == "r_CB_B":
        body.ipos = value
    else:
        # the file may have given principal moments and the attitude of their axes
        body.inertia, body.iquat, body.ialt.type = [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], _QUAT
        body.fullinertia = [value[0, 0], value[1, 1], value[2, 2], value[0, 1], value[0, 2], value[1, 2]]


def _put_joint(joint: Any, model: mujoco.MjModel, numbered: Numbered, value: np.ndarray) -> None:
    name, number = numbered.number.name, float(value)
    if name in ("damping", "stiffness"):
        if np.any(joint.springdamper):  # the other of the two, which the compiler has found from inertia
            joint.springdamper = [0.0, 0.0]
            joint.damping = [float(_of_dof("dof_damping")(model, numbered.row)), 0.0, 0.0]
            joint.stiffness = [float(model.jnt_stiffness[numbered.row]), 0.0, 0.0]
        setattr(joint, name, [number, *getattr(joint, name)[1:]])
    elif name == "rest":
        is_in_degrees = int(joint.type) == HINGE and joint.compiler.degree
        joint.springref = float(np.rad2deg(number)) if is_in_degrees else number
    else:
        setattr(joint, "frictionloss" if name == "friction" else name, number)


def _put_site(site: Any, model: mujoco.MjModel, numbered: Numbered, value: np.ndarray) -> None:
    own = model.site_pos[numbered.row], model.site_quat[numbered.row]
    if np.isfinite(site.fromto[0]):  # the file has its pose in other words
        site.pos, site.quat = own
        site.alt.type, site.fromto = _QUAT, [np.nan] * 6
    _put_pose(site, *own, numbered.number.name == "r_SB_B", value)


def _put_pose(element: Any, pos: np.ndarray, quat: np.ndarray, is_position: bool, value: np.ndarray) -> None:
    """Position or attitude of an element in its body; the other one stays as it was compiled."""
    if element.frame is not None:  # the file has its pose relative to that
        element.pos, element.quat, element.alt.type = pos, quat, _QUAT
        element.set_frame(element.parent.add_frame())
    if is_position:
        element.pos = value
    else:
        element.quat, element.alt.type = value, _QUAT


def changed_tree(tree: Tree, before: mujoco.MjModel, model: mujoco.MjModel, values: Iterable[Numbered]) -> Tree:
    """What `read_tree` gives for `model`, which differs from `before`, the model of `tree`, in some numbers alone."""
    bodies = {numbered.element: numbered.row for numbered in values if numbered.kind == "body"}
    others = np.ones(model.nbody, bool)
    others[list(bodies.values())] = False
    for name in ("body_mass", "body_ipos", "body_iquat", "body_inertia"):
        if not np.array_equal(getattr(model, name)[others], getattr(before, name)[others]):
            return read_tree(model)  # options of the file let one mass follow from others
    mass, com, inertia = np.array(tree.mass), np.array(tree.com), np.array(tree.inertia)
    body_mass = tree.body_mass | {name: own_masses(model, row) for name, row in bodies.items()}
    for link in {tree.bodies[name].link for name in bodies}:
        pieces = [in_link(tree.bodies[name], own) for name, own in body_mass.items() if tree.bodies[name].link == link]
        mass[link], com[link], inertia[link] = lump(pieces)
    site_frames, sites = list(tree.site_frames), dict(tree.sites)
    for site, row in {(numbered.element, numbered.row) for numbered in values if numbered.kind == "site"}:
        body = tree.bodies[model.body(model.site_bodyid[row]).name]
        sites[site] = site_frames[row] = compose(body, model.site_pos[row], model.site_quat[row])
    offset_pos, offset_quat = np.array(tree.offset_pos), np.array(tree.offset_quat)
    for row in {numbered.row for numbered in values if numbered.number in POSE}:
        above = tree.bodies[model.body(model.body_parentid[row]).name]
        offset = compose(above, model.body_pos[row], model.body_quat[row])
        link = 1 + int(model.body_jntadr[row])
        offset_pos[link], offset_quat[link] = offset.pos, offset.quat
    found: dict[str, Any] = {"offset_pos": offset_pos, "offset_quat": offset_quat}
    found |= {"mass": mass, "com": com, "inertia": inertia, "body_mass": body_mass, "sites": sites}
    found |= coefficients(model) | {"site_frames": tuple(site_frames)}
    return replace(tree, **found)
