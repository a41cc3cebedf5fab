"""Kinematics: from the hub outwards, attitude, velocity and bias acceleration of every link. Eqs. (6) and (6')."""

from cardan.dynamics.back_substitution.words import (
    ANCHOR_PARENT,
    AXIS_PARENT,
    C_,
    CARRIAGE_,
    J_,
    LEVER_,
    OFFSET_AXIS,
    P_,
    S_,
    V_,
    link_words,
)
from cardan.maths import sin_cos
from cardan.mechanism.plumbing import S, at, size, weighs
from cardan.mechanism.tree import BALL, FREE, HINGE
from cardan.native.pointers import load_float, load_int
from cardan.native.tuples import (
    add3,
    add6,
    angular,
    cross3,
    join,
    linear,
    load3,
    load4,
    load6,
    load9,
    motion_cross,
    quat_product,
    scale3,
    store3,
    store6,
    store9,
    subtract3,
    symmetric_times,
    symmetric_turned,
    turn_from_quat,
    turn_product,
    turned,
)

STILL = (0.0, 0.0, 0.0)


def frames(context):
    """Frames of all links, and what their inertia and velocities ask for."""
    links = size(context, S.links)
    # frames between the joints of a carriage are of interest only to reactions
    skips = load_int(at(context, S.wants_reactions)) == 0
    link = 1
    while link < links:
        if skips and load_int(link_words(context, link) + CARRIAGE_) != 0:
            ride(context, link)
            link += 4
        else:
            move(context, link)
            link += 1


def move(context, link):
    """One link, from its parent. Eqs. (6) and (6')."""
    kind = load_int(at(context, S.kind) + 8 * link)
    q = at(context, S.q_now) + 8 * load_int(at(context, S.q_at) + 8 * link)
    v = at(context, S.v_now) + 8 * load_int(at(context, S.v_at) + 8 * link)
    if kind == FREE:
        # seen from its own origin the hub only turns
        turn = turn_from_quat(load4(q + 24))
        keep(context, link, turn, STILL, STILL, join(turned(turn, load3(v + 24)), STILL), join(STILL, STILL))
        return
    parent = load_int(at(context, S.parent) + 8 * link)
    above, before = link_words(context, parent), load9(at(context, S.turn) + 72 * parent)
    anchor = turned(before, load3(link_words(context, link) + ANCHOR_PARENT))
    anchor = add3(load3(at(context, S.r) + 24 * parent), anchor)
    turn = turn_product(before, turn_from_quat(own_turn(context, link, kind, q)))
    moving, gaining, r = own_motion(context, link, kind, parent, before, turn, anchor)
    V_parent = load6(above + V_)
    V = add6(V_parent, moving)
    c = add6(add6(load6(above + C_), motion_cross(V_parent, moving)), gaining)
    keep(context, link, turn, r, anchor, V, c)


def ride(context, link):
    """A body on a prescribed carriage, whose first joint is that of `link`: all four joints at once."""
    body, parent = link + 3, load_int(at(context, S.parent) + 8 * link)
    q = at(context, S.q_now) + 8 * load_int(at(context, S.q_at) + 8 * link)
    v_at = load_int(at(context, S.v_at) + 8 * link)
    v, known = at(context, S.v_now) + 8 * v_at, at(context, S.known_acceleration) + 8 * v_at
    before, above = load9(at(context, S.turn) + 72 * parent), link_words(context, parent)
    turn_mount = turn_product(before, turn_from_quat(load4(at(context, S.offset_quat) + 32 * link)))
    r = add3(load3(at(context, S.r) + 24 * parent), turned(before, load3(at(context, S.offset_pos) + 24 * link)))
    r = add3(r, turned(turn_mount, load3(q)))
    turn = turn_product(turn_mount, turn_from_quat(load4(q + 24)))

    # slides, then the turn about where they have gone
    sliding, speeding = turned(turn_mount, load3(v)), turned(turn_mount, load3(known))
    V, c = load6(above + V_), load6(above + C_)
    c = add6(c, join(STILL, add3(cross3(angular(V), sliding), speeding)))
    V = add6(V, join(STILL, sliding))
    spin, gaining = turned(turn, load3(v + 24)), turned(turn, load3(known + 24))
    moving = join(spin, cross3(r, spin))
    c = add6(add6(c, motion_cross(V, moving)), join(gaining, cross3(r, gaining)))
    keep(context, body, turn, r, r, add6(V, moving), c)


def keep(context, link, turn, r, anchor, V, c):
    """Store the frame of a link, and what its inertia and velocities ask for."""
    here, mass = link_words(context, link), load_float(at(context, S.mass) + 8 * link)
    if weighs(context, link):
        weigh(context, link, here, mass, turn, r, V, c)
    store6(here + V_, V)
    store6(here + C_, c)
    store9(at(context, S.turn) + 72 * link, turn)
    store3(at(context, S.r) + 24 * link, r)
    store3(at(context, S.anchor_now) + 24 * link, anchor)
    store3(at(context, S.omega) + 24 * link, angular(V))
    store3(at(context, S.velocity) + 24 * link, add3(linear(V), cross3(angular(V), r)))


def own_turn(context, link, kind, q):
    """Quaternion of a link relative to its parent: the offset, and then what its joint turns."""
    offset = load4(at(context, S.offset_quat) + 32 * link)
    if kind == HINGE:
        drawn = load_float(at(context, S.reference) + 8 * load_int(at(context, S.q_at) + 8 * link))
        half = 0.5 * (load_float(q) - drawn)
        about = load4(link_words(context, link) + OFFSET_AXIS)
        sine, cosine = sin_cos(half)
        return (
            cosine * offset[0] + sine * about[0], cosine * offset[1] + sine * about[1],
            cosine * offset[2] + sine * about[2], cosine * offset[3] + sine * about[3],
        )  # fmt: skip
    if kind == BALL:
        return quat_product(offset, load4(q))
    return offset


def own_motion(context, link, kind, parent, before, turn, anchor):
    """Velocity S q' and known acceleration S q'' of a joint, and the link's origin; keeps S of single freedoms."""
    q_at, v_at = load_int(at(context, S.q_at) + 8 * link), load_int(at(context, S.v_at) + 8 * link)
    v = at(context, S.v_now) + 8 * v_at
    known, is_known = at(context, S.known_acceleration) + 8 * v_at, load_int(at(context, S.is_known) + 8 * v_at) != 0
    if kind == BALL:
        spin = turned(turn, load3(v))
        speeding = turned(turn, load3(known)) if is_known else STILL
        r = subtract3(anchor, turned(turn, load3(at(context, S.anchor) + 24 * link)))
        return join(spin, cross3(anchor, spin)), join(speeding, cross3(anchor, speeding)), r
    axis = turned(before, load3(link_words(context, link) + AXIS_PARENT))
    if kind == HINGE:
        s = join(axis, cross3(anchor, axis))
        r = subtract3(anchor, turned(turn, load3(at(context, S.anchor) + 24 * link)))
    else:
        s = join(STILL, axis)
        moved = load_float(at(context, S.q_now) + 8 * q_at) - load_float(at(context, S.reference) + 8 * q_at)
        r = add3(load3(at(context, S.r) + 24 * parent), turned(before, load3(at(context, S.offset_pos) + 24 * link)))
        r = add3(r, scale3(axis, moved))
    store6(link_words(context, link) + S_, s)
    rate, gained = load_float(v), load_float(known) if is_known else 0.0
    return (
        (s[0] * rate, s[1] * rate, s[2] * rate, s[3] * rate, s[4] * rate, s[5] * rate),
        (s[0] * gained, s[1] * gained, s[2] * gained, s[3] * gained, s[4] * gained, s[5] * gained),
        r,
    )


def weigh(context, link, here, mass, turn, r, V, c):
    """Inertia of a link about the hub's origin, and the force of its bias acceleration. Eqs. (7) and (8)."""
    x, y, z = add3(r, turned(turn, load3(at(context, S.com) + 24 * link)))
    tensor = at(context, S.inertia) + 72 * link
    own = (
        load_float(tensor), load_float(tensor + 8), load_float(tensor + 16), load_float(tensor + 32),
        load_float(tensor + 40), load_float(tensor + 64),
    )  # fmt: skip
    own = symmetric_turned(turn, own)
    lever = (mass * x, mass * y, mass * z)
    J = (
        own[0] + (lever[1] * y + lever[2] * z), own[1] - lever[0] * y, own[2] - lever[0] * z,
        own[3] + (lever[0] * x + lever[2] * z), own[4] - lever[1] * z, own[5] + (lever[0] * x + lever[1] * y),
    )  # fmt: skip
    store6(here + J_, J)
    store3(here + LEVER_, lever)
    # Eq. (8), by the acceleration of the centre of mass: a + alpha x r + omega x v, with v its velocity
    omega, alpha = angular(V), angular(c)
    velocity = add3(linear(V), cross3(omega, (x, y, z)))
    pull = add3(add3(linear(c), cross3(alpha, (x, y, z))), cross3(omega, velocity))
    pull = scale3(pull, mass)
    spin = add3(symmetric_times(own, alpha), cross3(omega, symmetric_times(own, omega)))
    store6(here + P_, join(add3(spin, cross3((x, y, z), pull)), pull))
