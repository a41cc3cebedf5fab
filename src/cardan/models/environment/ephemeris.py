"""Positions of the Sun, the Moon and the planets from DE440 or your own SPICE kernel."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Ascending, Constraint, Positive, model, output
from cardan.ephemeris import EphemerisSource, Epoch, ephemeris_table
from cardan.maths import Mat, Scalar, Vec, choose
from cardan.messages import CelestialMotions, FramePositions

_Series = Constraint(
    "coefficients of as many terms for each entry of `start`, three columns for each body",
    lambda rows, start: len(start) > 0 and len(rows) % len(start) == 0 and rows.shape[1] % 3 == 0,
    of=("start",),
)


def _place(start: Vec, length: Scalar, t: Scalar) -> tuple[Scalar, Scalar]:
    """In which granule a time lies, and where from -1 to 1; not a number outside of all."""
    place = (t - start[0]) / length
    granule = np.int64(np.minimum(np.maximum(np.floor(place), 0.0), len(start) - 1.0))
    is_inside = (place >= 0.0) & (place <= 1.0 * len(start))
    return granule, choose(is_inside, 2.0 * (place - granule) - 1.0, np.nan)


@model
class Ephemeris(NamedTuple):
    """Geometric positions of celestial bodies, without light time, as Chebyshev series in time.

        x = 2 (t - start_g) / length - 1,    r_BN_N = sum over k of c_k T_k(x)                                     (1)

    Before the first granule and after the last the position is not a number, which ends the run.

    Attributes:
        start: [s] When each granule begins, in TT from the epoch.
        length: [s] Of every granule.
        rows: [m] Coefficients of all granules, term by term; columns x, y, z of each body.
    """

    start: Annotated[Vec, "s", Ascending]
    length: Annotated[float, "s", Positive]
    rows: Annotated[Mat, "m", _Series]

    @output
    def positions(self, t: float) -> FramePositions:
        granule, x = _place(self.start, self.length, t)
        terms = len(self.rows) // len(self.start)
        # Eq. (1) by Clenshaw's recurrence
        b, b_next = 0.0 * self.rows[0], 0.0 * self.rows[0]
        for k in range(terms - 1, 0, -1):
            b, b_next = self.rows[granule * terms + k] + (2.0 * x) * b - b_next, b
        return FramePositions(r_BN_N=(self.rows[granule * terms] + x * b - b_next).reshape((-1, 3)))

    @output
    def motions(self, t: float) -> CelestialMotions:
        granule, x = _place(self.start, self.length, t)
        terms = len(self.rows) // len(self.start)
        b, b_next, d, d_next = 0.0 * self.rows[0], 0.0 * self.rows[0], 0.0 * self.rows[0], 0.0 * self.rows[0]
        for k in range(terms - 1, 0, -1):
            d, d_next = 2.0 * b + (2.0 * x) * d - d_next, d
            b, b_next = self.rows[granule * terms + k] + (2.0 * x) * b - b_next, b
        r = self.rows[granule * terms] + x * b - b_next
        v = (b + x * d - d_next) * (2.0 / self.length)
        return CelestialMotions(r_BN_N=r.reshape((-1, 3)), v_BN_N=v.reshape((-1, 3)))


def ephemeris(
    epoch: Epoch,
    duration: float,
    bodies: Sequence[str] = ("earth", "sun", "moon"),
    *,
    centre: str = "earth",
    source: EphemerisSource | None = None,
) -> Ephemeris:
    """Positions of celestial bodies over a run, in GCRF axes relative to a body at the origin.

    Args:
        epoch: Of the scenario.
        duration: [s] How long the run lasts.
        bodies: Sun, Moon, Earth and planets, in the order in which others read them; `earth`, `sun`, `moon` serve
            gravity and eclipses in orbits about the Earth.
        centre: Which body is at the origin.
        source: DE440 from 1990 to 2060 if left out; `cardan.ephemeris.read_spk` reads others.

    Raises:
        OutsideData: The source does not cover the run, or does not know a body.
    """
    table = ephemeris_table(epoch, duration, bodies, centre, source)
    return Ephemeris(start=table.start, length=table.length, rows=table.rows)
