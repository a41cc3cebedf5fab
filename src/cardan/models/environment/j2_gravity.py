"""Gravity of an oblate planet."""

from typing import Annotated, NamedTuple

from cardan.celestial import EARTH
from cardan.contracts import NotNegative, Positive, model, output
from cardan.maths import by_rows, by_rows_if
from cardan.messages import FramePositions, GravityField, PlanetOrientation
from cardan.models.environment.point_mass_field import (
    oblate_gradient,
    oblate_pull,
    point_mass_gradient,
    point_mass_pull,
)


@model
class J2Gravity(NamedTuple):
    """A point mass at the origin and its oblateness, in closed form.

    With k = 3/2 J2 (R / r)^2 and u = 5 (z / r)^2, in components of the planet,

        g_P = - mu / r^3 (x (1 + k (1 - u)), y (1 + k (1 - u)), z (1 + k (3 - u)))                                 (1)

    and the gradient of both terms acts on the inertia of each body. Only the pole of `planet` matters.

    Attributes:
        mu: [m^3/s^2] Gravitational parameter; of the Earth if left alone.
        radius: [m] Reference radius; of the Earth if left alone.
        J2: [-] Of the oblateness; of the Earth (EGM2008, tide free) if left alone.
        has_gradient: [-] False to leave the gradient out: a body then feels no torque over its own extent.
    """

    mu: Annotated[float, "m^3/s^2", NotNegative] = EARTH.mu
    radius: Annotated[float, "m", Positive] = EARTH.radius
    J2: Annotated[float, "-"] = 1.0826261738522227e-3
    has_gradient: Annotated[bool, "-"] = True

    @output
    def pull(self, positions: FramePositions, planet: PlanetOrientation) -> GravityField:
        r, pole_N = positions.r_BN_N, planet.dcm_PN[2]
        oblate = by_rows(oblate_pull, 3, r, self.mu, self.J2, self.radius, pole_N)
        more = by_rows_if(self.has_gradient, oblate_gradient, 6, r, self.mu, self.J2, self.radius, pole_N)
        return GravityField(
            g_N=by_rows(point_mass_pull, 3, r, self.mu) + oblate,
            gradient_N=by_rows_if(self.has_gradient, point_mass_gradient, 6, r, self.mu) + more,
        )
