"""What differs from episode to episode beside the start: thrusters, masses, disturbances, faults, sensors."""

from dataclasses import dataclass
from typing import Any

from cardan.errors import SettingError, did_you_mean
from cardan.learning.environments.flyer import OBSERVER
from cardan.mechanism import Flyer
from cardan.studies import Choice, Uniform


@dataclass(frozen=True)
class Hardship:
    """How hard episodes of a free flyer are.

    Attributes:
        thrust: [-] Each thruster gives this much less or more than it should, at the most.
        mass: [-] Mass and inertia are this much smaller or larger, at the most.
        force: [N] Steady force along each axis, at the most.
        torque: [N m] Steady torque about each axis, at the most.
        fault: [-] Share of episodes in which one thruster is stuck, off or on, from some time in the first half on.
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

    def disperse(self, body: str, flyer: Flyer, latest: float) -> dict[str, Any]:
        """Distributions by path.

        Args:
            body: The body that flies.
            flyer: Its thrusters.
            latest: [s] When a thruster gets stuck at the latest.
        """
        found: dict[str, Any] = {}
        if self.thrust:
            found["health.gain"] = Uniform(1.0 - self.thrust, 1.0 + self.thrust)
        if self.fault:
            count = len(flyer.thrusters.names)
            weights = [1.0 - self.fault] + [self.fault / count] * count
            found["health.number"] = Choice(-1, *range(count), weights=weights)
            found["health.share"] = Choice(0.0, 1.0)
            found["health.after"] = Uniform(0.0, latest)
        if self.mass:
            found |= {
                f"{body}.mass": f"uniform({100 * self.mass}%)",
                f"{body}.inertia_B": f"uniform({100 * self.mass}%)",
            }
        if self.force:
            found["steady.force_N"] = Uniform(-self.force, self.force)
        if self.torque:
            found["steady.torque_N"] = Uniform(-self.torque, self.torque)
        if self.noise:
            sigmas = {"noise_r": 0.01, "noise_theta": 0.001, "noise_v": 0.001, "noise_omega": 0.001}
            found |= {f"{OBSERVER}.{name}": Uniform(0.0, self.noise * sigma) for name, sigma in sigmas.items()}
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
