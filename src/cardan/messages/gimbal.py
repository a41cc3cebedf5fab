"""Gimbals and stepper motors: what is commanded, what is counted, and how they move."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotZero, Unit, message
from cardan.maths import NO_ROTATION, ZERO3, Vec3, Vec4

_X = np.array([1.0, 0.0, 0.0])


@message
class ThrustAxis(NamedTuple):
    """Where a thrust is to push the spacecraft.

    Attributes:
        axis_B: [-] Direction of the force on the spacecraft, in body components; of any length but zero.
    """

    axis_B: Annotated[Vec3, "-", NotZero]


@message
class ThrusterSwitch(NamedTuple):
    """Whether a thruster fires.

    Attributes:
        is_on: [-]
    """

    is_on: Annotated[bool, "-"] = False


@message
class GimbalAngles(NamedTuple):
    """Tip and tilt of a gimbal.

    Attributes:
        tip: [rad] First turn, about an axis of the mount.
        tilt: [rad] Second turn, about an axis of the platform.
        is_limited: [-] Whether they were pulled back to the limits of the gimbal.
    """

    tip: Annotated[float, "rad"] = 0.0
    tilt: Annotated[float, "rad"] = 0.0
    is_limited: Annotated[bool, "-"] = False


@message
class MotorAngle(NamedTuple):
    """Where a motor is to go.

    Attributes:
        angle: [rad] From its lower hard stop.
    """

    angle: Annotated[float, "rad"] = 0.0


@message
class StepCommand(NamedTuple):
    """How many steps a motor is to take.

    Attributes:
        steps: [-] Negative for backward; counted from where the motor is once a step in progress is complete.
        number: [-] Of the command; a motor obeys a command once, when its number is new.
    """

    steps: Annotated[int, "-"] = 0
    number: Annotated[int, "-"] = 0


@message
class StepCount(NamedTuple):
    """Where flight software believes a motor to be, for fault protection.

    Attributes:
        angle: [rad] After the steps that are complete.
        steps: [-] Complete steps from the lower hard stop.
        remaining: [-] Steps of the present command that are not complete, negative for backward.
        is_limited: [-] Whether the angle that is asked for lies beyond a hard stop.
    """

    angle: Annotated[float, "rad"] = 0.0
    steps: Annotated[int, "-"] = 0
    remaining: Annotated[int, "-"] = 0
    is_limited: Annotated[bool, "-"] = False


@message
class StepperState(NamedTuple):
    """What a stepper motor is doing.

    Attributes:
        angle: [rad] After the steps that are complete.
        direction: [-] Of the step in progress: 1 forward, -1 backward, 0 at rest.
        remaining: [-] Steps that have not begun, negative for backward.
        sequence: [-] Counts the commands that have taken effect.
        lost: [-] Steps that were commanded beyond a hard stop, in all.
    """

    angle: Annotated[float, "rad"] = 0.0
    direction: Annotated[int, "-"] = 0
    remaining: Annotated[int, "-"] = 0
    sequence: Annotated[int, "-"] = 0
    lost: Annotated[int, "-"] = 0


@message
class AngleArc(NamedTuple):
    """A piece of a motion about an axis with constant acceleration.

    Attributes:
        start: [s] When it begins.
        angle: [rad] At its start.
        rate: [rad/s] At its start.
        acceleration: [rad/s^2]
    """

    start: Annotated[float, "s"] = 0.0
    angle: Annotated[float, "rad"] = 0.0
    rate: Annotated[float, "rad/s"] = 0.0
    acceleration: Annotated[float, "rad/s^2"] = 0.0


@message
class TurnArc(NamedTuple):
    """A piece of a turn of a platform G about a fixed axis, relative to its mount M, with constant acceleration.

    S is where the platform was when it began to turn about this axis.

    Attributes:
        q_SM: [-] Unit quaternion of S relative to M.
        axis_G: [-] Unit vector of the axis, the same in components of G and S.
        start: [s] When the piece begins.
        angle: [rad] Of G relative to S, at the start of the piece.
        rate: [rad/s] At the start of the piece.
        acceleration: [rad/s^2]
    """

    q_SM: Annotated[Vec4, "-", Unit] = NO_ROTATION
    axis_G: Annotated[Vec3, "-", Unit] = _X
    start: Annotated[float, "s"] = 0.0
    angle: Annotated[float, "rad"] = 0.0
    rate: Annotated[float, "rad/s"] = 0.0
    acceleration: Annotated[float, "rad/s^2"] = 0.0


@message
class GimbalMotion(NamedTuple):
    """Motion of a gimbal's platform G relative to its mount M.

    Attributes:
        sigma_GM: [-] MRP.
        omega_GM_G: [rad/s] Angular velocity, in components of G.
        omega_dot_GM_G: [rad/s^2] Its rate, in components of G.
        tip: [rad] Of the platform's pointing axis.
        tilt: [rad] Of the platform's pointing axis.
    """

    sigma_GM: Annotated[Vec3, "-"] = ZERO3
    omega_GM_G: Annotated[Vec3, "rad/s"] = ZERO3
    omega_dot_GM_G: Annotated[Vec3, "rad/s^2"] = ZERO3
    tip: Annotated[float, "rad"] = 0.0
    tilt: Annotated[float, "rad"] = 0.0
