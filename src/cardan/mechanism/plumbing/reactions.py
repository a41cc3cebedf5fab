"""Output ports `reaction` and `holding`: what joints transmit, and what holds them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.mechanism.plumbing.arrays import S, at
from cardan.mechanism.plumbing.links import motion_of
from cardan.mechanism.plumbing.lookup import Lookup, words_of
from cardan.mechanism.plumbing.table import Address, Stage, Table, each, offsets
from cardan.mechanism.roles import Role
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.vectors import cross, load_packed, store_packed, turned_back

if TYPE_CHECKING:
    from cardan.mechanism.ports import MechanismPort


class ReactionRow(NamedTuple):
    """A joint, by its link, and where force and torque go."""

    link: int
    to_force: Address
    to_torque: Address


class HoldingRow(NamedTuple):
    """A freedom, by its velocity, and where the effort goes that holds it."""

    velocity: int
    to: Address


REACTION = offsets(ReactionRow)
HOLDING = offsets(HoldingRow)


def reaction_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[ReactionRow]:
    words = words_of(place)
    yield ReactionRow(lookup.link(port.elements[0]), words["force_B"], words["torque_B"])


def holding_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[HoldingRow]:
    freedoms = [v for joint in port.elements for v in lookup.velocities(joint)]
    yield from (HoldingRow(v, place.at + k) for k, v in enumerate(freedoms))


def publish_reaction(context, row):
    """Force and torque at the joint, in the components of the child."""
    link = load_int(row + REACTION.link)
    body = load_int(at(context, S.body_link) + 8 * link)
    axes, _, _, _ = motion_of(context, body)
    anchor = load_packed(at(context, S.anchor_now) + 24 * link)
    reaction = at(context, S.reaction) + 48 * link
    torque, force = load_packed(reaction), load_packed(reaction + 24)
    store_packed(context + load_int(row + REACTION.to_force), turned_back(axes, force))
    store_packed(context + load_int(row + REACTION.to_torque), turned_back(axes, torque - cross(anchor, force)))


def publish_holding(context, row):
    value = load_float(at(context, S.holding) + 8 * load_int(row + HOLDING.velocity))
    store_float(context + load_int(row + HOLDING.to), value)


REACTIONS = Table(
    "reactions",
    ReactionRow,
    Stage.REACTIONS,
    (each(publish_reaction),),
    roles=frozenset({Role.REACTION}),
    rows=reaction_rows,
)
HOLDINGS = Table(
    "holdings",
    HoldingRow,
    Stage.REACTIONS,
    (each(publish_holding),),
    roles=frozenset({Role.HOLDING}),
    rows=holding_rows,
)
