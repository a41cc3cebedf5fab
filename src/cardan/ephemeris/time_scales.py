"""Time scales: UTC with its leap seconds, TAI, TT, TDB and UT1.

All instants here are whole nanoseconds since J2000, 2000-01-01T12:00:00 of the scale in question. TT is the scale of
simulations; docs/theory/time_scales.md.
"""

import math
from bisect import bisect_right
from functools import cache
from typing import Any

import numpy as np

from cardan.errors import EpochError

SECOND = 1_000_000_000  # [ns]
DAY = 86_400 * SECOND  # [ns]
J2000_MJD = 51544  # the day whose noon is J2000
TT_MINUS_TAI = 32_184_000_000  # [ns]
CENTURY = 36525.0 * 86400.0  # [s]

SCALES = ("UTC", "TAI", "TT", "TDB", "UT1")


@cache
def leap_seconds() -> tuple[tuple[int, int], ...]:
    """(MJD, TAI - UTC [s]) From each of these days on, since 1972, when whole seconds began."""
    import erfa

    table = erfa.leap_seconds.get()
    return tuple(
        (_mjd(int(row["year"]), int(row["month"]), 1), round(float(row["tai_utc"])))
        for row in table
        if row["year"] >= 1972
    )


def tai_minus_utc(mjd: int) -> int:
    """[s] On a day of UTC, given by its modified Julian date."""
    table = leap_seconds()
    i = bisect_right(table, (mjd, math.inf)) - 1
    if i < 0:
        raise EpochError("UTC before 1972 ran at another rate than TAI.\n  Give the epoch in TAI, TT or TDB.")
    return table[i][1]


def has_leap_second(mjd: int) -> bool:
    """Whether a day of UTC ends with 23:59:60."""
    return any(day == mjd + 1 for day, _ in leap_seconds()[1:])


def tai_from_utc(mjd: int, nanoseconds: int) -> int:
    """[ns] From a day of UTC and the nanoseconds since its midnight; up to 86,401 s on a day with a leap second."""
    return (mjd - J2000_MJD) * DAY - DAY // 2 + nanoseconds + tai_minus_utc(mjd) * SECOND


def utc_from_tai(tai: int) -> tuple[int, int]:
    """The day of UTC, as MJD, and the nanoseconds since its midnight; the inverse of `tai_from_utc`."""
    since_midnight = tai + DAY // 2
    table = leap_seconds()
    starts = [(day - J2000_MJD) * DAY + offset * SECOND for day, offset in table]
    i = bisect_right(starts, since_midnight) - 1
    if i < 0:
        raise EpochError("UTC before 1972 ran at another rate than TAI.\n  Ask for TAI, TT or TDB.")
    if i + 1 < len(table) and since_midnight >= starts[i + 1] - SECOND * (table[i + 1][1] - table[i][1]):
        # within the leap second, which belongs to the day before
        day = table[i + 1][0] - 1
        return day, since_midnight - (day - J2000_MJD) * DAY - table[i][1] * SECOND
    days, nanoseconds = divmod(since_midnight - table[i][1] * SECOND, DAY)
    return J2000_MJD + days, nanoseconds


def tdb_minus_tt(tt: Any) -> Any:
    """[s] At an instant of TT [s since J2000], at the geocentre, to 30 us.

        TDB - TT = 1.657e-3 sin(628.3076 T + 6.2401) + 2.2e-5 sin(575.3385 T + 4.2970)
                   + 1.4e-5 sin(1256.6152 T + 6.1969)                                                              (1)

    T is in centuries. G. H. Kaplan, USNO Circular 179 (2005), Eq. (2.6), whose three largest terms these are.
    """
    T = tt / CENTURY
    return (
        1.657e-3 * np.sin(628.3076 * T + 6.2401)
        + 2.2e-5 * np.sin(575.3385 * T + 4.2970)
        + 1.4e-5 * np.sin(1256.6152 * T + 6.1969)
    )


def _mjd(year: int, month: int, day: int) -> int:
    """Modified Julian date of a day of the Gregorian calendar."""
    from datetime import date

    return date(year, month, day).toordinal() - date(1858, 11, 17).toordinal()
