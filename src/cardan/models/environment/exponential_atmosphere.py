"""Air whose density falls exponentially with height."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Positive, model, output
from cardan.maths import choose, cross, exp, geodetic, matvec
from cardan.messages import Air, DensityFactor, FrameMotion, PlanetOrientation


@model
class ExponentialAtmosphere(NamedTuple):
    """An atmosphere that turns with the planet. With h the height above WGS84,

        density = base_density exp(-(h - base_height) / scale_height) factor,    v_AN_N = omega_PN_N x r_BN_N       (1)

    There is no density below the ground: a run that gets there stops.

    Attributes:
        base_density: [kg/m^3] At the base height.
        base_height: [m]
        scale_height: [m]
    """

    base_density: Annotated[float, "kg/m^3", Positive] = 3.725e-12
    base_height: Annotated[float, "m"] = 4.0e5
    scale_height: Annotated[float, "m", Positive] = 58515.0

    @output
    def air(self, motion: FrameMotion, planet: PlanetOrientation, factor: DensityFactor = DensityFactor()) -> Air:
        _, _, height = geodetic(matvec(planet.dcm_PN, motion.r_BN_N))
        above_ground = choose(height >= 0.0, height, np.nan)
        density = self.base_density * exp(-(above_ground - self.base_height) / self.scale_height) * factor.factor
        return Air(density=density, temperature=0.0 * density, v_AN_N=cross(planet.omega_PN_N, motion.r_BN_N))
