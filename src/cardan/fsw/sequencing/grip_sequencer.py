"""Closes a gripper once its tip is on target."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan.contracts import NotNegative, Positive, task
from cardan.maths import Vec, dcm_from_mrp, matvec, mrp_relative, norm, rotation_angle
from cardan.messages import (
    FrameMotion,
    GripCommand,
    GripStatus,
    HingeLocks,
    HingeStates,
    ThrusterLimits,
    TipReference,
)


class GripSequencerMemory(NamedTuple):
    """Whether it has taken hold, and where the joints were then."""

    is_captured: Annotated[bool, "-"]
    angle: Annotated[Vec, "rad"]


class GripSequencerOutputs(NamedTuple):
    grip: GripCommand
    locks: HingeLocks
    limits: ThrusterLimits
    status: GripStatus


@task
class GripSequencer(NamedTuple):
    """Closes a gripper, locks the arm and shuts the thrusters off, once the tip is in its capture envelope.

    The envelope is a largest distance, angle, speed and rate between the tip and its target, all at the same tick. A
    gripper that has closed stays closed.

    Attributes:
        max_thrust: [N] Of each thruster until then.
        distance: [m] Of the envelope.
        angle: [rad] Of the envelope.
        speed: [m/s] Of the envelope.
        rate: [rad/s] Of the envelope.
    """

    max_thrust: Annotated[Vec, "N", NotNegative]
    distance: Annotated[float, "m", Positive] = 0.02
    angle: Annotated[float, "rad", Positive] = 0.1
    speed: Annotated[float, "m/s", Positive] = 0.05
    rate: Annotated[float, "rad/s", Positive] = 0.1

    def initial(self, joints: HingeStates) -> GripSequencerMemory:
        return GripSequencerMemory(False, 0.0 * joints.angle)

    def step(
        self, x: GripSequencerMemory, tip: FrameMotion, target: TipReference, joints: HingeStates
    ) -> tuple[GripSequencerMemory, GripSequencerOutputs]:
        distance = norm(tip.r_BN_N - target.r_TN_N)
        angle = rotation_angle(mrp_relative(tip.sigma_BN, target.sigma_TN))
        speed = norm(tip.v_BN_N - target.v_TN_N)
        rate = norm(tip.omega_BN_B - matvec(dcm_from_mrp(tip.sigma_BN), target.omega_TN_N))
        is_within = (distance <= self.distance) & (angle <= self.angle) & (speed <= self.speed) & (rate <= self.rate)
        is_captured = x.is_captured | is_within
        held = np.where(x.is_captured, x.angle, joints.angle)
        return GripSequencerMemory(is_captured, held), GripSequencerOutputs(
            grip=GripCommand(is_captured, target.r_TN_N, target.sigma_TN),
            locks=HingeLocks(is_engaged=np.full(len(held), 1.0 * is_captured), angle=held),
            limits=ThrusterLimits(0.0 * self.max_thrust, (1.0 - is_captured) * self.max_thrust),
            status=GripStatus(is_captured, distance, angle, speed, rate),
        )
