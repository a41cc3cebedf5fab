"""Hinges and slides that seize, rub, lose stiffness or hit an unexpected stop."""

from typing import Annotated, NamedTuple

import numpy as np

from cardan import model, output, task
from cardan.contracts import NotNegative, Positive
from cardan.maths import Scalar, choose, tanh
from cardan.messages import (
    FaultEffect,
    Force,
    HingeLock,
    HingeState,
    HingeTorque,
    SlideLock,
    SlideState,
)


@model
class HingeFault(NamedTuple):
    """A torque on a hinge while a fault lasts, on top of whatever drives it.

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
        return HingeTorque(torque=_effort(self, joint.angle, joint.rate, effect))


@model
class SlideFault(NamedTuple):
    """A force along a slide while a fault lasts, on top of whatever drives it.

    Eqs. (1) and (2) of `HingeFault`, of displacement for angle. A slosh mass on a slide changes its frequency by
    `stiffness`, and its losses by `damping`.

    Attributes:
        friction: [N] Dry friction that is added.
        slip: [m/s] Rate from which friction is nearly all there.
        damping: [N s/m] That is added.
        stiffness: [N/m] That is added; negative for a spring that weakens.
        rest: [m] Where that spring is at rest.
        stop: [m] Of a hard stop.
        stop_stiffness: [N/m] Of the stop; positive for one that ends motion upwards, negative for downwards.
    """

    friction: Annotated[float, "N", NotNegative] = 0.0
    slip: Annotated[float, "m/s", Positive] = 1.0e-3
    damping: Annotated[float, "N s/m", NotNegative] = 0.0
    stiffness: Annotated[float, "N/m"] = 0.0
    rest: Annotated[float, "m"] = 0.0
    stop: Annotated[float, "m"] = 0.0
    stop_stiffness: Annotated[float, "N/m"] = 0.0

    @output
    def effort(self, joint: SlideState, effect: FaultEffect) -> Force:
        return Force(force=_effort(self, joint.displacement, joint.rate, effect))


def _effort(load: HingeFault | SlideFault, place: Scalar, rate: Scalar, effect: FaultEffect) -> Scalar:
    """[N m] or [N] What a load adds at a joint's place and rate, Eqs. (1) and (2)."""
    # Eq. (2)
    beyond = (place - load.stop) * np.sign(load.stop_stiffness)
    stopped = choose(beyond > 0.0, np.abs(load.stop_stiffness) * (place - load.stop), 0.0)
    # Eq. (1)
    spring = load.stiffness * (place - load.rest) + load.damping * rate
    rubbing = load.friction * tanh(rate / load.slip)
    weight = choose(effect.is_active, effect.weight, 0.0)
    return weight * (effect.offset[0] - spring - rubbing - stopped)


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


class SlideSeizureMemory(NamedTuple):
    """Where the slide is held, and whether it is."""

    displacement: Annotated[float, "m"] = 0.0
    is_held: Annotated[bool, "-"] = False


class SlideSeizureOutputs(NamedTuple):
    lock: SlideLock


@task
class SlideSeizure(NamedTuple):
    """Locks a slide where it is when a fault strikes, for as long as that lasts."""

    def step(
        self, x: SlideSeizureMemory, joint: SlideState, effect: FaultEffect
    ) -> tuple[SlideSeizureMemory, SlideSeizureOutputs]:
        place = choose(x.is_held, x.displacement, joint.displacement)
        return SlideSeizureMemory(place, effect.is_active), SlideSeizureOutputs(SlideLock(effect.is_active, place))
