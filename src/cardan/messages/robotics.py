"""What tasks of robots say to each other: what a tip should do, and rates that joints should have."""

from typing import Annotated, NamedTuple

from cardan.contracts import message
from cardan.maths import ZERO3, Vec, Vec3


@message
class TipReference(NamedTuple):
    """Motion that a frame T on a robot, its tip, should have.

    Attributes:
        r_TN_N: [m] Position, in inertial components.
        v_TN_N: [m/s] Velocity, in inertial components.
        sigma_TN: [-] MRP of the tip relative to the inertial frame.
        omega_TN_N: [rad/s] Angular velocity, in inertial components.
    """

    r_TN_N: Annotated[Vec3, "m"] = ZERO3
    v_TN_N: Annotated[Vec3, "m/s"] = ZERO3
    sigma_TN: Annotated[Vec3, "-"] = ZERO3
    omega_TN_N: Annotated[Vec3, "rad/s"] = ZERO3


@message
class HingeRates(NamedTuple):
    """Rates that several hinges should have.

    Attributes:
        rate: [rad/s]
    """

    rate: Annotated[Vec, "rad/s"]


@message
class CaptureStatus(NamedTuple):
    """Where a capture is.

    Attributes:
        is_captured: [-] Whether the locks are engaged.
        distance: [m] From the tip to the fixture.
        angle: [rad] Size of the three angles between them.
        speed: [m/s] Of the fixture relative to the tip.
        rate: [rad/s] Size of the rates of the three angles.
        since: [s] When it was captured, since the start of the run; -1 if it was not.
    """

    is_captured: Annotated[bool, "-"] = False
    distance: Annotated[float, "m"] = 0.0
    angle: Annotated[float, "rad"] = 0.0
    speed: Annotated[float, "m/s"] = 0.0
    rate: Annotated[float, "rad/s"] = 0.0
    since: Annotated[float, "s"] = -1.0


@message
class GripCommand(NamedTuple):
    """What a gripper does.

    Attributes:
        is_closed: [-] Whether it holds on.
        r_TN_N: [m] Where it holds its tip, in inertial components.
        sigma_TN: [-] At which attitude.
    """

    is_closed: Annotated[bool, "-"] = False
    r_TN_N: Annotated[Vec3, "m"] = ZERO3
    sigma_TN: Annotated[Vec3, "-"] = ZERO3


@message
class GripStatus(NamedTuple):
    """How far a tip is from being able to take hold.

    Attributes:
        is_captured: [-] Whether it has taken hold.
        distance: [m] From the tip to where it should be.
        angle: [rad] Between their attitudes.
        speed: [m/s] Between them.
        rate: [rad/s] Between them.
    """

    is_captured: Annotated[bool, "-"] = False
    distance: Annotated[float, "m"] = 0.0
    angle: Annotated[float, "rad"] = 0.0
    speed: Annotated[float, "m/s"] = 0.0
    rate: Annotated[float, "rad/s"] = 0.0
