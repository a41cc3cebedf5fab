"""Gravity of one point mass on a vehicle as a whole."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.celestial import EARTH
from cardan.contracts import NotNegative, model, output
from cardan.maths import dot
from cardan.messages import FramePositions, GravityField, VehicleMomentum


@model
class UniformGravity(NamedTuple):
    """A point mass at the origin pulls all bodies of a vehicle equally, as at its centre of mass C: no gradient.

        g_N = - mu r_CN_N / |r_CN_N|^3                                                                            (1)

    The vehicle flies on exactly the orbit of a point, and no torque about C arises.

    Attributes:
        mu: [m^3/s^2] Gravitational parameter; of the Earth (EGM96) if left alone.
    """

    mu: Annotated[float, "m^3/s^2", NotNegative] = EARTH.mu

    @output
    def pull(self, positions: FramePositions, vehicle: VehicleMomentum) -> GravityField:
        # Eq. (1)
        r_CN_N = vehicle.r_CN_N
        squared = dot(r_CN_N, r_CN_N)
        strength = -self.mu / (squared * np.sqrt(squared))
        g_N = np.zeros((len(positions.r_BN_N), 3)) + (strength * r_CN_N).reshape((1, 3))
        return GravityField(g_N=g_N, gradient_N=np.zeros((len(positions.r_BN_N), 6)))
