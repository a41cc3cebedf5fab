"""Allocation of a force and a torque to non-negative thrusts by the pseudo-inverse."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import Constraint, NotNegative, Positive, task
from cardan.errors import ImpossibleValue
from cardan.fsw.allocation.thruster_allocation import NO_LIMITS, given_by, limits_of, six
from cardan.fsw.allocation.wrench_axes import OnePerColumn, SixRows
from cardan.maths import Mat, Vec
from cardan.maths.matrices import pseudo_inverse, times
from cardan.messages import BodyWrench, ThrusterCommand, ThrusterLimits

_CLOSE = 1.0e-9

_Cancelling = Constraint(
    "thrusts, a row each, that cancel each other",
    lambda rows, mixer: (
        rows.shape[1] == mixer.shape[1]
        and bool(np.all(np.abs(mixer @ rows.T) <= _CLOSE * max(1.0, float(np.abs(rows).max(initial=0.0)))))
    ),
    of=("mixer",),
    found=lambda rows, mixer: (
        f"size {rows.shape[0]} x {rows.shape[1]}, of which {np.abs(mixer @ rows.T).max():.3g} is left"
        if rows.shape[1] == mixer.shape[1]
        else f"size {rows.shape[0]} x {rows.shape[1]} for {mixer.shape[1]} thrusters"
    ),
    advice="Make it with `pseudo_inverse_allocation(mixer, max_thrust)`.",
)


class PseudoInverseAllocationOutputs(NamedTuple):
    command: ThrusterCommand
    given: BodyWrench


@task
class PseudoInverseAllocation(NamedTuple):
    """Thrusts by the pseudo-inverse of the mixer, shifted along its null space until none is negative, then limited.

        u = M+ w                                                                                                  (1)
        u = u + c z,   c = the largest of 0 and - u_j / z_j, for each row z of `cancelling` in turn               (2)
        u = u, between lower and upper                                                                            (3)

    A few multiplications, without a search. It gives the wrench exactly as long as no thruster comes to its upper
    limit; beyond that `ThrusterAllocation` gives more of it.

    Attributes:
        mixer: [-] Maps thrusts to force and torque, a column for each thruster.
        max_thrust: [N] Of each thruster.
        inverse: [-] Pseudo-inverse of `mixer`.
        cancelling: [-] Thrusts that give no wrench together, a row each; every thruster is in one of them.
    """

    mixer: Annotated[Mat, "-", SixRows]
    max_thrust: Annotated[Vec, "N", Positive, OnePerColumn]
    inverse: Annotated[Mat, "-"]
    cancelling: Annotated[Mat, "-", NotNegative, _Cancelling]

    def step(self, wrench: BodyWrench, limits: ThrusterLimits = NO_LIMITS) -> PseudoInverseAllocationOutputs:
        lower, upper = limits_of(self.max_thrust, limits)
        # Eq. (1)
        u = times(self.inverse, six(wrench.force_B, wrench.torque_B))
        # Eq. (2)
        for k in range(self.cancelling.shape[0]):
            shift = 0.0
            for j in range(len(u)):
                if self.cancelling[k, j] > 0.0:
                    shift = max(shift, -u[j] / self.cancelling[k, j])
            for j in range(len(u)):
                u[j] += shift * self.cancelling[k, j]
        # Eq. (3)
        thrust = np.minimum(np.maximum(u, lower), upper)
        return PseudoInverseAllocationOutputs(
            command=ThrusterCommand(thrust=thrust), given=given_by(self.mixer, thrust)
        )


def pseudo_inverse_allocation(mixer: Mat, max_thrust: Vec) -> PseudoInverseAllocation:
    """The part for a mixer: its pseudo-inverse, and thrusts that cancel each other, in groups as small as it finds."""
    mixer = np.asarray(mixer, dtype=float)
    if mixer.ndim != 2 or mixer.shape[0] != 6:
        raise ImpossibleValue(f"pseudo_inverse_allocation: `mixer` must have six rows; got shape {mixer.shape}.")
    groups, left = [], list(range(mixer.shape[1]))
    while left:
        group = _cancelling_group(mixer, left[0])
        if group is None:
            raise ImpossibleValue(
                f"pseudo_inverse_allocation: nothing cancels the push of thruster {left[0]}, so that no shift keeps it "
                "from being negative.\n  Add thrusters that push against it, or use ThrusterAllocation."
            )
        groups.append(group)
        left = [j for j in left if group[j] == 0.0]
    return PseudoInverseAllocation(mixer, max_thrust, pseudo_inverse(mixer), np.array(groups))


def _cancelling_group(mixer: np.ndarray, first: int) -> np.ndarray | None:
    """The fewest newtons that cancel 1 N of a thruster, none negative; None where nothing does."""
    from scipy.optimize import linprog

    n = mixer.shape[1]
    others = [j for j in range(n) if j != first]
    found = linprog(np.ones(n - 1), A_eq=mixer[:, others], b_eq=-mixer[:, first], bounds=(0.0, None))
    if not found.success:
        return None
    # a vertex: the thrusters that push, to rounding
    active = [j for j, thrust in zip(others, found.x, strict=True) if thrust > 1e-9]
    group = np.zeros(n)
    group[first] = 1.0
    group[active] = np.round(np.linalg.lstsq(mixer[:, active], -mixer[:, first], rcond=None)[0], 12)
    return group
