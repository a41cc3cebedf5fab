"""Actuators of the file that follow from command and joint alone: motors, position servos, velocity servos.

    force = gain command + bias + bias_length length + bias_rate rate

with limits of the command before it and of the force after it, at a joint or a site, times the gear.
"""

import mujoco
import numpy as np

from cardan.mechanism.tree import HINGE, SLIDE, is_disabled

_EVERYTHING = (-np.inf, np.inf)
_ON_JOINT = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
_BIASES = (int(mujoco.mjtBias.mjBIAS_NONE), int(mujoco.mjtBias.mjBIAS_AFFINE))
_PLACES = {
    int(mujoco.mjtTrn.mjTRN_TENDON): "a tendon",
    int(mujoco.mjtTrn.mjTRN_SLIDERCRANK): "a slider-crank",
    int(mujoco.mjtTrn.mjTRN_BODY): "the contacts of a body",
    int(mujoco.mjtTrn.mjTRN_SO3): "an orientation",
}


def not_a_motor(model: mujoco.MjModel, i: int) -> str:
    """What an actuator is beyond the law above, in words; empty if it is nothing more."""
    place, target = int(model.actuator_trntype[i]), int(model.actuator_trnid[i, 0])
    on_joint = place in _ON_JOINT
    kind = int(model.jnt_type[target]) if on_joint else -1
    bias = model.actuator_biasprm[i, :3] if model.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_AFFINE else np.zeros(3)
    extras = ("actuator_armature", "actuator_damping", "actuator_dampingpoly")
    if model.actuator_dyntype[i] != mujoco.mjtDyn.mjDYN_NONE:
        return "actuator with an activation"
    if model.actuator_delay[i] or model.actuator_history[i].any():
        return "actuator with a delay"
    if place in _PLACES:
        return f"actuator on {_PLACES[place]}"
    if model.actuator_trnid[i, 1] >= 0:
        return "actuator on a site relative to another"
    if model.actuator_ctrlnum[i] != 1 or model.actuator_plugin[i] >= 0:
        return "actuator with several commands, or a plugin"
    if any(np.any(getattr(model, name)[i]) for name in extras):
        return "actuator with an armature or damping of its own"
    if model.actuator_gaintype[i] != mujoco.mjtGain.mjGAIN_FIXED:
        return "actuator with a gain that is not constant"
    if int(model.actuator_biastype[i]) not in _BIASES:
        return "actuator with a bias that is not linear"
    is_scalar = kind in (HINGE, SLIDE)
    if bias[1:].any() and not is_scalar:
        return "servo that is not on a hinge or slide"
    if on_joint and not is_scalar and (kind == 0 or place != _ON_JOINT[0]):
        return "actuator on a free joint, or on a ball joint in the parent's frame"
    return ""


def is_switched_off(model: mujoco.MjModel, i: int) -> bool:
    """Whether the options of the file disable an actuator: it exerts nothing, whatever its command."""
    group = int(model.actuator_group[i])
    return is_disabled(model, "ACTUATION") or (0 <= group < 31 and bool(model.opt.disableactuator >> group & 1))


def moves_without_command(model: mujoco.MjModel, i: int) -> bool:
    """Whether an actuator that nobody commands may exert something, as a servo does."""
    low, high = command_range(model, i)
    has_bias = model.actuator_biastype[i] != mujoco.mjtBias.mjBIAS_NONE
    return bool(has_bias or not low <= 0.0 <= high)


def servo_gains(model: mujoco.MjModel) -> tuple[np.ndarray, np.ndarray]:
    """(nv,) Stiffness and (nv,) damping that the servos of the file give to their joints, within their limits."""
    stiffness, damping = np.zeros(model.nv), np.zeros(model.nv)
    for i in range(model.nu):
        is_affine = model.actuator_biastype[i] == mujoco.mjtBias.mjBIAS_AFFINE
        if is_affine and int(model.actuator_trntype[i]) in _ON_JOINT and not is_switched_off(model, i):
            at = int(model.jnt_dofadr[model.actuator_trnid[i, 0]])
            squared = float(model.actuator_gear[model.actuator_outadr[i], 0]) ** 2
            stiffness[at] -= squared * model.actuator_biasprm[i, 1]
            damping[at] -= squared * model.actuator_biasprm[i, 2]
    return stiffness, damping


def effort_range(model: mujoco.MjModel) -> np.ndarray:
    """(nv, 2) [N m] or [N] Between which the actuators of each joint may push together."""
    limits = np.tile(_EVERYTHING, (model.nv, 1))
    for joint in range(model.njnt):
        if model.jnt_actfrclimited[joint]:
            limits[model.jnt_dofadr[joint]] = model.jnt_actfrcrange[joint]
    return limits


def is_on_joint(model: mujoco.MjModel, i: int) -> bool:
    """Whether an actuator acts along a joint."""
    return int(model.actuator_trntype[i]) in _ON_JOINT


def force_range(model: mujoco.MjModel, i: int) -> tuple[float, float]:
    """[N m] or [N] Between which the force of an actuator stays."""
    if not model.actuator_forcelimited[i]:
        return _EVERYTHING
    low, high = model.actuator_forcerange[i]
    return float(low), float(high)


def command_range(model: mujoco.MjModel, i: int) -> tuple[float, float]:
    """Between which the command of an actuator is kept."""
    at = int(model.actuator_ctrladr[i])
    if not model.actuator_ctrllimited[at] or is_disabled(model, "CLAMPCTRL"):
        return _EVERYTHING
    low, high = model.actuator_ctrlrange[at]
    return float(low), float(high)
