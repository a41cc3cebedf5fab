"""Air drag on the facets of a body."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotEmpty, NotNegative, OnePer, Positive, Unit, model, output
from cardan.maths import Rows3, Vec, dcm_from_mrp, matvec, may_skip
from cardan.messages import Air, BodyWrench, FrameMotion
from cardan.models.environment.facets import Outward


@model
class FacetDrag(NamedTuple):
    """Free-molecular drag on flat facets of a body; each facet moves through the air with its own velocity.

        v = dcm_BN (v_BN_N - v_AN_N) + omega_BN_B x r_FB_B                                                        (1)
        force_B = - 1/2 density C_D area max(n . v, 0) v,    torque_B = r_FB_B x force_B                           (2)

    Attributes:
        area: [m^2] Of each facet.
        normal_B: [-] Outward normals, in body components.
        r_FB_B: [m] Centres of the facets, in body components.
        drag_coefficient: [-] Of each facet.
    """

    area: Annotated[Vec, "m^2", Positive, NotEmpty]
    normal_B: Annotated[Rows3, "-", Unit, OnePer("area"), Outward]
    r_FB_B: Annotated[Rows3, "m", OnePer("area")]
    drag_coefficient: Annotated[Vec, "-", NotNegative, OnePer("area")]

    @output
    def wrench(self, motion: FrameMotion, air: Air) -> BodyWrench:
        through = matvec(dcm_from_mrp(motion.sigma_BN), motion.v_BN_N - air.v_AN_N)
        w, half = motion.omega_BN_B, -0.5 * air.density
        fx, fy, fz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(len(self.area)):
            n, r = self.normal_B[i], self.r_FB_B[i]
            x, y, z = r[0], r[1], r[2]
            # Eq. (1)
            vx = through[0] + w[1] * z - w[2] * y
            vy = through[1] + w[2] * x - w[0] * z
            vz = through[2] + w[0] * y - w[1] * x
            # Eq. (2)
            ahead = n[0] * vx + n[1] * vy + n[2] * vz
            if may_skip(ahead <= 0.0):
                continue  # as half of the facets of a closed body do
            push = half * self.drag_coefficient[i] * self.area[i] * np.maximum(ahead, 0.0)
            px, py, pz = push * vx, push * vy, push * vz
            fx, fy, fz = fx + px, fy + py, fz + pz
            tx, ty, tz = tx + (y * pz - z * py), ty + (z * px - x * pz), tz + (x * py - y * px)
        return BodyWrench(force_B=np.array([fx, fy, fz]), torque_B=np.array([tx, ty, tz]))
