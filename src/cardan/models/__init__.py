"""Continuous parts: hardware, structures and environment, evaluated at every stage."""

from cardan.models.actuators.hinge_pid import HingePid as HingePid
from cardan.models.actuators.hinge_pid import HingePidState as HingePidState
from cardan.models.actuators.hinge_torque_limits import HingeTorqueLimits as HingeTorqueLimits
from cardan.models.environment.keplerian_ephemeris import KeplerianEphemeris as KeplerianEphemeris
from cardan.models.environment.n_body_gravity import NBodyGravity as NBodyGravity
from cardan.models.environment.point_mass_gravity import PointMassGravity as PointMassGravity
from cardan.models.environment.uniform_gravity import UniformGravity as UniformGravity
from cardan.models.prescribed.chained_motion import ChainedMotion as ChainedMotion
from cardan.models.prescribed.profiled_rotation import ProfiledRotation as ProfiledRotation
from cardan.models.prescribed.profiled_rotation import rotation_about as rotation_about
from cardan.models.prescribed.profiled_translation import ProfiledTranslation as ProfiledTranslation
from cardan.models.prescribed.profiled_translation import translation_along as translation_along
from cardan.models.prescribed.profiles import Profile as Profile
from cardan.models.prescribed.profiles import bang_bang as bang_bang
from cardan.models.prescribed.profiles import bang_coast_bang as bang_coast_bang
from cardan.models.prescribed.profiles import in_sequence as in_sequence
from cardan.models.prescribed.profiles import smoothed_bang_coast_bang as smoothed_bang_coast_bang
from cardan.models.prescribed.waypoint_motion import WaypointMotion as WaypointMotion
from cardan.models.prescribed.waypoint_motion import through_waypoints as through_waypoints
from cardan.models.references.hinge_waypoints import HingeWaypoints as HingeWaypoints
from cardan.models.structures.mass_spring_damper import MassSpringDamper as MassSpringDamper
from cardan.models.structures.mass_spring_damper import MassSpringDamperState as MassSpringDamperState
from cardan.models.structures.rigid_body import RigidBody as RigidBody
from cardan.models.structures.rigid_body import RigidBodyState as RigidBodyState
from cardan.models.structures.tracking_integral import TrackingIntegral as TrackingIntegral
