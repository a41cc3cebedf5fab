"""Constants of celestial bodies."""

from typing import NamedTuple


class CelestialBody(NamedTuple):
    """What is known about a planet, a moon or a star.

    Attributes:
        mu: [m^3/s^2] Gravitational parameter.
        radius: [m] Equatorial radius.
    """

    mu: float
    radius: float


EARTH = CelestialBody(mu=3.986004415e14, radius=6378136.3)  # EGM96
