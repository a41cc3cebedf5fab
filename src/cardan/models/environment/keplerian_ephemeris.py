"""Celestial bodies on Keplerian ellipses."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Constraint, NotNegative, OnePer, Within, model, output
from cardan.maths import Vec, choose, sin, sin_cos
from cardan.messages import FramePositions

_ITERATIONS = 12  # Newton's method on Kepler's equation converges to rounding in fewer, for every e up to 0.9

_PositiveWhereItMoves = Constraint(
    "positive for every body that moves", lambda period, a: np.all((period > 0.0) | (a == 0.0)), of=("a",)
)


@model
class KeplerianEphemeris(NamedTuple):
    """Positions of celestial bodies about the origin; a body with a semi-major axis of zero stays there.

        M = M_0 + 2 pi t / period,   E - e sin E = M                                                              (1)
        r_BN_N = a (cos E - e) P + a sqrt(1 - e^2) sin E Q                                                        (2)

    P points to periapsis, Q a right angle ahead of it in the orbit.

    Attributes:
        a: [m] Semi-major axis of each body.
        e: [-] Eccentricity, up to 0.9.
        i: [rad] Inclination.
        Omega: [rad] Right ascension of the ascending node.
        omega: [rad] Argument of periapsis.
        M_0: [rad] Mean anomaly at time zero.
        period: [s] Of revolution; not used for a body that stays at the origin.
    """

    a: Annotated[Vec, "m", NotNegative]
    e: Annotated[Vec, "-", Within(0.0, 0.9), OnePer("a")]
    i: Annotated[Vec, "rad", OnePer("a")]
    Omega: Annotated[Vec, "rad", OnePer("a")]
    omega: Annotated[Vec, "rad", OnePer("a")]
    M_0: Annotated[Vec, "rad", OnePer("a")]
    period: Annotated[Vec, "s", OnePer("a"), _PositiveWhereItMoves]

    @output
    def positions(self, t: float) -> FramePositions:
        # Eq. (1); a body that stays at the origin has no period
        M = self.M_0 + 2.0 * np.pi * t / choose(self.a == 0.0, 1.0, self.period)
        M = M - 2.0 * np.pi * np.floor(M / (2.0 * np.pi) + 0.5)
        E = M + self.e * sin(M)
        for _ in range(_ITERATIONS):
            sin_E, cos_E = sin_cos(E)
            E = E - (E - self.e * sin_E - M) / (1.0 - self.e * cos_E)
        # Eq. (2)
        sin_E, cos_E = sin_cos(E)
        along, across = self.a * (cos_E - self.e), self.a * np.sqrt(1.0 - self.e * self.e) * sin_E
        sin_omega, cos_omega = sin_cos(self.omega)
        radial, ahead = cos_omega * along - sin_omega * across, sin_omega * along + cos_omega * across
        sin_Omega, cos_Omega = sin_cos(self.Omega)
        sin_i, cos_i = sin_cos(self.i)
        x = cos_Omega * radial - sin_Omega * cos_i * ahead
        y = sin_Omega * radial + cos_Omega * cos_i * ahead
        z = sin_i * ahead
        return FramePositions(r_BN_N=np.stack((x, y, z), axis=1))
