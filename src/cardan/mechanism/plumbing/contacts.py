"""Output port `contact`: force, torque, place and depth where two bodies or shapes touch.

Whoever finds a contact, MuJoCo or the compliant contact of `touches`, hands it to `add_contact`, which sums it up for
each pair that is looked at. Only pairs that somebody reads are summed up.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cardan.maths import choose
from cardan.mechanism.plumbing.arrays import S, at, clear, size
from cardan.mechanism.plumbing.links import arm_of
from cardan.mechanism.plumbing.lookup import Lookup
from cardan.mechanism.plumbing.table import Address, Stage, Table, each, field_offsets, offsets
from cardan.mechanism.roles import Role
from cardan.messages.mechanism import ContactLoad
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.tuples import add3, cross3, dot3, load3, scale3, store3, subtract3
from cardan.native.vectors import components, load_packed

if TYPE_CHECKING:
    from cardan.mechanism.mechanism import Mechanism
    from cardan.mechanism.ports import MechanismPort


class ContactRow(NamedTuple):
    """A pair, the body of its first side, and where the message begins.

    Attributes:
        pair: Its number.
        link: Of the body of its first side; 0 if that is fixed in the world.
        frame: Where the position of that body in the link lies.
        to: Where the message begins.
    """

    pair: int
    link: int
    frame: Address
    to: Address


AT = offsets(ContactRow)
OUT = field_offsets(ContactLoad)

# a row of `pair`: body and shape of the first side, of the second
SIDE_1, SIDE_2, PAIR = 0, 16, 32
# a row of `pair_load`: on the first side, about the origin of its vehicle; the place is weighted by the size of forces
FORCE, TORQUE, PLACE, TOTAL, LARGEST, DEPTH, COUNT, LOAD = 0, 24, 48, 72, 80, 88, 96, 104


def contact_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[ContactRow]:
    name = port.elements[0]
    link, frame, _ = lookup.frame(lookup.mechanism.pair_sides(name)[0].body)
    yield ContactRow(list(lookup.mechanism.contact_pairs).index(name), link, frame, place.at)


def pair_numbers(mechanism: "Mechanism") -> np.ndarray:
    """(pairs, 4) Body and shape of the first side, of the second; -1 for any."""
    model = mechanism.model
    rows = [
        [-1 if not side.body else model.body(side.body).id, -1 if not side.shape else model.geom(side.shape).id]
        for name in mechanism.contact_pairs
        for side in mechanism.pair_sides(name)
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 4)


def clear_contacts(context):
    """Native code: no pair touches."""
    clear(at(context, S.pair_load), LOAD // 8 * size(context, S.pairs))


def add_contact(context, first, second, force, torque, depth):
    """Native code: sum a contact up for every pair that it belongs to.

    Args:
        context: The context.
        first: Body and shape of one side, and the place relative to the origin of its vehicle.
        second: The same of the other side.
        force: On `first` at the place, in inertial components.
        torque: On `first`, in inertial components.
        depth: [m] Of the penetration; not positive where they do not touch.
    """
    pairs, loads = at(context, S.pair), at(context, S.pair_load)
    for i in range(size(context, S.pairs)):
        pair, load = pairs + PAIR * i, loads + LOAD * i
        if is_meant(pair, first, second):
            sum_up(load, first[2], force, torque, depth)
        elif is_meant(pair, second, first):
            sum_up(load, second[2], scale3(force, -1.0), scale3(torque, -1.0), depth)


def is_meant(pair, one, other):
    """Whether these are the first and the second side of a pair."""
    return is_side(pair + SIDE_1, one) and is_side(pair + SIDE_2, other)


def is_side(wanted, side):
    body, shape = load_int(wanted), load_int(wanted + 8)
    return (body < 0 or body == side[0]) and (shape < 0 or shape == side[1])


def sum_up(load, place, force, torque, depth):
    strength = math.sqrt(dot3(force, force))
    store3(load + FORCE, add3(load3(load + FORCE), force))
    store3(load + TORQUE, add3(load3(load + TORQUE), add3(torque, cross3(place, force))))
    store3(load + PLACE, add3(load3(load + PLACE), scale3(place, strength)))
    store_float(load + TOTAL, load_float(load + TOTAL) + strength)
    store_float(load + LARGEST, larger(load_float(load + LARGEST), strength))
    store_float(load + DEPTH, larger(load_float(load + DEPTH), depth))
    store_float(load + COUNT, load_float(load + COUNT) + choose(depth > 0.0, 1.0, 0.0))


def larger(a, b):
    return choose(a > b, a, b)


def publish_contact(context, row):
    """One pair."""
    link, out = load_int(row + AT.link), context + load_int(row + AT.to)
    load = at(context, S.pair_load) + LOAD * load_int(row + AT.pair)
    force, total = load3(load + FORCE), load_float(load + TOTAL)
    # from the origin of the vehicle to that of the body; the world has its own
    body = components(arm_of(context, link, load_packed(context + load_int(row + AT.frame))))
    touches = choose(total > 0.0, 1.0, 0.0)
    place = scale3(load3(load + PLACE), touches / choose(total > 0.0, total, 1.0))
    if link > 0:
        vehicle = load_int(at(context, S.vehicle) + 8 * link)
        place = add3(place, scale3(load3(at(context, S.origin_r) + 24 * vehicle), touches))
    store3(out + OUT.force_N, force)
    store3(out + OUT.torque_N, subtract3(load3(load + TORQUE), cross3(body, force)))
    store3(out + OUT.r_PN_N, place)
    store_float(out + OUT.total, total)
    store_float(out + OUT.largest, load_float(load + LARGEST))
    store_float(out + OUT.penetration, load_float(load + DEPTH))
    store_float(out + OUT.places, load_float(load + COUNT))


CONTACTS = Table(
    "contacts",
    ContactRow,
    Stage.REACTIONS,
    (each(publish_contact),),
    roles=frozenset({Role.CONTACT}),
    rows=contact_rows,
)
