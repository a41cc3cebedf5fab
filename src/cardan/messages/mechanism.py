"""What mechanisms say and hear: motion of frames, states of joints, forces, locks, mass properties."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import AnyInertia, NotNegative, OneOf, OnePer, Rotation, Unit, message
from cardan.maths import IDENTITY3, NO_ROTATION, ZERO3, Mat3, Rows3, Vec, Vec3, Vec4


@message
class FrameMotion(NamedTuple):
    """Motion of a frame B: a body's origin or centre of mass, or a site.

    Attributes:
        r_BN_N: [m] Position, in inertial components.
        v_BN_N: [m/s] Velocity, in inertial components.
        sigma_BN: [-] MRP of the frame relative to the inertial frame, the short rotation.
        omega_BN_B: [rad/s] Angular velocity, in the frame's own components.
    """

    r_BN_N: Annotated[Vec3, "m"] = ZERO3
    v_BN_N: Annotated[Vec3, "m/s"] = ZERO3
    sigma_BN: Annotated[Vec3, "-"] = ZERO3
    omega_BN_B: Annotated[Vec3, "rad/s"] = ZERO3


@message
class FrameMatrix(NamedTuple):
    """Attitude of a frame B as a matrix.

    Attributes:
        dcm_BN: [-] Takes inertial components to the frame's own.
    """

    dcm_BN: Annotated[Mat3, "-", Rotation] = IDENTITY3


@message
class FrameQuaternion(NamedTuple):
    """Attitude of a frame B as a unit quaternion, which has no jumps: it is the state that is integrated.

    Attributes:
        q_BN: [-] Of the frame relative to the inertial frame, scalar first.
    """

    q_BN: Annotated[Vec4, "-", Unit] = NO_ROTATION


@message
class FramePositions(NamedTuple):
    """Positions of several frames, a row each.

    Attributes:
        r_BN_N: [m] In inertial components.
    """

    r_BN_N: Annotated[Rows3, "m"]


@message
class FrameMotions(NamedTuple):
    """Motions of several frames, a row each.

    Attributes:
        r_BN_N: [m] Positions, in inertial components.
        v_BN_N: [m/s] Velocities, in inertial components.
        sigma_BN: [-] MRP of each frame relative to the inertial frame, the short rotation.
        omega_BN_B: [rad/s] Angular velocities, each in its frame's own components.
    """

    r_BN_N: Annotated[Rows3, "m"]
    v_BN_N: Annotated[Rows3, "m/s", OnePer("r_BN_N")]
    sigma_BN: Annotated[Rows3, "-", OnePer("r_BN_N")]
    omega_BN_B: Annotated[Rows3, "rad/s", OnePer("r_BN_N")]


@message
class InertialForces(NamedTuple):
    """Forces on several frames, a row each.

    Attributes:
        force_N: [N] In inertial components.
    """

    force_N: Annotated[Rows3, "N"]


@message
class HingeState(NamedTuple):
    """State of a hinge.

    Attributes:
        angle: [rad]
        rate: [rad/s]
    """

    angle: Annotated[float, "rad"] = 0.0
    rate: Annotated[float, "rad/s"] = 0.0


@message
class HingeStates(NamedTuple):
    """States of several hinges.

    Attributes:
        angle: [rad]
        rate: [rad/s]
    """

    angle: Annotated[Vec, "rad"]
    rate: Annotated[Vec, "rad/s", OnePer("angle")]


@message
class SlideState(NamedTuple):
    """State of a slide.

    Attributes:
        displacement: [m]
        rate: [m/s]
    """

    displacement: Annotated[float, "m"] = 0.0
    rate: Annotated[float, "m/s"] = 0.0


@message
class SlideStates(NamedTuple):
    """Displacements and rates of several slides, an element each.

    Attributes:
        displacement: [m]
        rate: [m/s]
    """

    displacement: Annotated[Vec, "m"]
    rate: Annotated[Vec, "m/s", OnePer("displacement")]


@message
class BallState(NamedTuple):
    """State of a ball joint between a parent P and a child C.

    Attributes:
        q_CP: [-] Unit quaternion of the child relative to the parent.
        omega_CP_C: [rad/s] Angular velocity of the child relative to the parent, in the child's components.
    """

    q_CP: Annotated[Vec4, "-", Unit] = NO_ROTATION
    omega_CP_C: Annotated[Vec3, "rad/s"] = ZERO3


@message
class BodyWrench(NamedTuple):
    """A force and a torque at a frame B, in the frame's own components.

    Attributes:
        force_B: [N] Acting at the frame's origin.
        torque_B: [N m]
    """

    force_B: Annotated[Vec3, "N"] = ZERO3
    torque_B: Annotated[Vec3, "N m"] = ZERO3


@message
class InertialWrench(NamedTuple):
    """A force and a torque at a frame, in inertial components.

    Attributes:
        force_N: [N] Acting at the frame's origin.
        torque_N: [N m]
    """

    force_N: Annotated[Vec3, "N"] = ZERO3
    torque_N: Annotated[Vec3, "N m"] = ZERO3


@message
class ContactLoad(NamedTuple):
    """What the first of a pair of bodies or shapes feels of the second where they touch; all zero while they do not.

    Attributes:
        force_N: [N] Net force on the first, in inertial components.
        torque_N: [N m] Net torque on the first about the origin of its body, in inertial components.
        r_PN_N: [m] Where they touch: the mean of all places, weighted by their forces, in inertial components.
        total: [N] Sum of the sizes of the forces at all places.
        largest: [N] Size of the largest force at one place.
        penetration: [m] How deep they are in each other where that is deepest.
        places: [-] At how many places they touch.
    """

    force_N: Annotated[Vec3, "N"] = ZERO3
    torque_N: Annotated[Vec3, "N m"] = ZERO3
    r_PN_N: Annotated[Vec3, "m"] = ZERO3
    total: Annotated[float, "N", NotNegative] = 0.0
    largest: Annotated[float, "N", NotNegative] = 0.0
    penetration: Annotated[float, "m", NotNegative] = 0.0
    places: Annotated[float, "-", NotNegative] = 0.0


@message
class ContactImpulseGiven(NamedTuple):
    """What a contact has given since the start.

    Attributes:
        impulse_N: [N s] To the first of the pair, in inertial components.
        total: [N s] Sum of the sizes of all forces, over time.
        duration: [s] How long they have touched.
    """

    impulse_N: Annotated[Vec3, "N s"] = ZERO3
    total: Annotated[float, "N s", NotNegative] = 0.0
    duration: Annotated[float, "s", NotNegative] = 0.0


@message
class ContactHistory(NamedTuple):
    """What has been seen of a contact up to now.

    Attributes:
        is_touching: [-] Whether the two touch now.
        first: [s] When they touched first; -1 if they have not.
        touches: [-] How often they have begun to touch.
        peak: [N] Largest sum of the sizes of forces at all places.
        largest: [N] Largest force at one place.
        penetration: [m] Deepest penetration.
    """

    is_touching: Annotated[bool, "-"] = False
    first: Annotated[float, "s"] = -1.0
    touches: Annotated[int, "-", NotNegative] = 0
    peak: Annotated[float, "N", NotNegative] = 0.0
    largest: Annotated[float, "N", NotNegative] = 0.0
    penetration: Annotated[float, "m", NotNegative] = 0.0


@message
class HingeTorque(NamedTuple):
    """A torque about a hinge's axis, on the child.

    Attributes:
        torque: [N m]
    """

    torque: Annotated[float, "N m"] = 0.0


@message
class HingeTorques(NamedTuple):
    """Torques about several hinges' axes.

    Attributes:
        torque: [N m]
    """

    torque: Annotated[Vec, "N m"]


@message
class SlideForces(NamedTuple):
    """Forces along several slides, an element each.

    Attributes:
        force: [N] On the child, positive in the direction of positive displacement.
    """

    force: Annotated[Vec, "N"]


@message
class HingeReferences(NamedTuple):
    """Motion that several hinges should follow.

    Attributes:
        angle: [rad]
        rate: [rad/s]
        acceleration: [rad/s^2]
    """

    angle: Annotated[Vec, "rad"]
    rate: Annotated[Vec, "rad/s", OnePer("angle")]
    acceleration: Annotated[Vec, "rad/s^2", OnePer("angle")]


@message
class HingeStarts(NamedTuple):
    """When several hinges begin to move.

    Attributes:
        start: [s] Since the start of the run; far beyond its end for a hinge that does not move yet.
    """

    start: Annotated[Vec, "s"]


@message
class ActuatorCommand(NamedTuple):
    """The input of an actuator that the mechanism's file declares.

    Attributes:
        command: [-] In the actuator's own unit, before its gear.
    """

    command: Annotated[float, "-"] = 0.0


@message
class HingeLock(NamedTuple):
    """Holds a hinge while it is engaged.

    Attributes:
        is_engaged: [-]
        angle: [rad] Where it holds.
    """

    is_engaged: Annotated[bool, "-"] = False
    angle: Annotated[float, "rad"] = 0.0


@message
class HingeLocks(NamedTuple):
    """Holds several hinges, each while its lock is engaged.

    Attributes:
        is_engaged: [-] 1 for a lock that holds, 0 for one that does not.
        angle: [rad] Where each holds.
    """

    is_engaged: Annotated[Vec, "-", OneOf(0, 1)]
    angle: Annotated[Vec, "rad", OnePer("is_engaged")]


@message
class DeploymentPhase(NamedTuple):
    """Where a deployment in phases is.

    Attributes:
        phase: [-] Counted from 0; -1 before the first, one more than the last when all is done.
        began: [s] When it began, since the start of the run.
    """

    phase: Annotated[int, "-"] = -1
    began: Annotated[float, "s"] = 0.0


@message
class SlideLock(NamedTuple):
    """Holds a slide while it is engaged.

    Attributes:
        is_engaged: [-]
        displacement: [m] Where it holds.
    """

    is_engaged: Annotated[bool, "-"] = False
    displacement: Annotated[float, "m"] = 0.0


@message
class PrescribedAngle(NamedTuple):
    """The motion of a hinge as a given function of time; the three must belong together.

    Attributes:
        angle: [rad]
        rate: [rad/s]
        acceleration: [rad/s^2]
    """

    angle: Annotated[float, "rad"] = 0.0
    rate: Annotated[float, "rad/s"] = 0.0
    acceleration: Annotated[float, "rad/s^2"] = 0.0


@message
class PrescribedDisplacement(NamedTuple):
    """The motion of a slide as a given function of time; the three must belong together.

    Attributes:
        displacement: [m]
        rate: [m/s]
        acceleration: [m/s^2]
    """

    displacement: Annotated[float, "m"] = 0.0
    rate: Annotated[float, "m/s"] = 0.0
    acceleration: Annotated[float, "m/s^2"] = 0.0


@message
class PrescribedTurn(NamedTuple):
    """The motion of a ball joint as a given function of time; the three must belong together.

    Attributes:
        q_CP: [-] Unit quaternion of the child relative to the parent.
        omega_CP_C: [rad/s] Angular velocity of the child relative to the parent, in the child's components.
        omega_dot_CP_C: [rad/s^2] Its rate, in the child's components.
    """

    q_CP: Annotated[Vec4, "-", Unit] = NO_ROTATION
    omega_CP_C: Annotated[Vec3, "rad/s"] = ZERO3
    omega_dot_CP_C: Annotated[Vec3, "rad/s^2"] = ZERO3


@message
class PrescribedMotion(NamedTuple):
    """The motion of a body with frame F on its carriage as a given function of time; all must belong together.

    M is the mount: where F is before the carriage moves, fixed to the parent.

    Attributes:
        r_FM_M: [m] Origin of F relative to that of M, in components of M.
        v_FM_M: [m/s] Its rate, seen from M.
        a_FM_M: [m/s^2] Its second rate, seen from M.
        q_FM: [-] Unit quaternion of F relative to M.
        omega_FM_F: [rad/s] Angular velocity of F relative to M, in components of F.
        omega_dot_FM_F: [rad/s^2] Its rate, in components of F.
    """

    r_FM_M: Annotated[Vec3, "m"] = ZERO3
    v_FM_M: Annotated[Vec3, "m/s"] = ZERO3
    a_FM_M: Annotated[Vec3, "m/s^2"] = ZERO3
    q_FM: Annotated[Vec4, "-", Unit] = NO_ROTATION
    omega_FM_F: Annotated[Vec3, "rad/s"] = ZERO3
    omega_dot_FM_F: Annotated[Vec3, "rad/s^2"] = ZERO3


@message
class CarriageWrench(NamedTuple):
    """What the motors of a carriage between a mount M and a body with frame F deliver, on the body.

    Attributes:
        force_M: [N] At the origin of F, in components of M.
        torque_F: [N m] About the origin of F, in components of F.
    """

    force_M: Annotated[Vec3, "N"] = ZERO3
    torque_F: Annotated[Vec3, "N m"] = ZERO3


@message
class MassProperties(NamedTuple):
    """Mass properties of a body B with centre of mass C.

    Attributes:
        mass: [kg]
        r_CB_B: [m] Centre of mass relative to the body's origin, in body components.
        inertia_C_B: [kg m^2] About the centre of mass, in body components.
    """

    mass: Annotated[float, "kg", NotNegative] = 1.0
    r_CB_B: Annotated[Vec3, "m"] = ZERO3
    inertia_C_B: Annotated[Mat3, "kg m^2", AnyInertia] = IDENTITY3


@message
class VehicleMomentum(NamedTuple):
    """A whole vehicle: its mass, centre of mass C, inertia and momentum.

    Attributes:
        mass: [kg]
        r_CN_N: [m] Centre of mass, in inertial components.
        v_CN_N: [m/s] Its velocity.
        inertia_C_N: [kg m^2] About the centre of mass, in inertial components.
        momentum_C_N: [N m s] Angular momentum about the centre of mass, in inertial components.
        kinetic_energy: [J] Of the motion relative to the centre of mass.
    """

    mass: Annotated[float, "kg"] = 0.0
    r_CN_N: Annotated[Vec3, "m"] = ZERO3
    v_CN_N: Annotated[Vec3, "m/s"] = ZERO3
    inertia_C_N: Annotated[Mat3, "kg m^2"] = np.zeros((3, 3))
    momentum_C_N: Annotated[Vec3, "N m s"] = ZERO3
    kinetic_energy: Annotated[float, "J"] = 0.0


@message
class VehicleBalance(NamedTuple):
    """What loads have given to a whole vehicle with centre of mass C since the start.

    Attributes:
        impulse_N: [N s] In inertial components.
        angular_impulse_C_N: [N m s] About the centre of mass, in inertial components.
        work: [J] On the motion relative to the centre of mass, by loads and through joints.
        own_work: [J] On the motion of the centre of mass.
    """

    impulse_N: Annotated[Vec3, "N s"] = ZERO3
    angular_impulse_C_N: Annotated[Vec3, "N m s"] = ZERO3
    work: Annotated[float, "J"] = 0.0
    own_work: Annotated[float, "J"] = 0.0


@message
class JointReaction(NamedTuple):
    """What the parent exerts on the child through a joint, at the joint, in the child's components B.

    Attributes:
        force_B: [N]
        torque_B: [N m] Along the joint's axis it is what motor, spring, damper and lock deliver.
    """

    force_B: Annotated[Vec3, "N"] = ZERO3
    torque_B: Annotated[Vec3, "N m"] = ZERO3
