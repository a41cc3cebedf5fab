"""What services for rigid bodies and plain joints refuse, whatever their algorithm."""

from collections.abc import Collection
from functools import lru_cache
from typing import Any

import mujoco
import numpy as np

from cardan.contracts.dynamics import Dynamics, Inputs, Unsupported
from cardan.errors import SettingError
from cardan.mechanism import Mechanism
from cardan.mechanism.compliant_contact import CompliantContact, bodies_of
from cardan.mechanism.inertia import Inertia, inertia_at, joint_of, least_inertia
from cardan.mechanism.motors import is_switched_off, not_a_motor
from cardan.mechanism.plumbing.regularity import LEAST
from cardan.mechanism.tree import BALL, FREE, V_SIZE, Tree, digest_of, is_disabled

_LEAVE_OUT = "Leave {what} out, with `{keyword}=False` when the mechanism is read, or use Mujoco()."
_USE_MUJOCO = "Use Mujoco()."
_CONTACT = (
    "Leave contact out, with `contact=False` when the mechanism is read; say how they push each other, with "
    "`mechanism.add_compliant_contact(...)`, for RecursiveTree(); or use Mujoco()."
)
_ACTUATOR = (
    'Leave it out, with `mechanism.leave_out("actuators", only=[...])`, and make it a part; or use Mujoco(), if it '
    "knows it."
)
_FRICTION = (
    "Leave it out, with `friction=False` when the mechanism is read, and make it a part: "
    "`models.HingeFriction(friction=group.friction)` or `models.SlideFriction(...)`. Or use Mujoco()."
)


def check_lock_time_constant(service: Dynamics, time_constant: float) -> None:
    """Refuse a time constant [s] with which no lock can pull."""
    if not 0.0 < time_constant < np.inf:
        raise SettingError(f"{service}: lock_time_constant must be positive and finite.")


def beyond_rigid_bodies(
    mechanism: Mechanism, ignoring_limits: str | None, contacts: Collection[CompliantContact] = ()
) -> list[Unsupported]:
    """All of a mechanism that is more than rigid bodies, joints with constant coefficients, and simple actuators.

    Args:
        mechanism: The mechanism.
        ignoring_limits: How to leave joint limits unenforced, for the text of their refusal; None if they are.
        contacts: What touches compliantly.
    """
    model, name = mechanism.model, mechanism.name
    touching = frozenset[tuple[int, int]]().union(*(bodies_of(mechanism, contact) for contact in contacts))
    if mujoco.mj_sizeModel(model) > _LARGE:
        return _beyond_rigid_bodies(model, name, ignoring_limits, touching)
    asked = digest_of(model), name, ignoring_limits, touching
    found = _found.get(asked)
    if found is None:
        if len(_found) >= _MOST_FOUND:
            _found.clear()
        found = _found[asked] = tuple(_beyond_rigid_bodies(model, name, ignoring_limits, touching))
    return list(found)


_MOST_FOUND = 64
_LARGE = 1 << 18  # [bytes] above which it is quicker to look at a model than to tell whether it is known
_found: dict[tuple[Any, ...], tuple[Unsupported, ...]] = {}  # by the content of the model, and what else was asked


def _beyond_rigid_bodies(
    model: mujoco.MjModel, name: str, ignoring_limits: str | None, touching: Collection[tuple[int, int]]
) -> list[Unsupported]:
    found = []
    if ignoring_limits and not is_disabled(model, "LIMIT"):
        remedy = f"Leave them out, with `limits=False` when the mechanism is read, use {ignoring_limits}, or Mujoco()."
        limited = np.flatnonzero(model.jnt_limited)
        found += [Unsupported(model.joint(i).name, "joint limit", remedy) for i in limited]
    for i in range(model.njnt):
        found += [Unsupported(model.joint(i).name, *why) for why in _joint_extras(model, i)]
    for i, j in colliding_bodies(model):
        if (i, j) in touching:
            continue
        found.append(Unsupported(f"{model.body(i).name} with {model.body(j).name}", "contact", _CONTACT))
    remedy = _LEAVE_OUT.format(what="equality constraints", keyword="equalities")
    found += [Unsupported(model.eq(i).name, "equality", remedy) for i in active_equalities(model)]
    remedy = _LEAVE_OUT.format(what="tendons", keyword="tendons")
    for i in range(model.ntendon):
        if any(np.any(getattr(model, f"tendon_{name}")[i]) for name in _TENDON_EFFECTS):
            found.append(Unsupported(model.tendon(i).name, "tendon that pulls", remedy))
    found += [Unsupported(f"flex{i}", "flexible body") for i in range(model.nflex)]
    found += [Unsupported(model.body(i).name, "plugin", _USE_MUJOCO) for i in np.flatnonzero(model.body_plugin >= 0)]
    if model.opt.density or model.opt.viscosity:
        remedy = 'Leave it out, with `mechanism.leave_out("medium")`, or use Mujoco().'
        found.append(Unsupported(name, "medium with density or viscosity", remedy))
    for i in range(model.nactuator):
        reason = "" if is_switched_off(model, i) else not_a_motor(model, i)
        if reason:
            found.append(Unsupported(model.actuator(i).name, reason, _ACTUATOR))
    return found


_TENDON_EFFECTS = ("stiffness", "stiffnesspoly", "damping", "dampingpoly", "frictionloss", "limited", "armature")


def _joint_extras(model: mujoco.MjModel, i: int) -> list[tuple[str, str]]:
    """What a joint has beyond a constant damping, stiffness and armature, and what to do about it."""
    kind = int(model.jnt_type[i])
    dofs = slice(int(model.jnt_dofadr[i]), int(model.jnt_dofadr[i]) + V_SIZE[kind])
    has_springs, has_dampers = not is_disabled(model, "SPRING"), not is_disabled(model, "DAMPER")
    reasons = []
    if model.dof_frictionloss[dofs].any() and not is_disabled(model, "FRICTIONLOSS"):
        reasons.append(("dry friction", _FRICTION))
    if (has_springs and model.jnt_stiffnesspoly[i].any()) or (has_dampers and model.dof_dampingpoly[dofs].any()):
        reasons.append(("nonlinear stiffness or damping", "Make it a part, or use Mujoco()."))
    if has_springs and kind in (FREE, BALL) and model.jnt_stiffness[i]:
        reasons.append(("stiffness of a free or ball joint", "Make it a part, or use Mujoco()."))
    if kind == FREE and (model.dof_armature[dofs].any() or (has_dampers and model.dof_damping[dofs].any())):
        reasons.append(("damping or armature of a free joint", _USE_MUJOCO))
    if has_springs and model.jnt_springyield[i]:
        reasons.append(YIELDING)
    return reasons


YIELDING = ("spring that yields", "How far it has yielded would be a state: make it a part.")


def active_equalities(model: mujoco.MjModel) -> np.ndarray:
    """Which equality constraints act."""
    return np.flatnonzero(model.eq_active0 * (not is_disabled(model, "EQUALITY")))


def colliding_bodies(model: mujoco.MjModel) -> list[tuple[int, int]]:
    """Pairs of bodies that move relative to each other and may touch, by MuJoCo's rules."""
    if is_disabled(model, "CONTACT") or model.nv == 0:
        return []
    bodies, weld = model.geom_bodyid, model.body_weldid
    above = weld[model.body_parentid[weld]]
    first, second = np.triu_indices(model.ngeom, 1)
    types, affinities = model.geom_contype, model.geom_conaffinity
    match = types[first] & affinities[second] | types[second] & affinities[first]
    a, b = bodies[first], bodies[second]
    is_family = (weld[a] != 0) & (weld[b] != 0) & ((weld[a] == above[b]) | (weld[b] == above[a]))
    may_touch = (match != 0) & (weld[a] != weld[b])
    if not is_disabled(model, "FILTERPARENT"):
        may_touch &= ~is_family
    found = {(min(i, j), max(i, j)) for i, j in zip(a[may_touch].tolist(), b[may_touch].tolist(), strict=True)}
    for signature in model.exclude_signature.tolist():
        i, j = signature >> 16, signature & 0xFFFF
        found.discard((min(i, j), max(i, j)))
    for i, j in zip(bodies[model.pair_geom1].tolist(), bodies[model.pair_geom2].tolist(), strict=True):
        if weld[i] != weld[j]:
            found.add((min(i, j), max(i, j)))
    return sorted(found)


def singular_joints(mechanism: Mechanism, inputs: Inputs) -> list[Unsupported]:
    """Joints that nothing resists wherever the mechanism is: no service could accelerate them by a definite amount.

    The inertia matrix is taken apart from the tips to the root in the drawn configuration and in two others. What is
    singular in all of them is singular by construction (docs/theory/recursive_tree.md, Eq. (18)).
    """
    model, tree = mechanism.model, mechanism.tree
    if not inputs.prescribed and _is_regular_as_drawn(tree):
        return []
    is_known = np.array([joint_of(tree, i) in inputs.prescribed for i in range(tree.nv)], dtype=bool)
    # what locks and mass properties will do is for the run to say
    if is_known.all() or inputs.locked or inputs.mass_properties:
        return []
    random, q = np.random.default_rng(0), np.array(tree.reference)
    drawn = inertia_at(tree, q, tree.mass, tree.com, tree.inertia)
    if _is_regular(drawn, is_known):
        return []
    for _ in range(2):
        mujoco.mj_integratePos(model, q, random.normal(size=model.nv), 1.0)
        if _is_regular(inertia_at(tree, q, tree.mass, tree.com, tree.inertia), is_known):
            return []
    return [
        Unsupported(
            name,
            "joint that no inertia resists",
            "Give what it moves an inertia within 1e12 of the rest, give it an armature, prescribe it, or fix it.",
        )
        for name in least_inertia(tree, drawn, is_known)[1]
    ]


@lru_cache
def _is_regular_as_drawn(tree: Tree) -> bool:
    """Whether each freedom has inertia left where the file draws the mechanism."""
    drawn = inertia_at(tree, tree.reference, tree.mass, tree.com, tree.inertia)
    return _is_regular(drawn, np.zeros(tree.nv, dtype=bool))


def _is_regular(inertia: Inertia, is_known: np.ndarray) -> bool:
    """Whether each freedom that may move has inertia left once those beyond it are eliminated."""
    moving = np.flatnonzero(~is_known)
    work, moved = inertia.matrix[np.ix_(moving, moving)], inertia.moved[moving]
    for i in reversed(range(len(moving))):
        if not work[i, i] > LEAST * moved[i]:
            return False
        work[:i, :i] -= np.outer(work[:i, i], work[i, :i]) / work[i, i]
    return True
