"""Where the Sun, the Moon and the planets are: DE440, or a SPICE kernel of your own."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Protocol

import numpy as np

from cardan.ephemeris.data_files import load_data
from cardan.ephemeris.epoch import Epoch
from cardan.ephemeris.time_scales import SECOND, tdb_minus_tt
from cardan.errors import DamagedData, OutsideData, did_you_mean

DAY = 86400.0  # [s]
PLANETS = ("mercury", "venus", "mars", "jupiter", "saturn", "uranus", "neptune")
"""From Mars on, the barycentre of the planet and its moons."""


class EphemerisSource(Protocol):
    """What gives positions of celestial bodies.

    Attributes:
        granule: [s] The positions are polynomials in pieces that long; pieces begin at `start`.
        start: [s] TDB since J2000 at which the data begin.
        end: [s] TDB since J2000 at which they end.
        terms: How many coefficients a piece needs.
        source: What errors call it.
    """

    @property
    def granule(self) -> float: ...
    @property
    def start(self) -> float: ...
    @property
    def end(self) -> float: ...
    @property
    def terms(self) -> int: ...
    @property
    def source(self) -> str: ...

    def position(self, body: str, tdb: np.ndarray) -> np.ndarray:
        """[m] (n, 3) From the barycentre of the solar system in ICRF axes, at instants of TDB [s since J2000]."""
        ...

    @property
    def bodies(self) -> Sequence[str]:
        """Whose positions it knows."""
        ...


class EphemerisTable(NamedTuple):
    """Chebyshev series of positions over a run.

    Attributes:
        start: [s] Of each granule, from the epoch in TT; they are equally long.
        length: [s] Of a granule.
        rows: [m] (granules * terms, 3 * bodies) Coefficients, term by term; x, y, z of each body.
        bodies: Their names.
    """

    start: np.ndarray
    length: float
    rows: np.ndarray
    bodies: tuple[str, ...]


class _Pieces(NamedTuple):
    """Chebyshev pieces of one segment: start and length [s], coefficients [m] (granules, terms, 3)."""

    start: float
    length: float
    coefficients: np.ndarray

    @property
    def end(self) -> float:
        return self.start + self.length * len(self.coefficients)

    def at(self, tdb: np.ndarray) -> np.ndarray:
        place = (tdb - self.start) / self.length
        granule = np.clip(np.floor(place).astype(int), 0, len(self.coefficients) - 1)
        c = self.coefficients[granule]
        x = (2.0 * (place - granule) - 1.0)[:, None]
        b1, b2 = np.zeros((len(tdb), 3)), np.zeros((len(tdb), 3))
        for k in range(c.shape[1] - 1, 0, -1):
            b1, b2 = c[:, k] + 2.0 * x * b1 - b2, b1
        r: np.ndarray = c[:, 0] + x * b1 - b2
        return r


@dataclass(frozen=True)
class _De440:
    """The shipped excerpt, coefficients rounded to 1 mm."""

    pieces: dict[str, _Pieces]
    earth_over_moon: float
    granule: float = 4.0 * DAY
    terms: int = 14
    source: str = "the shipped excerpt of DE440"

    @property
    def start(self) -> float:
        return max(p.start for p in self.pieces.values())

    @property
    def end(self) -> float:
        return min(p.end for p in self.pieces.values())

    @property
    def bodies(self) -> Sequence[str]:
        return ("sun", "earth", "moon", *PLANETS)

    def position(self, body: str, tdb: np.ndarray) -> np.ndarray:
        if body not in ("earth", "moon"):
            return self.pieces[body].at(tdb)
        centre = self.pieces["earth_moon_barycentre"].at(tdb)
        moon = self.pieces["moon_from_barycentre"].at(tdb)
        return centre + moon if body == "moon" else centre - moon / self.earth_over_moon


@cache
def de440() -> EphemerisSource:
    """Sun, Moon and planets from 1990 to 2060. R. S. Park et al., The Astronomical Journal 161 (2021)."""
    data = load_data("de440_1990_2060.npz")
    pieces = {}
    for name in ("sun", "earth_moon_barycentre", "moon_from_barycentre", *PLANETS):
        first, length = data[f"{name}_span"]
        planes = np.ascontiguousarray(data[name].transpose(1, 2, 3, 0))  # (terms, 3, granules, bytes)
        millimetres = planes.view("<i8")[..., 0]
        pieces[name] = _Pieces(first * DAY, length * DAY, 1e-3 * millimetres.transpose(2, 0, 1))
    return _De440(pieces, float(data["earth_over_moon"]))


def ephemeris_table(
    epoch: Epoch, duration: float, bodies: Sequence[str], centre: str, source: EphemerisSource | None = None
) -> EphemerisTable:
    """Positions of `bodies` from `centre` over a run, refitted in TT from the epoch.

    The pieces of the source are polynomials, and so are their sums and differences over the shortest piece: nothing is
    lost but rounding.

    Args:
        epoch: When the run begins.
        duration: [s] How long it lasts.
        bodies: Whose positions; that of the centre itself is zero.
        centre: Where the origin is.
        source: DE440 if left out.

    Raises:
        OutsideData: The source does not cover the run, or does not know a body.
    """
    source = source or de440()
    for name in (*bodies, centre):
        if name not in source.bodies:
            raise OutsideData(
                f"There is no `{name}` in {source.source}.{did_you_mean(name, source.bodies)}\n"
                f"  There are: {', '.join(source.bodies)}"
            )
    if not (np.isfinite(duration) and duration > 0.0):
        raise OutsideData(f"A table over a run of {duration!r} s cannot be made.\n  Give a duration above zero.")
    begin, end = epoch.seconds("TDB"), (epoch + duration).seconds("TDB")
    if begin < source.start or end > source.end:
        covered = [Epoch.from_tt(int(t) * SECOND).utc[:10] for t in (source.start, source.end)]
        raise OutsideData(
            f"The run lasts from {epoch.utc} to {(epoch + duration).utc}; {source.source} covers {covered[0]} to "
            f"{covered[1]}.\n  Choose another epoch, or give a SPICE kernel that covers it: `read_spk`."
        )
    L, n = source.granule, source.terms
    first = int(np.floor((begin - source.start) / L))
    last = int(np.ceil((end - source.start) / L - 1e-12))
    start = source.start + L * np.arange(first, max(last, first + 1)) - begin

    # values at the roots of the first Chebyshev polynomial that is left out, then its discrete cosine transform
    angle = np.pi * (np.arange(n) + 0.5) / n
    t = (start[:, None] + 0.5 * L * (1.0 + np.cos(angle))).ravel()
    tt = epoch.seconds("TT") + t
    tdb = tt + tdb_minus_tt(tt)
    origin = source.position(centre, tdb)
    values = np.concatenate([source.position(body, tdb) - origin for body in bodies], axis=1)
    transform = 2.0 / n * np.cos(np.outer(np.arange(n), angle))
    transform[0] *= 0.5
    rows = np.einsum("kj,gjc->gkc", transform, values.reshape(len(start), n, -1))
    if not np.isfinite(rows).all():
        raise DamagedData(f"{source.source} has positions that are not finite.")
    return EphemerisTable(start, L, rows.reshape(len(start) * n, -1), tuple(bodies))
