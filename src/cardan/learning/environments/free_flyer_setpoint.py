"""`FreeFlyerSetpoint`: a free flyer learns to come to rest at a set-point."""

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan import ExplicitEuler, Rk4, task
from cardan.contracts import NotNegative, Positive
from cardan.fsw import flyer_error
from cardan.learning.environment import Environment
from cardan.learning.environments.flyer import COMMAND, OBSERVER, ThrusterEffort, add_vehicle, exposure_of, fly
from cardan.learning.environments.hardship import Hardship, hardships
from cardan.learning.environments.judged import JUDGE, judged
from cardan.learning.environments.residual import CONTEXT, add_context
from cardan.learning.signals import Judgement, Outcome, Reward
from cardan.maths import choose, cos, exp, norm, rotation_angle, sin_cos
from cardan.mechanism import Mechanism
from cardan.messages import FlyerReference, FrameMotion
from cardan.scenario import Scenario
from cardan.studies import Distribution, Nominal


class SetpointMemory(NamedTuple):
    """What the reward of the last step was measured from."""

    potential: Annotated[float, "-"] = 0.0
    impulse: Annotated[float, "N s"] = 0.0
    held: Annotated[int, "-"] = 0
    is_started: Annotated[bool, "-"] = False


@task
class SetpointReward(NamedTuple):
    """What a step towards a set-point is worth.

        reward = potential - potential before - K_u u + at the goal: 20 - |v|^2 - 0.1 |omega|^2 - 5 K_u u          (1)
        potential = 50 exp(-r^2/1.6^2) + 10 exp(-v^2/0.2^2) + A(theta) + 0.5 exp(-omega^2/0.08^2)                  (2)
        A = 30 exp(-theta^2/0.8^2), or with a `far` share s: 30 ((1 - s) exp(-theta^2/0.8^2) + s (1 + cos theta)/2) (3)

    u is the sum of all thrusts, on average over the step. (1) and (2) are those of SmallSatSim. The first term of (3)
    is flat beyond 90 degrees, where most attitudes are, so that nothing says which way to turn; the second is not.

    The goal is reached when all four errors have been within bounds for `hold` steps. An episode is over then, or
    further away than `lost`.

    Attributes:
        within_r: [m]
        within_theta: [rad]
        within_v: [m/s] Infinite if speeds do not count.
        within_omega: [rad/s]
        hold: [-] Steps.
        lost: [m] Distance at which an episode is over without success; infinite for none.
        K_u: [1/N]
        far: [-] Share of the attitude's worth that reaches to half a turn.
    """

    within_r: Annotated[float, "m", Positive] = 0.25
    within_theta: Annotated[float, "rad", Positive] = 0.25
    within_v: Annotated[float, "m/s", Positive] = 0.1
    within_omega: Annotated[float, "rad/s", Positive] = 0.1
    hold: Annotated[int, "-", Positive] = 5
    lost: Annotated[float, "m", Positive] = 8.0
    K_u: Annotated[float, "1/N", NotNegative] = 0.001
    far: Annotated[float, "-", NotNegative] = 0.5

    def step(
        self, dt: float, x: SetpointMemory, motion: FrameMotion, reference: FlyerReference, effort: ThrusterEffort
    ) -> tuple[SetpointMemory, Judgement]:
        error = flyer_error(motion, reference)
        r, v, omega = norm(error.r_BR_B), norm(error.v_BR_B), norm(error.omega_BR_B)
        theta = rotation_angle(motion.sigma_BN)
        impulse = effort.impulse
        thrust = choose(x.is_started, (impulse - x.impulse) / dt, 0.0)
        is_near = (r <= self.within_r) & (theta <= self.within_theta)
        is_slow = (v <= self.within_v) & (omega <= self.within_omega)
        held = choose(is_near & is_slow, x.held + 1, 0)
        is_success = x.is_started & (held >= self.hold)
        # Eqs. (2) and (3)
        near = (1.0 - self.far) * exp(-((theta / 0.8) * (theta / 0.8))) + self.far * 0.5 * (1.0 + cos(theta))
        potential = 50.0 * exp(-((r / 1.6) * (r / 1.6))) + 10.0 * exp(-((v / 0.2) * (v / 0.2))) + 30.0 * near
        potential += 0.5 * exp(-((omega / 0.08) * (omega / 0.08)))
        # Eq. (1)
        gain = choose(x.is_started, potential - x.potential, 0.0) - self.K_u * thrust
        bonus = 20.0 - v * v - 0.1 * omega * omega - 5.0 * self.K_u * thrust
        reward = Reward(value=gain + choose(is_success, bonus, 0.0))
        outcome = Outcome(is_over=is_success | (r > self.lost), is_success=is_success)
        return SetpointMemory(potential, impulse, held, True), Judgement(reward, outcome)


@dataclass(frozen=True)
class Disc(Distribution):
    """Evenly over a disc about the origin, in the plane of x and y.

    Attributes:
        radius: [m]
    """

    radius: float

    def size(self, nominal: Nominal) -> int:
        return 2

    def values(self, u: np.ndarray, nominal: Nominal) -> np.ndarray:
        sine, cosine = sin_cos(2.0 * np.pi * u[:, 0])
        radius = self.radius * np.sqrt(u[:, 1])
        return np.stack([radius * cosine, radius * sine, 0.0 * radius], axis=1)


def build(
    vehicle: str = "astrobee",
    period: float = 0.05,
    is_hard: bool = False,
    has_context: bool = False,
    **reward: Any,
) -> Scenario:
    """A flyer alone in space, with thrusters that are commanded from outside; its set-point is the origin."""
    m = Mechanism("free-flyer")
    flyer = add_vehicle(m, vehicle)
    scn = Scenario("free-flyer-setpoint", mechanism=m)
    goal = FlyerReference()
    fly(scn, m, flyer, period, reference=goal, is_hard=is_hard or has_context)
    motion, push = m.bodies[flyer.body].com.motion, scn["push"]
    judge = SetpointReward(**reward)
    scn.add(judge, name=JUDGE, every=period, motion=motion, reference=goal, effort=push.effort)
    if has_context:
        add_context(scn, flyer.mixer.T, motion, period)
    return scn


def free_flyer_setpoint(
    vehicle: str = "astrobee",
    *,
    original: bool = False,
    hardship: str | Hardship = "none",
    period: float = 0.05,
    limit: float = 25.6,
    integrator: Any = None,
    has_context: bool = False,
    **reward: Any,
) -> Environment:
    """A free flyer comes to rest at a set-point, from up to 2 m away, any attitude, and slow motion.

    Observed are the errors of position, attitude, velocity and rate in body components, acted on the twelve thrusts.

    Args:
        vehicle: "astrobee", "sprint" or "cubesat".
        original: Starts and success as in SmallSatSim 1.0: on a disc in the plane of x and y, without a `far` share,
            five Euler steps of 0.01 s, success whatever the speed is, and no end for vehicles that are lost. Attitudes
            are evenly spread over all rotations here too.
        hardship: What differs from episode to episode beside the start, and what goes wrong: "none", "thrust", "mass",
            "disturbance", "fault", "noise", "all", or a `Hardship`.
        period: [s] How long thrusts are held.
        limit: [s] Length of an episode.
        integrator: Another than one step of Runge and Kutta per period.
        has_context: Whether training may know which force and torque act beside those that were demanded, so that an
            adaptive policy learns to guess them.
        reward: Parameters of `SetpointReward`.
    """
    hard, flyer = hardships(hardship), add_vehicle(Mechanism(), vehicle)
    body = flyer.body
    if original:
        reward = {"within_v": 1e6, "within_omega": 1e6, "lost": 1e6, "far": 0.0} | reward

    def built() -> Scenario:
        return build(vehicle, period, not hard.is_none, has_context, **reward)

    return judged(
        "FreeFlyerSetpoint",
        built,
        hardship=hard,
        exposure=exposure_of(flyer),
        observe=[f"{OBSERVER}.error"],
        act=[COMMAND],
        period=period,
        limit=limit,
        disperse={
            f"{body}.motion.r_BN_N": Disc(2.0) if original else "unit_vector(uniform(0, 2))",
            f"{body}.motion.sigma_BN": "attitude()",
            f"{body}.motion.v_BN_N": "uniform(0.1)",
            f"{body}.motion.omega_BN_B": "uniform(0.1)",
        },
        limits={f"{COMMAND}.thrust": (0.0, flyer.thrusters.max_thrust)},
        integrator=integrator or (ExplicitEuler(step=0.01) if original else Rk4(step=period)),
        context=[f"{CONTEXT}.residual"] if has_context else [],
    )
