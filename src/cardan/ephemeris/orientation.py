"""How the Earth is turned, as a table over a run: IAU 2006/2000A with the data of the IERS."""

import warnings
from typing import NamedTuple

import numpy as np

from cardan.ephemeris.earth_data import EarthData, earth_data
from cardan.ephemeris.epoch import Epoch
from cardan.ephemeris.time_scales import TT_MINUS_TAI
from cardan.errors import OutsideData

STEP = 21600.0  # [s] between rows; knots of the data at midnight are rows
EARTH_RATE = 2.0 * np.pi * 1.00273781191135448 / 86400.0  # [rad/s] of the Earth rotation angle, per second of UT1


class OrientationTable(NamedTuple):
    """Rows at equal steps, with one row before the run and one after it.

    Attributes:
        start: [s] Of the first row, from the epoch in TT.
        step: [s]
        rows: [rad] (n, 6) X, Y of the celestial pole; s - s'; x_p, y_p; Earth rotation angle less `EARTH_RATE` t.
    """

    start: float
    step: float
    rows: np.ndarray


def orientation_table(epoch: Epoch, duration: float, data: EarthData | None = None) -> OrientationTable:
    """The orientation of the Earth over a run.

    Args:
        epoch: When the run begins.
        duration: [s] How long it lasts.
        data: Earth orientation data; those of `astropy-iers-data` if left out, without extrapolation.

    Raises:
        OutsideData: The data do not cover the run.
    """
    import erfa

    if not (np.isfinite(duration) and duration > 0.0):
        raise OutsideData(f"A table over a run of {duration!r} s cannot be made.\n  Give a duration above zero.")
    data = data or earth_data()
    _, since_midnight = epoch.utc_day
    first = int(np.floor(since_midnight / STEP)) - 1
    count = int(np.ceil((duration + since_midnight - first * STEP) / STEP)) + 2
    t = -since_midnight + STEP * (first + np.arange(count))
    tai = (epoch.tt_nanoseconds - TT_MINUS_TAI) * 1e-9 + t
    # one row on either side serves the interpolation alone: at the edge of the data it takes their last value
    x_p, y_p, ut1_tai, dX, dY = data.at(np.clip(tai, tai[1], tai[-2])).T
    day, fraction = epoch.julian_date("TT")
    moments = fraction + t / 86400.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", erfa.ErfaWarning)  # "dubious year": leap seconds are not taken from there
        X, Y, s = erfa.xys06a(day, moments)
        s_prime = erfa.sp00(day, moments)
        ut1 = tai + ut1_tai
        days = np.floor(ut1 / 86400.0)
        angle = erfa.era00(2451545.0 + days, ut1 / 86400.0 - days)
    offset = np.unwrap(angle - EARTH_RATE * t)
    return OrientationTable(float(t[0]), STEP, np.stack([X + dX, Y + dY, s - s_prime, x_p, y_p, offset], axis=1))
