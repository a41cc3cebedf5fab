"""`Epoch`: an instant, to the nanosecond."""

import re
from datetime import date, timedelta
from functools import total_ordering
from typing import Any, overload

import numpy as np

from cardan.ephemeris.earth_data import EarthData, earth_data
from cardan.ephemeris.time_scales import (
    DAY,
    J2000_MJD,
    SCALES,
    SECOND,
    TT_MINUS_TAI,
    has_leap_second,
    leap_seconds,
    tai_from_utc,
    tdb_minus_tt,
    utc_from_tai,
)
from cardan.errors import EpochError, did_you_mean, shown

_TEXT = re.compile(
    r"(?P<date>\d{4}-\d{2}-\d{2})"
    r"(?:[T ](?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.(?P<fraction>\d{1,9}))?)?)?(?P<zone>Z)?"
)
_MJD_ZERO = date(1858, 11, 17)
_FORM = "  Write it as 2024-03-20T03:06:24.5Z, with at most nine digits after the point."


@total_ordering
class Epoch:
    """An instant in time, in whole nanoseconds of TT.

    Time in a simulation is TT, in seconds from the scenario's epoch: it has no leap seconds.

    Args:
        text: Date and time, `2024-03-20T03:06:24Z`; what is left out is zero. 23:59:60 exists where UTC has it.
        scale: Of the text: `UTC`, `TAI`, `TT` or `TDB`.
    """

    __slots__ = ("_tt",)
    _tt: int

    def __init__(self, text: str, scale: str = "UTC") -> None:
        if scale not in SCALES or scale == "UT1":
            raise EpochError(
                f"An epoch cannot be given in the time scale {shown(scale)}."
                f"{did_you_mean(str(scale).upper(), SCALES)}\n  Use UTC, TAI, TT or TDB."
            )
        mjd, nanoseconds = _read(text, scale)
        if scale == "UTC":
            self._tt = tai_from_utc(mjd, nanoseconds) + TT_MINUS_TAI
            return
        instant = (mjd - J2000_MJD) * DAY - DAY // 2 + nanoseconds
        if scale == "TAI":
            instant += TT_MINUS_TAI
        elif scale == "TDB":
            # TDB - TT changes by 3e-10 s a second at most: TDB does for TT
            instant -= round(float(tdb_minus_tt(instant / SECOND)) * SECOND)
        self._tt = instant

    @classmethod
    def from_tt(cls, nanoseconds: int) -> "Epoch":
        """The instant that is so many nanoseconds of TT after J2000."""
        epoch = cls.__new__(cls)
        epoch._tt = int(nanoseconds)
        return epoch

    # ---- scales --------------------------------------------------------------------------------------------------

    @property
    def tt_nanoseconds(self) -> int:
        """[ns] Of TT since J2000."""
        return self._tt

    def seconds(self, scale: str = "TT", data: EarthData | None = None) -> float:
        """[s] Since 2000-01-01T12:00:00 of a scale; a float resolves 0.1 us.

        Args:
            scale: `TAI`, `TT`, `TDB`, `UT1`, or `UTC`, whose leap seconds do not count.
            data: Earth orientation data for UT1; those of `astropy-iers-data` if left out.
        """
        if scale == "TT":
            return self._tt / SECOND
        if scale == "TAI":
            return (self._tt - TT_MINUS_TAI) / SECOND
        if scale == "TDB":
            return self._tt / SECOND + float(tdb_minus_tt(self._tt / SECOND))
        if scale == "UTC":
            mjd, nanoseconds = utc_from_tai(self._tt - TT_MINUS_TAI)
            return ((mjd - J2000_MJD) * DAY - DAY // 2 + nanoseconds) / SECOND
        if scale == "UT1":
            tai = self._tt - TT_MINUS_TAI
            return tai / SECOND + (data or earth_data()).ut1_minus_tai(tai / SECOND)
        raise EpochError(f"There is no time scale {shown(scale)}.\n  Use one of {', '.join(SCALES)}.")

    def julian_date(self, scale: str = "TT") -> tuple[float, float]:
        """[d] Julian date in two parts, the first a whole number and a half: together they resolve a nanosecond."""
        if scale not in ("TT", "TAI", "TDB"):
            raise EpochError(f"A Julian date is given in TT, TAI or TDB, not in {shown(scale)}.")
        instant = self._tt
        if scale == "TAI":
            instant -= TT_MINUS_TAI
        elif scale == "TDB":
            instant += round(float(tdb_minus_tt(instant / SECOND)) * SECOND)
        days, nanoseconds = divmod(instant + DAY // 2, DAY)
        return 2451544.5 + days, nanoseconds / DAY

    @property
    def utc(self) -> str:
        """UTC as text, with as many digits after the point as it has, `2024-03-20T03:06:24Z`."""
        mjd, nanoseconds = utc_from_tai(self._tt - TT_MINUS_TAI)
        return f"{_MJD_ZERO + timedelta(days=mjd)}T{_clock(nanoseconds)}Z"

    @property
    def decimal_year(self) -> float:
        """[a] The year of UTC with its fraction; 2024.5 is in the middle of 2024."""
        mjd, nanoseconds = utc_from_tai(self._tt - TT_MINUS_TAI)
        day = _MJD_ZERO + timedelta(days=mjd)
        length = (date(day.year + 1, 1, 1) - date(day.year, 1, 1)).days
        return day.year + ((day - date(day.year, 1, 1)).days + min(nanoseconds / DAY, 1.0)) / length

    @property
    def utc_day(self) -> tuple[int, float]:
        """The day of UTC as modified Julian date, and the seconds since its midnight."""
        mjd, nanoseconds = utc_from_tai(self._tt - TT_MINUS_TAI)
        return mjd, nanoseconds / SECOND

    def utc_at(self, t: Any) -> np.ndarray:
        """UTC as `datetime64[ns]` at times `t` [s] after the epoch; 23:59:60, which it cannot say, is 00:00:00."""
        since_midnight = self._tt - TT_MINUS_TAI + DAY // 2 + np.rint(np.asarray(t, dtype=float) * SECOND).astype(int)
        days, offsets = (np.array(column) for column in zip(*leap_seconds(), strict=True))
        midnights = (days - J2000_MJD) * DAY
        step = np.searchsorted(midnights + offsets * SECOND, since_midnight, side="right") - 1
        utc = since_midnight - offsets[step] * SECOND
        # within a leap second, which begins one second before the offset of the next day does
        utc = np.minimum(utc, np.append(midnights[1:], np.iinfo(np.int64).max)[step])
        shown: np.ndarray = np.datetime64(_MJD_ZERO, "ns") + (J2000_MJD * DAY + utc).astype("timedelta64[ns]")
        return shown

    # ---- arithmetic ----------------------------------------------------------------------------------------------

    def __add__(self, seconds: float) -> "Epoch":
        return Epoch.from_tt(self._tt + round(seconds * SECOND))

    @overload
    def __sub__(self, other: "Epoch") -> float: ...
    @overload
    def __sub__(self, other: float) -> "Epoch": ...
    def __sub__(self, other: "Epoch | float") -> "float | Epoch":
        """[s] Of TT between two epochs; or the epoch that is some seconds earlier."""
        if isinstance(other, Epoch):
            return (self._tt - other._tt) / SECOND
        return self + (-other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Epoch) and self._tt == other._tt

    def __lt__(self, other: "Epoch") -> bool:
        return self._tt < other._tt

    def __hash__(self) -> int:
        return hash(self._tt)

    def __repr__(self) -> str:
        return f"Epoch({self.utc!r})"


def _read(text: str, scale: str) -> tuple[int, int]:
    """The day of a text as modified Julian date, and the nanoseconds since its midnight."""
    match = _TEXT.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        raise EpochError(f"{shown(text)} is no date and time.\n{_FORM}")
    if match["zone"] and scale != "UTC":
        raise EpochError(f"`{text}` ends with Z, which is UTC, but the scale is {scale}.\n  Leave out one of them.")
    try:
        day = date.fromisoformat(match["date"])
    except ValueError as error:
        raise EpochError(f"`{text}`: there is no such day ({error}).") from None
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    nanoseconds = int((match["fraction"] or "0").ljust(9, "0"))
    mjd = (day - _MJD_ZERO).days
    is_leap = (hour, minute, second) == (23, 59, 60)
    if hour > 23 or minute > 59 or (second > 59 and not is_leap):
        raise EpochError(f"`{text}`: there is no such time of day.\n{_FORM}")
    if is_leap and not (scale == "UTC" and has_leap_second(mjd)):
        raise EpochError(f"`{text}`: {scale} has no leap second at the end of this day.")
    return mjd, ((hour * 60 + minute) * 60 + second) * SECOND + nanoseconds


def _clock(nanoseconds: int) -> str:
    """The time of day as text, 23:59:60 in a leap second."""
    seconds, rest = divmod(nanoseconds, SECOND)
    minutes = min(seconds // 60, 1439)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{seconds - 60 * minutes:02d}{fraction}"
