"""Parts between a writer and its readers that apply a fault to messages."""

from typing import Generic, NamedTuple

import numpy as np

from cardan import AnyMessage, model, output, task
from cardan.maths import Mat, Scalar, Vec, choose, clip, grid_cell, numbers_of, total, with_flipped_bit, with_numbers
from cardan.messages import FaultEffect


@model
class FaultyLink(NamedTuple):
    """Applies a fault to messages at every stage of the integrator; otherwise passes them on unchanged.

    It has no memory: losses need a `FaultySample`, late messages a `Detour`.
    """

    @output
    def passed(self, message: AnyMessage, effect: FaultEffect) -> AnyMessage:
        if not effect.is_active:
            return message
        return with_numbers(message, struck(numbers_of(message), effect))  # type: ignore[no-any-return]


class Passed(NamedTuple, Generic[AnyMessage]):
    passed: AnyMessage


@task
class FaultySample(NamedTuple):
    """Applies a fault to messages at its ticks; otherwise passes them on unchanged.

    It remembers the last message that came through, before the fault changed it.
    """

    def step(self, x: AnyMessage, message: AnyMessage, effect: FaultEffect) -> tuple[AnyMessage, Passed[AnyMessage]]:
        if not effect.is_active:
            return message, Passed(message)
        seen = remembered(numbers_of(x), numbers_of(message), effect)
        return with_numbers(message, seen), Passed(with_numbers(message, struck(seen, effect)))


@model
class Detour(NamedTuple):
    """Takes the faulty numbers from another message while the fault lasts: a late one, or a foreign one."""

    @output
    def passed(self, message: AnyMessage, other: AnyMessage, effect: FaultEffect) -> AnyMessage:
        if not effect.is_active:
            return message
        return with_numbers(message, replaced(numbers_of(message), numbers_of(other), effect))  # type: ignore[no-any-return]


@task
class SampledDetour(NamedTuple):
    """`Detour` between two tasks."""

    def step(self, message: AnyMessage, other: AnyMessage, effect: FaultEffect) -> Passed[AnyMessage]:
        if not effect.is_active:
            return Passed(message)
        return Passed(with_numbers(message, replaced(numbers_of(message), numbers_of(other), effect)))


def struck(numbers: Vec, effect: FaultEffect) -> Vec:
    """What a fault makes of the numbers of a message, Eqs. (1) and (3) of `Fault`."""
    first, width = effect.channel, len(effect.offset)
    if first + width > len(numbers):
        raise ValueError("Fault: `channel` is beyond the last number of the message.")
    u = numbers[first : first + width]
    # Eq. (1)
    shaped = np.array([_on_curve(effect.curve, u[i]) for i in range(width)])
    mixed = np.array([total(effect.gain[i] * shaped) for i in range(width)])
    g = clip(mixed + effect.offset, effect.low, effect.high)
    # Eq. (3)
    y = choose(effect.weight == 1.0, g, u + effect.weight * (g - u))
    if effect.flipped_bit >= 0:
        place, bit = effect.flipped_bit // 64, effect.flipped_bit % 64
        y = np.array([with_flipped_bit(y[i], bit) if i == place else y[i] for i in range(width)])
    return np.concatenate((numbers[:first], y, numbers[first + width :]))


def remembered(before: Vec, now: Vec, effect: FaultEffect) -> Vec:
    """The numbers that come through where messages are lost, or where there is play."""
    first, width = effect.channel, len(effect.offset)
    play = clip(before, now - effect.backlash, now + effect.backlash)
    kept = before if effect.is_lost else (play if effect.backlash > 0.0 else now)
    return np.concatenate((now[:first], kept[first : first + width], now[first + width :]))


def replaced(numbers: Vec, others: Vec, effect: FaultEffect) -> Vec:
    """The numbers of one message with those that a fault acts on taken from another."""
    first, width = effect.channel, len(effect.offset)
    return np.concatenate((numbers[:first], others[first : first + width], numbers[first + width :]))


def _on_curve(curve: Mat, u: Scalar) -> Scalar:
    """What a curve makes of a number; beyond its ends it goes on level. One column is no curve."""
    if curve.shape[1] < 2:
        return u
    index, part = grid_cell(curve[0], u)
    inside = clip(part, 0.0, 1.0)
    return (1.0 - inside) * curve[1, index] + inside * curve[1, index + 1]
