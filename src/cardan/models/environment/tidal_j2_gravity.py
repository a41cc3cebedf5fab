"""Gravity of an oblate planet in a non-rotating local frame that falls along its orbit."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.celestial import EARTH
from cardan.contracts import NotNegative, Positive, Unit, model, output
from cardan.maths import ZERO3, Scalar, Vec3, by_rows
from cardan.messages import FrameMotion, FramePositions, GravityField
from cardan.models.environment.point_mass_field import (
    Gradient,
    Pull,
    oblate_gradient,
    oblate_pull,
    point_mass_gradient,
    point_mass_pull,
    tidal_growth,
)

POLE = np.array([0.0, 0.0, 1.0])
POLE.flags.writeable = False


class FallingOrigin(NamedTuple):
    """Where the origin of the local frame is.

    Attributes:
        r_CN_N: [m] From the planet, in inertial components.
        v_CN_N: [m/s]
    """

    r_CN_N: Annotated[Vec3, "m"]
    v_CN_N: Annotated[Vec3, "m/s"]


@model
class TidalJ2Gravity(NamedTuple):
    """The origin C of the inertial frame's axes falls about an oblate planet; bodies near it feel the rest.

    With g of `J2Gravity`, r from C, and s = - r_C,

        r_C'' = g(r_C)                                                                                            (1)
        g_N = g(r_C + r) - g(r_C) = - mu (r + f(q) s) / |r - s|^3 + g_J2(r_C + r) - g_J2(r_C)                      (2)

    C is a state, for an orbit about an oblate planet has no closed form. The point mass is that of `TidalGravity`,
    which loses no digits. What oblateness leaves is small, and its plain difference has ten digits.

    Attributes:
        mu: [m^3/s^2] Gravitational parameter; of the Earth if left alone.
        radius: [m] Reference radius; of the Earth if left alone.
        J2: [-] Of the oblateness; of the Earth (EGM2008, tide free) if left alone.
        pole_N: [-] Unit vector along the axis of the planet, in inertial components.
    """

    mu: Annotated[float, "m^3/s^2", NotNegative] = EARTH.mu
    radius: Annotated[float, "m", Positive] = EARTH.radius
    J2: Annotated[float, "-"] = 1.0826261738522227e-3
    pole_N: Annotated[Vec3, "-", Unit] = POLE

    def derivatives(self, x: FallingOrigin) -> FallingOrigin:
        # Eq. (1)
        x_0, y_0, z_0 = point_mass_pull(x.r_CN_N, self.mu)
        x_2, y_2, z_2 = oblate_pull(x.r_CN_N, self.mu, self.J2, self.radius, self.pole_N)
        return FallingOrigin(r_CN_N=x.v_CN_N, v_CN_N=np.array([x_0 + x_2, y_0 + y_2, z_0 + z_2]))

    @output
    def pull(self, x: FallingOrigin, positions: FramePositions) -> GravityField:
        shared = (self.mu, self.J2, self.radius, self.pole_N)
        return GravityField(
            g_N=by_rows(_pull, 3, positions.r_BN_N, x.r_CN_N, *shared),
            gradient_N=by_rows(_gradient, 6, positions.r_BN_N, x.r_CN_N, *shared),
        )

    @output
    def origin(self, x: FallingOrigin) -> FrameMotion:
        return FrameMotion(r_BN_N=x.r_CN_N, v_BN_N=x.v_CN_N, sigma_BN=ZERO3, omega_BN_B=ZERO3)


def _pull(r: Vec3, r_C: Vec3, mu: Scalar, J2: Scalar, radius: Scalar, pole_N: Vec3) -> Pull:
    """Eq. (2) at one place."""
    d = r + r_C
    squared = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
    strength, growth = -mu / (squared * np.sqrt(squared)), tidal_growth(r, -r_C)
    x, y, z = oblate_pull(d, mu, J2, radius, pole_N)
    x_C, y_C, z_C = oblate_pull(r_C, mu, J2, radius, pole_N)
    return (
        strength * (r[0] - growth * r_C[0]) + (x - x_C),
        strength * (r[1] - growth * r_C[1]) + (y - y_C),
        strength * (r[2] - growth * r_C[2]) + (z - z_C),
    )


def _gradient(r: Vec3, r_C: Vec3, mu: Scalar, J2: Scalar, radius: Scalar, pole_N: Vec3) -> Gradient:
    d = r + r_C
    a, b = point_mass_gradient(d, mu), oblate_gradient(d, mu, J2, radius, pole_N)
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]
