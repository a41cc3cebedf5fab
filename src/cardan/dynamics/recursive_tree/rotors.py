"""Rotors: all that is left of them is their spin, because the links that carry them count their masses as their own.

docs/theory/recursive_tree.md, Eqs. (20) to (25).
"""

from cardan.dynamics.recursive_tree.links import gain, weigh
from cardan.dynamics.recursive_tree.records import (
    A_,
    ANCHOR_PARENT,
    AXIS_PARENT,
    C_,
    DIVISOR,
    FELT_J,
    FELT_P,
    FREEDOMS,
    GYRO_,
    NUMBER,
    PARENT,
    PUSH,
    R_,
    S_,
    T_,
    V_,
)
from cardan.dynamics.root import less
from cardan.mechanism.plumbing import S, at, motion_of
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.vectors import (
    cross,
    dot,
    dot_pair,
    load_matrix,
    load_packed,
    load_pair,
    load_vector,
    store_packed,
    store_pair,
    store_vector,
    turned_at,
)


def rotor_frame(context, here, rate):
    """Pass out: its column of S, and what its spin asks of its carrier. Eqs. (21) and (22)."""
    private, link = at(context, S.private), load_int(here + NUMBER)
    parent, freedom = private + load_int(here + PARENT), private + load_int(here + FREEDOMS)
    before, inertia = load_matrix(parent + T_), spin_inertia(context, link)
    w_parent, u_parent = load_pair(parent + V_)
    c_parent, d_parent = load_pair(parent + C_)
    anchor = load_vector(parent + R_) + turned_at(before, here + ANCHOR_PARENT)
    axis = turned_at(before, here + AXIS_PARENT)
    swing = cross(anchor, axis)
    store_packed(at(context, S.anchor_now) + 24 * link, anchor)
    store_pair(freedom + S_, axis, swing)
    store_vector(freedom + GYRO_, cross(w_parent, axis) * (inertia * rate))
    store_float(freedom + PUSH, 0.0 - inertia * dot(axis, c_parent))
    if load_int(at(context, S.wants_reactions)) != 0:
        T, r, _, _ = motion_of(context, link)
        spin, sweep = axis * rate, swing * rate
        c = c_parent + cross(w_parent, spin)
        d = d_parent + (cross(w_parent, sweep) + cross(u_parent, spin))
        weigh(context, here, T, r, w_parent + spin, u_parent + sweep, c, d)


def spin_inertia(context, link):
    return load_float(at(context, S.spin_inertia) + 8 * link)


def eliminate_rotor(context, here, index, efforts, known):
    """Pass in: what its carrier feels, Eqs. (23) and (24)."""
    link, freedom = load_int(here + NUMBER), at(context, S.private) + load_int(here + FREEDOMS)
    wrench, inertia = at(context, S.wrench) + 48 * link, spin_inertia(context, link)
    torque, force = load_packed(wrench), load_packed(wrench + 24)
    axis, swing = load_pair(freedom + S_)
    D = load_float(efforts[0] + index) + inertia
    push = load_float(efforts[1] + index) + load_float(freedom + PUSH) + dot_pair(axis, torque, swing, force)
    if load_int(known[0] + index) != 0:
        given, gained = 0.0 * D, load_float(known[1] + index)
    else:
        part = 1.0 / D
        given, gained = inertia * inertia * part, push * part
    store_float(freedom + DIVISOR, D)
    store_float(freedom + PUSH, push)
    store_float(here + FELT_J, given)
    leave(context, here, gained)


def leave(context, here, gained):
    """The bias force of a rotor that gains so much rate, beyond that of its mass."""
    link, freedom = load_int(here + NUMBER), at(context, S.private) + load_int(here + FREEDOMS)
    wrench = at(context, S.wrench) + 48 * link
    spin = load_vector(freedom + GYRO_) + load_vector(freedom + S_) * (spin_inertia(context, link) * gained)
    store_pair(here + FELT_P, spin - load_packed(wrench), load_packed(wrench + 24) * -1.0)


def feel_rotor(private, felt, J, p, f):
    """An articulated inertia and a bias force with those of a rotor: Eqs. (11) and (24)."""
    axis, given = load_vector(private + load_int(felt + FREEDOMS) + S_), load_float(felt + FELT_J)
    p_felt, f_felt = load_pair(felt + FELT_P)
    return less(J, axis, axis.x * given, axis.y * given, axis.z * given), p + p_felt, f + f_felt


def advance_rotor(context, here, index, v_dot, known):
    """Pass out: Eq. (25)."""
    link, private = load_int(here + NUMBER), at(context, S.private)
    freedom = private + load_int(here + FREEDOMS)
    a, b = load_pair(private + load_int(here + PARENT) + A_)
    axis, swing = load_pair(freedom + S_)
    rest = load_float(freedom + PUSH) - spin_inertia(context, link) * dot(axis, a)
    gained = gain(known, v_dot, index, load_float(freedom + DIVISOR), rest)
    if load_int(at(context, S.wants_reactions)) != 0:
        store_pair(here + A_, a + axis * gained, b + swing * gained)
        leave(context, here, gained)
