"""Gravity of an oblate planet in a local frame that falls along its orbit and does not turn."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.celestial import EARTH
from cardan.contracts import NotNegative, Positive, Unit, model, output
from cardan.maths import ZERO3, Vec3
from cardan.messages import FrameMotion, FramePositions, GravityField
from cardan.models.environment.point_mass_field import oblate_field, point_mass_field, tidal_growth

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
        r_C = x.r_CN_N.reshape((1, 3))
        central, _ = point_mass_field(self.mu, r_C)
        oblate, _ = oblate_field(self.mu, self.J2, self.radius, self.pole_N, r_C)
        return FallingOrigin(r_CN_N=x.v_CN_N, v_CN_N=(central + oblate)[0])

    @output
    def pull(self, x: FallingOrigin, positions: FramePositions) -> GravityField:
        # Eq. (2)
        r, r_C = positions.r_BN_N, x.r_CN_N
        d = r + r_C
        squared = d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1] + d[:, 2] * d[:, 2]
        strength = -self.mu / (squared * np.sqrt(squared))
        central = strength.reshape((-1, 1)) * (r - tidal_growth(r, -r_C).reshape((-1, 1)) * r_C)
        oblate, more = oblate_field(self.mu, self.J2, self.radius, self.pole_N, d)
        here, _ = oblate_field(self.mu, self.J2, self.radius, self.pole_N, r_C.reshape((1, 3)))
        return GravityField(g_N=central + (oblate - here[0]), gradient_N=point_mass_field(self.mu, d)[1] + more)

    @output
    def origin(self, x: FallingOrigin) -> FrameMotion:
        return FrameMotion(r_BN_N=x.r_CN_N, v_BN_N=x.v_CN_N, sigma_BN=ZERO3, omega_BN_B=ZERO3)
