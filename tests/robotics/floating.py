"""A servicer with seven joints at one state, as messages and as a state of its robot."""

import numpy as np

import cardan as cd
from cardan.messages import FrameMotion, HingeStates
from cardan.missions.vehicles import vehicle
from cardan.robotics import Robot

MECHANISM = cd.Mechanism.from_mjcf(vehicle("servicer.xml"))
ROBOT = Robot(MECHANISM)
TIP = ROBOT.frame("tip").numbers
BEND = np.array([0.5, 0.9, -0.9, 1.7, 0.9, -0.8, 0.3])


def messages(seed: int = 0, at_rest: bool = False) -> tuple[FrameMotion, HingeStates]:
    rng = np.random.default_rng(seed)
    share = 0.0 if at_rest else 0.2
    base = FrameMotion(
        rng.normal(size=3), share * rng.normal(size=3), 0.2 * rng.normal(size=3), share * rng.normal(size=3)
    )
    return base, HingeStates(BEND + 0.1 * rng.normal(size=7), share * rng.normal(size=7))


def state_of(base: FrameMotion, joints: HingeStates):
    from cardan.maths import quaternion_from_mrp

    q = np.concatenate([base.r_BN_N, quaternion_from_mrp(base.sigma_BN), joints.angle])
    return ROBOT.at(q, np.concatenate([base.omega_BN_B, base.v_BN_N, joints.rate]))


def after(state, rate):
    """The same robot with other joint rates and the momentum that it had."""
    u_0 = state.floating_base_rate(rate, state.momentum)
    return ROBOT.at(state.q, np.concatenate([u_0, rate]))
