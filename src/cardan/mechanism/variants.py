"""Many mechanisms that differ in numbers alone, as one tree of stacked arrays: `Mechanism.changed` for all at once.

What MuJoCo's compiler makes of an inertia or of an attitude, it makes of those of all in one specification that has a
body for each; all else is array arithmetic. So each comes out as `Mechanism.changed` makes it, to the bit. That stays
in charge of whatever is unusual, and of saying what is wrong with a number.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import mujoco
import numpy as np

from cardan.contracts.constraints import ROUNDING, Unit
from cardan.mechanism.changing import DECOMPOSED, POSE, Numbered, why_not
from cardan.mechanism.mechanism import Mechanism
from cardan.mechanism.tree import HINGE, Masses, Tree, compose, in_link, lump, tensor_of

_LEAST = 1.0e-12  # [kg], [kg m^2] what MuJoCo takes for a body without placeholders, with room to spare

Made = dict[str, dict[tuple[str, int], np.ndarray]]
"""(n, ...) Numbers as a compiled model has them: by their names, and by the names and numbers of elements."""


class Variants(NamedTuple):
    """Mechanisms that differ in numbers alone.

    Attributes:
        tree: That of one of them, in which arrays that differ are stacks, (n, ...).
    """

    tree: Tree


def variants_of(mechanism: Mechanism, values: Mapping[str, np.ndarray]) -> Variants | None:
    """The mechanism with other numbers; None where anything is unusual, or wrong, about one of them.

    Args:
        mechanism: What they are variants of.
        values: (n, ...) By path, as `Mechanism.changed` takes them.
    """
    taken: dict[Numbered, np.ndarray] = {}
    for path, numbers in values.items():
        numbered = mechanism.number_at(path)
        found = None if numbered is None or not _is_usual(mechanism, numbered) else _taken(numbered, numbers)
        if numbered is None or found is None:
            return None
        taken[numbered] = found
    compiled = _compiled(taken)
    if compiled is None:
        return None
    made: Made = {}
    for numbered, number in compiled.items():
        made.setdefault(numbered.number.name, {})[numbered.element, numbered.row] = number
    return Variants(_stacked(mechanism, made, len(next(iter(values.values())))))


# ---- what is usual -------------------------------------------------------------------------------------------------


def _is_usual(mechanism: Mechanism, numbered: Numbered) -> bool:
    """Whether the compiler takes a number as it is, whatever else the file says."""
    if why_not(mechanism.model, numbered):
        return False
    compiler = mechanism._spec.compiler
    if numbered.kind == "joint":
        joint = mechanism._spec.joint(numbered.element)
        is_turned = int(joint.type) == HINGE and joint.compiler.degree
        return not np.any(joint.springdamper) and not (numbered.number.name == "rest" and is_turned)
    element = getattr(mechanism._spec, numbered.kind)(numbered.element)
    if numbered.kind == "site" or numbered.number in POSE:
        return element.frame is None and not (numbered.kind == "site" and np.isfinite(element.fromto[0]))
    is_bounded = compiler.boundmass > 0.0 or compiler.boundinertia > 0.0 or compiler.settotalmass > 0.0
    from_shapes = int(compiler.inertiafromgeom) == int(mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE)
    is_plain = not (is_bounded or compiler.balanceinertia or compiler.alignfree or from_shapes)
    return bool(is_plain and element.explicitinertial and np.isfinite(element.ipos).all())


def _taken(numbered: Numbered, values: np.ndarray) -> np.ndarray | None:
    """(n, ...) What `Number.take` makes of each; None if one is refused, or nearly."""
    if values.shape[1:] != numbered.number.shape or not np.isfinite(values).all():
        return None
    if numbered.number.name == "inertia_B":
        return _inertias(values)
    for constraint in numbered.number.constraints:
        if not constraint.is_met(values):
            return None
        if constraint is Unit:
            values = np.asarray(constraint.settled(values))
    if numbered.number.name == "mass" and values.min() < _LEAST:
        return None
    return values


def _inertias(values: np.ndarray) -> np.ndarray | None:
    """(n, 3, 3) Without what they have of asymmetry; None if one is no inertia of a solid body."""
    turned = values.swapaxes(-1, -2)
    largest = np.abs(values).max(axis=(-1, -2))
    if (np.abs(values - turned).max(axis=(-1, -2)) > 0.5 * ROUNDING * largest).any() or largest.max() > 1.0e100:
        return None
    even: np.ndarray = 0.5 * (values + turned)
    moments = np.linalg.eigvalsh(even)
    is_solid = (moments[:, 0] > _LEAST) & (moments[:, 0] + moments[:, 1] > (1.0 + ROUNDING) * moments[:, 2])
    return even if is_solid.all() else None


# ---- what the compiler makes of it ---------------------------------------------------------------------------------


def _compiled(values: Mapping[Numbered, np.ndarray]) -> dict[Numbered, np.ndarray] | None:
    """Numbers as a compiled model has them: an inertia as a tensor, an attitude normalized."""
    spec, first = mujoco.MjSpec(), 1
    where: dict[Numbered, slice] = {}
    for numbered, given in values.items():
        put = _PUT.get(numbered.number.name)
        if put is None:
            continue
        for value in given.tolist():
            spec.worldbody.add_body(**put(value))
        where[numbered] = slice(first, first + len(given))
        first += len(given)
    if not where:
        return dict(values)
    try:
        model = spec.compile()
    except ValueError:
        return None
    found = dict(values)
    for numbered, rows in where.items():
        if numbered.number.name == "inertia_B":
            found[numbered] = tensors = tensor_of(model.body_inertia[rows], model.body_iquat[rows])
            given = values[numbered]
            if (np.abs(tensors - given).max(axis=(-1, -2)) > DECOMPOSED * np.abs(given).max(axis=(-1, -2))).any():
                return None
        else:
            found[numbered] = np.array(model.body_quat[rows])
    return found


def _with_inertia(value: list[list[float]]) -> dict[str, Any]:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = value
    return {"mass": 1.0, "explicitinertial": True, "ipos": [0.0, 0.0, 0.0], "fullinertia": [xx, yy, zz, xy, xz, yz]}


def _with_attitude(value: list[float]) -> dict[str, Any]:
    return {"quat": value}


_PUT: dict[str, Callable[[Any], dict[str, Any]]] = {
    "inertia_B": _with_inertia, "q_BP": _with_attitude, "q_SB": _with_attitude
}  # fmt: skip


# ---- the tree ------------------------------------------------------------------------------------------------------


def _stacked(mechanism: Mechanism, made: Made, count: int) -> Tree:
    """As `changed_tree`, for all."""
    tree, model = mechanism.tree, mechanism.model

    def given(name: str) -> dict[tuple[str, int], np.ndarray]:
        return made.get(name, {})

    def elements(*names: str) -> dict[tuple[str, int], None]:
        return dict.fromkeys(element for name in names for element in given(name))

    def stack(array: np.ndarray) -> np.ndarray:
        return np.array(np.broadcast_to(array, (count, *array.shape)))

    found: dict[str, Any] = {}
    bodies = elements("mass", "r_CB_B", "inertia_B")
    if bodies:
        body_mass = dict(tree.body_mass)
        for body in bodies:
            new = (given(name).get(body) for name in ("mass", "r_CB_B", "inertia_B"))
            pairs = zip(new, tree.body_mass[body[0]], strict=True)
            mass, centre, tensor = (stack(np.asarray(own)) if other is None else other for other, own in pairs)
            body_mass[body[0]] = mass, centre, tensor  # type: ignore[assignment]
        found |= {"body_mass": body_mass, "mass": stack(tree.mass), "com": stack(tree.com)}
        found["inertia"] = stack(tree.inertia)
        for link in {tree.bodies[name].link for name, _ in bodies}:
            pieces = [in_link(tree.bodies[b], own) for b, own in body_mass.items() if tree.bodies[b].link == link]
            found["mass"][:, link], found["com"][:, link], found["inertia"][:, link] = _lumped(pieces, count)
    placed = elements("r_BP_P", "q_BP")
    if placed:
        offset_pos, offset_quat = stack(tree.offset_pos), stack(tree.offset_quat)
        for body in placed:
            row = body[1]
            above = tree.bodies[model.body(model.body_parentid[row]).name]
            pos, quat = given("r_BP_P").get(body, model.body_pos[row]), given("q_BP").get(body, model.body_quat[row])
            offset, link = compose(above, pos, quat), 1 + int(model.body_jntadr[row])
            offset_pos[:, link], offset_quat[:, link] = offset.pos, offset.quat
        found |= {"offset_pos": offset_pos, "offset_quat": offset_quat}
    sites = dict(tree.sites)
    for site in elements("r_SB_B", "q_SB"):
        row = site[1]
        pos, quat = given("r_SB_B").get(site, model.site_pos[row]), given("q_SB").get(site, model.site_quat[row])
        sites[site[0]] = compose(tree.bodies[model.body(model.site_bodyid[row]).name], pos, quat)
    for name in ("rest", "armature", "damping", "stiffness"):
        if given(name):
            found[name] = stack(getattr(tree, name))
        for (_, row), values in given(name).items():
            found[name][:, _coordinates(model, name, row)] = values[:, None]
    return replace(tree, sites=sites, **found)


def _coordinates(model: mujoco.MjModel, name: str, joint: int) -> Any:
    """Which coordinates, or freedoms, a number of a joint is about."""
    return [int(model.jnt_qposadr[joint])] if name == "rest" else model.dof_jntid == joint


def _lumped(pieces: list[Masses], count: int) -> tuple[Any, Any, Any]:
    """As `lump`, for all."""
    if len(pieces) == 1:
        return pieces[0]
    each = [
        (np.broadcast_to(m, count), np.broadcast_to(at, (count, 3)), np.broadcast_to(tensor, (count, 3, 3)))
        for m, at, tensor in pieces
    ]
    lumps = [lump([(float(m[i]), at[i], tensor[i]) for m, at, tensor in each]) for i in range(count)]
    mass, com, inertia = zip(*lumps, strict=True)
    return np.array(mass), np.array(com), np.array(inertia)
