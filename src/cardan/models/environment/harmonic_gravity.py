"""Gravity of a planet as a series of spherical harmonics."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Constraint, NotNegative, Positive, model, output
from cardan.ephemeris import HarmonicField, egm2008, gradient_rows
from cardan.maths import Mat, by_rows, by_rows_if, harmonic_gradient, matvec, matvec_transposed
from cardan.messages import FramePositions, GravityField, PlanetOrientation, VehicleMomentum
from cardan.models.environment.point_mass_field import (
    oblate_gradient,
    oblate_pull,
    point_mass_gradient,
    point_mass_pull,
)

_EightColumns = Constraint(
    "eight columns wide, as `cardan.ephemeris.gradient_rows`", lambda series: series.shape[1] == 8
)


@model
class HarmonicGravity(NamedTuple):
    """A planet's field: point mass and oblateness at every body, all other terms once, at the vehicle's centre of mass.

        g_N = g of the point mass + g of J2, at each body + dcm_PNT mu / R^2 gradient(dcm_PN r_CN_N)               (1)

    The gradient of the first two terms acts on the inertia of each body. What is left out, how the rest changes over
    the vehicle, is 2e-4 of the tidal accelerations between its bodies.

    Attributes:
        mu: [m^3/s^2] Gravitational parameter that the series belongs to.
        radius: [m] Reference radius R that it belongs to.
        J2: [-] Of the oblateness, which is not in the series.
        series: [-] (k, 8) Rows of `cardan.ephemeris.gradient_rows`.
        has_gradient: [-] False to leave the gradient out: a body then feels no torque over its own extent.
    """

    mu: Annotated[float, "m^3/s^2", NotNegative]
    radius: Annotated[float, "m", Positive]
    J2: Annotated[float, "-"]
    series: Annotated[Mat, "-", _EightColumns]
    has_gradient: Annotated[bool, "-"] = True

    @output
    def pull(self, positions: FramePositions, vehicle: VehicleMomentum, planet: PlanetOrientation) -> GravityField:
        r_P = matvec(planet.dcm_PN, vehicle.r_CN_N)
        x, y, z = harmonic_gradient(self.series, self.radius, r_P[0], r_P[1], r_P[2])
        rest = self.mu / (self.radius * self.radius) * matvec_transposed(planet.dcm_PN, np.array([x, y, z]))
        r, pole_N = positions.r_BN_N, planet.dcm_PN[2]
        oblate = by_rows(oblate_pull, 3, r, self.mu, self.J2, self.radius, pole_N)
        more = by_rows_if(self.has_gradient, oblate_gradient, 6, r, self.mu, self.J2, self.radius, pole_N)
        return GravityField(
            g_N=by_rows(point_mass_pull, 3, r, self.mu) + (oblate + rest.reshape((1, 3))),
            gradient_N=by_rows_if(self.has_gradient, point_mass_gradient, 6, r, self.mu) + more,
        )


def harmonic_gravity(
    degree: int = 20, field: HarmonicField | None = None, *, has_gradient: bool = True
) -> HarmonicGravity:
    """The gravity of a field up to a degree, and the same order.

    Args:
        degree: 20 leaves out 1e-7 of gravity 500 km above the Earth, which is some 10 m after a day; at least 2.
        field: EGM2008 to degree 120 if left out; `cardan.ephemeris.read_gfc` reads others.
        has_gradient: Whether bodies feel the gradient over their own extent.

    Raises:
        OutsideData: The field has no such degree.
    """
    field = field or egm2008()
    field.check_degree(degree)
    C, S = np.array(field.C), np.array(field.S)
    C[0, 0] = 0.0  # what is closed is not in the series
    if field.degree >= 2:
        C[2, 0] = 0.0
    J2 = field.J2 if degree >= 2 else 0.0
    return HarmonicGravity(
        mu=field.mu, radius=field.radius, J2=J2, series=gradient_rows(C, S, degree), has_gradient=has_gradient
    )
