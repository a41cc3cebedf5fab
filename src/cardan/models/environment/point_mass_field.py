"""The field of a point mass and of an oblate planet, with gradients; shared by the parts of gravity."""

from typing import Any

import numpy as np

from cardan.maths import Rows3, Scalar, Vec3, choose, dot


def point_mass_field(mu: Scalar, r: Rows3) -> tuple[Any, Any]:
    """[m/s^2], [1/s^2] Acceleration and its gradient (xx, xy, xz, yy, yz, zz) at places `r` [m] from a point mass.

    g = - mu r / |r|^3,    gradient = mu / |r|^3 (3 e eT - 1)
    """
    x, y, z = r[:, 0], r[:, 1], r[:, 2]
    squared = x * x + y * y + z * z
    strength = mu / (squared * np.sqrt(squared))
    tripled = 3.0 * strength / squared
    gradient = np.stack(
        (
            tripled * x * x - strength,
            tripled * x * y,
            tripled * x * z,
            tripled * y * y - strength,
            tripled * y * z,
            tripled * z * z - strength,
        ),
        axis=1,
    )
    return -strength.reshape((-1, 1)) * r, gradient


def tidal_growth(r: Rows3, s: Vec3) -> Any:
    """[-] f(q), with which the pull at `r` less that at the origin of a mass at `s` is - mu (r + f(q) s) / |r - s|^3.

    q = r . (r - 2 s) / (s . s),   f(q) = q (3 + 3 q + q^2) / (1 + (1 + q)^(3/2))

    For a mass at the origin q has no meaning and no use. R. H. Battin, section 8.4.
    """
    s_squared = dot(s, s)
    e = r - 2.0 * s
    q = (r[:, 0] * e[:, 0] + r[:, 1] * e[:, 1] + r[:, 2] * e[:, 2]) / choose(s_squared > 0.0, s_squared, 1.0)
    grown = np.maximum(1.0 + q, 0.0)
    return q * (3.0 + 3.0 * q + q * q) / (1.0 + grown * np.sqrt(grown))


def oblate_field(mu: Scalar, J2: Scalar, radius: Scalar, pole_N: Vec3, r: Rows3) -> tuple[Any, Any]:
    """[m/s^2], [1/s^2] What oblateness adds at places `r` [m], and its gradient; `pole_N` is a unit.

    g = c / r^5 ((1 - 5 h^2 / r^2) r + 2 h p),   c = - 3/2 J2 mu R^2,   h = p . r                              (1)
    gradient = c / r^5 ((1 - 5 u) 1 + 5 (7 u - 1) e eT + 2 p pT - 10 s (e pT + p eT)),   s = h / r, u = s^2    (2)
    """
    x, y, z = r[:, 0], r[:, 1], r[:, 2]
    px, py, pz = pole_N[0], pole_N[1], pole_N[2]
    squared = x * x + y * y + z * z
    length = np.sqrt(squared)
    c = -1.5 * J2 * mu * radius * radius / (squared * squared * length)
    ex, ey, ez = x / length, y / length, z / length
    s = px * ex + py * ey + pz * ez
    u = s * s
    along, across = c * length * (1.0 - 5.0 * u), 2.0 * c * length * s
    g = np.stack((along * ex + across * px, along * ey + across * py, along * ez + across * pz), axis=1)
    own, radial, mixed = c * (1.0 - 5.0 * u), 5.0 * c * (7.0 * u - 1.0), -10.0 * c * s
    gradient = np.stack(
        (
            own + radial * ex * ex + 2.0 * c * px * px + 2.0 * mixed * ex * px,
            radial * ex * ey + 2.0 * c * px * py + mixed * (ex * py + ey * px),
            radial * ex * ez + 2.0 * c * px * pz + mixed * (ex * pz + ez * px),
            own + radial * ey * ey + 2.0 * c * py * py + 2.0 * mixed * ey * py,
            radial * ey * ez + 2.0 * c * py * pz + mixed * (ey * pz + ez * py),
            own + radial * ez * ez + 2.0 * c * pz * pz + 2.0 * mixed * ez * pz,
        ),
        axis=1,
    )
    return g, gradient
