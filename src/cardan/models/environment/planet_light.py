"""Light and heat of a planet: scattered sunlight and thermal radiation."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.celestial import EARTH, SOLAR_FLUX
from cardan.contracts import Constraint, Positive, Within, model, output
from cardan.maths import Vec3, choose, cross, dot, norm, sin_cos
from cardan.messages import FrameMotion, FramePositions, Light

_RINGS, _SECTORS = 6, 12  # of what is seen; 1 % of the flux
_WhichBody = Constraint("zero or more", lambda value: value >= 0)


def _beside(u: Vec3) -> tuple[Vec3, Vec3]:
    """Two unit vectors at right angles to `u` and to each other."""
    first = choose(np.abs(u[0]) < 0.7, 1.0, 0.0)
    across = cross(u, np.array([first, 1.0 - first, 0.0 * first]))
    across = across / norm(across)
    return across, cross(u, across)


@model
class PlanetLight(NamedTuple):
    """A planet that scatters sunlight by Lambert's law and radiates heat evenly, as light from its mean direction.

    What the vehicle sees of the planet is cut into pieces in directions d that an even planet lights equally: rings at
    sin^2(angle from the centre) = (i + 1/2) / N (radius / r)^2. With n the normal of the ground there, s the direction
    of the Sun, S its flux at the planet and w the solid angle of a piece,

        albedo:    flux_N = sum of albedo S max(n . s, 0) / pi w d                                                (1)
        infrared:  flux_N = (1 - albedo) S / 4 (radius / r)^2, from the planet's centre                            (2)

    Each is sent as one direction and one flux: the vector sum. This leaves out light from the limb on facets that are
    turned away from the centre of the planet.

    Attributes:
        albedo: [-] Share of sunlight that the planet scatters.
        radius: [m] Of the planet.
        flux_of_sun: [W/m^2] At the planet.
        planet: [-] Which row of `celestial` is the planet.
        sun: [-] Which row of `celestial` is the Sun.
    """

    albedo: Annotated[float, "-", Within(0.0, 1.0)] = 0.3
    radius: Annotated[float, "m", Positive] = EARTH.radius
    flux_of_sun: Annotated[float, "W/m^2", Positive] = SOLAR_FLUX
    planet: Annotated[int, "-", _WhichBody] = 0
    sun: Annotated[int, "-", _WhichBody] = 1

    @output
    def scattered(self, motion: FrameMotion, celestial: FramePositions) -> Light:
        r = motion.r_BN_N - celestial.r_BN_N[self.planet]
        s = celestial.r_BN_N[self.sun] - celestial.r_BN_N[self.planet]
        s, distance = s / norm(s), norm(r)
        down = -r / distance
        widest = self.radius / distance  # sine of the angle between centre and limb
        across, along = _beside(down)
        flux_N = 0.0 * r
        for i in range(_RINGS):
            sine = widest * np.sqrt((i + 0.5) / _RINGS)
            cosine = np.sqrt(1.0 - sine * sine)
            away = distance * cosine - np.sqrt(self.radius * self.radius - distance * distance * sine * sine)
            angle = widest * widest / (cosine * (_RINGS * _SECTORS))  # solid angle of a piece over pi
            for j in range(_SECTORS):
                sin_j, cos_j = sin_cos(2.0 * np.pi * (j + 0.5) / _SECTORS)
                d = cosine * down + sine * (cos_j * across + sin_j * along)
                n = (r + away * d) / self.radius
                flux_N = flux_N + (self.albedo * self.flux_of_sun * angle * np.maximum(dot(n, s), 0.0)) * d
        flux = norm(flux_N)
        # in the dark there is no direction: any does
        is_lit = flux > 0.0
        return Light(s_N=choose(is_lit, flux_N / choose(is_lit, flux, 1.0), down), flux=flux, visible=1.0 + 0.0 * flux)

    @output
    def infrared(self, motion: FrameMotion, celestial: FramePositions) -> Light:
        r = motion.r_BN_N - celestial.r_BN_N[self.planet]
        distance = norm(r)
        ratio = self.radius / distance
        flux = 0.25 * (1.0 - self.albedo) * self.flux_of_sun * ratio * ratio
        return Light(s_N=-r / distance, flux=flux, visible=1.0 + 0.0 * flux)
