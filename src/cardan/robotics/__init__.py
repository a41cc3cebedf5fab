"""Space robotics: kinematics, inertia and dynamics of robots with a flying, floating or fixed base."""

from cardan.robotics.denavit_hartenberg import DhLink as DhLink
from cardan.robotics.denavit_hartenberg import from_denavit_hartenberg as from_denavit_hartenberg
from cardan.robotics.frames import RobotFrame as RobotFrame
from cardan.robotics.manipulability import SingularityMap as SingularityMap
from cardan.robotics.manipulability import dynamic_manipulability as dynamic_manipulability
from cardan.robotics.manipulability import manipulability as manipulability
from cardan.robotics.manipulability import singularity_map as singularity_map
from cardan.robotics.robot import DynamicsDerivatives as DynamicsDerivatives
from cardan.robotics.robot import Robot as Robot
from cardan.robotics.state import Blocks as Blocks
from cardan.robotics.state import Jacobians as Jacobians
from cardan.robotics.state import Pose as Pose
from cardan.robotics.state import State as State
from cardan.robotics.tasks.axis_turn import AxisTurn as AxisTurn
from cardan.robotics.tasks.desired_reaction import DesiredReaction as DesiredReaction
from cardan.robotics.tasks.momentum_dumping import MomentumDumping as MomentumDumping
from cardan.robotics.tasks.rate_servo import RateServo as RateServo
from cardan.robotics.tasks.reaction_null_space import ReactionNullSpace as ReactionNullSpace
from cardan.robotics.tasks.resolved_motion_rate import ResolvedMotionRate as ResolvedMotionRate
from cardan.robotics.tasks.tip_line import TipLine as TipLine
from cardan.robotics.tasks.transposed_jacobian import TransposedJacobian as TransposedJacobian
from cardan.robotics.workspace import PathDependence as PathDependence
from cardan.robotics.workspace import Workspace as Workspace
from cardan.robotics.workspace import path_dependence as path_dependence
from cardan.robotics.workspace import workspace as workspace
