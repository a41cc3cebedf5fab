"""Space robotics: kinematics, inertia and dynamics of robots with a flying, floating or fixed base."""

from cardan.robotics.frames import RobotFrame as RobotFrame
from cardan.robotics.robot import Robot as Robot
from cardan.robotics.state import Blocks as Blocks
from cardan.robotics.state import Jacobians as Jacobians
from cardan.robotics.state import Pose as Pose
from cardan.robotics.state import State as State
