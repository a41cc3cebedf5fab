"""Output port `momentum`: mass, centre of mass, inertia, momentum and energy of a whole vehicle."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from cardan.mechanism.plumbing.arrays import S, at, size
from cardan.mechanism.plumbing.links import axis_of_rotor, carrier_of, is_rotor, motion_of
from cardan.mechanism.plumbing.lookup import Lookup
from cardan.mechanism.plumbing.table import Address, Stage, Table, each, field_offsets, offsets
from cardan.mechanism.roles import Role
from cardan.messages.mechanism import VehicleMomentum
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.vectors import (
    cross,
    dot,
    load_packed,
    load_turn,
    product,
    store_packed,
    transposed,
    turned,
    vector,
)

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
    """A whole vehicle; rotors count among the masses of what carries them, and have their spin besides."""
    vehicle, out = load_int(row + AT.vehicle), context + load_int(row + AT.to)
    nothing = vector(0.0, 0.0, 0.0)
    total, centre, speed = 0.0, nothing, nothing
    for link in range(1, size(context, S.links)):
        if load_int(at(context, S.vehicle) + 8 * link) == vehicle and not is_rotor(context, link):
            place, moving = whole_centre(context, link)
            mass = load_float(at(context, S.whole_mass) + 8 * link)
            total, centre, speed = total + mass, centre + place * mass, speed + moving * mass
    centre, speed = centre * (1.0 / total), speed * (1.0 / total)

    (x, y, z), momentum, energy = (nothing, nothing, nothing), nothing, 0.0
    for link in range(1, size(context, S.links)):
        if load_int(at(context, S.vehicle) + 8 * link) != vehicle:
            continue
        if is_rotor(context, link):
            axis, w = axis_of_rotor(context, link), load_packed(at(context, S.omega) + 24 * carrier_of(context, link))
            rate = load_float(at(context, S.v_now) + 8 * load_int(at(context, S.v_at) + 8 * link))
            stored = load_float(at(context, S.spin_inertia) + 8 * link) * rate
            momentum, energy = momentum + axis * stored, energy + stored * (dot(axis, w) + 0.5 * rate)
            continue
        place, moving = whole_centre(context, link)
        mass = load_float(at(context, S.whole_mass) + 8 * link)
        T, _, w, _ = motion_of(context, link)
        own = product(product(T, load_turn(at(context, S.whole_inertia) + 72 * link)), transposed(T[0], T[1], T[2]))
        arm, relative, spin = place - centre, moving - speed, turned(own, w)
        lever, square = arm * mass, mass * dot(arm, arm)
        x = x + (own[0] - lever * arm.x + vector(square, 0.0, 0.0))
        y = y + (own[1] - lever * arm.y + vector(0.0, square, 0.0))
        z = z + (own[2] - lever * arm.z + vector(0.0, 0.0, square))
        momentum = momentum + spin + cross(lever, relative)
        energy = energy + 0.5 * (dot(w, spin) + mass * dot(relative, relative))

    store_float(out + OUT.mass, total)
    store_packed(out + OUT.r_CN_N, load_packed(at(context, S.origin_r) + 24 * vehicle) + centre)
    store_packed(out + OUT.v_CN_N, load_packed(at(context, S.origin_v) + 24 * vehicle) + speed)
    # symmetric, so that its columns are its rows
    store_packed(out + OUT.inertia_C_N, x)
    store_packed(out + OUT.inertia_C_N + 24, y)
    store_packed(out + OUT.inertia_C_N + 48, z)
    store_packed(out + OUT.momentum_C_N, momentum)
    store_float(out + OUT.kinetic_energy, energy)


def whole_centre(context, link):
    """Position and velocity of the centre of mass of a link and of the rotors that it carries."""
    T, r, w, v = motion_of(context, link)
    arm = turned(T, load_packed(at(context, S.whole_com) + 24 * link))
    return r + arm, v + cross(w, arm)


MOMENTA = Table(
    "momenta",
    MomentumRow,
    Stage.FRAMES,
    (each(publish_momentum),),
    roles=frozenset({Role.MOMENTUM}),
    rows=momentum_rows,
)
