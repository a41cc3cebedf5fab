"""NRLMSISE-00 as a table, for batches and for speed."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts import Constraint, EvenlySpaced, Positive, model, output
from cardan.ephemeris import Epoch
from cardan.errors import OutsideData
from cardan.maths import Mat, Scalar, Vec, arctan2, choose, cross, exp, geodetic, matvec
from cardan.messages import Air, DensityFactor, FrameMotion, PlanetOrientation
from cardan.models.environment.msis_arcs import msis

_Columns = Constraint(
    "a row for each time and height, with a column for each latitude and local time",
    lambda ln_density, time, height, latitude, hours: (
        ln_density.shape == (len(time) * len(height), len(latitude) * int(hours))
    ),
    of=("time", "height", "latitude", "hours"),
)


def _cell(axis: Vec, value: Scalar) -> tuple[Scalar, Scalar]:
    """The line of an even axis below a value, and how far beyond it the value is, in cells; not a number outside."""
    cells = len(axis) - 1.0
    place = (value - axis[0]) * (cells / (axis[len(axis) - 1] - axis[0]))
    index = np.int64(np.minimum(np.maximum(np.floor(place), 0.0), cells - 1.0))
    is_inside = (place >= -1e-9) & (place <= cells + 1e-9)
    return index, choose(is_inside, place - index, np.nan)


@model
class GriddedAtmosphere(NamedTuple):
    """Log density on a grid of time, height, latitude and local solar time, interpolated linearly.

        local time = longitude + 2 pi (UTC / 86400 s)                                                             (1)
        density = exp(sum over the 16 corners of a cell of weight ln_density) factor                              (2)

    Outside of the times and heights of the table the density is not a number, which ends the run. The air turns with
    the planet.

    Attributes:
        time: [s] From the epoch.
        height: [m] Above WGS84.
        latitude: [rad] Geodetic.
        hours: [-] How many local solar times, evenly from midnight.
        utc_at_start: [s] UTC at time zero, since midnight.
        ln_density: [-] Of the density in kg/m^3; rows by time, then height, columns by latitude, then local time.
    """

    time: Annotated[Vec, "s", EvenlySpaced]
    height: Annotated[Vec, "m", EvenlySpaced]
    latitude: Annotated[Vec, "rad", EvenlySpaced]
    hours: Annotated[int, "-", Positive]
    utc_at_start: Annotated[float, "s"]
    ln_density: Annotated[Mat, "-", _Columns]

    @output
    def air(
        self, t: float, motion: FrameMotion, planet: PlanetOrientation, factor: DensityFactor = DensityFactor()
    ) -> Air:
        r = matvec(planet.dcm_PN, motion.r_BN_N)
        sine, cosine, height = geodetic(r)
        i, u = _cell(self.time, t)
        j, v = _cell(self.height, height)
        k, w = _cell(self.latitude, arctan2(sine, cosine))
        # Eq. (1)
        turns = arctan2(r[1], r[0]) / (2.0 * np.pi) + (self.utc_at_start + t) / 86400.0
        place = (turns - np.floor(turns)) * self.hours
        hour = np.int64(np.minimum(np.floor(place), self.hours - 1.0))
        p, after = place - hour, (hour + 1) % self.hours
        # Eq. (2)
        total = 0.0 * u
        for a in range(2):
            for b in range(2):
                row = (i + a) * len(self.height) + j + b
                for c in range(2):
                    column = (k + c) * self.hours
                    along = (1.0 - p) * self.ln_density[row, column + hour] + p * self.ln_density[row, column + after]
                    share = (u if a else 1.0 - u) * (v if b else 1.0 - v) * (w if c else 1.0 - w)
                    total = total + share * along
        density = exp(total) * factor.factor
        return Air(density=density, temperature=0.0 * density, v_AN_N=cross(planet.omega_PN_N, motion.r_BN_N))


def gridded_atmosphere(
    epoch: Epoch,
    duration: float,
    heights_km: tuple[float, float],
    f107: float = 150.0,
    f107a: float = 150.0,
    ap: Any = 4.0,
    *,
    version: float = 0.0,
) -> GriddedAtmosphere:
    """A table of NRLMSISE-00 over a run, made by your `pymsis`: 3 h, about 10 km, 5 deg, and an hour of local time.

    Args:
        epoch: Of the scenario.
        duration: [s] How long the run lasts.
        heights_km: [km] Lowest and highest, from 80 to 1000.
        f107: Solar flux at 10.7 cm of the day before, in solar flux units.
        f107a: Its mean over 81 days.
        ap: Geomagnetic index: one number, or seven.
        version: As of `MsisArcs`.
    """
    low, high = heights_km
    if not (80.0 <= low < high <= 1000.0):
        raise OutsideData(f"Heights from {low!r} to {high!r} km.\n  Give two between 80 and 1000 km, the lower first.")
    if not (np.isfinite(duration) and duration > 0.0):
        raise OutsideData(f"A table over a run of {duration!r} s cannot be made.\n  Give a duration above zero.")
    time = 10800.0 * np.arange(int(np.ceil(duration / 10800.0)) + 1)
    height = np.linspace(1e3 * low, 1e3 * high, max(2, int(np.ceil((high - low) / 10.0)) + 1))
    latitude, hours = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 37), 24
    start = epoch.seconds("UTC")
    t, h, phi, hour = (g.ravel() for g in np.meshgrid(time, height, latitude, np.arange(hours), indexing="ij"))
    since_midnight = float(np.remainder(start + 43200.0, 86400.0))
    longitude = 2.0 * np.pi * (hour / hours - (since_midnight + t) / 86400.0)
    # the inverse of `geodetic`
    e2 = 0.0066943799901413165
    normal = 6378137.0 / np.sqrt(1.0 - e2 * np.sin(phi) ** 2)
    rho = (normal + h) * np.cos(phi)
    places = np.stack([rho * np.cos(longitude), rho * np.sin(longitude), (normal * (1.0 - e2) + h) * np.sin(phi)], 1)
    density, _ = msis(start + t, places, f107, f107a, np.atleast_1d(np.asarray(ap, dtype=float)), version)
    rows = np.log(density).reshape(len(time) * len(height), len(latitude) * hours)
    return GriddedAtmosphere(np.asarray(time, dtype=np.float64), height, latitude, hours, since_midnight, rows)
