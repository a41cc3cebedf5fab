"""Gravity of one point mass on any set of bodies."""

from typing import Annotated, NamedTuple

from cardan.celestial import EARTH
from cardan.contracts import NotNegative, model, output
from cardan.maths import by_rows, by_rows_if
from cardan.messages import FramePositions, GravityField
from cardan.models.environment.point_mass_field import point_mass_gradient, point_mass_pull


@model
class PointMassGravity(NamedTuple):
    """A point mass at the origin pulls each body at its own centre of mass, and turns it by the gradient.

        g_N = - mu r_BN_N / |r_BN_N|^3                                                                            (1)
        gradient_N = mu / |r|^3 (3 e eT - 1),   e = r_BN_N / |r_BN_N|                                              (2)

    Attributes:
        mu: [m^3/s^2] Gravitational parameter; of the Earth (EGM96) if left alone.
        has_gradient: [-] False to leave out Eq. (2): a body then feels no torque over its own extent.
    """

    mu: Annotated[float, "m^3/s^2", NotNegative] = EARTH.mu
    has_gradient: Annotated[bool, "-"] = True

    @output
    def pull(self, positions: FramePositions) -> GravityField:
        return GravityField(
            g_N=by_rows(point_mass_pull, 3, positions.r_BN_N, self.mu),
            gradient_N=by_rows_if(self.has_gradient, point_mass_gradient, 6, positions.r_BN_N, self.mu),
        )
