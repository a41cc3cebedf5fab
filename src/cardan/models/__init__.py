"""Continuous parts: hardware, structures and environment, evaluated at every stage."""

from cardan.models.structures.mass_spring_damper import MassSpringDamper as MassSpringDamper
from cardan.models.structures.mass_spring_damper import MassSpringDamperState as MassSpringDamperState
from cardan.models.structures.rigid_body import RigidBody as RigidBody
from cardan.models.structures.rigid_body import RigidBodyState as RigidBodyState
from cardan.models.structures.tracking_integral import TrackingIntegral as TrackingIntegral
