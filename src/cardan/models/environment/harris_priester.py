"""The Harris-Priester atmosphere, with a diurnal bulge that lags the Sun."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Ascending, Constraint, OnePer, Positive, Within, model, output
from cardan.maths import Vec, choose, cross, dot, exp, geodetic, log, matvec, norm, power, sin_cos
from cardan.messages import Air, DensityFactor, FrameMotion, FramePositions, PlanetOrientation

# [km], [g/km^3] least and largest, at mean solar activity: Montenbruck and Gill, Satellite Orbits, Table 3.8
_TABLE = np.array(
    [
        (100, 497400.0, 497400.0), (120, 24900.0, 24900.0), (130, 8377.0, 8710.0), (140, 3899.0, 4059.0),
        (150, 2122.0, 2215.0), (160, 1263.0, 1344.0), (170, 800.8, 875.8), (180, 528.3, 601.0), (190, 361.7, 429.7),
        (200, 255.7, 316.2), (210, 183.9, 239.6), (220, 134.1, 185.3), (230, 99.49, 145.5), (240, 74.88, 115.7),
        (250, 57.09, 93.08), (260, 44.03, 75.55), (270, 34.30, 61.82), (280, 26.97, 50.95), (290, 21.39, 42.26),
        (300, 17.08, 35.26), (320, 10.99, 25.11), (340, 7.214, 18.19), (360, 4.824, 13.37), (380, 3.274, 9.955),
        (400, 2.249, 7.492), (420, 1.558, 5.684), (440, 1.091, 4.355), (460, 0.7701, 3.362), (480, 0.5474, 2.612),
        (500, 0.3916, 2.042), (520, 0.2819, 1.605), (540, 0.2042, 1.267), (560, 0.1488, 1.005), (580, 0.1092, 0.7997),
        (600, 0.08070, 0.6390), (620, 0.06012, 0.5123), (640, 0.04519, 0.4121), (660, 0.03430, 0.3325),
        (680, 0.02632, 0.2691), (700, 0.02043, 0.2185), (720, 0.01607, 0.1779), (740, 0.01281, 0.1452),
        (760, 0.01036, 0.1190), (780, 0.008496, 0.09776), (800, 0.007069, 0.08059), (840, 0.004680, 0.05741),
        (880, 0.003200, 0.04210), (920, 0.002210, 0.03130), (960, 0.001560, 0.02360), (1000, 0.001150, 0.01810),
    ]
)  # fmt: skip
_WhichBody = Constraint("zero or more", lambda sun: sun >= 0)


@model
class HarrisPriester(NamedTuple):
    """Density between a least and a largest value, highest some hours behind the Sun.

        density = (least + (largest - least) cos^n(psi / 2)) factor                                                (1)

    least and largest fall exponentially between the heights of the table; psi is the angle from the apex of the bulge,
    the direction of the Sun turned about the z axis of N by the lag. The air turns with the planet.

    Attributes:
        height: [m] Above WGS84, ascending.
        least: [kg/m^3] Density at each height, away from the bulge.
        largest: [kg/m^3] Density at each height, in the bulge.
        exponent: [-] n: 2 for low inclinations, 6 for polar orbits.
        lag: [rad] Of the bulge behind the Sun, in right ascension.
        sun: [-] Which row of `celestial` is the Sun.
    """

    height: Annotated[Vec, "m", Ascending] = 1e3 * _TABLE[:, 0]
    least: Annotated[Vec, "kg/m^3", Positive, OnePer("height")] = 1e-12 * _TABLE[:, 1]
    largest: Annotated[Vec, "kg/m^3", Positive, OnePer("height")] = 1e-12 * _TABLE[:, 2]
    exponent: Annotated[float, "-", Within(2.0, 6.0)] = 6.0
    lag: Annotated[float, "rad"] = np.pi / 6.0
    sun: Annotated[int, "-", _WhichBody] = 1

    @output
    def air(
        self,
        motion: FrameMotion,
        planet: PlanetOrientation,
        celestial: FramePositions,
        factor: DensityFactor = DensityFactor(),
    ) -> Air:
        r = motion.r_BN_N
        _, _, height = geodetic(matvec(planet.dcm_PN, r))
        # the interval; beyond the table there is no density
        i = 0
        for k in range(1, len(self.height) - 1):
            i = i + choose(height >= self.height[k], 1, 0)
        is_inside = (height >= self.height[0]) & (height <= self.height[len(self.height) - 1])
        share = choose(is_inside, (height - self.height[i]) / (self.height[i + 1] - self.height[i]), np.nan)
        least = self.least[i] * exp(share * log(self.least[i + 1] / self.least[i]))
        largest = self.largest[i] * exp(share * log(self.largest[i + 1] / self.largest[i]))
        # Eq. (1), with cos^2(psi/2) = (1 + cos psi) / 2
        s = celestial.r_BN_N[self.sun]
        sine, cosine = sin_cos(self.lag)
        apex = np.array([cosine * s[0] - sine * s[1], sine * s[0] + cosine * s[1], s[2]])
        near = np.maximum(0.5 + 0.5 * dot(r, apex) / (norm(r) * norm(apex)), 0.0)
        density = (least + (largest - least) * power(near, 0.5 * self.exponent)) * factor.factor
        return Air(density=density, temperature=0.0 * density, v_AN_N=cross(planet.omega_PN_N, r))
