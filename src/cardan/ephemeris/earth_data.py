"""Earth orientation data of the IERS: polar motion, UT1, and what the celestial pole does beside its model."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from cardan.ephemeris.time_scales import J2000_MJD, leap_seconds
from cardan.errors import DamagedData, OutsideData

ARCSEC = np.pi / 648000.0  # [rad]

# columns of finals2000A.all, Bulletin A
_FIELDS = {"x": (18, 27), "y": (37, 46), "ut1": (58, 68), "dX": (97, 106), "dY": (116, 125)}


@dataclass(frozen=True)
class EarthData:
    """Daily values at midnight UTC, linear in between.

    Attributes:
        mjd: [d] Modified Julian dates, one after the other.
        x_p: [rad] Polar motion.
        y_p: [rad] Polar motion.
        ut1_tai: [s] UT1 - TAI: unlike UT1 - UTC it has no steps, so that it can be interpolated.
        dX: [rad] What the celestial pole has beside IAU 2006/2000A.
        dY: [rad] The same.
        holds: Whether the last values hold beyond the end; otherwise there are none there.
        source: Where they are from.
    """

    mjd: np.ndarray
    x_p: np.ndarray
    y_p: np.ndarray
    ut1_tai: np.ndarray
    dX: np.ndarray
    dY: np.ndarray
    holds: bool = False
    source: str = ""

    def at(self, tai: np.ndarray) -> np.ndarray:
        """(n, 5) x_p, y_p [rad], UT1 - TAI [s], dX, dY [rad] at instants of TAI [s since J2000]."""
        tai = np.atleast_1d(np.asarray(tai, dtype=float))
        knots = (self.mjd - J2000_MJD) * 86400.0 - 43200.0 + _tai_utc(self.mjd)
        before, after = tai < knots[0], tai > knots[-1]
        if before.any() or (after.any() and not self.holds):
            when = tai[before][0] if before.any() else tai[after][0]
            raise OutsideData(
                f"The Earth orientation data cover {_day(self.mjd[0])} to {_day(self.mjd[-1])} ({self.source}); "
                f"{_day(J2000_MJD + (when + 43200.0) / 86400.0)} is outside.\n"
                '  Update `astropy-iers-data`, give a newer file, or let the last values hold: `predict="hold"`.'
            )
        return np.stack([np.interp(tai, knots, v) for v in (self.x_p, self.y_p, self.ut1_tai, self.dX, self.dY)], 1)

    def ut1_minus_tai(self, tai: float) -> float:
        """[s] At an instant of TAI [s since J2000]."""
        return float(self.at(np.array([tai]))[0, 2])


def earth_data(path: str | Path | None = None, *, predict: str = "refuse") -> EarthData:
    """Earth orientation data from a file in the format of the IERS, `finals2000A.all`.

    Args:
        path: The file; that of the package `astropy-iers-data` if left out.
        predict: What to do beyond its end, where its own predictions end: `refuse`, or `hold` the last values, with
            which UT1 is wrong by some milliseconds after a day and by a second or more after years.
    """
    if predict not in ("refuse", "hold"):
        raise OutsideData(f'`predict` is {predict!r}.\n  Use "refuse" or "hold".')
    if path is None:
        import astropy_iers_data

        path = astropy_iers_data.IERS_A_FILE
    data = _read(Path(path))
    return EarthData(**{**vars(data), "holds": predict == "hold"})


@cache
def _read(path: Path) -> EarthData:
    try:
        text = path.read_bytes()
    except OSError as error:
        raise DamagedData(f"The Earth orientation data `{path}` cannot be read: {error.strerror}.") from error
    lines = [line for line in text.decode("ascii", "replace").splitlines() if line[58:68].strip()]
    try:
        mjd = np.array([float(line[7:15]) for line in lines])
        column = {
            name: np.array([float(line[first:last].strip() or 0.0) for line in lines])
            for name, (first, last) in _FIELDS.items()
        }
    except ValueError as error:
        raise DamagedData(f"`{path}` is not in the format of finals2000A.all: {error}.") from error
    if len(mjd) < 2 or not np.all(np.diff(mjd) == 1.0):
        raise DamagedData(f"`{path}` is not in the format of finals2000A.all: it has no value for each day.")
    return EarthData(
        mjd=mjd,
        x_p=column["x"] * ARCSEC,
        y_p=column["y"] * ARCSEC,
        ut1_tai=column["ut1"] - _tai_utc(mjd),
        dX=column["dX"] * 1e-3 * ARCSEC,
        dY=column["dY"] * 1e-3 * ARCSEC,
        source=path.name,
    )


def _tai_utc(mjd: np.ndarray) -> np.ndarray:
    """[s] TAI - UTC on days given by their MJD."""
    starts, offsets = np.array(leap_seconds(), dtype=float).T
    offset: np.ndarray = offsets[np.maximum(np.searchsorted(starts, mjd, side="right") - 1, 0)]
    return offset


def _day(mjd: float) -> str:
    return str(np.datetime64("1858-11-17") + np.timedelta64(int(np.floor(mjd)), "D"))
