"""Gravity of one point mass on a vehicle as a whole."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.celestial import EARTH
from cardan.contracts import NotNegative, model, output
from cardan.maths import Vec, dot
from cardan.messages import InertialForces, VehicleMomentum


@model
class UniformGravity(NamedTuple):
    """A point mass at the origin pulls all bodies of a vehicle alike, as at its centre of mass C: no gradient.

        force_N = - mu mass r_CN_N / |r_CN_N|^3                                                                   (1)

    The vehicle flies on exactly the orbit of a point, and no torque about C arises.

    Attributes:
        mass: [kg] Mass of each body, in the order of the group.
        mu: [m^3/s^2] Gravitational parameter; of the Earth (EGM96) if left alone.
    """

    mass: Annotated[Vec, "kg", NotNegative]
    mu: Annotated[float, "m^3/s^2", NotNegative] = EARTH.mu

    @output
    def pull(self, vehicle: VehicleMomentum) -> InertialForces:
        # Eq. (1)
        r_CN_N = vehicle.r_CN_N
        squared = dot(r_CN_N, r_CN_N)
        strength = -self.mu * self.mass / (squared * np.sqrt(squared))
        return InertialForces(force_N=strength.reshape((-1, 1)) * r_CN_N.reshape((1, 3)))
