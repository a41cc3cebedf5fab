"""Where a vehicle starts: Keplerian orbits as the motion of a body."""

from typing import Any

import numpy as np

from cardan.celestial import EARTH
from cardan.errors import SettingError
from cardan.maths import ZERO3
from cardan.messages.mechanism import FrameMotion


def orbit(
    *,
    a: float,
    e: float = 0.0,
    i: float = 0.0,
    Omega: float = 0.0,
    omega: float = 0.0,
    f: float = 0.0,
    mu: float = EARTH.mu,
    sigma_BN: Any = ZERO3,
    omega_BN_B: Any = ZERO3,
) -> FrameMotion:
    """The motion of a body on a Keplerian orbit about the origin.

    Args:
        a: [m] Semi-major axis; negative for a hyperbola.
        e: [-] Eccentricity.
        i: [rad] Inclination.
        Omega: [rad] Right ascension of the ascending node.
        omega: [rad] Argument of periapsis.
        f: [rad] True anomaly.
        mu: [m^3/s^2] Gravitational parameter.
        sigma_BN: [-] Attitude, as MRP.
        omega_BN_B: [rad/s] Angular velocity, in body components.

    Schaub and Junkins, Analytical Mechanics of Space Systems, section 9.6.
    """
    semi_latus = a * (1.0 - e * e)
    if not (e >= 0.0 and semi_latus > 0.0 and mu > 0.0 and np.isfinite([a, e, i, Omega, omega, f, mu]).all()):
        raise SettingError(
            f"There is no orbit with a = {a!r} m, e = {e!r}, mu = {mu!r} m^3/s^2.\n"
            "  An ellipse needs a > 0 and 0 <= e < 1, a hyperbola a < 0 and e > 1."
        )
    if 1.0 + e * np.cos(f) <= 0.0:
        raise SettingError(f"A hyperbola with e = {e!r} does not reach a true anomaly of {f!r} rad.")
    radius = semi_latus / (1.0 + e * np.cos(f))
    angle = omega + f
    along_node = np.array([np.cos(Omega), np.sin(Omega), 0.0])
    across = np.array([-np.sin(Omega) * np.cos(i), np.cos(Omega) * np.cos(i), np.sin(i)])
    r_BN_N = radius * (np.cos(angle) * along_node + np.sin(angle) * across)
    speed = np.sqrt(mu / semi_latus)
    v_BN_N = speed * (-(np.sin(angle) + e * np.sin(omega)) * along_node + (np.cos(angle) + e * np.cos(omega)) * across)
    return FrameMotion(r_BN_N, v_BN_N, np.asarray(sigma_BN, float), np.asarray(omega_BN_B, float))


def circular_orbit(
    *,
    altitude_km: float,
    i: float = 0.0,
    Omega: float = 0.0,
    f: float = 0.0,
    sigma_BN: Any = ZERO3,
    omega_BN_B: Any = ZERO3,
) -> FrameMotion:
    """The motion of a body on a circular orbit about the Earth, `altitude_km` above its equatorial radius."""
    radius = EARTH.radius + 1000.0 * altitude_km
    return orbit(a=radius, i=i, Omega=Omega, f=f, sigma_BN=sigma_BN, omega_BN_B=omega_BN_B)
