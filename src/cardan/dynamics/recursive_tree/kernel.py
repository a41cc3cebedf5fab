"""The recursion: articulated bodies, one pass out, one in, one out again (docs/theory/recursive_tree.md).

All spatial vectors are in inertial axes about the vehicle's origin: the point where its root body is, moving with the
velocity that body has. Seen from there a spacecraft is small and slow wherever it flies. A body with several joints,
and a ball joint, are sequences of single freedoms, so one elimination serves them all.
"""

import math

from cardan.mechanism.memory import S, at, size
from cardan.mechanism.plumbing import (
    add_springs_and_dampers,
    begin,
    finish,
    gather,
    publish_frames,
)
from cardan.mechanism.tree import BALL, FREE, HINGE
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.tuples import (
    add3,
    add6,
    add9,
    angular,
    cross3,
    dot6,
    force_cross,
    inertia_times,
    join,
    linear,
    load3,
    load4,
    load6,
    load9,
    motion_cross,
    quat_product,
    scale6,
    store3,
    store4,
    store6,
    store9,
    subtract3,
    subtract6,
    symmetric_inverse,
    symmetric_times,
    symmetric_turned,
    turn_from_quat,
    turned,
    turned_back,
)

# ---- private words, in bytes ---------------------------------------------------------------------------------------
# per link, from the kinematics: velocity V, acceleration c from velocities alone, its rigid inertia J and lever m c,
# its bias force p; from the dynamics: acceleration A beyond c, and what its parent feels: J', H', M', p'
V_, C_, J_, LEVER_, P_, A_, FELT_ = 0, 48, 96, 144, 168, 216, 264
LINK = FELT_ + 216
FELT_H, FELT_M, FELT_P = 48, 120, 168
# per freedom: column S, U = I S, D = S U, push u
S_, U_, D_, PUSH_ = 0, 48, 96, 104
FREEDOM = 112


def kinematics(t, context):
    """Frames of all links, and the messages about them."""
    begin(context)
    frames(context)
    publish_frames(context)
    return 0


def dynamics(t, context):
    """Accelerations from the forces gathered at the ports."""
    gather(context)
    add_springs_and_dampers(context)
    accelerations(context)
    if load_int(at(context, S.wants_reactions)) != 0:
        reactions(context)
    return finish(context)


def forward_alone(context):
    """Forward dynamics with the efforts and wrenches that lie in memory, without ports."""
    begin(context)
    frames(context)
    accelerations(context)
    return finish(context)


def inverse_alone(context):
    """Inverse dynamics, without ports."""
    begin(context)
    frames(context)
    inverse(context)


def mass_matrix_alone(context, matrix):
    """The mass matrix, without ports."""
    begin(context)
    frames(context)
    mass_matrix(context, matrix)


def frames(context):
    """Pass out: attitude, position, velocity, inertia and bias of every link, and the columns of S. Eqs. (1) to (8)."""
    links, private = size(context, S.links), at(context, S.private)
    kinds, parents, q_ats, v_ats = at(context, S.kind), at(context, S.parent), at(context, S.q_at), at(context, S.v_at)
    q_now, v_now, reference = at(context, S.q_now), at(context, S.v_now), at(context, S.reference)
    quats, turns, rs = at(context, S.quat), at(context, S.turn), at(context, S.r)
    omegas, velocities = at(context, S.omega), at(context, S.velocity)
    masses, coms, tensors = at(context, S.mass), at(context, S.com), at(context, S.inertia)
    freedoms = private + LINK * links
    for link in range(1, links):
        kind, parent = load_int(kinds + 8 * link), load_int(parents + 8 * link)
        q_at, v_at = 8 * load_int(q_ats + 8 * link), load_int(v_ats + 8 * link)
        v = v_now + 8 * v_at
        here = private + LINK * link
        freedom = freedoms + FREEDOM * v_at
        if kind == FREE:
            # Eq. (6): about its own origin the root only turns
            quat = load4(q_now + q_at + 24)
            turn = turn_from_quat(quat)
            r = (0.0, 0.0, 0.0)
            V = join(turned(turn, load3(v + 24)), r)
            anchor = r
            c = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        else:
            turn_parent, r_parent = load9(turns + 72 * parent), load3(rs + 24 * parent)
            V_parent = load6(private + LINK * parent + V_)
            quat, offset = load4(quats + 32 * parent), load4(at(context, S.offset_quat) + 32 * link)
            if kind == HINGE:
                # Eq. (3): S = (axis, anchor x axis)
                anchor = add3(r_parent, turned(turn_parent, load3(at(context, S.anchor_parent) + 24 * link)))
                axis = turned(turn_parent, load3(at(context, S.axis_parent) + 24 * link))
                s = join(axis, cross3(anchor, axis))
                half = 0.5 * (load_float(q_now + q_at) - load_float(reference + q_at))
                # the offset and then a turn by the angle about the axis: offset (cos, axis sin)
                about, sine, cosine = load4(at(context, S.offset_axis) + 32 * link), math.sin(half), math.cos(half)
                own = (
                    cosine * offset[0] + sine * about[0], cosine * offset[1] + sine * about[1],
                    cosine * offset[2] + sine * about[2], cosine * offset[3] + sine * about[3],
                )  # fmt: skip
                quat = quat_product(quat, own)
                turn = turn_from_quat(quat)
                r = subtract3(anchor, turned(turn, load3(at(context, S.anchor) + 24 * link)))
                moving = scale6(s, load_float(v))
                store6(freedom + S_, s)
            elif kind == BALL:
                # Eq. (5): three columns, along the child's axes
                anchor = add3(r_parent, turned(turn_parent, load3(at(context, S.anchor_parent) + 24 * link)))
                quat = quat_product(quat_product(quat, offset), load4(q_now + q_at))
                turn = turn_from_quat(quat)
                r = subtract3(anchor, turned(turn, load3(at(context, S.anchor) + 24 * link)))
                spin = turned(turn, load3(v))
                moving = join(spin, cross3(anchor, spin))
                x, y, z = (turn[0], turn[3], turn[6]), (turn[1], turn[4], turn[7]), (turn[2], turn[5], turn[8])
                store6(freedom + S_, join(x, cross3(anchor, x)))
                store6(freedom + FREEDOM + S_, join(y, cross3(anchor, y)))
                store6(freedom + 2 * FREEDOM + S_, join(z, cross3(anchor, z)))
            else:
                # Eq. (4): S = (0, axis)
                anchor = add3(r_parent, turned(turn_parent, load3(at(context, S.anchor_parent) + 24 * link)))
                quat = quat_product(quat, offset)
                turn = turn_from_quat(quat)
                axis = turned(turn_parent, load3(at(context, S.axis_parent) + 24 * link))
                moved = load_float(q_now + q_at) - load_float(reference + q_at)
                r = add3(r_parent, turned(turn_parent, load3(at(context, S.offset_pos) + 24 * link)))
                r = add3(r, (axis[0] * moved, axis[1] * moved, axis[2] * moved))
                s = join((0.0, 0.0, 0.0), axis)
                moving = scale6(s, load_float(v))
                store6(freedom + S_, s)
            # Eq. (2): accelerations that follow from velocities alone
            V = add6(V_parent, moving)
            c = add6(load6(private + LINK * parent + C_), motion_cross(V_parent, moving))
        mass = load_float(masses + 8 * link)
        if mass != 0.0:
            weigh(here, mass, coms + 24 * link, tensors + 72 * link, turn, r, V, c)
        store6(here + V_, V)
        store6(here + C_, c)
        store4(quats + 32 * link, quat)
        store9(turns + 72 * link, turn)
        store3(rs + 24 * link, r)
        store3(at(context, S.anchor_now) + 24 * link, anchor)
        store3(omegas + 24 * link, angular(V))
        store3(velocities + 24 * link, add3(linear(V), cross3(angular(V), r)))


def weigh(here, mass, com, tensor, turn, r, V, c):
    """Inertia of a link about the origin, and the bias force that velocities alone ask for. Eqs. (7) and (8)."""
    x, y, z = add3(r, turned(turn, load3(com)))
    own = (
        load_float(tensor), load_float(tensor + 8), load_float(tensor + 16), load_float(tensor + 32),
        load_float(tensor + 40), load_float(tensor + 64),
    )  # fmt: skip
    own = symmetric_turned(turn, own)
    mx, my, mz = mass * x, mass * y, mass * z
    J = (
        own[0] + (my * y + mz * z), own[1] - mx * y, own[2] - mx * z,
        own[3] + (mx * x + mz * z), own[4] - my * z, own[5] + (mx * x + my * y),
    )  # fmt: skip
    bias = force_cross(V, rigid_times(mass, (mx, my, mz), J, V))
    store6(here + J_, J)
    store3(here + LEVER_, (mx, my, mz))
    store6(here + P_, add6(bias, rigid_times(mass, (mx, my, mz), J, c)))


def rigid_times(mass, lever, J, a):
    """Inertia of a rigid body times a motion: (J w + m c x v, m v + w x m c)."""
    w, v = angular(a), linear(a)
    push = cross3(w, lever)
    return join(
        add3(symmetric_times(J, w), cross3(lever, v)),
        (mass * v[0] + push[0], mass * v[1] + push[1], mass * v[2] + push[2]),
    )


def accelerations(context):
    """Pass in: articulated inertias. Pass out: accelerations. Eqs. (9) to (14)."""
    links, private = size(context, S.links), at(context, S.private)
    kinds, parents, v_ats = at(context, S.kind), at(context, S.parent), at(context, S.v_at)
    masses, wrenches = at(context, S.mass), at(context, S.wrench)
    children, siblings = at(context, S.first_child), at(context, S.next_sibling)
    freedoms, v_dot = private + LINK * links, at(context, S.v_dot)
    link = links - 1
    while link > 0:
        # the link as a rigid body, less what acts on it
        here, mass = private + LINK * link, load_float(masses + 8 * link)
        kind, v_at = load_int(kinds + 8 * link), load_int(v_ats + 8 * link)
        freedom = freedoms + FREEDOM * v_at
        J, lever = load6(here + J_), load3(here + LEVER_)
        p = subtract6(load6(here + P_), load6(wrenches + 48 * link))
        x, y, z = lever
        H, M = (0.0, -z, y, z, 0.0, -x, -y, x, 0.0), (mass, 0.0, 0.0, mass, 0.0, mass)
        child = load_int(children + 8 * link)
        if child == 0 and kind > BALL:
            # at a tip nothing else is to be carried
            U = rigid_times(mass, lever, J, load6(freedom + S_))
            J, H, M, p = eliminate(context, v_at, freedom, U, J, H, M, p)
        else:
            # with all that hangs on it: Eq. (11)
            while child > 0:
                felt = private + LINK * child + FELT_
                J, H = add6(J, load6(felt)), add9(H, load9(felt + FELT_H))
                M, p = add6(M, load6(felt + FELT_M)), add6(p, load6(felt + FELT_P))
                child = load_int(siblings + 8 * child)
            if kind == FREE:
                # Eq. (12)
                A = root_acceleration(J, H, M, p)
                store6(here + A_, A)
                store3(v_dot + 8 * v_at, linear(A))
                store3(v_dot + 8 * v_at + 24, turned_back(load9(at(context, S.turn) + 72 * link), angular(A)))
                link -= 1
                continue
            for j in range(2 if kind == BALL else 0, -1, -1):
                U = inertia_times(J, H, M, load6(freedom + FREEDOM * j + S_))
                J, H, M, p = eliminate(context, v_at + j, freedom + FREEDOM * j, U, J, H, M, p)

        # a link without mass, between two joints of one body, only hands on what it feels
        below = load_int(parents + 8 * link)
        while below > 0 and load_float(masses + 8 * below) == 0.0 and load_int(kinds + 8 * below) > BALL:
            link = below
            v_at = load_int(v_ats + 8 * link)
            freedom = freedoms + FREEDOM * v_at
            U = inertia_times(J, H, M, load6(freedom + S_))
            J, H, M, p = eliminate(context, v_at, freedom, U, J, H, M, p)
            below = load_int(parents + 8 * link)
        felt = private + LINK * link + FELT_
        store6(felt, J)
        store9(felt + FELT_H, H)
        store6(felt + FELT_M, M)
        store6(felt + FELT_P, p)
        link -= 1

    for link in range(1, links):
        kind = load_int(kinds + 8 * link)
        if kind == FREE:
            continue
        v_at = load_int(v_ats + 8 * link)
        A = load6(private + LINK * load_int(parents + 8 * link) + A_)
        for j in range(3 if kind == BALL else 1):
            A = advance(context, v_at + j, freedoms + FREEDOM * (v_at + j), A)
        store6(private + LINK * link + A_, A)


def eliminate(context, index, freedom, U, J, H, M, p):
    """Take one freedom out of an articulated inertia, given U = I S: Eqs. (9) and (10)."""
    s = load6(freedom + S_)
    D = load_float(at(context, S.armature) + 8 * index) + dot6(s, U)
    push = load_float(at(context, S.effort) + 8 * index) - dot6(s, p)
    store6(freedom + U_, U)
    store_float(freedom + D_, D)
    store_float(freedom + PUSH_, push)
    if load_int(at(context, S.is_known) + 8 * index) != 0:
        # the acceleration is given: the inertia stays whole and carries it
        return J, H, M, add6(p, scale6(U, load_float(at(context, S.known_acceleration) + 8 * index)))
    inverse = 1.0 / D
    W = scale6(U, inverse)
    J = (
        J[0] - W[0] * U[0], J[1] - W[0] * U[1], J[2] - W[0] * U[2], J[3] - W[1] * U[1], J[4] - W[1] * U[2],
        J[5] - W[2] * U[2],
    )  # fmt: skip
    H = (
        H[0] - W[0] * U[3], H[1] - W[0] * U[4], H[2] - W[0] * U[5], H[3] - W[1] * U[3], H[4] - W[1] * U[4],
        H[5] - W[1] * U[5], H[6] - W[2] * U[3], H[7] - W[2] * U[4], H[8] - W[2] * U[5],
    )  # fmt: skip
    M = (
        M[0] - W[3] * U[3], M[1] - W[3] * U[4], M[2] - W[3] * U[5], M[3] - W[4] * U[4], M[4] - W[4] * U[5],
        M[5] - W[5] * U[5],
    )  # fmt: skip
    return J, H, M, add6(p, scale6(W, push))


def advance(context, index, freedom, A):
    """Acceleration of one freedom, and of what lies beyond it: Eqs. (13) and (14)."""
    reach = dot6(load6(freedom + U_), A)
    D, push = load_float(freedom + D_), load_float(freedom + PUSH_)
    holding = 0.0
    if load_int(at(context, S.is_known) + 8 * index) != 0:
        gained = load_float(at(context, S.known_acceleration) + 8 * index)
        holding = reach + D * gained - push
    else:
        gained = (push - reach) / D
    store_float(at(context, S.holding) + 8 * index, holding)
    store_float(at(context, S.v_dot) + 8 * index, gained)
    return add6(A, scale6(load6(freedom + S_), gained))


def root_acceleration(J, H, M, p):
    """Eq. (12): the root is free of everything, so its inertia times its acceleration is minus its bias force."""
    push, pull = angular(p), linear(p)

    # a = - M^-1 (pull + HT w), put into J w + H a + push = 0
    N = symmetric_inverse(M)
    a = symmetric_times(N, (H[0], H[1], H[2]))
    b = symmetric_times(N, (H[3], H[4], H[5]))
    c = symmetric_times(N, (H[6], H[7], H[8]))
    rest = (
        J[0] - (a[0] * H[0] + a[1] * H[1] + a[2] * H[2]), J[1] - (a[0] * H[3] + a[1] * H[4] + a[2] * H[5]),
        J[2] - (a[0] * H[6] + a[1] * H[7] + a[2] * H[8]), J[3] - (b[0] * H[3] + b[1] * H[4] + b[2] * H[5]),
        J[4] - (b[0] * H[6] + b[1] * H[7] + b[2] * H[8]), J[5] - (c[0] * H[6] + c[1] * H[7] + c[2] * H[8]),
    )  # fmt: skip
    w = symmetric_times(symmetric_inverse(rest), subtract3(turned(H, symmetric_times(N, pull)), push))
    v = symmetric_times(N, add3(pull, turned_back(H, w)))
    return w[0], w[1], w[2], -v[0], -v[1], -v[2]


def inverse(context):
    """Newton-Euler: from the accelerations in `v_dot` to the efforts that they need, beside the wrenches. Eq. (15)."""
    links, private = size(context, S.links), at(context, S.private)
    kinds, parents, v_ats = at(context, S.kind), at(context, S.parent), at(context, S.v_at)
    v_dot, effort, turns = at(context, S.v_dot), at(context, S.effort), at(context, S.turn)
    freedoms = private + LINK * links
    for link in range(1, links):
        kind, v_at = load_int(kinds + 8 * link), load_int(v_ats + 8 * link)
        if kind == FREE:
            spin = turned(load9(turns + 72 * link), load3(v_dot + 8 * v_at + 24))
            A = join(spin, load3(v_dot + 8 * v_at))
        else:
            A = load6(private + LINK * load_int(parents + 8 * link) + A_)
            for j in range(3 if kind == BALL else 1):
                column = load6(freedoms + FREEDOM * (v_at + j) + S_)
                A = add6(A, scale6(column, load_float(v_dot + 8 * (v_at + j))))
        store6(private + LINK * link + A_, A)
    reactions(context)
    for link in range(1, links):
        kind, v_at = load_int(kinds + 8 * link), load_int(v_ats + 8 * link)
        f = load6(at(context, S.reaction) + 48 * link)
        if kind == FREE:
            store3(effort + 8 * v_at, linear(f))
            store3(effort + 8 * v_at + 24, turned_back(load9(turns + 72 * link), angular(f)))
            continue
        for j in range(3 if kind == BALL else 1):
            index = 8 * (v_at + j)
            drive = load_float(at(context, S.armature) + index) * load_float(v_dot + index)
            store_float(effort + index, dot6(load6(freedoms + FREEDOM * (v_at + j) + S_), f) + drive)


def mass_matrix(context, matrix):
    """Composite inertias: fill the (nv, nv) `matrix` that takes accelerations to efforts. Eq. (16)."""
    links, private = size(context, S.links), at(context, S.private)
    for link in range(1, links):
        felt, mass = private + LINK * link + FELT_, load_float(at(context, S.mass) + 8 * link)
        J, (x, y, z) = load6(private + LINK * link + J_), load3(private + LINK * link + LEVER_)
        if mass == 0.0:
            J, x, y, z = scale6(J, 0.0), 0.0, 0.0, 0.0
        store6(felt, J)
        store9(felt + FELT_H, (0.0, -z, y, z, 0.0, -x, -y, x, 0.0))
        store6(felt + FELT_M, (mass, 0.0, 0.0, mass, 0.0, mass))
    for link in range(links - 1, 0, -1):
        parent = load_int(at(context, S.parent) + 8 * link)
        if parent > 0:
            felt, above = private + LINK * link + FELT_, private + LINK * parent + FELT_
            store6(above, add6(load6(above), load6(felt)))
            store9(above + FELT_H, add9(load9(above + FELT_H), load9(felt + FELT_H)))
            store6(above + FELT_M, add6(load6(above + FELT_M), load6(felt + FELT_M)))
    matrix[:, :] = 0.0
    for link in range(1, links):
        felt = private + LINK * link + FELT_
        J, H, M = load6(felt), load9(felt + FELT_H), load6(felt + FELT_M)
        v_at = load_int(at(context, S.v_at) + 8 * link)
        for j in range(freedom_count(context, link)):
            needed = inertia_times(J, H, M, column_of(context, link, j))
            for k in range(j + 1):
                matrix[v_at + j, v_at + k] = matrix[v_at + k, v_at + j] = dot6(column_of(context, link, k), needed)
            matrix[v_at + j, v_at + j] += load_float(at(context, S.armature) + 8 * (v_at + j))
            below = load_int(at(context, S.parent) + 8 * link)
            while below > 0:
                below_at = load_int(at(context, S.v_at) + 8 * below)
                for k in range(freedom_count(context, below)):
                    value = dot6(column_of(context, below, k), needed)
                    matrix[v_at + j, below_at + k] = matrix[below_at + k, v_at + j] = value
                below = load_int(at(context, S.parent) + 8 * below)


def freedom_count(context, link):
    kind = load_int(at(context, S.kind) + 8 * link)
    return 6 if kind == FREE else 3 if kind == BALL else 1


def column_of(context, link, j):
    """Column `j` of a link's S; of a free joint the inertial axes, then the body's."""
    if load_int(at(context, S.kind) + 8 * link) != FREE:
        index = load_int(at(context, S.v_at) + 8 * link) + j
        return load6(at(context, S.private) + LINK * size(context, S.links) + FREEDOM * index + S_)
    unit = (1.0 if j % 3 == 0 else 0.0, 1.0 if j % 3 == 1 else 0.0, 1.0 if j % 3 == 2 else 0.0)
    if j < 3:
        return join((0.0, 0.0, 0.0), unit)
    return join(turned(load9(at(context, S.turn) + 72 * link), unit), (0.0, 0.0, 0.0))


def reactions(context):
    """Force and torque through every joint: what each link, with all beyond it, needs beyond what acts on it."""
    links, private, reaction = size(context, S.links), at(context, S.private), at(context, S.reaction)
    for link in range(1, links):
        here, mass = private + LINK * link, load_float(at(context, S.mass) + 8 * link)
        f = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        if mass != 0.0:
            f = rigid_times(mass, load3(here + LEVER_), load6(here + J_), load6(here + A_))
            f = subtract6(add6(f, load6(here + P_)), load6(at(context, S.wrench) + 48 * link))
        store6(reaction + 48 * link, f)
    for link in range(links - 1, 0, -1):
        parent = load_int(at(context, S.parent) + 8 * link)
        if parent > 0:
            above = reaction + 48 * parent
            store6(above, add6(load6(above), load6(reaction + 48 * link)))
