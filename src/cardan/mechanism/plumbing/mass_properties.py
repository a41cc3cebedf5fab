"""Input port `mass_properties`: mass, centre of mass and inertia of a body, instead of those of the file."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cardan.maths import choose
from cardan.mechanism.masses import ROUNDING
from cardan.mechanism.plumbing.arrays import S, at
from cardan.mechanism.plumbing.fixed_frames import turn_of
from cardan.mechanism.plumbing.lookup import Lookup, words_of
from cardan.mechanism.plumbing.table import Address, Quaternion, Stage, Table, Vector, each, offsets
from cardan.mechanism.roles import Role
from cardan.mechanism.tree import Tree, lump
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.tuples import add3, load3, load4, load9, store3, store9, subtract3, turn_from_quat, turned

if TYPE_CHECKING:
    from cardan.mechanism.ports import MechanismPort


class MassRow(NamedTuple):
    """A body in a link.

    Attributes:
        link: The link.
        mass: Where the mass lies.
        centre: Where the centre of mass lies.
        inertia: Where the inertia about it lies.
        position: [m] Of the body in the link.
        attitude: [-] Of the body relative to the link.
    """

    link: int
    mass: Address
    centre: Address
    inertia: Address
    position: Vector
    attitude: Quaternion


AT = offsets(MassRow)


def mass_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[MassRow]:
    frame = lookup.tree.bodies[port.elements[0]]
    mass, centre, inertia = words_of(place).values()
    yield MassRow(frame.link, mass, centre, inertia, frame.pos, frame.quat)


def fixed_masses(tree: Tree, replaced: Collection[str]) -> dict[str, np.ndarray]:
    """Mass properties of the links without the bodies whose mass properties are an input."""
    mass, com, inertia = np.array(tree.mass), np.array(tree.com), np.array(tree.inertia)
    for link in {tree.bodies[body].link for body in replaced}:
        pieces = []
        for body, frame in tree.bodies.items():
            if frame.link == link and body not in replaced and body in tree.body_mass:
                own, at, tensor = tree.body_mass[body]
                turn = turn_of(frame)
                pieces.append((own, frame.pos + turn @ at, turn @ tensor @ turn.T))
        mass[link], com[link], inertia[link] = lump(pieces)
    return {"fixed_mass": mass, "fixed_com": com, "fixed_inertia": inertia}


def take_out(context, row):
    """What is left of a link without the bodies that have this port."""
    link = load_int(row + AT.link)
    store_float(at(context, S.mass) + 8 * link, load_float(at(context, S.fixed_mass) + 8 * link))
    store3(at(context, S.com) + 24 * link, load3(at(context, S.fixed_com) + 24 * link))
    store9(at(context, S.inertia) + 72 * link, load9(at(context, S.fixed_inertia) + 72 * link))


def add_mass(context, row):
    """Add a body to its link: two bodies become one."""
    link = load_int(row + AT.link)
    present, com = at(context, S.mass) + 8 * link, at(context, S.com) + 24 * link
    inertia = at(context, S.inertia) + 72 * link
    turn = turn_from_quat(load4(row + AT.attitude))
    mass, added = load_float(present), load_float(context + load_int(row + AT.mass))
    centre = add3(load3(row + AT.position), turned(turn, load3(context + load_int(row + AT.centre))))
    own = load9(context + load_int(row + AT.inertia))
    # what no body has has no acceleration: the run stops there, and the interpreter says why
    total = mass + choose((added >= 0.0) & is_physical(own), added, np.nan)
    arm = subtract3(centre, load3(com))
    square = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]
    reduced = mass * added / total
    for a in range(3):
        for b in range(3):
            turned_own = 0.0
            for c in range(3):
                for d in range(3):
                    turned_own += turn[3 * a + c] * own[3 * c + d] * turn[3 * b + d]
            target = inertia + 8 * (3 * a + b)
            joined = turned_own + reduced * ((square if a == b else 0.0) - arm[a] * arm[b])
            store_float(target, load_float(target) + joined)
    for a in range(3):
        store_float(com + 8 * a, load_float(com + 8 * a) + added / total * arm[a])
    # nor has a body without mass
    store_float(present, choose(total > 0.0, total, np.nan))


def keep_whole(context, row):
    """A link with such bodies carries no rotors."""
    link = load_int(row + AT.link)
    store_float(at(context, S.whole_mass) + 8 * link, load_float(at(context, S.mass) + 8 * link))
    store3(at(context, S.whole_com) + 24 * link, load3(at(context, S.com) + 24 * link))
    store9(at(context, S.whole_inertia) + 72 * link, load9(at(context, S.inertia) + 72 * link))


def is_physical(inertia):
    """Whether no principal moment exceeds the sum of the others: half the trace less the inertia is not negative."""
    trace = inertia[0] + inertia[4] + inertia[8]
    room, half = ROUNDING * trace, 0.5 * trace
    x, y, z = half - inertia[0], half - inertia[4], half - inertia[8]
    a, b, c = -inertia[1], -inertia[2], -inertia[5]
    skew = max(abs(inertia[1] - inertia[3]), abs(inertia[2] - inertia[6]), abs(inertia[5] - inertia[7]))
    minors = min(x * y - a * a, x * z - b * b, y * z - c * c)
    determinant = x * (y * z - c * c) - a * (a * z - b * c) + b * (a * c - b * y)
    is_positive = (minors >= -room * trace) & (determinant >= -room * trace * trace)
    return (skew <= room) & (min(x, y, z) >= -room) & is_positive


MASS_PROPERTIES = Table(
    "mass_properties",
    MassRow,
    Stage.BEGIN,
    (each(take_out), each(add_mass), each(keep_whole)),
    roles=frozenset({Role.MASS_PROPERTIES}),
    rows=mass_rows,
    told="mass_properties",
)
