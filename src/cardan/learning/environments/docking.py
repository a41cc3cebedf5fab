"""`Docking`: a free flyer learns to come to a port of a station, to touch it gently, and to stay."""

from typing import Annotated, Any, NamedTuple

from cardan import Rk4, drivers, task
from cardan.contracts import NotNegative, Positive
from cardan.fsw import flyer_error
from cardan.learning.environment import Environment
from cardan.learning.environments.flyer import (
    COMMAND,
    OBSERVER,
    ThrusterEffort,
    add_vehicle,
    exposure_of,
    fly,
)
from cardan.learning.environments.hardship import Hardship, hardships
from cardan.learning.environments.judged import JUDGE, judged
from cardan.learning.signals import Judgement, Outcome, Reward
from cardan.maths import choose, cos, exp, norm
from cardan.mechanism import Clearance, Mechanism
from cardan.messages import ContactHistory, FlyerReference, FrameMotion
from cardan.missions import DOCKING_STEP, docked_position, gateway, let_touch, port
from cardan.scenario import Scenario

INSIDE = 0.005  # [m] how far the set-point is inside the face, so that the flyer is pressed against it
AWAY = 1.0  # [m] from the docked position at the start, on average


class DockingMemory(NamedTuple):
    """What the reward of the last step was measured from."""

    potential: Annotated[float, "-"] = 0.0
    impulse: Annotated[float, "N s"] = 0.0
    peak: Annotated[float, "N"] = 0.0
    held: Annotated[int, "-"] = 0
    is_started: Annotated[bool, "-"] = False


@task
class DockingReward(NamedTuple):
    """What a step towards a port is worth.

        reward = potential - potential before - K_u u - K_f (peak - peak before) + 20 at the goal, -20 if lost     (1)
        potential = 30 exp(-r^2/0.8^2) + 10 exp(-r^2/0.1^2) + 15 (1 + cos theta)/2 + 5 exp(-theta^2/0.2^2)
                    + 10 exp(-v^2/0.05^2) + 2 exp(-omega^2/0.05^2)                                                 (2)

    u is the sum of all thrusts, on average over the step; `peak` the largest contact force so far, at every step of the
    integrator. The goal is to touch, with all four errors within bounds, for `hold` steps; the bounds are those of
    SmallSatSim's release, but for the distance. An episode is lost with a contact force above `max_force`, or further
    from the port than `lost`.

    Attributes:
        within_r: [m] From the docked position.
        within_theta: [rad]
        within_v: [m/s]
        within_omega: [rad/s]
        hold: [-] Steps.
        max_force: [N]
        lost: [m]
        K_u: [1/N]
        K_f: [1/N]
    """

    within_r: Annotated[float, "m", Positive] = 0.05
    within_theta: Annotated[float, "rad", Positive] = 0.25
    within_v: Annotated[float, "m/s", Positive] = 0.1
    within_omega: Annotated[float, "rad/s", Positive] = 0.05
    hold: Annotated[int, "-", Positive] = 20
    max_force: Annotated[float, "N", Positive] = 8.0
    lost: Annotated[float, "m", Positive] = 3.0
    K_u: Annotated[float, "1/N", NotNegative] = 0.001
    K_f: Annotated[float, "1/N", NotNegative] = 0.5

    def step(
        self,
        dt: float,
        x: DockingMemory,
        motion: FrameMotion,
        reference: FlyerReference,
        contact: ContactHistory,
        effort: ThrusterEffort,
    ) -> tuple[DockingMemory, Judgement]:
        error = flyer_error(motion, reference)
        r, v, omega = norm(error.r_BR_B), norm(error.v_BR_B), norm(error.omega_BR_B)
        theta = norm(error.theta_BR_B)
        thrust = choose(x.is_started, (effort.impulse - x.impulse) / dt, 0.0)
        is_near = (r <= self.within_r) & (theta <= self.within_theta)
        is_slow = (v <= self.within_v) & (omega <= self.within_omega)
        held = choose(is_near & is_slow & contact.is_touching, x.held + 1, 0)
        is_lost = (contact.peak > self.max_force) | (r > self.lost)
        is_success = x.is_started & (held >= self.hold) & (is_lost == False)  # noqa: E712 - traced too
        # Eq. (2)
        potential = 30.0 * exp(-((r / 0.8) * (r / 0.8))) + 10.0 * exp(-((r / 0.1) * (r / 0.1)))
        potential += 7.5 * (1.0 + cos(theta)) + 5.0 * exp(-((theta / 0.2) * (theta / 0.2)))
        potential += 10.0 * exp(-((v / 0.05) * (v / 0.05))) + 2.0 * exp(-((omega / 0.05) * (omega / 0.05)))
        # Eq. (1)
        gain = choose(x.is_started, potential - x.potential, 0.0) - self.K_u * thrust
        gain = gain - self.K_f * (contact.peak - x.peak)
        gain = gain + choose(is_success, 20.0, 0.0) - choose(is_lost, 20.0, 0.0)
        memory = DockingMemory(potential, effort.impulse, contact.peak, held, True)
        return memory, Judgement(Reward(gain), Outcome(is_over=is_success | is_lost, is_success=is_success))


def build(
    vehicle: str = "astrobee",
    target: str = "dock_crew_airlock_a",
    contact: str = "default",
    period: float = 0.05,
    is_hard: bool = False,
    **reward: Any,
) -> Scenario:
    """The station of the mission `docking`, and a flyer near one of its ports that is commanded from outside."""
    m, site = gateway(), port(target)
    flyer = add_vehicle(m, vehicle)
    let_touch(m, flyer, contact)
    pair = m.add_contact_pair("touch", flyer.body)
    docked = FlyerReference(r_RN_N=docked_position(Clearance(m, flyer.body, any_attitude=False), site, INSIDE))

    scn = Scenario("docking", mechanism=m)
    fly(scn, m, flyer, period, reference=docked, is_hard=is_hard)
    felt = scn.add(drivers.ContactMonitor(), name="felt", every=DOCKING_STEP, contact=pair.contact)
    scn.add(
        DockingReward(**reward), name=JUDGE, every=period, motion=m.bodies[flyer.body].com.motion, reference=docked,
        contact=felt.history, effort=scn["push"].effort,
    )  # fmt: skip
    scn.start({flyer.body: FrameMotion(r_BN_N=docked.r_RN_N + AWAY * site.axis_N)})
    return scn


def docking(
    vehicle: str = "astrobee",
    *,
    target: str = "dock_crew_airlock_a",
    contact: str = "default",
    hardship: str | Hardship = "none",
    period: float = 0.05,
    limit: float = 40.0,
    **reward: Any,
) -> Environment:
    """A free flyer docks at a station, through the touch: from 1 m off a port, up to 0.35 m and 35 degrees astray.

    Observed are the errors from the docked position in body components and the contact force; acted on the thrusts. The
    start is that of SmallSatSim's release; contact is compliant, in its three settings.

    Args:
        vehicle: "astrobee", "sprint" or "cubesat".
        target: The port of the station, by name.
        contact: "default", "soft" or "damped".
        hardship: What differs from episode to episode, as in `free_flyer_setpoint`.
        period: [s] How long thrusts are held.
        limit: [s] Length of an episode.
        reward: Parameters of `DockingReward`.
    """
    hard, flyer = hardships(hardship), add_vehicle(Mechanism(), vehicle)
    body = flyer.body

    def built() -> Scenario:
        return build(vehicle, target, contact, period, not hard.is_none, **reward)

    return judged(
        "Docking",
        built,
        hardship=hard,
        exposure=exposure_of(flyer),
        observe=[f"{OBSERVER}.error", "touch.contact.force_N"],
        act=[COMMAND],
        period=period,
        limit=limit,
        disperse={
            f"{body}.motion.r_BN_N": "uniform(0.35)",
            f"{body}.motion.sigma_BN": "small_rotation(uniform(0 deg, 35 deg))",
            f"{body}.motion.v_BN_N": "uniform(0.05)",
            f"{body}.motion.omega_BN_B": "uniform(0.05)",
        },
        limits={f"{COMMAND}.thrust": (0.0, flyer.thrusters.max_thrust)},
        integrator=Rk4(step=DOCKING_STEP),
    )
