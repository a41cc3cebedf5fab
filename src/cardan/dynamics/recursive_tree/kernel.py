"""The recursion: articulated bodies, one pass out, one in, one out again (docs/theory/recursive_tree.md).

All spatial vectors are in inertial axes about the vehicle's origin: the point where its root body is, moving with the
velocity that body has. Seen from there a spacecraft is small and slow wherever it flies. A body with several joints,
and a ball joint, are sequences of single freedoms, so one elimination serves them all.
"""

from cardan.dynamics.recursive_tree.links import gain, rigid, store_frame, weigh
from cardan.dynamics.recursive_tree.records import (
    A_,
    ANCHOR,
    ANCHOR_PARENT,
    AXIS,
    AXIS_PARENT,
    C_,
    CENTRAL_,
    CHILD,
    DIVISOR,
    FELT_H,
    FELT_J,
    FELT_M,
    FELT_P,
    FREEDOM,
    FREEDOMS,
    J_,
    KIND,
    LEVER_,
    LINK,
    NUMBER,
    OFFSET,
    OWN_,
    P_,
    PARENT,
    PUSH,
    Q_AT,
    R_,
    S_,
    SIBLING,
    SINE,
    T_,
    TURN,
    U_,
    V_,
    V_AT,
)
from cardan.dynamics.recursive_tree.rotors import advance_rotor, eliminate_rotor, feel_rotor, rotor_frame
from cardan.dynamics.root import body_acceleration, eliminated, less, root_acceleration
from cardan.maths import sin_cos
from cardan.mechanism.plumbing import (
    S,
    add_springs_and_dampers,
    at,
    begin,
    finish,
    gather,
    is_rotor,
    judge,
    publish_frames,
    size,
)
from cardan.mechanism.tree import BALL, FREE, HINGE
from cardan.native.pointers import load_float, load_int, store_float
from cardan.native.status import OK
from cardan.native.tuples import load4, turn_from_quat
from cardan.native.vectors import (
    ROOM,
    cross,
    dot_pair,
    load_matrix,
    load_packed,
    load_pair,
    load_vector,
    store_matrix,
    store_packed,
    store_pair,
    store_vector,
    transposed,
    turned,
    turned_at,
    turned_back,
    vector,
)


def kinematics(t, context):
    """Frames of all links, and the messages about them."""
    begin(context)
    frames(context)
    publish_frames(context)
    return OK


def dynamics(t, context):
    """Accelerations from the forces gathered at the ports."""
    gather(context)
    add_springs_and_dampers(context)
    accelerations(context)
    if load_int(at(context, S.wants_reactions)) != 0:
        reactions(context)
    return finish(context)


def check(t, context):
    """Whether the accelerations found last can be trusted."""
    collect_divisors(context)
    return judge(context)


def forward_alone(context):
    """Forward dynamics with the efforts and wrenches that lie in memory, without ports."""
    begin(context)
    frames(context)
    accelerations(context)
    return finish(context)


def check_alone(context):
    """Whether the accelerations of `forward_alone` can be trusted."""
    return check(0.0, context)


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


def added(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def turn_joints(context):
    """The turn of every joint, from the parent's axes to the link's own. It depends on no other joint."""
    links, here = size(context, S.links), at(context, S.private)
    q_now, reference = at(context, S.q_now), at(context, S.reference)
    for _ in range(1, links):
        here += LINK
        kind, q_at = load_int(here + KIND), load_int(here + Q_AT)
        if is_rotor(context, load_int(here + NUMBER)):
            continue
        if kind == HINGE:
            angle = load_float(q_now + q_at) - load_float(reference + q_at)
            # Rodrigues' formula
            sine, cosine = sin_cos(angle)
            stays = load_packed(here + AXIS_PARENT) * (1.0 - cosine)
            for k in range(3):
                turns = load_vector(here + TURN + ROOM * k) * cosine + load_vector(here + SINE + ROOM * k) * sine
                store_vector(here + OWN_ + ROOM * k, turns + stays * load_float(here + AXIS + 8 * k))
        elif kind == BALL:
            offset, turn = load_matrix(here + TURN), turn_at(q_now + q_at)
            store_matrix(here + OWN_, (turned(offset, turn[0]), turned(offset, turn[1]), turned(offset, turn[2])))
        elif kind == FREE:
            store_matrix(here + OWN_, turn_at(q_now + q_at + 24))
        else:
            store_matrix(here + OWN_, load_matrix(here + TURN))


def turn_at(address):
    """The matrix of the quaternion at `address`, by columns."""
    t = turn_from_quat(load4(address))
    return vector(t[0], t[3], t[6]), vector(t[1], t[4], t[7]), vector(t[2], t[5], t[8])


def frames(context):
    """Pass out: attitude, position, velocity, inertia and bias of every link, and the columns of S. Eqs. (1) to (8)."""
    turn_joints(context)
    links, private = size(context, S.links), at(context, S.private)
    q_now, v_now, reference = at(context, S.q_now), at(context, S.v_now), at(context, S.reference)
    nothing = vector(0.0, 0.0, 0.0)
    here = private
    for _ in range(1, links):
        here += LINK
        kind, v = load_int(here + KIND), v_now + load_int(here + V_AT)
        if is_rotor(context, load_int(here + NUMBER)):
            rotor_frame(context, here, load_float(v))
            continue
        if kind == FREE:
            # Eq. (6): about its own origin the root only turns
            T = load_matrix(here + OWN_)
            r, anchor = nothing, nothing
            w, u = turned_at(T, v + 24), nothing
            c, d = nothing, nothing
        else:
            parent, freedom = private + load_int(here + PARENT), private + load_int(here + FREEDOMS)
            before = load_matrix(parent + T_)
            w_parent, u_parent = load_pair(parent + V_)
            c_parent, d_parent = load_pair(parent + C_)
            own = here + OWN_
            T = turned_at(before, own), turned_at(before, own + ROOM), turned_at(before, own + 2 * ROOM)
            anchor = load_vector(parent + R_) + turned_at(before, here + ANCHOR_PARENT)
            if kind == HINGE:
                # Eq. (3): S = (axis, anchor x axis)
                axis = turned_at(before, here + AXIS_PARENT)
                swing = cross(anchor, axis)
                r = anchor - turned_at(T, here + ANCHOR)
                rate = load_float(v)
                spin, sweep = axis * rate, swing * rate
                store_pair(freedom + S_, axis, swing)
            elif kind == BALL:
                # Eq. (5): three columns, along the child's axes
                r = anchor - turned_at(T, here + ANCHOR)
                spin = turned_at(T, v)
                sweep = cross(anchor, spin)
                store_pair(freedom + S_, T[0], cross(anchor, T[0]))
                store_pair(freedom + FREEDOM + S_, T[1], cross(anchor, T[1]))
                store_pair(freedom + 2 * FREEDOM + S_, T[2], cross(anchor, T[2]))
            else:
                # Eq. (4): S = (0, axis)
                q_at = load_int(here + Q_AT)
                axis = turned_at(before, here + AXIS_PARENT)
                moved = load_float(q_now + q_at) - load_float(reference + q_at)
                r = load_vector(parent + R_) + turned_at(before, here + OFFSET) + axis * moved
                spin, sweep = nothing, axis * load_float(v)
                store_pair(freedom + S_, nothing, axis)
            # Eq. (2): accelerations that follow from velocities alone
            w, u = w_parent + spin, u_parent + sweep
            c = c_parent + cross(w_parent, spin)
            d = d_parent + (cross(w_parent, sweep) + cross(u_parent, spin))
        store_matrix(here + T_, T)
        store_vector(here + R_, r)
        store_pair(here + V_, w, u)
        store_pair(here + C_, c, d)
        weigh(context, here, T, r, w, u, c, d)
        store_frame(context, load_int(here + NUMBER), T, r, anchor, w, u)


def accelerations(context):
    """Pass in: articulated inertias. Pass out: accelerations. Eqs. (9) to (14)."""
    links, private = size(context, S.links), at(context, S.private)
    masses, wrenches, v_dot = at(context, S.whole_mass), at(context, S.wrench), at(context, S.v_dot)
    efforts, known = (at(context, S.armature), at(context, S.effort)), knowledge(context)
    here = private + LINK * links
    for _ in range(1, links):
        # the link as a rigid body, less what acts on it
        here -= LINK
        link, kind, v_at = load_int(here + NUMBER), load_int(here + KIND), load_int(here + V_AT)
        if is_rotor(context, link):
            eliminate_rotor(context, here, v_at, efforts, known)
            continue
        J, H, M = rigid(here, load_float(masses + 8 * link))
        p, f = load_pair(here + P_)
        p, f = p - load_packed(wrenches + 48 * link), f - load_packed(wrenches + 48 * link + 24)
        # with all that hangs on it: Eq. (11)
        child, is_alone = load_int(here + CHILD), True
        central = load_matrix(here + CENTRAL_)
        while child > 0:
            felt = private + child
            if is_rotor(context, load_int(felt + NUMBER)):
                J, p, f = feel_rotor(private, felt, J, p, f)
                central, _, _ = feel_rotor(private, felt, central, p, f)
            else:
                is_alone = False
                J = added(J, load_matrix(felt + FELT_J))
                H = added(H, load_matrix(felt + FELT_H))
                M = added(M, load_matrix(felt + FELT_M))
                p_felt, f_felt = load_pair(felt + FELT_P)
                p, f = p + p_felt, f + f_felt
            child = load_int(felt + SIBLING)
        if kind == FREE:
            # Eq. (12)
            if is_alone:
                lever, mass = load_vector(here + LEVER_), load_float(masses + 8 * link)
                a, b = body_acceleration(central, lever, mass, J, H, M, p, f)
            else:
                a, b = root_acceleration(J, H, M, p, f)
            store_pair(here + A_, a, b)
            store_packed(v_dot + v_at, b)
            store_packed(v_dot + v_at + 24, turned_back(load_matrix(here + T_), a))
            continue
        freedom = private + load_int(here + FREEDOMS)
        for j in range(2 if kind == BALL else 0, -1, -1):
            J, H, M, p, f = eliminate(freedom + FREEDOM * j, v_at + 8 * j, efforts, known, J, H, M, p, f)
        store_matrix(here + FELT_J, J)
        store_matrix(here + FELT_H, H)
        store_matrix(here + FELT_M, M)
        store_pair(here + FELT_P, p, f)

    here = private
    for _ in range(1, links):
        here += LINK
        kind = load_int(here + KIND)
        if kind == FREE:
            continue
        parent, freedom = private + load_int(here + PARENT), private + load_int(here + FREEDOMS)
        v_at = load_int(here + V_AT)
        if is_rotor(context, load_int(here + NUMBER)):
            advance_rotor(context, here, v_at, v_dot, known)
            continue
        a, b = load_pair(parent + A_)
        for j in range(3 if kind == BALL else 1):
            a, b = advance(freedom + FREEDOM * j, v_at + 8 * j, v_dot, known, a, b)
        store_pair(here + A_, a, b)


def collect_divisors(context):
    """The divisors of all freedoms, as the pass in has left them, where `judge` looks for them."""
    links, private = size(context, S.links), at(context, S.private)
    masses, divisors = at(context, S.whole_mass), at(context, S.divisor)
    here = private
    for _ in range(1, links):
        here += LINK
        kind, target = load_int(here + KIND), divisors + load_int(here + V_AT)
        if kind == FREE:
            J, H, M = with_children(context, here, load_float(masses + 8 * load_int(here + NUMBER)))
            nothing = vector(0.0, 0.0, 0.0)
            _, _, turns, displacements = eliminated(J, H, M, nothing, nothing)
            store_packed(target, displacements)
            store_packed(target + 24, turns)
            continue
        freedom = private + load_int(here + FREEDOMS)
        for j in range(3 if kind == BALL else 1):
            store_float(target + 8 * j, load_float(freedom + FREEDOM * j + DIVISOR))


def with_children(context, here, mass):
    """J, H and M of a link and of what it feels of all beyond it."""
    private, nothing = at(context, S.private), vector(0.0, 0.0, 0.0)
    J, H, M = rigid(here, mass)
    child = load_int(here + CHILD)
    while child > 0:
        felt = private + child
        if is_rotor(context, load_int(felt + NUMBER)):
            J, _, _ = feel_rotor(private, felt, J, nothing, nothing)
        else:
            J = added(J, load_matrix(felt + FELT_J))
            H = added(H, load_matrix(felt + FELT_H))
            M = added(M, load_matrix(felt + FELT_M))
        child = load_int(felt + SIBLING)
    return J, H, M


def knowledge(context):
    """Where it says whether an acceleration is known, which one, and where the effort goes that it needs."""
    return at(context, S.is_known), at(context, S.known_acceleration), at(context, S.holding)


def eliminate(freedom, index, efforts, known, J, H, M, p, f):
    """Take one freedom out of an articulated inertia: Eqs. (9) and (10)."""
    e, s = load_pair(freedom + S_)
    Ua, Ub = inertia_times(J, H, M, e, s)
    D = load_float(efforts[0] + index) + dot_pair(e, Ua, s, Ub)
    push = load_float(efforts[1] + index) - dot_pair(e, p, s, f)
    store_pair(freedom + U_, Ua, Ub)
    store_float(freedom + DIVISOR, D)
    store_float(freedom + PUSH, push)
    if load_int(known[0] + index) != 0:
        # Eq. (10'): the acceleration is given, the inertia stays whole and carries it
        gained = load_float(known[1] + index)
    else:
        part = 1.0 / D
        gained = push * part
        x, y, z = Ua.x * part, Ua.y * part, Ua.z * part
        J = less(J, Ua, x, y, z)
        x, y, z = Ub.x * part, Ub.y * part, Ub.z * part
        H, M = less(H, Ua, x, y, z), less(M, Ub, x, y, z)
    return J, H, M, p + Ua * gained, f + Ub * gained


def advance(freedom, index, v_dot, known, a, b):
    """Acceleration of one freedom, and of what lies beyond it: Eqs. (13) and (14)."""
    (Ua, Ub), (e, s) = load_pair(freedom + U_), load_pair(freedom + S_)
    rest = load_float(freedom + PUSH) - dot_pair(Ua, a, Ub, b)
    gained = gain(known, v_dot, index, load_float(freedom + DIVISOR), rest)
    return a + e * gained, b + s * gained


def inertia_times(J, H, M, a, b):
    """Force that the motion (a, b) needs."""
    return turned(J, a) + turned(H, b), turned(transposed(H[0], H[1], H[2]), a) + turned(M, b)


def inverse(context):
    """Newton-Euler: from the accelerations in `v_dot` to the efforts that they need, beside the wrenches. Eq. (15)."""
    links, private = size(context, S.links), at(context, S.private)
    v_dot, effort, armature = at(context, S.v_dot), at(context, S.effort), at(context, S.armature)
    here = private
    for _ in range(1, links):
        here += LINK
        kind, v_at = load_int(here + KIND), load_int(here + V_AT)
        if kind == FREE:
            a, b = turned_at(load_matrix(here + T_), v_dot + v_at + 24), load_packed(v_dot + v_at)
        else:
            parent, freedom = private + load_int(here + PARENT), private + load_int(here + FREEDOMS)
            a, b = load_pair(parent + A_)
            for j in range(3 if kind == BALL else 1):
                (e, s), gained = load_pair(freedom + FREEDOM * j + S_), load_float(v_dot + v_at + 8 * j)
                a, b = a + e * gained, b + s * gained
        store_pair(here + A_, a, b)
    reactions(context)
    here = private
    for _ in range(1, links):
        here += LINK
        kind, v_at, freedom = load_int(here + KIND), load_int(here + V_AT), private + load_int(here + FREEDOMS)
        reaction = at(context, S.reaction) + 48 * load_int(here + NUMBER)
        torque, force = load_packed(reaction), load_packed(reaction + 24)
        if kind == FREE:
            store_packed(effort + v_at, force)
            store_packed(effort + v_at + 24, turned_back(load_matrix(here + T_), torque))
            continue
        for j in range(3 if kind == BALL else 1):
            index, (e, s) = v_at + 8 * j, load_pair(freedom + FREEDOM * j + S_)
            drive = load_float(armature + index) * load_float(v_dot + index)
            store_float(effort + index, dot_pair(e, torque, s, force) + drive)


def mass_matrix(context, matrix):
    """Composite inertias: fill the (nv, nv) `matrix` that takes accelerations to efforts. Eq. (16)."""
    links, private, masses = size(context, S.links), at(context, S.private), at(context, S.whole_mass)
    here = private + LINK * links
    for _ in range(1, links):
        here -= LINK
        J, H, M = with_children(context, here, load_float(masses + 8 * load_int(here + NUMBER)))
        store_matrix(here + FELT_J, J)
        store_matrix(here + FELT_H, H)
        store_matrix(here + FELT_M, M)
    matrix[:, :] = 0.0
    here = private
    for _ in range(1, links):
        here += LINK
        first = load_int(here + V_AT) // 8
        for j in range(freedom_count(here)):
            e, s = column_of(private, here, j)
            J, H, M = load_matrix(here + FELT_J), load_matrix(here + FELT_H), load_matrix(here + FELT_M)
            torque, force = inertia_times(J, H, M, e, s)
            for k in range(j + 1):
                value = along(private, here, k, torque, force)
                matrix[first + j, first + k] = matrix[first + k, first + j] = value
            matrix[first + j, first + j] += load_float(at(context, S.armature) + 8 * (first + j))
            below = private + load_int(here + PARENT)
            while below > private:
                start = load_int(below + V_AT) // 8
                for k in range(freedom_count(below)):
                    value = along(private, below, k, torque, force)
                    matrix[first + j, start + k] = matrix[start + k, first + j] = value
                below = private + load_int(below + PARENT)


def along(private, here, k, torque, force):
    """How much of a force lies along a freedom."""
    e, s = column_of(private, here, k)
    return dot_pair(e, torque, s, force)


def freedom_count(here):
    kind = load_int(here + KIND)
    return 6 if kind == FREE else 3 if kind == BALL else 1


def column_of(private, here, j):
    """Column `j` of a link's S; of a free joint the inertial axes, then the body's."""
    if load_int(here + KIND) != FREE:
        return load_pair(private + load_int(here + FREEDOMS) + FREEDOM * j + S_)
    nothing = vector(0.0, 0.0, 0.0)
    if j < 3:
        return nothing, vector(1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
    return load_vector(here + T_ + ROOM * (j - 3)), nothing


def reactions(context):
    """Force and torque through every joint: what each link, with all beyond it, needs beyond what acts on it."""
    links, private, reaction = size(context, S.links), at(context, S.private), at(context, S.reaction)
    masses, wrenches, weights = at(context, S.whole_mass), at(context, S.wrench), at(context, S.weight)
    here = private + LINK * links
    for _ in range(1, links):
        here -= LINK
        link = load_int(here + NUMBER)
        mass, lever = load_float(masses + 8 * link), load_vector(here + LEVER_)
        (a, b), (p, f) = load_pair(here + A_), load_pair(here + P_)
        torque = turned(load_matrix(here + J_), a) + cross(lever, b) + p - load_packed(wrenches + 48 * link)
        force = b * mass + cross(a, lever) + f - load_packed(wrenches + 48 * link + 24)
        if is_rotor(context, link):
            torque, force = torque - load_packed(weights + 48 * link), force - load_packed(weights + 48 * link + 24)
        child = load_int(here + CHILD)
        while child > 0:
            number = load_int(private + child + NUMBER)
            if is_rotor(context, number):
                # its mass counts here already
                on_torque, on_force = load_pair(private + child + FELT_P)
            else:
                beyond = reaction + 48 * number
                on_torque, on_force = load_packed(beyond), load_packed(beyond + 24)
            torque, force = torque + on_torque, force + on_force
            child = load_int(private + child + SIBLING)
        store_packed(reaction + 48 * link, torque)
        store_packed(reaction + 48 * link + 24, force)
