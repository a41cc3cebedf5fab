"""Gravity of one point mass on any set of bodies."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.celestial import EARTH
from cardan.contracts import NotNegative, model, output
from cardan.maths import Vec
from cardan.messages import FramePositions, InertialForces


@model
class PointMassGravity(NamedTuple):
    """A point mass at the origin pulls each body at its own centre of mass, so gravity gradient arises by itself.

        force_N = - mu mass r_BN_N / |r_BN_N|^3                                                                   (1)

    Attributes:
        mass: [kg] Mass of each body, in the order of the group.
        mu: [m^3/s^2] Gravitational parameter; of the Earth (EGM96) if left alone.
    """

    mass: Annotated[Vec, "kg", NotNegative]
    mu: Annotated[float, "m^3/s^2", NotNegative] = EARTH.mu

    @output
    def pull(self, positions: FramePositions) -> InertialForces:
        if len(positions.r_BN_N) != len(self.mass):
            raise ValueError("PointMassGravity: `positions` has another number of bodies than `mass`.")
        # Eq. (1)
        r_BN_N = positions.r_BN_N
        x, y, z = r_BN_N[:, 0], r_BN_N[:, 1], r_BN_N[:, 2]
        squared = x * x + y * y + z * z
        strength = -self.mu * self.mass / (squared * np.sqrt(squared))
        return InertialForces(force_N=strength.reshape((-1, 1)) * r_BN_N)
