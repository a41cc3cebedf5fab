"""Continuous parts: hardware, structures and environment, evaluated at every stage."""

from cardan.models.actuators.swirl_thruster import SwirlThruster as SwirlThruster
from cardan.models.prescribed.gimbal_driver import GimbalDriver as GimbalDriver
from cardan.models.prescribed.stepper_driver import StepperDriver as StepperDriver
from cardan.models.prescribed.stepper_motor import StepperMotor as StepperMotor
from cardan.models.prescribed.two_axis_gimbal import TwoAxisGimbal as TwoAxisGimbal
from cardan.models.structures.mass_spring_damper import MassSpringDamper as MassSpringDamper
from cardan.models.structures.mass_spring_damper import MassSpringDamperState as MassSpringDamperState
from cardan.models.structures.rigid_body import RigidBody as RigidBody
from cardan.models.structures.rigid_body import RigidBodyState as RigidBodyState
from cardan.models.structures.tracking_integral import TrackingIntegral as TrackingIntegral
