"""Links one by one: what the passes of the recursion ask of each (docs/theory/recursive_tree.md)."""

from cardan.dynamics.recursive_tree.records import CENTRAL_, J_, LEVER_, NUMBER, P_
from cardan.mechanism.plumbing import S, at, is_heavy
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.vectors import (
    ROOM,
    cross,
    dot,
    load_matrix,
    load_vector,
    store_matrix,
    store_packed,
    store_pair,
    store_vector,
    transposed,
    turned,
    turned_at,
    vector,
)


def store_frame(context, link, T, r, anchor, w, u):
    """Where a link is and how it moves, for ports."""
    rows = transposed(T[0], T[1], T[2])
    turn = at(context, S.turn) + 72 * link
    store_packed(turn, rows[0])
    store_packed(turn + 24, rows[1])
    store_packed(turn + 48, rows[2])
    store_packed(at(context, S.r) + 24 * link, r)
    store_packed(at(context, S.anchor_now) + 24 * link, anchor)
    store_packed(at(context, S.omega) + 24 * link, w)
    store_packed(at(context, S.velocity) + 24 * link, u + cross(w, r))


def weigh(context, here, T, r, w, u, c, d):
    """Inertia of a link about the origin, and the bias force that velocities alone ask for. Eqs. (7) and (8')."""
    link = load_int(here + NUMBER)
    mass_at, tensor = at(context, S.whole_mass) + 8 * link, at(context, S.whole_inertia) + 72 * link
    if not is_heavy(mass_at, tensor):
        return
    mass, com = load_float(mass_at), at(context, S.whole_com) + 24 * link
    x = r + turned_at(T, com)
    half = turned_at(T, tensor), turned_at(T, tensor + 24), turned_at(T, tensor + 48)
    rows = transposed(T[0], T[1], T[2])
    own = turned(half, rows[0]), turned(half, rows[1]), turned(half, rows[2])

    # Newton and Euler at the centre of mass, then about the origin
    force = (d + cross(c, x) + cross(w, u + cross(w, x))) * mass
    torque = turned(own, c) + cross(w, turned(own, w)) + cross(x, force)
    store_pair(here + P_, torque, force)

    lever = x * mass
    square = dot(lever, x)
    store_vector(here + LEVER_, lever)
    store_matrix(here + CENTRAL_, own)
    store_vector(here + J_, own[0] - lever * x.x + vector(square, 0.0, 0.0))
    store_vector(here + J_ + ROOM, own[1] - lever * x.y + vector(0.0, square, 0.0))
    store_vector(here + J_ + 2 * ROOM, own[2] - lever * x.z + vector(0.0, 0.0, square))


def gain(known, v_dot, index, D, rest):
    """The acceleration of a freedom, found or given, and in the latter case what holds it: Eqs. (13) and (13')."""
    holding = 0.0
    if load_int(known[0] + index) != 0:
        gained = load_float(known[1] + index)
        holding = D * gained - rest
    else:
        gained = rest / D
    store_float(known[2] + index, holding)
    store_float(v_dot + index, gained)
    return gained


def rigid(here, mass):
    """J, H and M of a link alone: Eq. (7)."""
    lever = load_vector(here + LEVER_)
    x, y, z = lever.x, lever.y, lever.z
    return (
        load_matrix(here + J_),
        (vector(0.0, z, -y), vector(-z, 0.0, x), vector(y, -x, 0.0)),
        (vector(mass, 0.0, 0.0), vector(0.0, mass, 0.0), vector(0.0, 0.0, mass)),
    )
