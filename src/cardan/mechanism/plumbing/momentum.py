"""Output port `momentum`: mass, centre of mass, inertia, momentum and energy of a whole vehicle."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.mechanism.plumbing.arrays import S, at, clear, size
from cardan.mechanism.plumbing.links import centre_of_link
from cardan.mechanism.plumbing.lookup import Lookup
from cardan.mechanism.plumbing.table import Address, Stage, Table, each, field_offsets, offsets
from cardan.mechanism.roles import Role
from cardan.messages.mechanism import VehicleMomentum
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.tuples import add3, cross3, load3, load9, scale3, subtract3

if TYPE_CHECKING:
    from cardan.mechanism.ports import MechanismPort


class MomentumRow(NamedTuple):
    """A vehicle, and where its message begins."""

    vehicle: int
    to: Address


AT = offsets(MomentumRow)
OUT = field_offsets(VehicleMomentum)


def momentum_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[MomentumRow]:
    link = lookup.tree.bodies[port.elements[0]].link
    yield MomentumRow(int(lookup.tree.vehicle[link]), place.at)


def publish_momentum(context, row):
    """A whole vehicle."""
    vehicle, out = load_int(row + AT.vehicle), context + load_int(row + AT.to)
    masses, inertias = at(context, S.mass), at(context, S.inertia)
    total, centre, speed = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for link in range(1, size(context, S.links)):
        if load_int(at(context, S.vehicle) + 8 * link) == vehicle:
            place, moving = centre_of_link(context, link)
            mass = load_float(masses + 8 * link)
            total += mass
            centre, speed = add3(centre, scale3(place, mass)), add3(speed, scale3(moving, mass))
    centre, speed = divided(centre, total), divided(speed, total)

    # sums over links grow in the message itself
    tensor, momentum, energy = out + OUT.inertia_C_N, out + OUT.momentum_C_N, 0.0
    clear(tensor, 9)
    clear(momentum, 3)
    for link in range(1, size(context, S.links)):
        if load_int(at(context, S.vehicle) + 8 * link) != vehicle:
            continue
        place, moving = centre_of_link(context, link)
        mass, inertia = load_float(masses + 8 * link), load9(inertias + 72 * link)
        turn, w = load9(at(context, S.turn) + 72 * link), load3(at(context, S.omega) + 24 * link)
        arm, relative = subtract3(place, centre), subtract3(moving, speed)
        orbital = cross3(arm, relative)
        square = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]
        for a in range(3):
            spin = 0.0
            for b in range(3):
                own = 0.0
                for c in range(3):
                    for d in range(3):
                        own += turn[3 * a + c] * inertia[3 * c + d] * turn[3 * b + d]
                spin += own * w[b]
                add_to(tensor + 8 * (3 * a + b), own + mass * ((square if a == b else 0.0) - arm[a] * arm[b]))
            add_to(momentum + 8 * a, spin + mass * orbital[a])
            energy += 0.5 * (w[a] * spin + mass * relative[a] * relative[a])

    store_float(out + OUT.mass, total)
    for a in range(3):
        origin_r = load_float(at(context, S.origin_r) + 24 * vehicle + 8 * a)
        origin_v = load_float(at(context, S.origin_v) + 24 * vehicle + 8 * a)
        store_float(out + OUT.r_CN_N + 8 * a, origin_r + centre[a])
        store_float(out + OUT.v_CN_N + 8 * a, origin_v + speed[a])
    store_float(out + OUT.kinetic_energy, energy)


def divided(a, s):
    return a[0] / s, a[1] / s, a[2] / s


def add_to(target, value):
    store_float(target, load_float(target) + value)


MOMENTA = Table(
    "momenta",
    MomentumRow,
    Stage.FRAMES,
    (each(publish_momentum),),
    roles=frozenset({Role.MOMENTUM}),
    rows=momentum_rows,
)
