"""Numbers of a mechanism by path: `bus.mass`, `elbow.damping`, `mount.r_SB_B`. To set one changes no topology."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import mujoco
import numpy as np

from cardan.contracts.constraints import Inertia, NotNegative, OfShape, Positive, Unit, require
from cardan.errors import MechanismError, UnknownName, did_you_mean
from cardan.maths import dcm_from_quaternion, matmul


class Number(NamedTuple):
    """What a path of a mechanism names.

    Attributes:
        element: The name of a body, joint or site.
        field: Which of its numbers.
        unit: Its unit.
    """

    element: str
    field: str
    unit: str


_OF_BODY = {"mass": "kg", "inertia_C_B": "kg m^2", "r_CB_B": "m", "r_BP_P": "m", "q_BP": "-"}
_OF_SITE = {"r_SB_B": "m", "q_SB": "-"}
_PER_ANGLE = {"damping": "N m s/rad", "stiffness": "N m/rad", "armature": "kg m^2"}
_PER_LENGTH = {"damping": "N s/m", "stiffness": "N/m", "armature": "kg"}
_SHAPES = {
    "mass": (),
    "inertia_C_B": (3, 3),
    "q_BP": (4,),
    "q_SB": (4,),
    "damping": (),
    "stiffness": (),
    "armature": (),
}
_RULES = {
    "mass": (Positive,), "inertia_C_B": (Inertia,), "q_BP": (Unit,), "q_SB": (Unit,), "damping": (NotNegative,),
    "armature": (NotNegative,),
}  # fmt: skip


def numbers_of(model: mujoco.MjModel) -> Iterator[tuple[str, Number]]:
    """Every path with what it names; masses only of bodies that have one."""
    for i in range(1, model.nbody):
        body = model.body(i)
        for field, unit in _OF_BODY.items():
            if body.mass[0] > 0.0 or field in ("r_BP_P", "q_BP"):
                yield f"{body.name}.{field}", Number(body.name, field, unit)
    for i in range(model.njnt):
        joint = model.joint(i)
        kind = int(joint.type[0])
        units = _PER_LENGTH if kind == mujoco.mjtJoint.mjJNT_SLIDE else _PER_ANGLE
        for field, unit in units.items() if kind != mujoco.mjtJoint.mjJNT_FREE else ():
            if field != "stiffness" or kind != mujoco.mjtJoint.mjJNT_BALL:
                yield f"{joint.name}.{field}", Number(joint.name, field, unit)
    for i in range(model.nsite):
        site = model.site(i)
        for field, unit in _OF_SITE.items():
            yield f"{site.name}.{field}", Number(site.name, field, unit)


def find_number(model: mujoco.MjModel, path: str) -> Number:
    """What a path names, or an error with the nearest one."""
    known = dict(numbers_of(model))
    if path not in known:
        own = [each for each in known if each.startswith(f"{path.rpartition('.')[0]}.")]
        raise UnknownName(
            f"`{path}` is no number of the mechanism.{did_you_mean(path, known)}\n"
            f"  There are: {', '.join(own or known) or 'none'}"
        )
    return known[path]


def read_number(model: mujoco.MjModel, number: Number) -> Any:
    """A number as the model has it."""
    element, field = number.element, number.field
    if field in _OF_BODY:
        body = model.body(element)
        if field == "inertia_C_B":
            axes = dcm_from_quaternion(np.array(body.iquat))
            return matmul(matmul(axes.T, np.diag(body.inertia)), axes)
        if field == "mass":
            return float(body.mass[0])
        return np.array(getattr(body, {"r_CB_B": "ipos", "r_BP_P": "pos", "q_BP": "quat"}[field]))
    if field in _OF_SITE:
        site = model.site(element)
        return np.array(site.pos if field == "r_SB_B" else site.quat)
    joint = model.joint(element)
    return float(np.ravel(getattr(joint, field))[0])


def write_number(spec: mujoco.MjSpec, model: mujoco.MjModel, number: Number, value: Any) -> None:
    """Put a number into a specification."""
    element, field = number.element, number.field
    shape = OfShape(*_SHAPES.get(field, (3,)))
    taken = require(f"{element}.{field}", value, number.unit, shape, *_RULES.get(field, ()))
    if field in ("mass", "inertia_C_B", "r_CB_B"):
        _write_masses(spec.body(element), model, number, taken)
    elif field in ("r_BP_P", "q_BP"):
        _write_frame(spec.body(element), field == "r_BP_P", taken)
    elif field in _OF_SITE:
        _write_frame(spec.site(element), field == "r_SB_B", taken)
    elif field == "armature":
        spec.joint(element).armature = float(taken)
    else:
        setattr(spec.joint(element), field, [float(taken), 0.0, 0.0])


def _write_masses(body: Any, model: mujoco.MjModel, number: Number, value: Any) -> None:
    """All mass properties, so that none follows from shapes any more."""
    own = {field: read_number(model, Number(number.element, field, "")) for field in ("mass", "r_CB_B", "inertia_C_B")}
    own[number.field] = value
    tensor = own["inertia_C_B"]
    body.explicitinertial = True
    body.mass, body.ipos = float(own["mass"]), own["r_CB_B"]
    body.inertia, body.iquat = [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
    body.ialt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
    body.fullinertia = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]


def _write_frame(element: Any, is_position: bool, value: Any) -> None:
    if element.frame is not None:
        raise MechanismError(
            f"`{element.name}` is placed by a `<frame>` of its file, so its pose cannot be set.\n"
            "  Write its pose relative to its body instead."
        )
    if is_position:
        element.pos = value
    else:
        element.alt.type = mujoco.mjtOrientation.mjORIENTATION_QUAT
        element.quat = value
