"""Space robotics: kinematics, inertia and dynamics of robots with a flying, floating or fixed base."""

from cardan.robotics.denavit_hartenberg import DhLink as DhLink
from cardan.robotics.denavit_hartenberg import from_denavit_hartenberg as from_denavit_hartenberg
from cardan.robotics.frames import RobotFrame as RobotFrame
from cardan.robotics.robot import Robot as Robot
from cardan.robotics.state import Blocks as Blocks
from cardan.robotics.state import Jacobians as Jacobians
from cardan.robotics.state import Pose as Pose
from cardan.robotics.state import State as State
