"""What a mechanism that is built in Python puts into its specification: joints, and where things are placed."""

from typing import Any

import mujoco
import numpy as np

from cardan.contracts.constraints import NotNegative, NotZero, OfShape, Unit, require
from cardan.mechanism.joints import Ball, Carriage, Free, Hinge, Joint, Slide

_KINDS = {
    Free: mujoco.mjtJoint.mjJNT_FREE,
    Ball: mujoco.mjtJoint.mjJNT_BALL,
    Slide: mujoco.mjtJoint.mjJNT_SLIDE,
    Hinge: mujoco.mjtJoint.mjJNT_HINGE,
}


def add_joint(spec: mujoco.MjSpec, body: Any, name: str, joint: Joint) -> None:
    """Let a body of `spec` move on its parent, by one joint or by the four of a carriage."""
    if isinstance(joint, Free):
        body.add_freejoint(name=name)
        return
    if isinstance(joint, Carriage):
        for axis, unit in zip("xyz", np.eye(3), strict=True):
            add_joint(spec, body, f"{name}/{axis}", Slide(unit))
        add_joint(spec, body, f"{name}/turn", Ball())
        return
    damping = float(require(f"{name}.damping", joint.damping, "-", OfShape(), NotNegative))
    armature = float(require(f"{name}.armature", joint.armature, "-", OfShape(), NotNegative))
    options: dict[str, Any] = {"damping": [damping, 0.0, 0.0], "armature": armature}
    if not isinstance(joint, Slide):
        options["pos"] = require(f"{name}.r_JB_B", joint.r_JB_B, "m", OfShape(3))
    if not isinstance(joint, Ball):
        options |= {
            "axis": require(f"{name}.axis_B", joint.axis_B, "-", OfShape(3), NotZero),
            "stiffness": [joint.stiffness, 0.0, 0.0],
            "springref": joint.rest,
        }
    if isinstance(joint, Hinge) and spec.compiler.degree:
        options["springref"] = float(np.rad2deg(joint.rest))  # the unit of the file that was read
    body.add_joint(name=name, type=_KINDS[type(joint)], **options)


def placed_at(name: str, **frame: Any) -> tuple[np.ndarray, np.ndarray]:
    """Position [m] and unit quaternion of something that is added as `name`, by the names of the arguments."""
    (position, r), (turn, q) = frame.items()
    return require(f"{name}.{position}", r, "m", OfShape(3)), require(f"{name}.{turn}", q, "-", OfShape(4), Unit)


def dry_frictions(spec: mujoco.MjSpec) -> dict[str, float]:
    """[N m] or [N] Dry friction of the joints that have any."""
    return {joint.name: float(joint.frictionloss) for joint in spec.joints if joint.frictionloss}
