"""Orientation of the Earth: IAU 2006/2000A with IERS data."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Constraint, Positive, model, output
from cardan.ephemeris import EARTH_RATE, EarthData, Epoch, orientation_table
from cardan.maths import IDENTITY3, Mat, Mat3, choose, matmul, sin_cos
from cardan.messages import PlanetOrientation

_SixColumns = Constraint("four rows or more of six columns", lambda rows: len(rows) >= 4 and rows.shape[1] == 6)


@model
class EarthOrientation(NamedTuple):
    """The Earth-fixed frame P (ITRF) in the inertial frame N (GCRF), from rows at equal steps.

        dcm_PN = R1(-y_p) R2(-x_p) R3(ERA - s + s') Q                                                             (1)
        Q = [1 - a X^2, -a X Y, -X;  -a X Y, 1 - a Y^2, -Y;  X, Y, Z],  Z = sqrt(1 - X^2 - Y^2),  a = 1/(1 + Z)    (2)
        omega_PN_N = rate (X, Y, Z)                                                                               (3)

    X, Y and s - s' are interpolated by cubics, polar motion and the angle of rotation linearly, as the data are meant.
    Outside of the rows the orientation is not a number, which ends the run.

    Attributes:
        start: [s] Of the first row, in TT from the epoch.
        step: [s] Between rows.
        rows: [rad] X, Y, s - s', x_p, y_p, and the Earth rotation angle less 2 pi 1.00273781191135448 t / 86400 s.
    """

    start: Annotated[float, "s"]
    step: Annotated[float, "s", Positive]
    rows: Annotated[Mat, "rad", _SixColumns]

    @output
    def planet(self, t: float) -> PlanetOrientation:
        last = len(self.rows) - 1.0
        place = (t - self.start) / self.step
        is_inside = (place >= 1.0) & (place <= last - 1.0)
        i = np.int64(np.minimum(np.maximum(np.floor(place), 1.0), last - 2.0))
        u = choose(is_inside, place - i, np.nan)

        before, here, there, after = self.rows[i - 1], self.rows[i], self.rows[i + 1], self.rows[i + 2]
        cubic = (
            -u * (u - 1.0) * (u - 2.0) / 6.0 * before
            + (u + 1.0) * (u - 1.0) * (u - 2.0) / 2.0 * here
            - (u + 1.0) * u * (u - 2.0) / 2.0 * there
            + (u + 1.0) * u * (u - 1.0) / 6.0 * after
        )
        linear = (1.0 - u) * here + u * there
        X, Y, s, x_p, y_p = cubic[0], cubic[1], cubic[2], linear[3], linear[4]

        # Eq. (2)
        Z = np.sqrt(1.0 - X * X - Y * Y)
        a = 1.0 / (1.0 + Z)
        Q = np.array(((1.0 - a * X * X, -a * X * Y, -X), (-a * X * Y, 1.0 - a * Y * Y, -Y), (X, Y, Z)))
        # Eq. (1)
        sin_E, cos_E = sin_cos(EARTH_RATE * t + linear[5] - s)
        sin_x, cos_x = sin_cos(x_p)
        sin_y, cos_y = sin_cos(y_p)
        zero = 0.0 * u
        turn = np.array(((cos_E, sin_E, zero), (-sin_E, cos_E, zero), (zero, zero, 1.0 + zero)))
        pole = np.array(
            ((cos_x, zero, sin_x), (sin_y * sin_x, cos_y, -sin_y * cos_x), (-cos_y * sin_x, sin_y, cos_y * cos_x))
        )
        # Eq. (3), with the rate that UT1 has now
        rate = EARTH_RATE + (there[5] - here[5]) / self.step
        return PlanetOrientation(dcm_PN=matmul(pole, matmul(turn, Q)), omega_PN_N=rate * np.array([X, Y, Z]))


def earth_orientation(epoch: Epoch, duration: float, data: EarthData | None = None) -> EarthOrientation:
    """The orientation of the Earth over a run.

    Args:
        epoch: Of the scenario.
        duration: [s] How long the run lasts.
        data: Of the IERS; those that `astropy-iers-data` has if left out. Other files, and how to go beyond their end:
            `cardan.ephemeris.earth_data`.

    Raises:
        OutsideData: The data do not cover the run.
    """
    return EarthOrientation(*orientation_table(epoch, duration, data))


def planet_at_rest(dcm_PN: Mat3 = IDENTITY3) -> PlanetOrientation:
    """The orientation of a non-rotating planet, as a constant message."""
    return PlanetOrientation(dcm_PN=np.asarray(dcm_PN, dtype=float), omega_PN_N=np.zeros(3))
