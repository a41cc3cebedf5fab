"""Allocation of a force and a torque to the thrusters of a bank."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, OfShape, Positive, task
from cardan.fsw.allocation.bounded_least_squares import allocate
from cardan.fsw.allocation.wrench_axes import AnyWrench, OnePerColumn, SixRows
from cardan.maths import Mat, Vec, Vec3
from cardan.maths.matrices import times
from cardan.messages import AllocationStatus, BodyWrench, ThrusterCommand, ThrusterLimits

ALL_AXES = np.ones(6)
ALL_AXES.flags.writeable = False
NO_LIMITS = ThrusterLimits(np.zeros(0), np.zeros(0))
EFFORT = 1.0e-8


class ThrusterAllocationOutputs(NamedTuple):
    command: ThrusterCommand
    given: BodyWrench
    status: AllocationStatus


@task
class ThrusterAllocation(NamedTuple):
    """Thrusts within limits that come closest to a wrench, with the least effort.

        minimise |S (M u - w)|^2 + effort |u / max_thrust|^2   within lower <= u <= upper                         (1)
        S_ii = weight_i / sum over j of |M_ij| max_thrust_j                                                       (2)

    Solved exactly, by an active set, at every tick. Limits that change, because a thruster has failed for instance,
    come as a message; without one they are 0 and `max_thrust`.

    Attributes:
        mixer: [-] Takes thrusts to force (three rows, [-]) and torque (three rows, [m]), a column for each thruster.
        max_thrust: [N] Of each thruster.
        weights: [-] Of force x, y, z and torque x, y, z; 0 for an axis that does not matter.
        effort: [-] Weight of the thrusts themselves. It chooses among thrusts that give the same wrench, and costs
            this share of the wrench, about.
    """

    mixer: Annotated[Mat, "-", SixRows, AnyWrench]
    max_thrust: Annotated[Vec, "N", Positive, OnePerColumn]
    weights: Annotated[Vec, "-", NotNegative, OfShape(6)] = ALL_AXES
    effort: Annotated[float, "-", Positive] = EFFORT

    def step(self, wrench: BodyWrench, limits: ThrusterLimits = NO_LIMITS) -> ThrusterAllocationOutputs:
        asked = six(wrench.force_B, wrench.torque_B)
        command, status = thrusts_for(asked, self.mixer, self.max_thrust, self.weights, self.effort, limits)
        return ThrusterAllocationOutputs(command, given_by(self.mixer, command.thrust), status)


def thrusts_for(
    asked: Vec, mixer: Mat, max_thrust: Vec, weights: Vec, effort: float, limits: ThrusterLimits
) -> tuple[ThrusterCommand, AllocationStatus]:
    """Thrusts for force [N] and torque [N m], six numbers, and how well they do: Eqs. (1) and (2)."""
    lower, upper = limits_of(max_thrust, limits)
    found = allocate(mixer, max_thrust, weights, effort, asked, lower, upper)
    saturated = 0
    for j in range(len(upper)):
        if found.thrust[j] >= upper[j]:
            saturated += 1
    return ThrusterCommand(found.thrust), AllocationStatus(found.shortfall, saturated, found.iterations)


def limits_of(max_thrust: Vec, limits: ThrusterLimits) -> tuple[Vec, Vec]:
    """[N] The limits of a message, within those of the bank, or those of the bank where there is no message."""
    n = len(max_thrust)
    if len(limits.upper) > 0 and len(limits.upper) != n:
        raise ValueError("`limits` has another number of thrusters than `max_thrust`.")
    lower, upper = np.zeros(n), 1.0 * max_thrust
    if len(limits.upper) > 0:
        for j in range(n):
            lower[j] = min(max(limits.lower[j], 0.0), max_thrust[j])
            upper[j] = min(max(limits.upper[j], lower[j]), max_thrust[j])
    return lower, upper


def six(force_B: Vec3, torque_B: Vec3) -> Vec:
    """Force and torque as six numbers."""
    return np.array([force_B[0], force_B[1], force_B[2], torque_B[0], torque_B[1], torque_B[2]])


def given_by(mixer: Mat, thrust: Vec) -> BodyWrench:
    """The wrench that thrusts give."""
    w = times(mixer, thrust)
    return BodyWrench(force_B=w[:3].copy(), torque_B=w[3:].copy())
