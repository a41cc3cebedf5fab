"""`ArmReach`: an arm on a floating base learns to reach a point, and to disturb its base as little as it can."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan import RecursiveTree, Rk4, Simulation, message, task
from cardan.contracts import NotNegative, Positive
from cardan.fsw import SimpleNavigation
from cardan.learning.environment import Environment
from cardan.learning.environments.failing import MotorHealth
from cardan.learning.environments.hardship import Exposure, Hardship, expose, hardships
from cardan.learning.environments.judged import JUDGE, judged
from cardan.learning.signals import JudgeMemory, Outcome, Reward
from cardan.maths import ZERO3, RandomKey, Vec3, choose, dcm_from_mrp, exp, matvec, norm, normal_if, rotation_angle
from cardan.mechanism import Mechanism
from cardan.messages import FrameMotion, HingeState, HingeTorques
from cardan.missions import vehicle
from cardan.scenario import Scenario

COMMAND, OBSERVER, CAMERA, BASE = "torques", "nav", "camera", "bus"
BEND = np.array([0.5, 0.9, -0.9, 1.7, 0.9, -0.8, 0.0])  # [rad] where the arm starts
MAX_TORQUE = np.array([2.0, 2.0, 1.0, 2.0, 0.1, 0.1, 0.005])  # [N m] turns each joint by 1 to 5 rad/s^2
MAX_TORQUE.flags.writeable = False


@message
class ReachError(NamedTuple):
    """How far a tip is from where it should be.

    Attributes:
        r_TG_B: [m] From the goal to the tip, in components of the base.
        v_TN_B: [m/s] Velocity of the tip, in components of the base.
    """

    r_TG_B: Annotated[Vec3, "m"] = ZERO3
    v_TN_B: Annotated[Vec3, "m/s"] = ZERO3


class ReachOutputs(NamedTuple):
    error: ReachError
    reward: Reward
    outcome: Outcome


@task
class ReachReward(NamedTuple):
    """What a step towards a point is worth.

        reward = potential - potential before - K_b omega^2 + 10 at the goal                                       (1)
        potential = 20 exp(-r^2/0.3^2) - K_t theta                                                                 (2)

    r is the distance of the tip from the goal, theta how far the base has turned from the inertial attitude, omega its
    rate: an arm that leaves its base alone is worth more. The goal is the tip within `within_r`, slower than
    `within_v`, for `hold` steps.

    Attributes:
        goal_N: [m] In inertial components.
        within_r: [m]
        within_v: [m/s]
        hold: [-] Steps.
        K_t: [1/rad]
        K_b: [s^2/rad^2]
    """

    goal_N: Annotated[Vec3, "m"] = ZERO3
    within_r: Annotated[float, "m", Positive] = 0.05
    within_v: Annotated[float, "m/s", Positive] = 0.1
    hold: Annotated[int, "-", Positive] = 5
    K_t: Annotated[float, "1/rad", NotNegative] = 5.0
    K_b: Annotated[float, "s^2/rad^2", NotNegative] = 1.0

    def step(self, x: JudgeMemory, base: FrameMotion, tip: FrameMotion) -> tuple[JudgeMemory, ReachOutputs]:
        dcm_BN = dcm_from_mrp(base.sigma_BN)
        away_N = tip.r_BN_N - self.goal_N
        r, v, omega = norm(away_N), norm(tip.v_BN_N), norm(base.omega_BN_B)
        # Eq. (2)
        potential = 20.0 * exp(-((r / 0.3) * (r / 0.3))) - self.K_t * rotation_angle(base.sigma_BN)
        held = choose((r <= self.within_r) & (v <= self.within_v), x.held + 1, 0)
        is_success = x.is_started & (held >= self.hold)
        # Eq. (1)
        gain = choose(x.is_started, potential - x.potential, 0.0) - self.K_b * omega * omega
        error = ReachError(matvec(dcm_BN, away_N), matvec(dcm_BN, tip.v_BN_N))
        reward, outcome = Reward(gain + choose(is_success, 10.0, 0.0)), Outcome(is_success, is_success)
        return JudgeMemory(potential, held, True), ReachOutputs(error, reward, outcome)


class TipCameraOutputs(NamedTuple):
    seen: ReachError


@task
class TipCamera(NamedTuple):
    """How far the tip is from its goal, as a camera on the base sees it: the truth with white noise.

    Attributes:
        noise_r: [m] Standard deviation along each axis.
        noise_v: [m/s]
    """

    noise_r: Annotated[float, "m", NotNegative] = 0.0
    noise_v: Annotated[float, "m/s", NotNegative] = 0.0

    def step(self, error: ReachError, rng: RandomKey) -> TipCameraOutputs:
        n = normal_if(self.noise_r + self.noise_v > 0.0, rng, 6)
        return TipCameraOutputs(
            ReachError(r_TG_B=error.r_TG_B + self.noise_r * n[:3], v_TN_B=error.v_TN_B + self.noise_v * n[3:])
        )


def build(period: float = 0.05, is_hard: bool = False, **reward: Any) -> Scenario:
    """The servicer with its arm of seven joints, whose torques come from outside; nothing holds its base."""
    m = Mechanism.from_mjcf(vehicle("servicer.xml"))
    base, joints = m.bodies[BASE], m.group_of_hinges("arm")
    scn = Scenario("arm-reach", mechanism=m)
    command = scn.input(COMMAND, HingeTorques(np.zeros(len(BEND))))
    scn.connect(command, joints.efforts)
    judge = scn.add(ReachReward(**reward), name=JUDGE, every=period, base=base.motion, tip=m.sites["tip"].motion)
    scn.add(TipCamera(), name=CAMERA, every=period, error=judge.error)
    scn.add(SimpleNavigation(), name=OBSERVER, every=period, truth=base.motion)
    scn.start({name: HingeState(angle=angle) for name, angle in zip(joints.names, BEND, strict=True)})
    if is_hard:
        expose(scn, m, BASE, command, MotorHealth(np.ones(len(BEND))))
    return scn


def arm_reach(
    *,
    hardship: str | Hardship = "none",
    period: float = 0.05,
    limit: float = 15.0,
    goal: Any = None,
    **reward: Any,
) -> Environment:
    """An arm of seven joints on a floating base of 110 kg reaches a point up to 0.3 m from where its tip starts.

    Observed are the errors of the tip, angles and rates of the joints, attitude and rate of the base; acted on the
    torques of the joints.

    Args:
        hardship: What differs from episode to episode, as in `free_flyer_setpoint`; a fault is a dead motor.
        period: [s] How long torques are held.
        limit: [s] Length of an episode.
        goal: How the goal varies, a distribution about where the tip starts; by default within 0.3 m.
        reward: Parameters of `ReachReward`.
    """
    hard, start_N = hardships(hardship), _tip_start()

    def built() -> Scenario:
        return build(period, not hard.is_none, **({"goal_N": start_N} | reward))

    sensors = {
        f"{CAMERA}.noise_r": 0.01,
        f"{CAMERA}.noise_v": 0.001,
        f"{OBSERVER}.attitude_noise": 0.001,
        f"{OBSERVER}.rate_noise": 0.001,
    }
    return judged(
        "ArmReach",
        built,
        hardship=hard,
        exposure=Exposure(BASE, len(BEND), sensors=sensors),
        observe=[f"{CAMERA}.seen", *(f"joint{i}.state" for i in range(1, 8)), f"{OBSERVER}.attitude"],
        act=[COMMAND],
        period=period,
        limit=limit,
        disperse={f"{JUDGE}.goal_N": "uniform(0.17)" if goal is None else goal},
        limits={f"{COMMAND}.torque": (-MAX_TORQUE, MAX_TORQUE)},
        integrator=Rk4(step=0.01),
    )


def _tip_start() -> np.ndarray:
    """[m] Where the tip is at the start, in inertial components."""
    m = Mechanism.from_mjcf(vehicle("servicer.xml"))
    scn = Scenario(mechanism=m)
    scn.start({name: HingeState(angle=angle) for name, angle in zip(m.group_of_hinges("arm").names, BEND, strict=True)})
    return np.array(Simulation(scn, dynamics=RecursiveTree())["tip.motion"].r_BN_N)
