"""Joints that seize, rub, lose their stiffness or meet a stop where there was none."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan import model, output, task
from cardan.contracts import NotNegative, Positive
from cardan.maths import choose, tanh
from cardan.messages import FaultEffect, HingeLock, HingeState, HingeTorque


@model
class HingeFault(NamedTuple):
    """A torque on a hinge that is there only while a fault lasts, on top of whatever drives it.

        torque = w (offset - stiffness (angle - rest) - damping rate - friction tanh(rate / slip) - s)            (1)
        s = stop_stiffness (angle - stop) beyond the stop, in its direction; else 0                               (2)

    w and offset are those of the fault: how far it has come, and its bias, noise and oscillation. A negative stiffness
    weakens a spring that the mechanism has.

    Attributes:
        friction: [N m] Dry friction that is added.
        slip: [rad/s] Rate from which friction is nearly all there.
        damping: [N m s/rad] That is added.
        stiffness: [N m/rad] That is added.
        rest: [rad] Where that spring is at rest.
        stop: [rad] Of a hard stop.
        stop_stiffness: [N m/rad] Of the stop; positive for one that ends motion upwards, negative for downwards.
    """

    friction: Annotated[float, "N m", NotNegative] = 0.0
    slip: Annotated[float, "rad/s", Positive] = 1.0e-3
    damping: Annotated[float, "N m s/rad", NotNegative] = 0.0
    stiffness: Annotated[float, "N m/rad"] = 0.0
    rest: Annotated[float, "rad"] = 0.0
    stop: Annotated[float, "rad"] = 0.0
    stop_stiffness: Annotated[float, "N m/rad"] = 0.0

    @output
    def effort(self, joint: HingeState, effect: FaultEffect) -> HingeTorque:
        # Eq. (2)
        beyond = (joint.angle - self.stop) * np.sign(self.stop_stiffness)
        stopped = choose(beyond > 0.0, np.abs(self.stop_stiffness) * (joint.angle - self.stop), 0.0)
        # Eq. (1)
        spring = self.stiffness * (joint.angle - self.rest) + self.damping * joint.rate
        rubbing = self.friction * tanh(joint.rate / self.slip)
        weight = choose(effect.is_active, effect.weight, 0.0)
        return HingeTorque(torque=weight * (effect.offset[0] - spring - rubbing - stopped))


class SeizureMemory(NamedTuple):
    """Where the hinge is held, and whether it is."""

    angle: Annotated[float, "rad"] = 0.0
    is_held: Annotated[bool, "-"] = False


class SeizureOutputs(NamedTuple):
    lock: HingeLock


@task
class HingeSeizure(NamedTuple):
    """Locks a hinge where it is when a fault strikes, for as long as that lasts."""

    def step(self, x: SeizureMemory, joint: HingeState, effect: FaultEffect) -> tuple[SeizureMemory, SeizureOutputs]:
        angle = choose(x.is_held, x.angle, joint.angle)
        return SeizureMemory(angle, effect.is_active), SeizureOutputs(HingeLock(effect.is_active, angle))
