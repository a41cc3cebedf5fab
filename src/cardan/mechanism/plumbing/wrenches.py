"""Input ports about frames: `wrench`, `wrench_N`, `torque`, `force_N`, and the `forces_N` on a group; they sum."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.mechanism.plumbing.fixed_frames import TURN_AT
from cardan.mechanism.plumbing.links import add_force, push_at
from cardan.mechanism.plumbing.lookup import Lookup, words_of
from cardan.mechanism.plumbing.table import Address, Stage, Table, each, offsets
from cardan.mechanism.roles import Role
from cardan.native.pointers import load_int
from cardan.native.vectors import load_packed, load_turn, turned, vector

if TYPE_CHECKING:
    from cardan.mechanism.ports import MechanismPort


class WrenchRow(NamedTuple):
    """A wrench at a frame in a link.

    Attributes:
        link: The link.
        force: Where the force lies, or nowhere.
        torque: Where the torque lies, or nowhere.
        is_inertial: Whether they are in inertial components; else in those of the frame.
        centre: Where the centre of mass lies that it acts at, if it acts at one.
        frame: Where its position and turn in the link lie, or those of the body that the centre belongs to.
    """

    link: int
    force: Address
    torque: Address
    is_inertial: int
    centre: Address
    frame: Address


AT = offsets(WrenchRow)


def wrench_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[WrenchRow]:
    words = list(words_of(place).values())
    if port.role is Role.FORCES_N:
        for i, body in enumerate(port.elements):
            link, frame, centre = lookup.frame(f"{body}.com")
            yield WrenchRow(link, words[0] + 3 * i, 0, True, centre, frame)
        return
    link, frame, centre = lookup.frame(port.elements[0])
    is_inertial = port.role in (Role.WRENCH_N, Role.FORCE_N)
    force = 0 if port.role is Role.TORQUE else words[0]
    torque = 0 if port.role is Role.FORCE_N else words[-1]
    yield WrenchRow(link, force, torque, is_inertial, centre, frame)


def add_wrench(context, row):
    """One wrench onto its link."""
    link, from_force, from_torque = load_int(row + AT.link), load_int(row + AT.force), load_int(row + AT.torque)
    is_inertial, centre = load_int(row + AT.is_inertial), load_int(row + AT.centre)
    if link == 0:
        return
    force, torque = vector(0.0, 0.0, 0.0), vector(0.0, 0.0, 0.0)
    if from_force != 0:
        force = load_packed(context + from_force)
    if from_torque != 0:
        torque = load_packed(context + from_torque)
    frame = context + load_int(row + AT.frame)
    place, axes = load_packed(frame), load_turn(frame + TURN_AT)
    if centre != 0:
        place = place + turned(axes, load_packed(context + centre))
    if is_inertial != 0:
        add_force(context, link, place, force, torque)
    else:
        push_at(context, link, place, axes, force, torque)


WRENCHES = Table(
    "wrenches",
    WrenchRow,
    Stage.GATHER,
    (each(add_wrench),),
    roles=frozenset({Role.WRENCH, Role.WRENCH_N, Role.TORQUE, Role.FORCE_N, Role.FORCES_N}),
    rows=wrench_rows,
    acts_on_links=True,
)
