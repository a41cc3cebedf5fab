"""MuJoCo's own stages, called by address, in the frame that moves with the first free vehicle (docs/theory/mujoco.md).

Kinematics is MuJoCo's position and velocity stage, dynamics its actuation, acceleration and constraint stage. Before
them, coordinates are moved to where the first vehicle is and to the velocity it has, because the equations do not
change and the numbers become small; after them, frames are read back relative to each vehicle's origin.

A stage is not repeated where MuJoCo's data still hold its answer: the same model at the same coordinates, velocities
and forces, bit for bit. That is so after a tick at which no task changed a force.
"""

import math

import numpy as np
from numba import carray

from cardan.dynamics.mujoco.contacts import WORDS, read_contacts
from cardan.mechanism.plumbing import S, at, begin, finish, gather, is_held, judge, publish_frames, size
from cardan.mechanism.plumbing.kinds import any_rows, each_row
from cardan.mechanism.plumbing.mass_properties import AT, MASS_PROPERTIES
from cardan.mechanism.tree import BALL, FREE
from cardan.native.pointers import (
    as_voidptr,
    call_three,
    call_two,
    load_float,
    load_int,
    load_word,
    store_float,
    store_int,
)
from cardan.native.status import OK
from cardan.native.storage import copy_words
from cardan.native.tuples import add3, cross3, load3, load9, store3, store4, store9, subtract3, turned

# ---- private words -------------------------------------------------------------------------------------------------
# addresses of the model, its data, a second data for mj_setConst, and of MuJoCo's functions
MODEL, DATA, SPARE = 0, 8, 16
FWD_POSITION, FWD_VELOCITY, FWD_ACTUATION, FWD_ACCELERATION, FWD_CONSTRAINT = 24, 32, 40, 48, 56
FULL_M, RNE_POST, SET_CONST, KINEMATICS, COM_POS, MAKE_M, FACTOR_M, TRANSMISSION = 64, 72, 80, 88, 96, 104, 112, 120
# addresses of arrays in the data, and in the model
QPOS, QVEL, QACC, QACC_SMOOTH, XPOS, XMAT, CVEL, SUBTREE_COM = 128, 136, 144, 152, 160, 168, 176, 184
XFRC, QFRC, CTRL, SMOOTH, CFRC, XANCHOR, DIAGONAL = 192, 200, 208, 216, 224, 232, 240
BODY_MASS, BODY_IPOS, BODY_IQUAT, BODY_INERTIA, DOF_ARMATURE = 248, 256, 264, 272, 280
# the root whose motion is taken out (0: none), whether constraints can arise, and how heavy a held joint is made
SHIFT_ROOT, HAS_CONSTRAINTS, HEAVY = 288, 296, 304
# the number of the model, which no other model has; that of the model whose state the data hold (0: none); whether they
# also hold its accelerations
NUMBER, HELD_NUMBER, IS_SOLVED = 312, 320, 328
ROOM = 336  # for three numbers
# the words of `contacts`; then: for each link its body and the body at its vehicle's root; then room for two dense
# matrices and two vectors; then for each body its link
CONTACTS = 360
HEAD = CONTACTS + 8 * WORDS

MINVAL = 1.000001e-15  # MuJoCo's smallest divisor, and what its inverse may be off by


def kinematics(t, context):
    """Frames of all links, and the messages about them."""
    begin(context)
    private = at(context, S.private)
    if masses_change(context):
        update_bodies(context)
        # mj_setConst resets the state of the data it is given, so it is given a spare one
        call_two(load_int(private + SET_CONST), load_int(private + MODEL), load_int(private + SPARE))
    is_new = move_in(context, private) or masses_change(context)
    if is_new or load_int(private + HELD_NUMBER) != load_int(private + NUMBER):
        store_int(private + IS_SOLVED, 0)
        find_state(private)
        store_int(private + HELD_NUMBER, load_int(private + NUMBER))
    read_frames(context, private)
    publish_frames(context)
    return OK


def find_state(private):
    """MuJoCo's stages of position and velocity."""
    model, data = load_int(private + MODEL), load_int(private + DATA)
    if load_int(private + HAS_CONSTRAINTS) != 0:
        call_two(load_int(private + FWD_POSITION), model, data)
    else:
        # what mj_fwdPosition does, without its search for constraints
        call_two(load_int(private + KINEMATICS), model, data)
        call_two(load_int(private + COM_POS), model, data)
        call_two(load_int(private + MAKE_M), model, data)
        call_two(load_int(private + FACTOR_M), model, data)
        call_two(load_int(private + TRANSMISSION), model, data)
    call_two(load_int(private + FWD_VELOCITY), model, data)


def dynamics(t, context):
    """Accelerations from the forces gathered at the ports."""
    gather(context)
    private = at(context, S.private)
    model, data = load_int(private + MODEL), load_int(private + DATA)
    is_new = apply_forces(context, private)
    holds = is_held(context)
    is_constrained = load_int(private + HAS_CONSTRAINTS) != 0
    if holds or is_new or load_int(private + IS_SOLVED) == 0:
        store_int(private + IS_SOLVED, 0)
        call_two(load_int(private + FWD_ACTUATION), model, data)
        if holds and is_constrained:
            hold_heavily(context, private)
            # the heavy masses are those of the data now
            store_int(private + HELD_NUMBER, 0)
        elif holds:
            hold_exactly(context, private)
        else:
            find_accelerations(context, private)
            store_int(private + IS_SOLVED, 1)
    copy_words(at(context, S.v_dot), load_int(private + QACC), size(context, S.nv))
    if load_int(at(context, S.wants_reactions)) != 0:
        read_reactions(context, private)
    if load_int(at(context, S.wants_contacts)) != 0 and is_constrained:
        read_contacts(context, private + CONTACTS, model, data, shift(context, private)[0])
    return finish(context)


def find_accelerations(context, private):
    """MuJoCo's stages of acceleration and constraints."""
    model, data = load_int(private + MODEL), load_int(private + DATA)
    call_two(load_int(private + FWD_ACCELERATION), model, data)
    if load_int(private + HAS_CONSTRAINTS) != 0:
        call_two(load_int(private + FWD_CONSTRAINT), model, data)
    else:
        copy_words(load_int(private + QACC), load_int(private + QACC_SMOOTH), size(context, S.nv))


def check(t, context):
    """Whether the accelerations found last can be trusted: divisors are the squared diagonals of the factors of M."""
    private, nv = at(context, S.private), size(context, S.nv)
    divisors, inverse = at(context, S.divisor), load_int(private + DIAGONAL)
    if is_held(context) and load_int(private + HAS_CONSTRAINTS) == 0:
        # Eq. (1) has factors of its own, and MuJoCo's do not matter: M may be singular where M_uu is not
        dense = private + HEAD + 16 * size(context, S.links)
        reduced, count = as_matrix(dense + 8 * nv * (nv + 1), unknowns(context)), 0
        for i in range(nv):
            if load_int(at(context, S.is_known) + 8 * i) == 0:
                store_float(divisors + 8 * i, reduced[count, count] * reduced[count, count])
                count += 1
    else:
        for i in range(nv):
            left = 1.0 / load_float(inverse + 8 * i)
            # where less is left than that, MuJoCo divides by mjMINVAL and goes on
            store_float(divisors + 8 * i, left if left > MINVAL else 0.0)
    return judge(context)


def unknowns(context):
    """How many accelerations are to be found."""
    count = 0
    for i in range(size(context, S.nv)):
        count += 1 if load_int(at(context, S.is_known) + 8 * i) == 0 else 0
    return count


def shift(context, private):
    """Position and velocity that are taken out of all free joints."""
    root = load_int(private + SHIFT_ROOT)
    if root == 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    vehicle = load_int(at(context, S.vehicle) + 8 * root)
    return load3(at(context, S.origin_r) + 24 * vehicle), load3(at(context, S.origin_v) + 24 * vehicle)


def move_in(context, private):
    """Hand coordinates and velocities to MuJoCo; whether any of them is another than before."""
    qpos, qvel = load_int(private + QPOS), load_int(private + QVEL)
    q_now, v_now = at(context, S.q_now), at(context, S.v_now)
    moved_r, moved_v = shift(context, private)
    is_new = False
    for link in range(1, size(context, S.links)):
        q, v = 8 * load_int(at(context, S.q_at) + 8 * link), 8 * load_int(at(context, S.v_at) + 8 * link)
        kind = load_int(at(context, S.kind) + 8 * link)
        if kind == FREE:
            is_new |= replace3(private, qpos + q, subtract3(load3(q_now + q), moved_r))
            is_new |= replace3(private, qvel + v, subtract3(load3(v_now + v), moved_v))
            q, v = q + 24, v + 24
        turns = kind <= BALL  # free or a ball
        is_new |= replace_words(qpos + q, q_now + q, 4 if turns else 1)
        is_new |= replace_words(qvel + v, v_now + v, 3 if turns else 1)
    return is_new


def replace_words(target, source, count):
    """Copy words; whether any of them was another before, by its bits."""
    is_new = False
    for i in range(count):
        word = load_word(source + 8 * i)
        is_new |= word != load_word(target + 8 * i)
        store_int(target + 8 * i, word)
    return is_new


def replace3(private, target, vector):
    """Store three numbers; whether any of them was another before, by its bits."""
    store3(private + ROOM, vector)
    return replace_words(target, private + ROOM, 3)


def read_frames(context, private):
    """Frames of the links, relative to the origin of their vehicle."""
    moved_r, moved_v = shift(context, private)
    links = size(context, S.links)
    for link in range(1, links):
        body = load_int(private + HEAD + 16 * link)
        root = load_int(private + HEAD + 16 * link + 8)
        vehicle = load_int(at(context, S.vehicle) + 8 * link)
        to_origin = subtract3(moved_r, load3(at(context, S.origin_r) + 24 * vehicle))
        place = load3(load_int(private + XPOS) + 24 * body)
        store9(at(context, S.turn) + 72 * link, load9(load_int(private + XMAT) + 72 * body))
        store3(at(context, S.r) + 24 * link, add3(place, to_origin))
        anchor = load3(load_int(private + XANCHOR) + 24 * (link - 1))
        store3(at(context, S.anchor_now) + 24 * link, add3(anchor, to_origin))

        # cvel is the velocity of the body's point at the centre of mass of its whole tree
        omega = load3(load_int(private + CVEL) + 48 * body)
        arm = subtract3(place, load3(load_int(private + SUBTREE_COM) + 24 * root))
        speed = add3(load3(load_int(private + CVEL) + 48 * body + 24), cross3(omega, arm))
        store3(at(context, S.omega) + 24 * link, omega)
        own = subtract3(moved_v, load3(at(context, S.origin_v) + 24 * vehicle))
        store3(at(context, S.velocity) + 24 * link, add3(speed, own))


def apply_forces(context, private):
    """Wrenches about vehicle origins become forces at MuJoCo's bodies; efforts and commands go in as they are.

    Returns whether any of them is another than before.
    """
    qfrc, xfrc = load_int(private + QFRC), load_int(private + XFRC)
    is_new = replace_words(qfrc, at(context, S.effort), size(context, S.nv))
    is_new |= replace_words(load_int(private + CTRL), at(context, S.command), size(context, S.commands))
    for link in range(1, size(context, S.links)):
        if load_int(at(context, S.body_link) + 8 * link) != link:
            continue
        body = load_int(private + HEAD + 16 * link)
        wrench = at(context, S.wrench) + 48 * link
        torque, force = load3(wrench), load3(wrench + 24)
        turn, com = load9(at(context, S.turn) + 72 * link), load3(load_int(private + BODY_IPOS) + 24 * body)
        centre = add3(load3(at(context, S.r) + 24 * link), turned(turn, com))
        is_new |= replace3(private, xfrc + 48 * body, force)
        is_new |= replace3(private, xfrc + 48 * body + 24, subtract3(torque, cross3(centre, force)))
    return is_new


def hold_exactly(context, private):
    """Known accelerations by a partitioned solve: Eqs. (1) and (2). Only without constraints."""
    model, data, nv = load_int(private + MODEL), load_int(private + DATA), size(context, S.nv)
    call_two(load_int(private + FWD_ACCELERATION), model, data)
    dense = private + HEAD + 16 * size(context, S.links)
    call_three(load_int(private + FULL_M), model, data, dense)
    smooth, qacc = load_int(private + SMOOTH), load_int(private + QACC)
    is_known, known = at(context, S.is_known), at(context, S.known_acceleration)
    matrix = as_matrix(dense, nv)

    # Eq. (1): M_uu a_u = f_u - M_uk a_k, only as large as there are unknown accelerations
    unknown, count = as_indices(dense + 8 * nv * (2 * nv + 1), nv), 0
    for i in range(nv):
        store_float(qacc + 8 * i, load_float(known + 8 * i))
        if load_int(is_known + 8 * i) == 0:
            unknown[count] = i
            count += 1
    rhs, reduced = as_vector(dense + 8 * nv * nv, nv), as_matrix(dense + 8 * nv * (nv + 1), count)
    for a in range(count):
        i = unknown[a]
        rhs[a] = load_float(smooth + 8 * i)
        for j in range(nv):
            if load_int(is_known + 8 * j) != 0:
                rhs[a] -= matrix[i, j] * load_float(known + 8 * j)
        for b in range(count):
            reduced[a, b] = matrix[i, unknown[b]]
    solve(reduced, rhs, count)
    for a in range(count):
        store_float(qacc + 8 * unknown[a], rhs[a])

    # Eq. (2): what the known ones need
    for i in range(nv):
        needed = 0.0
        if load_int(is_known + 8 * i) != 0:
            needed = -load_float(smooth + 8 * i)
            for j in range(nv):
                needed += matrix[i, j] * load_float(qacc + 8 * j)
        store_float(at(context, S.holding) + 8 * i, needed)


def hold_heavily(context, private):
    """Known accelerations beside constraints: a joint that is held is made heavy and pushed as its weight asks."""
    model, data, nv = load_int(private + MODEL), load_int(private + DATA), size(context, S.nv)
    is_known, known = at(context, S.is_known), at(context, S.known_acceleration)
    armature, qfrc, heavy = load_int(private + DOF_ARMATURE), load_int(private + QFRC), load_float(private + HEAVY)
    for i in range(nv):
        extra = heavy if load_int(is_known + 8 * i) != 0 else 0.0
        store_float(armature + 8 * i, load_float(at(context, S.armature) + 8 * i) + extra)
        store_float(qfrc + 8 * i, load_float(qfrc + 8 * i) + extra * load_float(known + 8 * i))
    call_two(load_int(private + MAKE_M), model, data)
    call_two(load_int(private + FACTOR_M), model, data)
    call_two(load_int(private + FWD_ACCELERATION), model, data)
    call_two(load_int(private + FWD_CONSTRAINT), model, data)
    for i in range(nv):
        store_float(armature + 8 * i, load_float(at(context, S.armature) + 8 * i))
        needed = 0.0
        if load_int(is_known + 8 * i) != 0:
            needed = heavy * (load_float(known + 8 * i) - load_float(load_int(private + QACC) + 8 * i))
        store_float(at(context, S.holding) + 8 * i, needed)


def read_reactions(context, private):
    """Force and torque through joints, about the origin of their vehicle."""
    call_two(load_int(private + RNE_POST), load_int(private + MODEL), load_int(private + DATA))
    moved_r, _ = shift(context, private)
    for link in range(1, size(context, S.links)):
        body, root = load_int(private + HEAD + 16 * link), load_int(private + HEAD + 16 * link + 8)
        vehicle = load_int(at(context, S.vehicle) + 8 * link)
        to_origin = subtract3(moved_r, load3(at(context, S.origin_r) + 24 * vehicle))
        point = add3(load3(load_int(private + SUBTREE_COM) + 24 * root), to_origin)
        torque = load3(load_int(private + CFRC) + 48 * body)
        force = load3(load_int(private + CFRC) + 48 * body + 24)
        store3(at(context, S.reaction) + 48 * link, add3(torque, cross3(point, force)))
        store3(at(context, S.reaction) + 48 * link + 24, force)


def update_body(context, row):
    """Give MuJoCo the mass properties of a link that changes."""
    private, link = at(context, S.private), load_int(row + AT.link)
    body = load_int(private + HEAD + 16 * link)
    store_float(load_int(private + BODY_MASS) + 8 * body, load_float(at(context, S.mass) + 8 * link))
    store3(load_int(private + BODY_IPOS) + 24 * body, load3(at(context, S.com) + 24 * link))
    moments, quat = principal(load9(at(context, S.inertia) + 72 * link))
    store3(load_int(private + BODY_INERTIA) + 24 * body, moments)
    store4(load_int(private + BODY_IQUAT) + 32 * body, quat)


masses_change = any_rows(lambda table: table is MASS_PROPERTIES)
update_bodies = each_row(MASS_PROPERTIES, update_body)


def as_matrix(address, n):
    return carray(as_voidptr(address), (n, n), dtype=np.float64)


def as_indices(address, n):
    return carray(as_voidptr(address), n, dtype=np.int64)


def as_vector(address, n):
    return carray(as_voidptr(address), n, dtype=np.float64)


def solve(matrix, rhs, n):
    """Rhs <- matrix^-1 rhs for a symmetric positive definite matrix, by Cholesky factors in place."""
    for i in range(n):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = math.sqrt(total) if i == j else total / matrix[j, j]
    for i in range(n):
        for k in range(i):
            rhs[i] -= matrix[i, k] * rhs[k]
        rhs[i] /= matrix[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            rhs[i] -= matrix[k, i] * rhs[k]
        rhs[i] /= matrix[i, i]


def principal(m):
    """Principal moments of a symmetric matrix and the quaternion of its axes, by Jacobi rotations."""
    a00, a01, a02, a11, a12, a22 = m[0], m[1], m[2], m[4], m[5], m[8]
    w, x, y, z = 1.0, 0.0, 0.0, 0.0
    for _ in range(12):
        # turn away the element above the diagonal between axes 0 and 1, then 1 and 2, then 0 and 2
        c, s = rotation(a00, a01, a11)
        a00, a11, a01 = (
            c * c * a00 + 2.0 * c * s * a01 + s * s * a11,
            s * s * a00 - 2.0 * c * s * a01 + c * c * a11,
            0.0,
        )
        a02, a12 = c * a02 + s * a12, c * a12 - s * a02
        h, g = half(c, s)
        w, x, y, z = w * h - z * g, x * h + y * g, y * h - x * g, z * h + w * g
        c, s = rotation(a11, a12, a22)
        a11, a22, a12 = (
            c * c * a11 + 2.0 * c * s * a12 + s * s * a22,
            s * s * a11 - 2.0 * c * s * a12 + c * c * a22,
            0.0,
        )
        a01, a02 = c * a01 + s * a02, c * a02 - s * a01
        h, g = half(c, s)
        w, x, y, z = w * h - x * g, x * h + w * g, y * h + z * g, z * h - y * g
        c, s = rotation(a00, a02, a22)
        a00, a22, a02 = (
            c * c * a00 + 2.0 * c * s * a02 + s * s * a22,
            s * s * a00 - 2.0 * c * s * a02 + c * c * a22,
            0.0,
        )
        a01, a12 = c * a01 + s * a12, c * a12 - s * a01
        h, g = half(c, -s)
        w, x, y, z = w * h - y * g, x * h - z * g, y * h + w * g, z * h + x * g
    length = math.sqrt(w * w + x * x + y * y + z * z)
    return (a00, a11, a22), (w / length, x / length, y / length, z / length)


def rotation(a, b, c):
    """Cosine and sine of the turn that makes the off-diagonal element `b` between `a` and `c` vanish."""
    if b == 0.0:
        return 1.0, 0.0
    tau = (a - c) / (2.0 * b)
    sign = 1.0 if tau >= 0.0 else -1.0
    t = sign / (abs(tau) + math.sqrt(1.0 + tau * tau))
    cosine = 1.0 / math.sqrt(1.0 + t * t)
    return cosine, t * cosine


def half(c, s):
    """Cosine and sine of half the angle."""
    h = math.sqrt(0.5 * (1.0 + c))
    return h, 0.5 * s / h
