"""What differs from episode to episode beside the start: actuators, masses, disturbances, faults, sensors."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cardan.errors import SettingError, did_you_mean
from cardan.learning.environments.failing import SteadyPush
from cardan.mechanism import Mechanism
from cardan.scenario import Scenario
from cardan.studies import Choice, Uniform

HEALTH, STEADY = "health", "steady"  # the names of the parts that hardships act through


@dataclass(frozen=True)
class Exposure:
    """Where hardships strike in an environment.

    Attributes:
        body: The body that is heavier or lighter than it should be, and that is pushed.
        actuators: How many there are.
        stuck: [-] Shares of what they can give at which they get stuck; none where a dead one is all that can happen.
        sensors: Paths of standard deviations, with what these are for a `noise` of 1.
    """

    body: str
    actuators: int
    stuck: tuple[float, ...] = ()
    sensors: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Hardship:
    """How hard episodes are.

    Attributes:
        thrust: [-] Each thruster, or motor, gives this much less or more than it should, at the most.
        mass: [-] Mass and inertia are this much smaller or larger, at the most; of arms, those of their base.
        force: [N] Steady force along each axis, at the most.
        torque: [N m] Steady torque about each axis, at the most.
        fault: [-] Share of episodes in which one thruster is stuck, off or on, or one motor dead, from some time in the
            first half on.
        noise: [-] Of sensors, relative to 1 cm, 1 mrad, 1 mm/s and 1 mrad/s.
    """

    thrust: float = 0.0
    mass: float = 0.0
    force: float = 0.0
    torque: float = 0.0
    fault: float = 0.0
    noise: float = 0.0

    @property
    def is_none(self) -> bool:
        return self == Hardship()

    def disperse(self, exposure: Exposure, limit: float) -> dict[str, Any]:
        """Distributions by path.

        Args:
            exposure: Where they strike.
            limit: [s] Length of an episode.
        """
        found: dict[str, Any] = {}
        if self.thrust:
            found[f"{HEALTH}.gain"] = Uniform(1.0 - self.thrust, 1.0 + self.thrust)
        if self.fault:
            count = exposure.actuators
            weights = [1.0 - self.fault] + [self.fault / count] * count
            found[f"{HEALTH}.number"] = Choice(-1, *range(count), weights=weights)
            found[f"{HEALTH}.after"] = Uniform(0.0, 0.5 * limit)
            if exposure.stuck:
                found[f"{HEALTH}.share"] = Choice(*exposure.stuck)
        if self.mass:
            share = f"uniform({100 * self.mass}%)"
            found |= {f"{exposure.body}.mass": share, f"{exposure.body}.inertia_B": share}
        if self.force:
            found[f"{STEADY}.force_N"] = Uniform(-self.force, self.force)
        if self.torque:
            found[f"{STEADY}.torque_N"] = Uniform(-self.torque, self.torque)
        if self.noise:
            found |= {path: Uniform(0.0, self.noise * sigma) for path, sigma in exposure.sensors.items()}
        return found


HARDSHIPS = {
    "none": Hardship(),
    "thrust": Hardship(thrust=0.1),
    "mass": Hardship(mass=0.25),
    "disturbance": Hardship(force=0.02, torque=0.002),
    "fault": Hardship(fault=0.5),
    "noise": Hardship(noise=1.0),
    "all": Hardship(thrust=0.1, mass=0.25, force=0.02, torque=0.002, fault=0.5, noise=1.0),
}
"""By name; thrust and disturbances as in SmallSatSim's campaigns."""


def hardships(given: str | Hardship) -> Hardship:
    """What a name stands for."""
    if isinstance(given, Hardship):
        return given
    if given not in HARDSHIPS:
        raise SettingError(
            f"There is no hardship `{given}`.{did_you_mean(given, HARDSHIPS)}\n  Use one of {', '.join(HARDSHIPS)}."
        )
    return HARDSHIPS[given]


def expose(scn: Scenario, m: Mechanism, body: str, efforts: Any, health: Any) -> None:
    """Add what hardships act through: the health of actuators behind what they give, and a steady push on a body."""
    scn.intercept(efforts, health, name=HEALTH)
    steady = scn.add(SteadyPush(), name=STEADY)
    scn.connect(steady.push, m.bodies[body].com.wrench_N)
