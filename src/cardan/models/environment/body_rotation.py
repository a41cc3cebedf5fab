"""Orientation of planets and moons other than the Earth."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import model, output
from cardan.ephemeris import Epoch, rotation_elements
from cardan.maths import sin_cos
from cardan.messages import PlanetOrientation


@model
class BodyRotation(NamedTuple):
    """A body whose pole and prime meridian move at constant rates.

        dcm_PN = R3(W) R1(pi/2 - delta) R3(pi/2 + alpha)                                                          (1)
        omega_PN_N = W' p + alpha' z_N - delta' n,   p the pole, n = z_N x p / |z_N x p|                           (2)

    Attributes:
        alpha: [rad] Right ascension of the pole at time zero.
        alpha_rate: [rad/s]
        delta: [rad] Declination of the pole at time zero.
        delta_rate: [rad/s]
        W: [rad] Angle of the prime meridian from the ascending node of the equator, at time zero.
        W_rate: [rad/s]
    """

    alpha: Annotated[float, "rad"]
    alpha_rate: Annotated[float, "rad/s"]
    delta: Annotated[float, "rad"]
    delta_rate: Annotated[float, "rad/s"]
    W: Annotated[float, "rad"]
    W_rate: Annotated[float, "rad/s"]

    @output
    def planet(self, t: float) -> PlanetOrientation:
        sin_a, cos_a = sin_cos(self.alpha + self.alpha_rate * t)
        sin_d, cos_d = sin_cos(self.delta + self.delta_rate * t)
        sin_W, cos_W = sin_cos(self.W + self.W_rate * t)
        # Eq. (1): the rows of the last two turns, then the first
        node = np.array([-sin_a, cos_a, 0.0 * sin_a])
        ahead = np.array([-sin_d * cos_a, -sin_d * sin_a, cos_d])
        pole = np.array([cos_d * cos_a, cos_d * sin_a, sin_d])
        dcm_PN = np.stack((cos_W * node + sin_W * ahead, cos_W * ahead - sin_W * node, pole))
        # Eq. (2)
        up = np.array([0.0 * sin_a, 0.0 * sin_a, 1.0 + 0.0 * sin_a])
        omega = self.W_rate * pole + self.alpha_rate * up - self.delta_rate * node
        return PlanetOrientation(dcm_PN=dcm_PN, omega_PN_N=omega)


def body_rotation(body: str, epoch: Epoch, duration: float) -> BodyRotation:
    """The rotation of the Sun, the Moon or a planet other than the Earth over a run.

    Raises:
        OutsideData: There is no such body.
    """
    return BodyRotation(*rotation_elements(body, epoch, duration))
