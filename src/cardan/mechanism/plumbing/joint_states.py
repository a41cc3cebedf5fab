"""Output ports that are coordinates and velocities as they are: `state`, `states`, and the `quaternion` of a body."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.mechanism.coordinates import free_bodies
from cardan.mechanism.plumbing.arrays import S, at
from cardan.mechanism.plumbing.lookup import Lookup, words_of
from cardan.mechanism.plumbing.table import Address, Stage, Table, each, offsets
from cardan.mechanism.roles import Role
from cardan.mechanism.tree import Q_SIZE
from cardan.native.pointers import load_float, load_int, store_float

if TYPE_CHECKING:
    from cardan.mechanism.ports import MechanismPort


class ScalarRow(NamedTuple):
    """One coordinate, or one velocity.

    Attributes:
        number: Which one.
        to: Where it goes.
    """

    number: int
    to: Address


AT = offsets(ScalarRow)


def coordinate_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[ScalarRow]:
    # all that is integrated of an attitude is the quaternion of a body that flies freely, after its position
    if port.role is Role.QUATERNION:
        link, to = free_bodies(lookup.mechanism)[port.elements[0]], words_of(place)["q_BN"]
        first = int(lookup.tree.q_at[link]) + 3
        yield from (ScalarRow(first + k, to + k) for k in range(4))
        return
    to = next(iter(words_of(place).values()))
    for i, joint in enumerate(port.elements):
        first, kind = lookup.coordinate(joint), int(lookup.tree.kind[lookup.link(joint)])
        yield from (ScalarRow(first + k, to + i + k) for k in range(Q_SIZE[kind]))


def velocity_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[ScalarRow]:
    if port.role is Role.QUATERNION:
        return
    _, to = words_of(place).values()
    for i, joint in enumerate(port.elements):
        yield from (ScalarRow(v, to + i + k) for k, v in enumerate(lookup.velocities(joint)))


def publish_coordinate(context, row):
    value = load_float(at(context, S.q_now) + 8 * load_int(row + AT.number))
    store_float(context + load_int(row + AT.to), value)


def publish_velocity(context, row):
    value = load_float(at(context, S.v_now) + 8 * load_int(row + AT.number))
    store_float(context + load_int(row + AT.to), value)


_ROLES = frozenset({Role.STATE, Role.STATES, Role.QUATERNION})

COORDINATES = Table(
    "coordinates", ScalarRow, Stage.FRAMES, (each(publish_coordinate),), roles=_ROLES, rows=coordinate_rows
)
VELOCITIES = Table("velocities", ScalarRow, Stage.FRAMES, (each(publish_velocity),), roles=_ROLES, rows=velocity_rows)
