"""Input ports `lock` of joints and `locks` of groups: a joint is held while its lock is engaged."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.mechanism.plumbing.arrays import S, at, set_known
from cardan.mechanism.plumbing.lookup import Lookup, words_of
from cardan.mechanism.plumbing.table import Address, Stage, Table, each, offsets
from cardan.mechanism.roles import Role
from cardan.native.pointers import load_float, load_int, store_float, store_int

if TYPE_CHECKING:
    from cardan.mechanism.ports import MechanismPort


class LockRow(NamedTuple):
    """A joint with one freedom.

    Attributes:
        coordinate: Which one is its.
        velocity: Which one is its.
        is_engaged: Where the flag lies: any word that is not zero, an integer in a single lock, a number in several.
        hold: Where it lies at which the joint is held.
    """

    coordinate: int
    velocity: int
    is_engaged: Address
    hold: Address


AT = offsets(LockRow)


def lock_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[LockRow]:
    flags, holds = words_of(place).values()
    for i, joint in enumerate(port.elements):
        yield LockRow(lookup.coordinate(joint), lookup.velocities(joint)[0], flags + i, holds + i)


def lock(context, row):
    """Pull a joint to where it is held, critically damped; at rest there, it is held exactly."""
    index = 8 * load_int(row + AT.velocity)
    store_int(at(context, S.is_known) + index, 0)
    store_float(at(context, S.known_acceleration) + index, 0.0)
    if load_int(context + load_int(row + AT.is_engaged)) != 0:
        tau = load_float(at(context, S.lock_time))
        now = load_float(at(context, S.q_now) + 8 * load_int(row + AT.coordinate))
        off = now - load_float(context + load_int(row + AT.hold))
        rate = load_float(at(context, S.v_now) + index)
        set_known(context, index, -(2.0 * rate + off / tau) / tau)


LOCKS = Table(
    "locks",
    LockRow,
    Stage.BEGIN,
    (each(lock),),
    roles=frozenset({Role.LOCK, Role.LOCKS}),
    rows=lock_rows,
    holds=True,
    told="locked",
)
