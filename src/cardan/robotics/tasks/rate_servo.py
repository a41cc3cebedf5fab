"""Joint torques that give joints the rates they are commanded."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import task
from cardan.maths import Vec
from cardan.messages import FrameMotion, HingeRates, HingeStates, HingeTorques
from cardan.robotics.packing import IS_FREE
from cardan.robotics.recursion import floating_dynamics, inverse_dynamics
from cardan.robotics.tasks.evaluation import RobotNumbers, coordinates


class RateServoMemory(NamedTuple):
    """What the servo carries from one tick to the next."""

    rate: Annotated[Vec, "rad/s"]
    is_started: Annotated[bool, "-"] = False


class RateServoOutputs(NamedTuple):
    torque: HingeTorques


@task
class RateServo(NamedTuple):
    """Computed torque for joint rates: inverse dynamics of the accelerations that bring joints to their rates.

        u_m_dot = (command - command before) / dt + gain (command - u_m)                                          (1)

    The torque is that of a floating base, docs/theory/robotics.md, Eqs. (21) and (22), or of an arm on the world,
    Eq. (20). With gain = 1/dt a rate is reached within one period.

    Attributes:
        robot: [-] `Robot(...).numbers`.
        gain: [1/s] Of the rate error; at most 2/dt.
    """

    robot: Annotated[Vec, "-", RobotNumbers]
    gain: Annotated[float, "1/s"] = 10.0

    def initial(self, joints: HingeStates) -> RateServoMemory:
        return RateServoMemory(rate=0.0 * joints.rate)

    def step(
        self, dt: float, x: RateServoMemory, base: FrameMotion, joints: HingeStates, command: HingeRates
    ) -> tuple[RateServoMemory, RateServoOutputs]:
        q, u = coordinates(self.robot, base, joints)
        # Eq. (1)
        feed = np.where(x.is_started, (command.rate - x.rate) / dt, 0.0)
        u_m_dot = feed + self.gain * (command.rate - joints.rate)
        u_dot, tau = np.zeros(len(u)), np.zeros(len(u))
        n_0 = len(u) - len(u_m_dot)
        u_dot[n_0:] = u_m_dot
        if self.robot[IS_FREE] != 0.0:
            floating_dynamics(self.robot, q, u, u_dot, np.zeros((0, 6)), tau)
        else:
            inverse_dynamics(self.robot, q, u, u_dot, np.zeros((0, 6)), tau)
        memory = RateServoMemory(rate=command.rate.copy(), is_started=True)
        return memory, RateServoOutputs(torque=HingeTorques(tau[n_0:].copy()))
