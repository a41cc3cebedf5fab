"""Free flyers: the motion they should follow, and where they are along their plans."""

from typing import Annotated, NamedTuple

from cardan.contracts import message
from cardan.maths import ZERO3, Vec3


@message
class FlyerReference(NamedTuple):
    """Motion that a vehicle should follow; R is the frame its body axes and centre of mass should coincide with.

    Attributes:
        r_RN_N: [m] Position, in inertial components.
        v_RN_N: [m/s] Velocity.
        a_RN_N: [m/s^2] Acceleration, for controllers that feed it forward.
        sigma_RN: [-] MRP of R relative to the inertial frame.
        omega_RN_N: [rad/s] Angular velocity, in inertial components.
        omega_dot_RN_N: [rad/s^2] Its rate, in inertial components.
    """

    r_RN_N: Annotated[Vec3, "m"] = ZERO3
    v_RN_N: Annotated[Vec3, "m/s"] = ZERO3
    a_RN_N: Annotated[Vec3, "m/s^2"] = ZERO3
    sigma_RN: Annotated[Vec3, "-"] = ZERO3
    omega_RN_N: Annotated[Vec3, "rad/s"] = ZERO3
    omega_dot_RN_N: Annotated[Vec3, "rad/s^2"] = ZERO3


@message
class FlyerError(NamedTuple):
    """How far a vehicle is from its reference.

    Attributes:
        r_BR_B: [m] Position relative to the reference, in body components.
        theta_BR_B: [rad] Twice the vector part of the error quaternion, the rotation vector where it is small.
        v_BR_B: [m/s] Velocity relative to the reference, in body components.
        omega_BR_B: [rad/s] Angular velocity relative to the reference, in body components.
    """

    r_BR_B: Annotated[Vec3, "m"] = ZERO3
    theta_BR_B: Annotated[Vec3, "rad"] = ZERO3
    v_BR_B: Annotated[Vec3, "m/s"] = ZERO3
    omega_BR_B: Annotated[Vec3, "rad/s"] = ZERO3


@message
class PathProgress(NamedTuple):
    """Where a vehicle is along its path.

    Attributes:
        number: [-] Of the present reference, from 0.
        fraction: [-] Of the path that lies behind the present reference.
        distance: [m] From the vehicle to the present reference.
        lateral_error: [m] From the vehicle to the nearest point of the path.
        attitude_error: [rad] Angle between the vehicle and the present reference.
    """

    number: Annotated[int, "-"] = 0
    fraction: Annotated[float, "-"] = 0.0
    distance: Annotated[float, "m"] = 0.0
    lateral_error: Annotated[float, "m"] = 0.0
    attitude_error: Annotated[float, "rad"] = 0.0


@message
class DockingCommand(NamedTuple):
    """What is asked of a vehicle that docks.

    Attributes:
        is_aborted: [-] Whether it is to retreat.
    """

    is_aborted: Annotated[bool, "-"] = False


@message
class DockingStatus(NamedTuple):
    """Where a docking is.

    Attributes:
        stage: [-] 0 to the hold point, 1 approach along the axis, 2 docked, 3 retreat, 4 given up at the hold point.
        distance: [m] From the docked position, along the approach axis.
        lateral_error: [m] From the approach axis.
        attitude_error: [rad] From the docked attitude.
        speed: [m/s]
        rate: [rad/s]
        aborts: [-] How often it has retreated.
    """

    stage: Annotated[int, "-"] = 0
    distance: Annotated[float, "m"] = 0.0
    lateral_error: Annotated[float, "m"] = 0.0
    attitude_error: Annotated[float, "rad"] = 0.0
    speed: Annotated[float, "m/s"] = 0.0
    rate: Annotated[float, "rad/s"] = 0.0
    aborts: Annotated[int, "-"] = 0


@message
class SearchStatus(NamedTuple):
    """What a path search did.

    Attributes:
        expansions: [-] States it expanded at this tick.
        inflation: [-] Of its heuristic: the path is at most this many times as long as the shortest one.
        plans: [-] How many paths it has published.
        length: [m] Of the present path.
        clearance: [m] Least distance between the vehicle and what it may hit, where it is now.
        is_found: [-] Whether there is a path.
    """

    expansions: Annotated[int, "-"] = 0
    inflation: Annotated[float, "-"] = 0.0
    plans: Annotated[int, "-"] = 0
    length: Annotated[float, "m"] = 0.0
    clearance: Annotated[float, "m"] = 0.0
    is_found: Annotated[bool, "-"] = False
