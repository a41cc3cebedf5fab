"""A reference that points a body axis along an inertial direction."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Constraint, NotZero, task
from cardan.maths import ZERO3, Mat3, Vec3, cross, matmul, mrp_from_dcm, norm
from cardan.messages import AttitudeReference, ThrustAxis

_NotAlongTarget = Constraint(
    "a direction that is not along `target_N`",
    lambda second_N, target_N: norm(cross(target_N, second_N)) > 1.0e-6 * norm(target_N) * norm(second_N),
    of=("target_N",),
)


class AxisPointingOutputs(NamedTuple):
    reference: AttitudeReference


@task
class AxisPointing(NamedTuple):
    """Point a body axis along an inertial direction, and turn about it so that a second axis is near a second one.

        [RN] = [axis_B, e_2, axis_B x e_2] [target_N, n_2, target_N x n_2]^T                                      (1)
        e_2  = axis_B x second_B / |...|,   n_2 = target_N x second_N / |...|                                     (2)

    The reference does not turn: omega_RN = 0.

    Attributes:
        target_N: [-] Direction for the commanded axis, in inertial components; of any length.
        second_B: [-] The second axis, in body components.
        second_N: [-] The second direction, in inertial components.
    """

    target_N: Annotated[Vec3, "-", NotZero]
    second_B: Annotated[Vec3, "-", NotZero]
    second_N: Annotated[Vec3, "-", _NotAlongTarget]

    def step(self, command: ThrustAxis) -> AxisPointingOutputs:
        sine_B = norm(cross(command.axis_B, self.second_B)) / (norm(command.axis_B) * norm(self.second_B))
        if not sine_B > 1.0e-6:
            raise ValueError(
                "The two axes are parallel or zero, so that the turn about them is open. "
                "Choose a second axis that is not parallel to the commanded one."
            )
        # Eqs. (1) and (2)
        dcm_RN = matmul(triad(command.axis_B, self.second_B), triad(self.target_N, self.second_N).T)
        return AxisPointingOutputs(AttitudeReference(mrp_from_dcm(dcm_RN), ZERO3 + 0.0, ZERO3 + 0.0))


def triad(first: Vec3, second: Vec3) -> Mat3:
    """Columns: along `first`, across both, and across these two."""
    a = first / norm(first)
    across = cross(first, second)
    b = across / norm(across)
    c = cross(a, b)
    return np.array([[a[0], b[0], c[0]], [a[1], b[1], c[1]], [a[2], b[2], c[2]]])
