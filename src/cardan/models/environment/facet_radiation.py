"""Radiation pressure on the facets of a body."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.celestial import LIGHT_SPEED
from cardan.contracts import Constraint, NotEmpty, NotNegative, OnePer, Positive, Unit, model, output
from cardan.maths import Rows3, Vec, dcm_from_mrp, matvec, may_skip
from cardan.messages import BodyWrench, FrameMotion, Light, LitShares
from cardan.models.environment.facets import Outward

_ALL_LIT = LitShares(share=np.ones(1))
_AtMostAll = Constraint(
    "with `specular` no more than 1",
    lambda diffuse, specular: np.all(diffuse + specular <= 1.0 + 1e-12),
    of=("specular",),
)


_THIRD = 1.0 / 3.0  # a division in the loop over facets costs a twelfth of the whole


@model
class FacetRadiation(NamedTuple):
    """Light that facets absorb, mirror and scatter. With s the direction to its source, in body components,

        force_B = - flux / c area max(n . s, 0) ((1 - specular) s + 2 (specular n . s + diffuse / 3) n)            (1)
        torque_B = r_FB_B x force_B                                                                               (2)

    Attributes:
        area: [m^2] Of each facet.
        normal_B: [-] Outward normals, in body components.
        r_FB_B: [m] Centres of the facets, in body components.
        specular: [-] Share of the light that each facet mirrors.
        diffuse: [-] Share of the light that each facet scatters by Lambert's law; it absorbs the rest.
    """

    area: Annotated[Vec, "m^2", Positive, NotEmpty]
    normal_B: Annotated[Rows3, "-", Unit, OnePer("area"), Outward]
    r_FB_B: Annotated[Rows3, "m", OnePer("area")]
    specular: Annotated[Vec, "-", NotNegative, OnePer("area")]
    diffuse: Annotated[Vec, "-", NotNegative, OnePer("area"), _AtMostAll]

    @output
    def wrench(self, motion: FrameMotion, light: Light, lit: LitShares = _ALL_LIT) -> BodyWrench:
        s = matvec(dcm_from_mrp(motion.sigma_BN), light.s_N)
        pressure = light.flux / LIGHT_SPEED
        shares = len(lit.share)  # one for each facet, or one for all
        fx, fy, fz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(len(self.area)):
            n, r = self.normal_B[i], self.r_FB_B[i]
            nx, ny, nz, x, y, z = n[0], n[1], n[2], r[0], r[1], r[2]
            # Eq. (1)
            facing = nx * s[0] + ny * s[1] + nz * s[2]
            if may_skip(facing <= 0.0):
                continue  # as half of the facets of a closed body do
            share = lit.share[i] if shares > 1 else lit.share[0]
            push = -pressure * self.area[i] * np.maximum(facing, 0.0) * share
            along = push * (1.0 - self.specular[i])
            across = push * (2.0 * (self.specular[i] * facing + _THIRD * self.diffuse[i]))
            px, py, pz = along * s[0] + across * nx, along * s[1] + across * ny, along * s[2] + across * nz
            fx, fy, fz = fx + px, fy + py, fz + pz
            # Eq. (2)
            tx, ty, tz = tx + (y * pz - z * py), ty + (z * px - x * pz), tz + (x * py - y * px)
        return BodyWrench(force_B=np.array([fx, fy, fz]), torque_B=np.array([tx, ty, tz]))
