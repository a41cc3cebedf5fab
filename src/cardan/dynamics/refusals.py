"""What services for rigid bodies and plain joints refuse, whatever their algorithm."""

import mujoco
import numpy as np

from cardan.contracts.dynamics import Unsupported
from cardan.mechanism import Mechanism
from cardan.mechanism.tree import BALL, FREE


def beyond_rigid_bodies(mechanism: Mechanism, ignoring_limits: str | None) -> list[Unsupported]:
    """All of a mechanism that is more than rigid bodies, joints with constant coefficients, and plain motors.

    Args:
        mechanism: The mechanism.
        ignoring_limits: How to leave joint limits unenforced, for the text of their refusal; None if they are.
    """
    model = mechanism.model
    found = []
    for i in range(model.njnt):
        name = model.joint(i).name or f"joint{i}"
        if model.jnt_limited[i] and ignoring_limits:
            found.append(Unsupported(name, f"joint limit (or use {ignoring_limits})"))
        found += [Unsupported(name, reason) for reason in _joint_extras(model, i)]
    collides = not model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_CONTACT and _has_colliding_geoms(model)
    if collides or model.npair:
        found.append(Unsupported(mechanism.name, 'contact between geoms (disable it with `<flag contact="disable"/>`)'))
    for i in range(model.neq):
        found.append(Unsupported(model.eq(i).name or f"equality{i}", "equality constraint"))
    for i in range(model.ntendon):
        found.append(Unsupported(model.tendon(i).name or f"tendon{i}", "tendon"))
    for i in range(model.nflex):
        found.append(Unsupported(f"flex{i}", "flexible body"))
    for flag in ("SPRING", "DAMPER", "ACTUATION"):
        bit = getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}", None)
        if bit is not None and model.opt.disableflags & int(bit):
            found.append(Unsupported(mechanism.name, f"the flag that disables {flag.lower()}"))
    if model.opt.density or model.opt.viscosity:
        found.append(Unsupported(mechanism.name, "medium with density or viscosity"))
    for i in range(model.nu):
        if not is_plain_motor(model, i):
            found.append(
                Unsupported(model.actuator(i).name or f"actuator{i}", "actuator other than a motor on a joint or site")
            )
    return found


def is_plain_motor(model: mujoco.MjModel, i: int) -> bool:
    """Whether an actuator's force is its command times its gear."""
    on = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_SITE))
    return bool(
        int(model.actuator_trntype[i]) in on
        and model.actuator_trnid[i, 1] < 0
        and not _drives_free_joint(model, i)
        and not any(np.any(getattr(model, name)[i]) for name in _ACTUATOR_EXTRAS if hasattr(model, name))
        and model.actuator_dyntype[i] == mujoco.mjtDyn.mjDYN_NONE
        and model.actuator_gaintype[i] == mujoco.mjtGain.mjGAIN_FIXED
        and model.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_NONE
        and not model.actuator_ctrllimited[i]
        and not model.actuator_forcelimited[i]
    )


_ACTUATOR_EXTRAS = ("actuator_armature", "actuator_damping", "actuator_dampingpoly", "actuator_delay")


def _drives_free_joint(model: mujoco.MjModel, i: int) -> bool:
    on_joint = int(model.actuator_trntype[i]) == int(mujoco.mjtTrn.mjTRN_JOINT)
    return bool(on_joint and model.jnt_type[model.actuator_trnid[i, 0]] == FREE)


def _joint_extras(model: mujoco.MjModel, i: int) -> list[str]:
    """What a joint has beyond a constant damping, stiffness and armature."""
    dof = int(model.jnt_dofadr[i])
    kind = model.jnt_type[i]
    count = {FREE: 6, BALL: 3}.get(int(kind), 1)
    reasons = []
    if model.dof_frictionloss[dof : dof + count].any():
        reasons.append("dry friction")
    if model.jnt_stiffnesspoly[i].any() or model.dof_dampingpoly[dof : dof + count].any():
        reasons.append("nonlinear stiffness or damping")
    if kind in (FREE, BALL) and model.jnt_stiffness[i]:
        reasons.append("stiffness of a free or ball joint")
    if kind == FREE and (model.dof_damping[dof : dof + 6].any() or model.dof_armature[dof : dof + 6].any()):
        reasons.append("damping or armature of a free joint")
    if model.jnt_actfrclimited[i]:
        reasons.append("limit of the actuator force at a joint")
    if model.jnt_springyield[i]:
        reasons.append("spring that yields")
    if model.jnt_actgravcomp[i] or model.body_gravcomp[model.jnt_bodyid[i]]:
        reasons.append("gravity compensation")
    return reasons


def _has_colliding_geoms(model: mujoco.MjModel) -> bool:
    """Whether any two geoms of bodies that move relative to each other may touch."""
    for i in range(model.ngeom):
        for j in range(i):
            first, second = model.geom_bodyid[i], model.geom_bodyid[j]
            if model.body_weldid[first] == model.body_weldid[second]:
                continue
            masks = (
                model.geom_contype[i] & model.geom_conaffinity[j] | model.geom_contype[j] & model.geom_conaffinity[i]
            )
            is_parent = model.body_weldid[model.body_parentid[model.body_weldid[first]]] == model.body_weldid[second]
            is_child = model.body_weldid[model.body_parentid[model.body_weldid[second]]] == model.body_weldid[first]
            if masks and not ((is_parent or is_child) and model.body_weldid[first] and model.body_weldid[second]):
                return True
    return False
