"""`WheelDetumble`: a satellite with three wheels learns to stop tumbling and to point."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan import Free, Hinge, Rk4, model, output, task
from cardan.contracts import NotNegative, Positive
from cardan.fsw import SimpleNavigation
from cardan.learning.environment import Environment
from cardan.learning.environments.failing import MotorHealth
from cardan.learning.environments.hardship import Exposure, Hardship, expose, hardships
from cardan.learning.environments.judged import JUDGE, judged
from cardan.learning.signals import JudgeMemory, Judgement, Outcome, Reward
from cardan.maths import Vec, choose, clip, dot, exp, norm, rotation_angle
from cardan.mechanism import Mechanism
from cardan.messages import FrameMotion, HingeStates, HingeTorques
from cardan.scenario import Scenario

COMMAND, OBSERVER = "torques", "nav"
BUS, WHEELS = "bus", ("wheel_x", "wheel_y", "wheel_z")
MAX_TORQUE = 0.05  # [N m]


@model
class WheelMotors(NamedTuple):
    """Motors of wheels that give at once what is demanded, within their limits.

    Attributes:
        max_torque: [N m] Of each wheel.
        drag: [N m s/rad] Of each wheel's bearings.
    """

    max_torque: Annotated[Vec, "N m", NotNegative]
    drag: Annotated[float, "N m s/rad", NotNegative] = 0.0

    @output
    def efforts(self, command: HingeTorques, states: HingeStates) -> HingeTorques:
        return HingeTorques(torque=clip(command.torque, -self.max_torque, self.max_torque) - self.drag * states.rate)


@task
class DetumbleReward(NamedTuple):
    """What a step towards rest is worth.

        reward = potential - potential before - 0.001 + 10 at the goal                                             (1)
        potential = 10 (1 + cos theta)/2 + 10 exp(-omega^2/rate^2)                                                 (2)

    The goal is a rate and an angle within bounds for `hold` steps.

    Attributes:
        rate: [rad/s] At which a tumble is far from rest.
        within_theta: [rad]
        within_omega: [rad/s]
        hold: [-] Steps.
    """

    rate: Annotated[float, "rad/s", Positive] = 0.05
    within_theta: Annotated[float, "rad", Positive] = 0.1
    within_omega: Annotated[float, "rad/s", Positive] = 0.01
    hold: Annotated[int, "-", Positive] = 5

    def step(self, x: JudgeMemory, motion: FrameMotion) -> tuple[JudgeMemory, Judgement]:
        omega, theta = norm(motion.omega_BN_B), rotation_angle(motion.sigma_BN)
        sigma = dot(motion.sigma_BN, motion.sigma_BN)
        half = (1.0 - sigma) / (1.0 + sigma)  # the cosine of half the angle
        # Eq. (2)
        potential = 10.0 * half * half + 10.0 * exp(-((omega / self.rate) * (omega / self.rate)))
        held = choose((theta <= self.within_theta) & (omega <= self.within_omega), x.held + 1, 0)
        is_success = x.is_started & (held >= self.hold)
        # Eq. (1)
        gain = choose(x.is_started, potential - x.potential, 0.0) - 0.001 + choose(is_success, 10.0, 0.0)
        return JudgeMemory(potential, held, True), Judgement(Reward(gain), Outcome(is_success, is_success))


def build(period: float = 0.5, is_hard: bool = False, **reward: Any) -> Scenario:
    """A bus with three wheels along its axes, whose torques come from outside."""
    m = Mechanism("satellite")
    bus = m.add_body(BUS, joint=Free(), mass=50.0, inertia_B=np.diag([4.0, 3.5, 3.0]))
    for name, axis in zip(WHEELS, np.eye(3), strict=True):
        inertia_B = 0.005 * np.eye(3) + 0.005 * np.outer(axis, axis)
        m.add_body(name, parent=bus, joint=Hinge(axis), mass=1.0, inertia_B=inertia_B, r_BP_P=0.1 * axis)
    group = m.group_of_hinges("wheels", *(f"{name}_joint" for name in WHEELS))
    scn = Scenario("wheel-detumble", mechanism=m)
    command = scn.input(COMMAND, HingeTorques(np.zeros(3)))
    motors = scn.add(WheelMotors(np.full(3, MAX_TORQUE)), name="motors", command=command, states=group.states)
    scn.connect(motors.efforts, group.efforts)
    scn.add(SimpleNavigation(), name=OBSERVER, every=period, truth=bus.motion)
    scn.add(DetumbleReward(**reward), name=JUDGE, every=period, motion=bus.motion)
    if is_hard:
        expose(scn, m, BUS, motors.efforts, MotorHealth(np.ones(3)))
    return scn


def wheel_detumble(
    *, hardship: str | Hardship = "none", period: float = 0.5, limit: float = 200.0, **reward: Any
) -> Environment:
    """A satellite stops tumbling, and turns to the inertial attitude, with three wheels.

    Observed are attitude, rate and the speeds of the wheels; acted on the torques of the wheels.

    Args:
        hardship: What differs from episode to episode, as in `free_flyer_setpoint`; a fault is a dead motor.
        period: [s] How long torques are held.
        limit: [s] Length of an episode.
        reward: Parameters of `DetumbleReward`.
    """
    hard = hardships(hardship)

    def built() -> Scenario:
        return build(period, not hard.is_none, **reward)

    sensors = {f"{OBSERVER}.attitude_noise": 0.001, f"{OBSERVER}.rate_noise": 0.001}
    return judged(
        "WheelDetumble",
        built,
        hardship=hard,
        exposure=Exposure(BUS, len(WHEELS), sensors=sensors),
        observe=[f"{OBSERVER}.attitude", *(f"{wheel}_joint.state.rate" for wheel in WHEELS)],
        act=[COMMAND],
        period=period,
        limit=limit,
        disperse={f"{BUS}.motion.sigma_BN": "attitude()", f"{BUS}.motion.omega_BN_B": "unit_vector(uniform(0, 0.05))"},
        limits={f"{COMMAND}.torque": (-MAX_TORQUE, MAX_TORQUE)},
        integrator=Rk4(step=0.1),
    )
