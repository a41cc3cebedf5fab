"""The field of a point mass and of an oblate planet at one place, with gradients; shared by the parts of gravity.

Gradients are symmetric: xx, xy, xz, yy, yz, zz.
"""

import numpy as np

from cardan.maths import Scalar, Vec3, choose, dot

Pull = tuple[Scalar, Scalar, Scalar]
Gradient = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]


def point_mass_pull(r: Vec3, mu: Scalar) -> Pull:
    """[m/s^2] Acceleration at the place `r` [m] from a point mass.

    g = - mu r / |r|^3
    """
    x, y, z = r[0], r[1], r[2]
    squared = x * x + y * y + z * z
    strength = mu / (squared * np.sqrt(squared))
    return -strength * x, -strength * y, -strength * z


def point_mass_gradient(r: Vec3, mu: Scalar) -> Gradient:
    """[1/s^2] How `point_mass_pull` changes with the place.

    gradient = mu / |r|^3 (3 e eT - 1)
    """
    x, y, z = r[0], r[1], r[2]
    squared = x * x + y * y + z * z
    strength = mu / (squared * np.sqrt(squared))
    tripled = 3.0 * strength / squared
    return (
        tripled * x * x - strength,
        tripled * x * y,
        tripled * x * z,
        tripled * y * y - strength,
        tripled * y * z,
        tripled * z * z - strength,
    )


def tidal_growth(r: Vec3, s: Vec3) -> Scalar:
    """[-] f(q), with which the pull at `r` less that at the origin of a mass at `s` is - mu (r + f(q) s) / |r - s|^3.

    q = r . (r - 2 s) / (s . s),   f(q) = q (3 + 3 q + q^2) / (1 + (1 + q)^(3/2))

    For a mass at the origin q has no meaning and no use. R. H. Battin, section 8.4.
    """
    s_squared = dot(s, s)
    ex, ey, ez = r[0] - 2.0 * s[0], r[1] - 2.0 * s[1], r[2] - 2.0 * s[2]
    q = (r[0] * ex + r[1] * ey + r[2] * ez) / choose(s_squared > 0.0, s_squared, 1.0)
    grown = np.maximum(1.0 + q, 0.0)
    return q * (3.0 + 3.0 * q + q * q) / (1.0 + grown * np.sqrt(grown))


def oblate_pull(r: Vec3, mu: Scalar, J2: Scalar, radius: Scalar, pole_N: Vec3) -> Pull:
    """[m/s^2] What oblateness adds at the place `r` [m]; `pole_N` is a unit.

    g = c / r^5 ((1 - 5 h^2 / r^2) r + 2 h p),   c = - 3/2 J2 mu R^2,   h = p . r                              (1)
    """
    length, c, s, ex, ey, ez = _oblateness(r, mu, J2, radius, pole_N)
    along, across = c * length * (1.0 - 5.0 * (s * s)), 2.0 * c * length * s
    return along * ex + across * pole_N[0], along * ey + across * pole_N[1], along * ez + across * pole_N[2]


def oblate_gradient(r: Vec3, mu: Scalar, J2: Scalar, radius: Scalar, pole_N: Vec3) -> Gradient:
    """[1/s^2] How `oblate_pull` changes with the place.

    gradient = c / r^5 ((1 - 5 u) 1 + 5 (7 u - 1) e eT + 2 p pT - 10 s (e pT + p eT)),   s = h / r, u = s^2    (2)
    """
    _, c, s, ex, ey, ez = _oblateness(r, mu, J2, radius, pole_N)
    px, py, pz = pole_N[0], pole_N[1], pole_N[2]
    u = s * s
    own, radial, mixed = c * (1.0 - 5.0 * u), 5.0 * c * (7.0 * u - 1.0), -10.0 * c * s
    return (
        own + radial * ex * ex + 2.0 * c * px * px + 2.0 * mixed * ex * px,
        radial * ex * ey + 2.0 * c * px * py + mixed * (ex * py + ey * px),
        radial * ex * ez + 2.0 * c * px * pz + mixed * (ex * pz + ez * px),
        own + radial * ey * ey + 2.0 * c * py * py + 2.0 * mixed * ey * py,
        radial * ey * ez + 2.0 * c * py * pz + mixed * (ey * pz + ez * py),
        own + radial * ez * ez + 2.0 * c * pz * pz + 2.0 * mixed * ez * pz,
    )


def _oblateness(r: Vec3, mu: Scalar, J2: Scalar, radius: Scalar, pole_N: Vec3) -> tuple[Scalar, ...]:
    """|r|, c / |r|^5, s and the unit e of Eqs. (1) and (2)."""
    x, y, z = r[0], r[1], r[2]
    squared = x * x + y * y + z * z
    length = np.sqrt(squared)
    c = -1.5 * J2 * mu * radius * radius / (squared * squared * length)
    ex, ey, ez = x / length, y / length, z / length
    return length, c, pole_N[0] * ex + pole_N[1] * ey + pole_N[2] * ez, ex, ey, ez
