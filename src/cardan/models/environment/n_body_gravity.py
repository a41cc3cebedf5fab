"""Gravity of several celestial bodies, seen from a chosen one of them."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Constraint, NotNegative, model, output
from cardan.maths import Rows3, Scalar, Vec, Vec3, by_rows, by_rows_if, choose
from cardan.messages import FramePositions, GravityField
from cardan.models.environment.point_mass_field import Gradient, Pull, point_mass_gradient, tidal_growth

_CentralBody = Constraint("-1, or which entry of `mu`", lambda central, mu: -1 <= central < len(mu), of=("mu",))


@model
class NBodyGravity(NamedTuple):
    """Celestial bodies pull each body of the vehicle; the origin falls with the central one.

    With s the position of a celestial body from the origin and r that of the vehicle's body,

        central:  g_N = - mu r / |r|^3                                                                            (1)
        others:   g_N = - mu (r + f(q) s) / |r - s|^3                                                             (2)
                  q = r . (r - 2 s) / (s . s),   f(q) = q (3 + 3 q + q^2) / (1 + (1 + q)^(3/2))                   (3)
        no central body:  g_N = - mu (r - s) / |r - s|^3                                                          (4)
        gradient_N = sum of mu / |d|^3 (3 e eT - 1),   d = r - s, e = d / |d|                                      (5)

    Eq. (2) is the pull on the vehicle less that on the central body, without the loss of digits of their difference.

    Attributes:
        mu: [m^3/s^2] Gravitational parameter of each celestial body, in the order of the ephemeris; zero for one whose
            pull another part has.
        central: [-] Which celestial body is at the origin, counted from 0; -1 if the origin is that of the ephemeris
            and does not fall.
        has_gradient: [-] False to leave out Eq. (5): a body then feels no torque over its own extent.
    """

    mu: Annotated[Vec, "m^3/s^2", NotNegative]
    central: Annotated[int, "-", _CentralBody] = 0
    has_gradient: Annotated[bool, "-"] = True

    @output
    def pull(self, positions: FramePositions, celestial: FramePositions) -> GravityField:
        if len(celestial.r_BN_N) != len(self.mu):
            raise ValueError("NBodyGravity: `celestial` has another number of bodies than `mu`.")
        has_central = choose(self.central >= 0, 1.0, 0.0)
        origin = np.zeros(3)
        for k in range(len(self.mu)):
            origin = origin + choose(self.central == k, 1.0, 0.0) * celestial.r_BN_N[k]
        places = celestial.r_BN_N - origin
        return GravityField(
            g_N=by_rows(_pull, 3, positions.r_BN_N, self.mu, places, has_central),
            gradient_N=by_rows_if(self.has_gradient, _gradient, 6, positions.r_BN_N, self.mu, places),
        )


def _pull(r: Vec3, mu: Vec, places: Rows3, has_central: Scalar) -> Pull:
    """Eqs. (1) to (4) at one place."""
    gx, gy, gz = 0.0 * r[0], 0.0 * r[1], 0.0 * r[2]
    for k in range(len(mu)):
        s = places[k]
        dx, dy, dz = r[0] - s[0], r[1] - s[1], r[2] - s[2]
        squared = dx * dx + dy * dy + dz * dz
        share = choose(has_central > 0.0, tidal_growth(r, s), -1.0)
        strength = -mu[k] / (squared * np.sqrt(squared))
        gx = gx + strength * (r[0] + share * s[0])
        gy = gy + strength * (r[1] + share * s[1])
        gz = gz + strength * (r[2] + share * s[2])
    return gx, gy, gz


def _gradient(r: Vec3, mu: Vec, places: Rows3) -> Gradient:
    """Eq. (5) at one place."""
    xx, xy, xz, yy, yz, zz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(len(mu)):
        own = point_mass_gradient(r - places[k], mu[k])
        xx, xy, xz = xx + own[0], xy + own[1], xz + own[2]
        yy, yz, zz = yy + own[3], yz + own[4], zz + own[5]
    return xx, xy, xz, yy, yz, zz
