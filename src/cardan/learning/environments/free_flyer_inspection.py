"""`FreeFlyerInspection`: a free flyer learns to follow waypoints around a station."""

from typing import Annotated, Any, NamedTuple

from cardan import Rk4, task
from cardan.contracts import NotNegative, Positive
from cardan.fsw import flyer_error, waypoint_mission
from cardan.learning.environment import Environment
from cardan.learning.environments.flyer import COMMAND, OBSERVER, ThrusterEffort, add_vehicle, exposure_of, fly
from cardan.learning.environments.hardship import Hardship, hardships
from cardan.learning.environments.judged import JUDGE, judged
from cardan.learning.signals import Judgement, Outcome, Reward
from cardan.maths import choose, exp, norm
from cardan.mechanism import Mechanism
from cardan.messages import FlyerReference, FrameMotion, PathProgress
from cardan.missions import GATEWAY_ATTITUDES, GATEWAY_WAYPOINTS
from cardan.scenario import Scenario
from cardan.studies import Choice


class InspectionMemory(NamedTuple):
    """What the reward of the last step was measured from."""

    number: Annotated[int, "-"] = 0
    passed: Annotated[int, "-"] = 0
    distance: Annotated[float, "m"] = 0.0
    impulse: Annotated[float, "N s"] = 0.0
    is_started: Annotated[bool, "-"] = False


@task
class InspectionReward(NamedTuple):
    """What a step along a path is worth.

        reward = K_s (way made towards the reference) + 1 per reference passed + K_a exp(-theta^2/0.5^2) - K_e lateral
                 - K_u u                                                                                           (1)

    The goal is to have passed `wanted` references; further than `lost` from the path, an episode is over.

    Attributes:
        wanted: [-]
        lost: [m]
        K_s: [1/m]
        K_a: [-]
        K_e: [1/m]
        K_u: [1/N]
    """

    wanted: Annotated[int, "-", Positive] = 15
    lost: Annotated[float, "m", Positive] = 3.0
    K_s: Annotated[float, "1/m", NotNegative] = 2.0
    K_a: Annotated[float, "-", NotNegative] = 0.01
    K_e: Annotated[float, "1/m", NotNegative] = 0.01
    K_u: Annotated[float, "1/N", NotNegative] = 0.001

    def step(
        self,
        dt: float,
        x: InspectionMemory,
        motion: FrameMotion,
        reference: FlyerReference,
        progress: PathProgress,
        effort: ThrusterEffort,
    ) -> tuple[InspectionMemory, Judgement]:
        theta = norm(flyer_error(motion, reference).theta_BR_B)
        is_next = x.is_started & (progress.number != x.number)
        passed = x.passed + choose(is_next, 1, 0)
        way = choose(x.is_started & (progress.number == x.number), x.distance - progress.distance, 0.0)
        thrust = choose(x.is_started, (effort.impulse - x.impulse) / dt, 0.0)
        is_success = passed >= self.wanted
        # Eq. (1)
        pointing = self.K_a * exp(-((theta / 0.5) * (theta / 0.5)))
        cost = self.K_e * progress.lateral_error + self.K_u * thrust
        gain = self.K_s * way + choose(is_next, 1.0, 0.0) + pointing - cost
        outcome = Outcome(is_over=is_success | (progress.lateral_error > self.lost), is_success=is_success)
        memory = InspectionMemory(progress.number, passed, progress.distance, effort.impulse, True)
        return memory, Judgement(Reward(gain), outcome)


def build(vehicle: str = "astrobee", period: float = 0.05, is_hard: bool = False, **reward: Any) -> Scenario:
    """A flyer near its path; the station itself, which it keeps clear of, is left out."""
    m = Mechanism("free-flyer")
    flyer = add_vehicle(m, vehicle)
    scn = Scenario("free-flyer-inspection", mechanism=m)
    motion = m.bodies[flyer.body].com.motion
    path = waypoint_mission(
        GATEWAY_WAYPOINTS, GATEWAY_ATTITUDES, spacing=0.4, clearance=0.35, is_closed=True, is_repeated=True
    )
    plan = scn.add(path, name="plan", every=period, motion=motion)
    fly(scn, m, flyer, period, reference=plan.reference, is_hard=is_hard)
    judge = InspectionReward(**reward)
    scn.add(
        judge, name=JUDGE, every=period, motion=motion, reference=plan.reference, progress=plan.progress,
        effort=scn["push"].effort,
    )  # fmt: skip
    return scn


def free_flyer_inspection(
    vehicle: str = "astrobee",
    *,
    hardship: str | Hardship = "none",
    period: float = 0.05,
    limit: float = 60.0,
    **reward: Any,
) -> Environment:
    """A free flyer follows the inspection path of SmallSatSim, from any of its 24 waypoints.

    Args:
        vehicle: "astrobee", "sprint" or "cubesat".
        hardship: What differs from episode to episode, as in `free_flyer_setpoint`.
        period: [s] How long thrusts are held.
        limit: [s] Length of an episode.
        reward: Parameters of `InspectionReward`.
    """
    hard, flyer = hardships(hardship), add_vehicle(Mechanism(), vehicle)
    body = flyer.body

    def built() -> Scenario:
        return build(vehicle, period, not hard.is_none, **reward)

    return judged(
        "FreeFlyerInspection",
        built,
        hardship=hard,
        exposure=exposure_of(flyer),
        observe=[f"{OBSERVER}.error", "plan.progress.lateral_error"],
        act=[COMMAND],
        period=period,
        limit=limit,
        disperse={
            f"{body}.motion.r_BN_N": Choice(*GATEWAY_WAYPOINTS),
            f"{body}.motion.sigma_BN": "attitude()",
            f"{body}.motion.v_BN_N": "uniform(0.05)",
            f"{body}.motion.omega_BN_B": "uniform(0.05)",
        },
        limits={f"{COMMAND}.thrust": (0.0, flyer.thrusters.max_thrust)},
        integrator=Rk4(step=period),
    )
