"""A free flyer with twelve thrusters, an observation and a reward, alone or with an arm of seven joints."""

from typing import Annotated, NamedTuple

import numpy as np

import cardan as cd
from cardan import Mat, Vec, Vec3
from cardan.maths import matvec, norm
from cardan.messages import BodyWrench, FrameMotion

STEP = 0.02  # [s]


@cd.message
class ThrusterLevels(NamedTuple):
    """What each thruster is asked for, of its largest thrust."""

    level: Annotated[Vec, "-"]


@cd.message
class Observation(NamedTuple):
    """Where the flyer is relative to its goal, and how it moves."""

    r_BN_N: Annotated[Vec3, "m"]
    v_BN_N: Annotated[Vec3, "m/s"]
    sigma_BN: Annotated[Vec3, "-"]
    omega_BN_B: Annotated[Vec3, "rad/s"]


@cd.message
class Reward(NamedTuple):
    value: Annotated[float, "-"]


@cd.model
class Mixer(NamedTuple):
    """Thrusters fixed to a body: levels become a force and a torque."""

    forces_B: Annotated[Mat, "N"]  # (3, n) of each at its largest thrust
    torques_B: Annotated[Mat, "N m"]  # (3, n)

    @cd.output
    def wrench(self, levels: ThrusterLevels) -> BodyWrench:
        return BodyWrench(matvec(self.forces_B, levels.level), matvec(self.torques_B, levels.level))


class Seen(NamedTuple):
    error: Observation


@cd.task
class Observe(NamedTuple):
    goal_N: Annotated[Vec3, "m"]

    def step(self, motion: FrameMotion) -> Seen:
        return Seen(Observation(motion.r_BN_N - self.goal_N, motion.v_BN_N, motion.sigma_BN, motion.omega_BN_B))


class Rewarded(NamedTuple):
    reward: Reward


@cd.task
class Judge(NamedTuple):
    def step(self, seen: Observation) -> Rewarded:
        return Rewarded(Reward(-norm(seen.r_BN_N) - 0.1 * norm(seen.omega_BN_B)))


def flyer(arm: int = 0) -> cd.Mechanism:
    m = cd.Mechanism("flyer")
    parent = m.add_body("bus", joint=cd.Free(), mass=10.0, inertia_B=np.diag([0.15, 0.16, 0.17]))
    for i in range(arm):
        axis = [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)][i % 3]
        parent = m.add_body(
            f"link{i}", parent=parent, joint=cd.Hinge(axis, damping=0.01), r_BP_P=(0.1 if i else 0.2, 0.0, 0.0),
            r_CB_B=(0.05, 0.0, 0.0), mass=0.5, inertia_B=np.diag([1e-3, 2e-3, 2e-3]),
        )  # fmt: skip
    return m


def scenario(arm: int = 0) -> cd.Scenario:
    m = flyer(arm)
    bus = m.bodies["bus"]
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(3, 12))
    directions /= np.linalg.norm(directions, axis=0)
    places = rng.uniform(-0.15, 0.15, size=(3, 12))
    scn = cd.Scenario("free-flyer", mechanism=m)
    levels = scn.input("levels", ThrusterLevels(np.zeros(12)))
    mix = scn.add(Mixer(0.1 * directions, 0.1 * np.cross(places, directions, axis=0)), name="mix", levels=levels)
    scn.connect(mix.wrench, bus.wrench)
    obs = scn.add(Observe(np.array([1.0, 0.0, 0.0])), name="obs", every=STEP, motion=bus.motion)
    rew = scn.add(Judge(), name="rew", every=STEP, seen=obs.error)
    scn.leave_open(rew.reward)
    return scn
