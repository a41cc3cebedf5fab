"""The magnetic field of the Earth."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Constraint, Positive, model, output
from cardan.ephemeris import Epoch, gradient_rows, igrf14
from cardan.errors import OutsideData
from cardan.maths import Mat, harmonic_gradient, matvec, matvec_transposed
from cardan.messages import FrameMotion, Magnetism, PlanetOrientation

_EightColumns = Constraint(
    "eight columns wide, as `cardan.ephemeris.gradient_rows`", lambda series: series.shape[1] == 8
)


@model
class MagneticField(NamedTuple):
    """The main field in spherical harmonics, evaluated by the gravity kernel.

        field_N = - dcm_PNT gradient(dcm_PN r_BN_N)                                                               (1)

    Attributes:
        radius: [m] Reference radius.
        series: [T] (k, 8) Rows of `cardan.ephemeris.gradient_rows`.
    """

    radius: Annotated[float, "m", Positive]
    series: Annotated[Mat, "T", _EightColumns]

    @output
    def magnetism(self, motion: FrameMotion, planet: PlanetOrientation) -> Magnetism:
        r = matvec(planet.dcm_PN, motion.r_BN_N)
        x, y, z = harmonic_gradient(self.series, self.radius, r[0], r[1], r[2])
        return Magnetism(field_N=-matvec_transposed(planet.dcm_PN, np.array([x, y, z])))


def magnetic_field(epoch: Epoch, duration: float, degree: int = 13) -> MagneticField:
    """IGRF-14 in the middle of a run: it drifts by up to 0.3 nT a day.

    Raises:
        OutsideData: Any part of the run is outside of 1980 to 2030, or the degree is above 13.
    """
    if not (np.isfinite(duration) and duration > 0.0):
        raise OutsideData(f"A field over a run of {duration!r} s cannot be made.\n  Give a duration above zero.")
    for moment in (epoch, epoch + duration):
        igrf14(moment.decimal_year)
    field = igrf14((epoch + 0.5 * duration).decimal_year)
    field.check_degree(degree)
    return MagneticField(radius=field.radius, series=gradient_rows(field.C, field.S, degree))
