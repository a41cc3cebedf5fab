"""Torque of the magnetic field on a body's residual dipole."""

from typing import Annotated, NamedTuple

from cardan.contracts import model, output
from cardan.maths import ZERO3, Vec3, cross, dcm_from_mrp, matvec
from cardan.messages import BodyWrench, FrameMotion, Magnetism


@model
class ResidualDipole(NamedTuple):
    """A dipole fixed to a body.

        torque_B = dipole_B x dcm_BN field_N                                                                      (1)

    Attributes:
        dipole_B: [A m^2] In body components; some tenths for a small satellite, a few for a large one.
    """

    dipole_B: Annotated[Vec3, "A m^2"]

    @output
    def wrench(self, motion: FrameMotion, magnetism: Magnetism) -> BodyWrench:
        field_B = matvec(dcm_from_mrp(motion.sigma_BN), magnetism.field_N)
        return BodyWrench(force_B=ZERO3, torque_B=cross(self.dipole_B, field_B))
