"""The magnetic field of the Earth as a dipole."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Positive, model, output
from cardan.ephemeris import Epoch, igrf14
from cardan.maths import Vec3, dot, matvec, matvec_transposed, norm
from cardan.messages import FrameMotion, Magnetism, PlanetOrientation


@model
class TiltedDipole(NamedTuple):
    """A dipole at the centre of the planet, fixed to it. With u the direction of the vehicle, in planet components,

        field_P = (radius / r)^3 (3 (m . u) u - m)                                                                (1)

    Attributes:
        dipole_P: [T] m: g_11, h_11, g_10 of the main field, in planet components.
        radius: [m] Reference radius.
    """

    dipole_P: Annotated[Vec3, "T"]
    radius: Annotated[float, "m", Positive] = 6371200.0

    @output
    def magnetism(self, motion: FrameMotion, planet: PlanetOrientation) -> Magnetism:
        r = matvec(planet.dcm_PN, motion.r_BN_N)
        length = norm(r)
        u, ratio = r / length, self.radius / length
        field_P = ratio * ratio * ratio * (3.0 * dot(self.dipole_P, u) * u - self.dipole_P)
        return Magnetism(field_N=matvec_transposed(planet.dcm_PN, field_P))


def tilted_dipole(epoch: Epoch) -> TiltedDipole:
    """The dipole of IGRF-14 at an epoch.

    Raises:
        OutsideData: Before 1980 or after 2030.
    """
    field = igrf14(epoch.decimal_year)
    return TiltedDipole(np.sqrt(3.0) * np.array([field.C[1, 1], field.S[1, 1], field.C[1, 0]]), radius=field.radius)
