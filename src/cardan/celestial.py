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


# mu of DE440 (Park et al. 2021); radii of the IAU (Archinal et al. 2011), of the Sun by resolution B3 of 2015
SUN = CelestialBody(mu=1.32712440041279419e20, radius=6.957e8)
MOON = CelestialBody(mu=4.902800118e12, radius=1.7374e6)
EARTH = CelestialBody(mu=3.986004415e14, radius=6378136.3)  # EGM96

AU = 1.495978707e11
"""[m] Astronomical unit."""

SOLAR_FLUX = 1361.0
"""[W/m^2] Of the Sun at 1 AU: G. Kopp and J. L. Lean, Geophysical Research Letters 38 (2011), rounded."""

LIGHT_SPEED = 299792458.0
"""[m/s]"""
