"""Input port `gravity` of a group of bodies: accelerations, which act on the mass that each body has now; they sum."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cardan.mechanism.plumbing.arrays import S, at
from cardan.mechanism.plumbing.fixed_frames import TURN_AT
from cardan.mechanism.plumbing.links import add_wrench, arm_of, carrier_of, is_rotor, motion_of
from cardan.mechanism.plumbing.lookup import Lookup, words_of
from cardan.mechanism.plumbing.table import Address, Stage, Table, each, offsets
from cardan.mechanism.roles import Role
from cardan.mechanism.tree import Tree
from cardan.native.lanes import in_any_lane
from cardan.native.pointers import load_float, load_int
from cardan.native.tuples import load6, load9, symmetric_times, symmetric_turned
from cardan.native.vectors import cross, elements, load_apart, load_packed, load_turn, product, turned, vector

if TYPE_CHECKING:
    from cardan.mechanism.ports import MechanismPort


class GravityRow(NamedTuple):
    """A body in a link.

    Attributes:
        link: The link.
        body: Which of the bodies with mass it is.
        acceleration: Where the acceleration lies.
        gradient: Where its gradient lies.
        mass: Where the mass lies, if a message gives it.
        inertia: Where the inertia lies, if a message gives it.
        centre: Where the centre of mass lies, if a message gives it.
        frame: Where position and turn of the centre of mass lie, or of the body that a message gives the centre of.
    """

    link: int
    body: int
    acceleration: Address
    gradient: Address
    mass: Address
    inertia: Address
    centre: Address
    frame: Address


AT = offsets(GravityRow)


def gravity_rows(lookup: Lookup, port: "MechanismPort", place: Any) -> Iterator[GravityRow]:
    words, bodies = words_of(place), list(lookup.tree.body_mass)
    for i, body in enumerate(port.elements):
        if body not in bodies:  # a body without mass, which gravity leaves alone
            continue
        link, frame, centre = lookup.frame(f"{body}.com")
        mass, inertia = lookup.masses.get(body, (0, 0))
        g, gradient = words["g_N"] + 3 * i, words["gradient_N"] + 6 * i
        yield GravityRow(link, bodies.index(body), g, gradient, mass, inertia, centre, frame)


def body_masses(tree: Tree) -> dict[str, np.ndarray]:
    """Masses and inertias of the bodies with mass, as the file has them, in body components; of a stack, stacks."""
    if not tree.body_mass:
        return {"body_mass": np.empty(0), "body_inertia": np.empty((0, 3, 3))}
    masses, _, inertias = zip(*tree.body_mass.values(), strict=True)
    return {
        "body_mass": np.stack(np.broadcast_arrays(*masses), axis=-1),
        "body_inertia": np.stack(np.broadcast_arrays(*inertias), axis=-3),
    }


def add_gravity(context, row):
    """Force at the centre of mass, and the torque of the gradient on the inertia about it.

        force_N = mass g_N,    torque_N = vee(I G - G I)                                                           (1)

    G is the gradient and I the inertia about the centre of mass, both in inertial components; vee takes w
    from [w~].
    """
    link, body = load_int(row + AT.link), load_int(row + AT.body)
    if link == 0:
        return
    mass_at, centre = load_int(row + AT.mass), load_int(row + AT.centre)
    mass = load_float(context + mass_at) if mass_at != 0 else load_float(at(context, S.body_mass) + 8 * body)
    at_frame = context + load_int(row + AT.frame)
    place, onto = load_packed(at_frame), link
    if centre != 0:
        place = place + turned(load_turn(at_frame + TURN_AT), load_packed(context + centre))
    if is_rotor(context, link):
        # gravity has no torque about its axis, so that the carrier feels all of it
        place, onto = load_packed(at(context, S.seat) + 24 * link), carrier_of(context, link)
    xx, xy, xz, yy, yz, zz = load6(context + load_int(row + AT.gradient))
    torque = vector(0.0, 0.0, 0.0)
    # a field that leaves its gradient out costs no more than forces do
    if in_any_lane((xx != 0.0) | (yy != 0.0) | (zz != 0.0) | (xy != 0.0) | (xz != 0.0) | (yz != 0.0)):
        torque = gradient_torque(context, row, (xx, xy, xz, yy, yz, zz))
    force = load_apart(context + load_int(row + AT.acceleration)) * mass
    torque = torque + cross(arm_of(context, onto, place), force)
    if onto != link and load_int(at(context, S.wants_reactions)) != 0:
        add_wrench(at(context, S.weight) + 48 * link, torque, force)
    add_wrench(at(context, S.wrench) + 48 * onto, torque, force)


def gradient_torque(context, row, gradient):
    """The second of Eqs. (1)."""
    link, body, inertia_at = load_int(row + AT.link), load_int(row + AT.body), load_int(row + AT.inertia)
    if is_rotor(context, link):
        # at any angle it has the inertia that it has in its seat
        turn = load9(at(context, S.turn) + 72 * carrier_of(context, link))
        own = load9(at(context, S.seat_inertia) + 72 * link)
    else:
        own = load9(context + inertia_at) if inertia_at != 0 else load9(at(context, S.body_inertia) + 72 * body)
        T, _, _, _ = motion_of(context, link)
        turn = elements(product(T, load_turn(context + load_int(row + AT.frame) + TURN_AT)))
    inertia = symmetric_turned(turn, (own[0], own[1], own[2], own[4], own[5], own[8]))
    xx, xy, xz, yy, yz, zz = gradient
    # the rows of G times the inertia: H = G I, of which the torque is the skew part
    x, y, z = (
        symmetric_times(inertia, (xx, xy, xz)),
        symmetric_times(inertia, (xy, yy, yz)),
        symmetric_times(inertia, (xz, yz, zz)),
    )
    return vector(y[2] - z[1], z[0] - x[2], x[1] - y[0])


GRAVITY = Table(
    "gravity",
    GravityRow,
    Stage.GATHER,
    (each(add_gravity),),
    roles=frozenset({Role.GRAVITY}),
    rows=gravity_rows,
    acts_on_links=True,
)
