"""Joints, for mechanisms that are built in Python."""

from typing import Any, NamedTuple

import numpy as np

_X = np.array([1.0, 0.0, 0.0])
_ORIGIN = np.zeros(3)


class Free(NamedTuple):
    """All six degrees of freedom: a vehicle's first body."""


class Ball(NamedTuple):
    """Three rotations about a point.

    Attributes:
        r_JB_B: [m] The point, in the body's components.
        damping: [N m s/rad]
        armature: [kg m^2] Inertia of the drive, seen at the joint.
    """

    r_JB_B: Any = _ORIGIN
    damping: float = 0.0
    armature: float = 0.0


class Hinge(NamedTuple):
    """A rotation about an axis.

    Attributes:
        axis_B: [-] In the body's components.
        r_JB_B: [m] A point on the axis, in the body's components.
        damping: [N m s/rad]
        stiffness: [N m/rad]
        rest: [rad] Angle at which the spring is at rest.
        armature: [kg m^2] Inertia of the drive, seen at the joint.
    """

    axis_B: Any = _X
    r_JB_B: Any = _ORIGIN
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0


class Slide(NamedTuple):
    """A translation along an axis.

    Attributes:
        axis_B: [-] In the body's components.
        damping: [N s/m]
        stiffness: [N/m]
        rest: [m] Displacement at which the spring is at rest.
        armature: [kg] Inertia of the drive, seen at the joint.
    """

    axis_B: Any = _X
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    armature: float = 0.0


class Carriage(NamedTuple):
    """All six degrees of freedom below the root: three slides along the axes of the mount M, then a ball.

    The mount is where the body would be without it: at `r_BP_P`, turned by `q_BP`. Its joints are called `<name>/x`,
    `<name>/y`, `<name>/z` and `<name>/turn`. A body on a carriage has the port `prescribed`.
    """


Joint = Free | Ball | Hinge | Slide | Carriage
