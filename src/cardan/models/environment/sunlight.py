"""Light of the Sun, and the shadows of planets and moons."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.celestial import AU, SOLAR_FLUX
from cardan.contracts import Constraint, NotNegative, Positive, model, output
from cardan.maths import Scalar, Vec, arcsin, arctan, arctan2, choose, cross, dot, norm, sin, tan
from cardan.messages import FrameMotion, FramePositions, Light

_WhichBody = Constraint("which entry of `radius`", lambda sun, radius: 0 <= sun < len(radius), of=("radius",))
_TINY = 1e-300


@model
class Sunlight(NamedTuple):
    """The Sun as a uniformly bright disc, hidden by any number of spherical bodies, exactly on the celestial sphere.

    With a and b the apparent radii of the Sun and of a body, c the angle between them and p = (a + b + c) / 2,

        visible = 1 if c >= a + b,   0 if c <= b - a,   1 - (sin(b/2) / sin(a/2))^2 if c <= a - b, else            (1)
        visible = 1 - (2 A sin^2(a/2) + 2 B sin^2(b/2) - E) / (2 pi sin^2(a/2))                                    (2)
        A = 2 atan sqrt(sin(p-a) sin(p-c) / (sin p sin(p-b))),   B with a and b exchanged                          (3)
        E = 4 atan sqrt(tan(p/2) tan((p-a)/2) tan((p-b)/2) tan((p-c)/2))                                           (4)
        flux = flux at 1 AU (AU / distance)^2 visible                                                              (5)

    Shadows of several bodies multiply.

    Attributes:
        radius: [m] Of each celestial body, in the order of the ephemeris; zero for one that casts no shadow.
        sun: [-] Which of them is the Sun, counted from 0.
        flux_at_1_au: [W/m^2]
    """

    radius: Annotated[Vec, "m", NotNegative]
    sun: Annotated[int, "-", _WhichBody] = 1
    flux_at_1_au: Annotated[float, "W/m^2", Positive] = SOLAR_FLUX

    @output
    def light(self, motion: FrameMotion, celestial: FramePositions) -> Light:
        if len(celestial.r_BN_N) != len(self.radius):
            raise ValueError("Sunlight: `celestial` has another number of bodies than `radius`.")
        to_sun = celestial.r_BN_N[self.sun] - motion.r_BN_N
        distance = norm(to_sun)
        a = arcsin(self.radius[self.sun] / distance)
        visible = 1.0 + 0.0 * distance
        for k in range(len(self.radius)):
            to_body = celestial.r_BN_N[k] - motion.r_BN_N
            away = norm(to_body)
            casts = (self.radius[k] > 0.0) & (k != self.sun) & (away < distance)
            b = choose(casts, arcsin(self.radius[k] / choose(casts, away, 1.0)), 0.0)
            c = arctan2(norm(cross(to_sun, to_body)), dot(to_sun, to_body))
            visible = visible * choose(casts, visible_share(a, b, c), 1.0)
        flux = self.flux_at_1_au * (AU / distance) * (AU / distance) * visible
        return Light(s_N=to_sun / distance, flux=flux, visible=visible)


def visible_share(a: Scalar, b: Scalar, c: Scalar) -> Scalar:
    """[-] How much of a disc of apparent radius `a` one of radius `b` leaves visible, `c` away [rad]."""
    p = 0.5 * (a + b + c)
    pa, pb, pc = np.maximum(p - a, 0.0), np.maximum(p - b, 0.0), np.maximum(p - c, 0.0)
    sin_a, sin_b = sin(0.5 * a), sin(0.5 * b)
    # Eqs. (3), (4) and (2); where there is no lens, what they give is not used
    A = 2.0 * arctan(np.sqrt(sin(pa) * sin(pc) / np.maximum(sin(p) * sin(pb), _TINY)))
    B = 2.0 * arctan(np.sqrt(sin(pb) * sin(pc) / np.maximum(sin(p) * sin(pa), _TINY)))
    E = 4.0 * arctan(np.sqrt(np.maximum(tan(0.5 * p) * tan(0.5 * pa) * tan(0.5 * pb) * tan(0.5 * pc), 0.0)))
    disc = 2.0 * np.pi * sin_a * sin_a
    lens = 1.0 - (2.0 * A * sin_a * sin_a + 2.0 * B * sin_b * sin_b - E) / disc
    # Eq. (1)
    ratio = sin_b / sin_a
    found = choose(c <= a - b, 1.0 - ratio * ratio, np.minimum(np.maximum(lens, 0.0), 1.0))
    return choose(c >= a + b, 1.0, choose(c <= b - a, 0.0, found))
