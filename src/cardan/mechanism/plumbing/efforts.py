"""Input ports `effort` of joints and `efforts` of groups; they sum."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.mechanism.plumbing.arrays import S, at
from cardan.mechanism.plumbing.lookup import Lookup
from cardan.mechanism.plumbing.table import Address, Stage, Table, each, offsets
from cardan.mechanism.roles import Role
from cardan.native.pointers import load_float, load_int, store_float

if TYPE_CHECKING:
    from cardan.mechanism.ports import MechanismPort


class EffortRow(NamedTuple):
    """A freedom, by its velocity, and where the effort along it lies."""

    velocity: int
    effort: Address


AT = offsets(EffortRow)


def effort_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[EffortRow]:
    for i, joint in enumerate(port.elements):
        yield from (EffortRow(v, place.at + i + k) for k, v in enumerate(lookup.velocities(joint)))


def add_effort(context, row):
    target = at(context, S.effort) + 8 * load_int(row + AT.velocity)
    store_float(target, load_float(target) + load_float(context + load_int(row + AT.effort)))


EFFORTS = Table(
    "efforts",
    EffortRow,
    Stage.GATHER,
    (each(add_effort),),
    roles=frozenset({Role.EFFORT, Role.EFFORTS}),
    rows=effort_rows,
)
