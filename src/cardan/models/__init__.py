"""Continuous parts: hardware, structures and environment, evaluated at every stage."""

from cardan.models.actuators.hinge_pid import HingePid as HingePid
from cardan.models.actuators.hinge_pid import HingePidState as HingePidState
from cardan.models.actuators.hinge_torque_limits import HingeTorqueLimits as HingeTorqueLimits
from cardan.models.actuators.swirl_thruster import SwirlThruster as SwirlThruster
from cardan.models.environment.keplerian_ephemeris import KeplerianEphemeris as KeplerianEphemeris
from cardan.models.environment.n_body_gravity import NBodyGravity as NBodyGravity
from cardan.models.environment.point_mass_gravity import PointMassGravity as PointMassGravity
from cardan.models.prescribed.gimbal_driver import GimbalDriver as GimbalDriver
from cardan.models.prescribed.stepper_driver import StepperDriver as StepperDriver
from cardan.models.prescribed.stepper_motor import StepperMotor as StepperMotor
from cardan.models.prescribed.two_axis_gimbal import TwoAxisGimbal as TwoAxisGimbal
from cardan.models.references.hinge_waypoints import HingeWaypoints as HingeWaypoints
from cardan.models.structures.angular_impulse import AngularImpulse as AngularImpulse
from cardan.models.structures.mass_spring_damper import MassSpringDamper as MassSpringDamper
from cardan.models.structures.mass_spring_damper import MassSpringDamperState as MassSpringDamperState
from cardan.models.structures.propellant_tank import PropellantTank as PropellantTank
from cardan.models.structures.propellant_tank import PropellantTankState as PropellantTankState
from cardan.models.structures.rigid_body import RigidBody as RigidBody
from cardan.models.structures.rigid_body import RigidBodyState as RigidBodyState
from cardan.models.structures.tracking_integral import TrackingIntegral as TrackingIntegral
