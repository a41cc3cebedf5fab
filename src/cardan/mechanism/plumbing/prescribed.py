"""Input port `prescribed` of joints, and of bodies on carriages: motion as a given function of time."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cardan.maths import choose
from cardan.mechanism.coordinates import LENGTH_TOLERANCE
from cardan.mechanism.plumbing.arrays import S, at, set_known, unit4
from cardan.mechanism.plumbing.lookup import Lookup, words_of
from cardan.mechanism.plumbing.table import Address, Stage, Table, each, offsets
from cardan.mechanism.roles import Role
from cardan.mechanism.tree import BALL
from cardan.messages.mechanism import PrescribedMotion
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.tuples import load3, load4, store3, store4

if TYPE_CHECKING:
    from cardan.mechanism.ports import MechanismPort


class PrescribedRow(NamedTuple):
    """A hinge or slide, or a ball.

    Attributes:
        coordinate: Its first one.
        velocity: Its first one.
        value: Where angle, displacement or quaternion lies.
        rate: Where the rate lies.
        acceleration: Where the acceleration lies.
    """

    coordinate: int
    velocity: int
    value: Address
    rate: Address
    acceleration: Address


AT = offsets(PrescribedRow)


def prescribed_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[PrescribedRow]:
    """Rows of hinges and slides."""
    yield from (row for joint, row in _rows(lookup, port, place) if not _is_ball(lookup, joint))


def turn_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[PrescribedRow]:
    """Rows of balls."""
    yield from (row for joint, row in _rows(lookup, port, place) if _is_ball(lookup, joint))


def _rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[tuple[str, PrescribedRow]]:
    """A joint takes value, rate and acceleration; a carriage these for its slides, and then for its turn."""
    words = list(words_of(place).values())
    steps = [(0, 0), (0, 1), (0, 2), (3, 0)] if port.message is PrescribedMotion else [(0, 0)]
    for joint, (first, step) in zip(port.elements, steps, strict=True):
        value, rate, acceleration = (word + step for word in words[first : first + 3])
        yield joint, PrescribedRow(lookup.coordinate(joint), lookup.velocities(joint)[0], value, rate, acceleration)


def _is_ball(lookup: Lookup, joint: str) -> bool:
    return bool(lookup.tree.kind[lookup.link(joint)] == BALL)


def prescribe(context, row):
    """Value, rate and acceleration of a hinge or slide."""
    index = 8 * load_int(row + AT.velocity)
    value = load_float(context + load_int(row + AT.value))
    store_float(at(context, S.q_now) + 8 * load_int(row + AT.coordinate), value)
    store_float(at(context, S.v_now) + index, load_float(context + load_int(row + AT.rate)))
    set_known(context, index, load_float(context + load_int(row + AT.acceleration)))


def prescribe_turn(context, row):
    """Quaternion, angular velocity and angular acceleration of a ball."""
    index = 8 * load_int(row + AT.velocity)
    turn = given4(load4(context + load_int(row + AT.value)))
    store4(at(context, S.q_now) + 8 * load_int(row + AT.coordinate), turn)
    store3(at(context, S.v_now) + index, load3(context + load_int(row + AT.rate)))
    for k in range(3):
        set_known(context, index + 8 * k, load_float(context + load_int(row + AT.acceleration) + 8 * k))


def given4(q):
    """A quaternion that a part gives, of unit length but for rounding; any other is not a number."""
    w, x, y, z = q
    is_unit = abs(math.sqrt(w * w + x * x + y * y + z * z) - 1.0) <= LENGTH_TOLERANCE
    a, b, c, d = unit4(q)
    return (
        choose(is_unit, a, np.nan),
        choose(is_unit, b, np.nan),
        choose(is_unit, c, np.nan),
        choose(is_unit, d, np.nan),
    )


_SERVED: dict[str, Any] = {"roles": frozenset({Role.PRESCRIBED}), "holds": True, "told": "prescribed"}

PRESCRIBED = Table("prescribed", PrescribedRow, Stage.BEGIN, (each(prescribe),), rows=prescribed_rows, **_SERVED)
TURNS = Table("turns", PrescribedRow, Stage.BEGIN, (each(prescribe_turn),), rows=turn_rows, **_SERVED)
