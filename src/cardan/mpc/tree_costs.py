"""What a node of a robot's prediction costs, and how far it is from its soft limits (docs/theory/articulated_mpc.md).

Frames that should be somewhere - the base is one, a tip another - have errors in position, attitude, velocity and
rate. Joints have a posture. Soft limits are rows: speed and rate of the base, ranges and rates of joints, and points
on links that stay out of spheres and behind walls.
"""

import math
from typing import Any, NamedTuple

from cardan.mpc.flyer_algebra import quaternion_product, rotation_vector, square, turn_by, turn_derivative
from cardan.mpc.flyer_limits import TINY, grown, growth, weigh_round
from cardan.mpc.tree_prediction import BASE_Q, BASE_U
from cardan.native.tuples import (
    add3,
    angular,
    cross3,
    dot3,
    linear,
    quat_from_turn,
    subtract3,
    turn_product,
    turned_back,
)
from cardan.robotics.kinematics import TURN_, V_, freedoms_of, move, place, point_of
from cardan.robotics.packing import FRAME_LINK, FRAME_TURN, PARENT
from cardan.robotics.spatial import get6, get9

# of a reference: position, quaternion, velocity and angular velocity, all inertial
REF_R, REF_Q, REF_V, REF_W = 0, 3, 7, 10
REFERENCE = 13
# of weights: position, attitude, velocity, rate; then the same at the end of the horizon
WEIGHTS = 8
# of the posture of joints: weights of angle and rate, at the stages and at the end
JOINT_WEIGHTS = 4
ERRORS = 12  # rows: position, attitude, velocity, rate


class Aims(NamedTuple):
    """What a robot should do.

    Attributes:
        step: [s] Of the prediction.
        frames: (n, 13) Frames that should be somewhere, as `RobotFrame.numbers`.
        references: (n, 13) Where, now; they go on as they move.
        weights: (n, 8)
        joint_weights: (4,)
        posture: (n_m,) Where joints should be.
        pace: (n_m,) And how fast they should go.
    """

    step: float
    frames: Any
    references: Any
    weights: Any
    joint_weights: Any
    posture: Any
    pace: Any


class Limits(NamedTuple):
    """What it should not do, softly.

    Attributes:
        step: [s] Of the prediction.
        max_speed: [m/s] Of the base.
        max_rate: [rad/s] Of the base.
        low: (n_m,) Of joints; infinite where there is none.
        high: (n_m,) The same.
        rates: (n_m,) Largest rates of joints; the same.
        points: (n, 13) Frames whose origins keep clear.
        radii: (n,) [m] Of what is around each.
        spheres: (n, 4) Centre and radius.
        walls: (n, 4) Unit normal n and offset d: n p <= d.
    """

    step: float
    max_speed: float
    max_rate: float
    low: Any
    high: Any
    rates: Any
    points: Any
    radii: Any
    spheres: Any
    walls: Any


def look(room, node):
    """Places and velocities of all links at a node, relative to the base's origin and velocity."""
    nq = room.b.shape[0] + 6
    place(room.m, room.b, node[:nq], room.w, room.s)
    move(room.m, room.b, node[nq:], room.w, room.s)


# ---- errors of frames ----------------------------------------------------------------------------------------------


class Seen(NamedTuple):
    """A frame at a node.

    Attributes:
        p: [m] Position, relative to the base's origin.
        v: [m/s] Velocity, relative to the base's.
        omega: [rad/s] Inertial components.
        turn: (9,) To inertial components.
        e_r: [m] Errors of position, inertial; then of attitude, own axes; of velocity, inertial; of rate, own axes.
        e_theta: See above.
        e_v: See above.
        e_omega: See above.
        spin: [rad/s] Angular velocity of the reference, inertial.
    """

    p: Any
    v: Any
    omega: Any
    turn: Any
    e_r: Any
    e_theta: Any
    e_v: Any
    e_omega: Any
    spin: Any


def see(room, node, frame, ref, t):
    """A frame of a robot that has been looked at, and its errors: Eqs. (9) and (10)."""
    nq, link = room.b.shape[0] + 6, int(frame[FRAME_LINK])
    V, p = get6(room.w, link, V_), point_of(room.w, frame)
    omega = angular(V)
    v = add3(linear(V), cross3(omega, p))
    turn = turn_product(
        get9(room.w, link, TURN_),
        (
            frame[FRAME_TURN], frame[FRAME_TURN + 1], frame[FRAME_TURN + 2], frame[FRAME_TURN + 3],
            frame[FRAME_TURN + 4], frame[FRAME_TURN + 5], frame[FRAME_TURN + 6], frame[FRAME_TURN + 7],
            frame[FRAME_TURN + 8],
        ),
    )  # fmt: skip
    spin = (ref[REF_W], ref[REF_W + 1], ref[REF_W + 2])
    then = quaternion_product(
        turn_by(t * spin[0], t * spin[1], t * spin[2]), (ref[REF_Q], ref[REF_Q + 1], ref[REF_Q + 2], ref[REF_Q + 3])
    )
    back = (then[0], -then[1], -then[2], -then[3])
    return Seen(
        p,
        v,
        omega,
        turn,
        (
            node[0] + p[0] - ref[REF_R] - t * ref[REF_V],
            node[1] + p[1] - ref[REF_R + 1] - t * ref[REF_V + 1],
            node[2] + p[2] - ref[REF_R + 2] - t * ref[REF_V + 2],
        ),
        rotation_vector(quaternion_product(back, quat_from_turn(turn))),
        (
            node[nq + 3] + v[0] - ref[REF_V],
            node[nq + 4] + v[1] - ref[REF_V + 1],
            node[nq + 5] + v[2] - ref[REF_V + 2],
        ),
        turned_back(turn, subtract3(omega, spin)),
        spin,
    )


def weights_of(aims, i, is_last):
    w, at = aims.weights[i], 4 if is_last else 0
    return w[at], w[at + 1], w[at + 2], w[at + 3]


def errors_near(room, aims, i, seen, E):
    """How the errors of a frame change with its neighbourhood, into E (12, 2 nu): Eqs. (11) and (12)."""
    E[:, :] = 0.0
    nu = room.b.shape[0] + 5
    rows = turn_derivative(seen.e_theta)
    link = int(aims.frames[i, FRAME_LINK])
    while True:
        first, count = freedoms_of(room.m, room.b, link)
        V = parent_velocity(room, link)
        carried = add3(linear(V), cross3(angular(V), seen.p))
        beyond = subtract3(seen.v, carried)
        for j in range(first, first + count):
            S = get6(room.s, j, 0)
            s = angular(S)
            shift = add3(linear(S), cross3(s, seen.p))
            swing = add3(cross3(s, beyond), cross3(angular(V), shift))
            own = turned_back(seen.turn, s)
            slower = turned_back(seen.turn, cross3(s, subtract3(seen.spin, angular(V))))
            for k in range(3):
                E[k, j] = shift[k]
                E[3 + k, j] = dot3(rows[k], own)
                E[6 + k, j], E[6 + k, nu + j] = swing[k], shift[k]
                E[9 + k, j], E[9 + k, nu + j] = slower[k], own[k]
        if link == 0:
            break
        link = int(room.b[link, PARENT])


def node_cost(room, aims, node, k, stages):
    """What a node that has been looked at costs at stage k, without soft limits: Eq. (1)."""
    nq, nu, total, is_last = room.b.shape[0] + 6, room.b.shape[0] + 5, 0.0, k == stages
    for i in range(len(aims.frames)):
        r, theta, v, omega = weights_of(aims, i, is_last)
        seen = see(room, node, aims.frames[i], aims.references[i], k * aims.step)
        total += 0.5 * (r * square(seen.e_r) + theta * square(seen.e_theta))
        total += 0.5 * (v * square(seen.e_v) + omega * square(seen.e_omega))
    at, t = 2 if is_last else 0, k * aims.step
    for j in range(nu - BASE_U):
        off = node[BASE_Q + j] - aims.posture[j] - t * aims.pace[j]
        fast = node[nq + BASE_U + j] - aims.pace[j]
        total += 0.5 * (aims.joint_weights[at] * off * off + aims.joint_weights[at + 1] * fast * fast)
    return total


def weigh_node(room, aims, node, k, stages, E, H, g):
    """Weights and slopes of the neighbourhood of a node, by Gauss and Newton: Eq. (13)."""
    nq, nu, is_last = room.b.shape[0] + 6, room.b.shape[0] + 5, k == stages
    H[:, :] = 0.0
    g[:] = 0.0
    for i in range(len(aims.frames)):
        r, theta, v, omega = weights_of(aims, i, is_last)
        seen = see(room, node, aims.frames[i], aims.references[i], k * aims.step)
        errors_near(room, aims, i, seen, E)
        add_squares(r, seen.e_r, E, 0, H, g)
        add_squares(theta, seen.e_theta, E, 3, H, g)
        add_squares(v, seen.e_v, E, 6, H, g)
        add_squares(omega, seen.e_omega, E, 9, H, g)
    for i in range(2 * nu):
        for j in range(i):
            H[j, i] = H[i, j]
    at, t = 2 if is_last else 0, k * aims.step
    for j in range(BASE_U, nu):
        H[j, j] += aims.joint_weights[at]
        H[nu + j, nu + j] += aims.joint_weights[at + 1]
        g[j] += aims.joint_weights[at] * (node[j + 1] - aims.posture[j - BASE_U] - t * aims.pace[j - BASE_U])
        g[nu + j] += aims.joint_weights[at + 1] * (node[nq + j] - aims.pace[j - BASE_U])


def add_squares(weight, error, E, first, H, g):
    """Three errors, weighted and squared, in the lower half of H."""
    if weight == 0.0:
        return
    for i in range(len(g)):
        x, y, z = weight * E[first, i], weight * E[first + 1, i], weight * E[first + 2, i]
        g[i] += (x * error[0] + y * error[1]) + z * error[2]
        for j in range(i + 1):
            H[i, j] += (x * E[first, j] + y * E[first + 1, j]) + z * E[first + 2, j]


# ---- soft limits ---------------------------------------------------------------------------------------------------


def count_rows(limits):
    """How many soft limits a node has."""
    count = 2
    for j in range(len(limits.low)):
        count += 1 * (limits.low[j] > -math.inf) + 1 * (limits.high[j] < math.inf) + 2 * (limits.rates[j] < math.inf)
    return count + len(limits.points) * (len(limits.spheres) + len(limits.walls))


def margins(room, limits, node, out):
    """What each soft limit leaves at a node that has been looked at: Eqs. (14) to (16)."""
    nq = room.b.shape[0] + 6
    out[0] = limits.max_speed - length_at(node, nq + 3)
    out[1] = limits.max_rate - length_at(node, nq)
    row = 2
    for j in range(len(limits.low)):
        angle, rate = node[BASE_Q + j], node[nq + BASE_U + j]
        if limits.low[j] > -math.inf:
            out[row] = angle - limits.low[j]
            row += 1
        if limits.high[j] < math.inf:
            out[row] = limits.high[j] - angle
            row += 1
        if limits.rates[j] < math.inf:
            out[row], out[row + 1] = limits.rates[j] - rate, limits.rates[j] + rate
            row += 2
    for i in range(len(limits.points)):
        p, speed = point_of(room.w, limits.points[i]), 0.0
        if len(limits.spheres) > 0:
            speed = math.sqrt(square(flown(room, node, velocity_of(room, limits.points[i], p))))
        p = add3(p, (node[0], node[1], node[2]))
        for k in range(len(limits.spheres)):
            s = limits.spheres[k]
            radius = grown(s[3] + limits.radii[i], limits.step, speed)
            out[row] = math.sqrt(square(subtract3(p, (s[0], s[1], s[2])))) - radius
            row += 1
        for k in range(len(limits.walls)):
            n = limits.walls[k]
            out[row] = n[3] - dot3((n[0], n[1], n[2]), p) - limits.radii[i]
            row += 1


def limit_rows(room, limits, node, G):
    """How soft limits are used up by a neighbourhood, in the order of `margins`."""
    nq, nu = room.b.shape[0] + 6, room.b.shape[0] + 5
    G[:, :] = 0.0
    along(node, nq + 3, G[0], nu + 3)
    along(node, nq, G[1], nu)
    row = 2
    for j in range(len(limits.low)):
        if limits.low[j] > -math.inf:
            G[row, BASE_U + j] = -1.0
            row += 1
        if limits.high[j] < math.inf:
            G[row, BASE_U + j] = 1.0
            row += 1
        if limits.rates[j] < math.inf:
            G[row, nu + BASE_U + j], G[row + 1, nu + BASE_U + j] = 1.0, -1.0
            row += 2
    for i in range(len(limits.points)):
        p = point_of(room.w, limits.points[i])
        v = velocity_of(room, limits.points[i], p)
        fast = flown(room, node, v)
        for k in range(len(limits.spheres)):
            s = limits.spheres[k]
            away = subtract3(add3(p, (node[0], node[1], node[2])), (s[0], s[1], s[2]))
            part = -1.0 / max(math.sqrt(square(away)), TINY)
            point_row(room, limits.points[i], p, (part * away[0], part * away[1], part * away[2]), G[row])
            radius = grown(s[3] + limits.radii[i], limits.step, math.sqrt(square(fast)))
            more = growth(limits.step, radius)
            faster_row(room, limits.points[i], p, v, (more * fast[0], more * fast[1], more * fast[2]), G[row])
            row += 1
        for k in range(len(limits.walls)):
            n = limits.walls[k]
            point_row(room, limits.points[i], p, (n[0], n[1], n[2]), G[row])
            row += 1


def weigh_round_limits(room, limits, node, multipliers, G, H):
    """Add to weights what limits of the base's speed and rate bend by: Eq. (17) of docs/theory/tracking_mpc.md."""
    nq, nu = room.b.shape[0] + 6, room.b.shape[0] + 5
    weigh_round(multipliers[0], length_at(node, nq + 3), limits.max_speed, G[0], nu + 3, H)
    weigh_round(multipliers[1], length_at(node, nq), limits.max_rate, G[1], nu, H)


def point_row(room, frame, p, n, row):
    """How far a point goes along `n` with each freedom."""
    link = int(frame[FRAME_LINK])
    while True:
        first, count = freedoms_of(room.m, room.b, link)
        for j in range(first, first + count):
            S = get6(room.s, j, 0)
            row[j] = dot3(n, add3(linear(S), cross3(angular(S), p)))
        if link == 0:
            break
        link = int(room.b[link, PARENT])


def faster_row(room, frame, p, v, n, row):
    """Add how much faster a point goes along `n` with each freedom and each rate, as in Eq. (12)."""
    nu, link = room.b.shape[0] + 5, int(frame[FRAME_LINK])
    while True:
        first, count = freedoms_of(room.m, room.b, link)
        V = parent_velocity(room, link)
        beyond = subtract3(v, add3(linear(V), cross3(angular(V), p)))
        for j in range(first, first + count):
            S = get6(room.s, j, 0)
            shift = add3(linear(S), cross3(angular(S), p))
            row[j] += dot3(n, add3(cross3(angular(S), beyond), cross3(angular(V), shift)))
            row[nu + j] += dot3(n, shift)
        if link == 0:
            break
        link = int(room.b[link, PARENT])


def velocity_of(room, frame, p):
    """[m/s] Of a point p on the link of a frame, relative to the base's origin, like p."""
    V = get6(room.w, int(frame[FRAME_LINK]), V_)
    return add3(linear(V), cross3(angular(V), p))


def flown(room, node, v):
    """[m/s] A velocity relative to the base's origin, as it is in inertial space."""
    at = room.b.shape[0] + 9
    return add3(v, (node[at], node[at + 1], node[at + 2]))


def parent_velocity(room, link):
    """Of what carries a link; what carries the base only moves along with it."""
    if link == 0:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return get6(room.w, int(room.b[link, PARENT]), V_)


def length_at(node, at):
    return math.sqrt(square((node[at], node[at + 1], node[at + 2])))


def along(node, at, row, near):
    """The direction of the vector at `at`, into a row."""
    part = 1.0 / max(length_at(node, at), TINY)
    row[near], row[near + 1], row[near + 2] = part * node[at], part * node[at + 1], part * node[at + 2]
