"""One step of the prediction of a robot, base and joints, and how it depends on where it begins and on what drives it.

A node has the coordinates q of a robot (`cardan.robotics`) and then its rates u. Its neighbourhood has twice as many
numbers as there are rates: a change of q, in the order of the rates, and a change of u. It is driven by force and
torque on the base, in body components about its origin, and by efforts along joints, which are hinges and slides. The
step is that of the explicit midpoint method on the manifold; its derivative is that of the method itself, to rounding
(docs/theory/articulated_mpc.md).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from cardan.maths import sin_cos
from cardan.mpc.dense import product
from cardan.mpc.flyer_algebra import quaternion_product, turn_by
from cardan.native.tuples import turn_from_quat, turned
from cardan.robotics.derivatives import COLUMN, accelerations_near
from cardan.robotics.inertia import CONVECTION
from cardan.robotics.packing import NQ, NU, records_of
from cardan.robotics.recursion import ARTICULATED, FREEDOM, accelerations_of

BASE_Q, BASE_U = 7, 6  # coordinates and rates of the base, which come first
QUAT = 3  # where its quaternion begins in q
FORCE, TORQUE = 0, 3  # on the base, in what drives a robot


class Slopes(NamedTuple):
    """How accelerations change at one point, each (nu, nu).

    Attributes:
        q: With coordinates.
        u: With rates.
        y: With what drives the robot.
    """

    q: Any
    u: Any
    y: Any


class TreeRoom(NamedTuple):
    """The robot, and memory of a step.

    Attributes:
        m: Its row of numbers.
        b: Its records.
        w: (links, ...) Table of links; the ones below are other tables of the recursion.
        s: See above.
        free: See above.
        c: See above.
        H: (nu, nu)
        tau: (nu,) Efforts.
        a: (nu,) Accelerations.
        mid: (nq + nu,) Node half a step on.
        first: At the beginning of a step.
        second: Half a step on.
        by_tau: (nu, nu)
        D: (nu, 3 nu) For products.
        half: (nu, 3 nu) How the rates half a step on change, with q, u and y.
    """

    m: Any
    b: Any
    w: Any
    s: Any
    free: Any
    c: Any
    H: Any
    tau: Any
    a: Any
    mid: Any
    first: Slopes
    second: Slopes
    by_tau: Any
    D: Any
    half: Any


def new_tree_room(m):
    """Memory for a robot."""
    b, nq, nu = records_of(m), int(m[NQ]), int(m[NU])
    return TreeRoom(
        m, b, np.zeros((len(b), max(ARTICULATED, CONVECTION))), np.zeros((nu, 6)), np.zeros((nu, FREEDOM)),
        np.zeros((nu, COLUMN)), np.zeros((nu, nu)), np.zeros(nu), np.zeros(nu), np.zeros(nq + nu),
        Slopes(np.zeros((nu, nu)), np.zeros((nu, nu)), np.zeros((nu, nu))),
        Slopes(np.zeros((nu, nu)), np.zeros((nu, nu)), np.zeros((nu, nu))),
        np.zeros((nu, nu)), np.zeros((nu, 3 * nu)), np.zeros((nu, 3 * nu)),
    )  # fmt: skip


def predict(room, node, y, h, out):
    """The node after `h` [s] under constant efforts, into `out`: Eqs. (2) and (3)."""
    nq, nu = room.b.shape[0] + 6, room.b.shape[0] + 5
    accelerate(room, node, y)
    half_way(room, node, h, nq, nu)
    accelerate(room, room.mid, y)
    arrive(room, node, h, nq, nu, out)


def predict_near(room, node, y, h, out, A, B):
    """The same, with the derivatives of the neighbourhood after the step: A (2 nu, 2 nu), B (2 nu, nu). Eq. (6)."""
    nq, nu = room.b.shape[0] + 6, room.b.shape[0] + 5
    accelerate_near(room, node, y, room.first)
    half_way(room, node, h, nq, nu)
    accelerate_near(room, room.mid, y, room.second)
    arrive(room, node, h, nq, nu, out)

    # how the rates half a step on change: du + h/2 (first)
    first, second, half = room.first, room.second, room.half
    for i in range(nu):
        for j in range(nu):
            half[i, j] = 0.5 * h * first.q[i, j]
            half[i, nu + j] = 0.5 * h * first.u[i, j]
            half[i, 2 * nu + j] = 0.5 * h * first.y[i, j]
        half[i, nu + i] += 1.0
    # rates at the end: du + h (second.q dq_mid + second.u du_mid + second.y dy)
    product(second.u, half, room.D)
    back, spread = turned_by_rate(node, nq, 0.5 * h)
    for i in range(nu):
        for j in range(nu):
            by_q, by_u = second.q[i, j], 0.5 * h * second.q[i, j]
            if j < 3:
                by_q = by_u = 0.0
                for k in range(3):
                    by_q += second.q[i, k] * back[k][j]
                    by_u += second.q[i, k] * (0.5 * h * spread[k][j])
            A[nu + i, j] = h * (room.D[i, j] + by_q)
            A[nu + i, nu + j] = h * (room.D[i, nu + j] + by_u)
            B[nu + i, j] = h * (room.D[i, 2 * nu + j] + second.y[i, j])
        A[nu + i, nu + i] += 1.0
    # coordinates at the end go by the rates half a step on
    back, spread = turned_by_rate(room.mid, nq, h)
    for i in range(nu):
        for j in range(nu):
            by_q, by_u, by_y = half[i, j], half[i, nu + j], half[i, 2 * nu + j]
            if i < 3:
                by_q = by_u = by_y = 0.0
                for k in range(3):
                    by_q += spread[i][k] * half[k, j]
                    by_u += spread[i][k] * half[k, nu + j]
                    by_y += spread[i][k] * half[k, 2 * nu + j]
            A[i, j], A[i, nu + j], B[i, j] = h * by_q, h * by_u, h * by_y
            if i < 3 and j < 3:
                A[i, j] += back[i][j]
        if i >= 3:
            A[i, i] += 1.0


def half_way(room, node, h, nq, nu):
    """The node half a step on: Eq. (2)."""
    shift(node, node, 0.5 * h, nq, room.mid)
    for i in range(nu):
        room.mid[nq + i] = node[nq + i] + 0.5 * h * room.a[i]


def arrive(room, node, h, nq, nu, out):
    """The node at the end of a step, by rates and accelerations half a step on: Eq. (3)."""
    shift(node, room.mid, h, nq, out)
    for i in range(nu):
        out[nq + i] = node[nq + i] + h * room.a[i]


def shift(node, rates, h, nq, out):
    """Coordinates of `node` after a time at the rates of another, into `out`."""
    for i in range(3):
        out[i] = node[i] + h * rates[nq + 3 + i]
    turn = turn_by(h * rates[nq], h * rates[nq + 1], h * rates[nq + 2])
    w, x, y, z = quaternion_product((node[QUAT], node[QUAT + 1], node[QUAT + 2], node[QUAT + 3]), turn)
    part = 1.0 / math.sqrt((w * w + x * x) + (y * y + z * z))
    out[QUAT], out[QUAT + 1], out[QUAT + 2], out[QUAT + 3] = part * w, part * x, part * y, part * z
    for i in range(BASE_Q, nq):
        out[i] = node[i] + h * rates[nq + i - 1]


def accelerate(room, node, y):
    """Accelerations at a node, into `room.a`: Eq. (1)."""
    nq = room.b.shape[0] + 6
    push(node, y, room.tau)
    q, u = node[:nq], node[nq:]
    accelerations_of(room.m, room.b, room.w, room.s, room.free, q, u, room.tau, NO_WRENCHES, room.a)


NO_WRENCHES = np.zeros((0, 6))


def accelerate_near(room, node, y, slopes):
    """The same, with how they change."""
    nq, nu = room.b.shape[0] + 6, room.b.shape[0] + 5
    push(node, y, room.tau)
    accelerations_near(
        room.m, room.b, room.w, room.s, room.free, room.c, room.H, node[:nq], node[nq:], room.tau, room.a,
        slopes.q, slopes.u, room.by_tau,
    )  # fmt: skip
    # forces on the base turn with it: Eq. (5)
    turn = turn_from_quat((node[QUAT], node[QUAT + 1], node[QUAT + 2], node[QUAT + 3]))
    f = (y[FORCE], y[FORCE + 1], y[FORCE + 2])
    for j in range(3):
        e = (1.0 * (j == 0), 1.0 * (j == 1), 1.0 * (j == 2))
        along = turned(turn, e)
        across = turned(turn, (e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]))
        for i in range(nu):
            g = room.by_tau[i]
            slopes.q[i, j] += (g[3] * across[0] + g[4] * across[1]) + g[5] * across[2]
            slopes.y[i, FORCE + j] = (g[3] * along[0] + g[4] * along[1]) + g[5] * along[2]
            slopes.y[i, TORQUE + j] = g[j]
    for i in range(nu):
        for j in range(BASE_U, nu):
            slopes.y[i, j] = room.by_tau[i, j]


def push(node, y, tau):
    """Efforts as a robot takes them: torque in base axes, force in inertial ones, joints. Eq. (4)."""
    turn = turn_from_quat((node[QUAT], node[QUAT + 1], node[QUAT + 2], node[QUAT + 3]))
    force = turned(turn, (y[FORCE], y[FORCE + 1], y[FORCE + 2]))
    for i in range(3):
        tau[i] = y[TORQUE + i]
        tau[3 + i] = force[i]
    for i in range(BASE_U, len(tau)):
        tau[i] = y[i]


def turned_by_rate(node, nq, h):
    """What a turn by the rate of a node over a time does to small turns before it, and how it spreads with the rate.

    Eqs. (7) and (8): the turn back, and the right Jacobian of the rotation vector, by rows.
    """
    x, y, z = h * node[nq], h * node[nq + 1], h * node[nq + 2]
    w, a, b, c = turn_by(x, y, z)
    t = turn_from_quat((w, a, b, c))
    back = ((t[0], t[3], t[6]), (t[1], t[4], t[7]), (t[2], t[5], t[8]))
    square = (x * x + y * y) + z * z
    angle = math.sqrt(square)
    sine, cosine = sin_cos(angle)
    # (1 - cos a) / a^2 and (a - sin a) / a^3; their series where the quotients lose digits
    if angle > 1.0e-2:
        first, second = (1.0 - cosine) / square, (angle - sine) / (square * angle)
    else:
        first = 0.5 - square / 24.0 + square * square / 720.0
        second = 1.0 / 6.0 - square / 120.0 + square * square / 5040.0
    xx, yy, zz = x * x, y * y, z * z
    spread = (
        (1.0 - second * (yy + zz), second * x * y + first * z, second * x * z - first * y),
        (second * x * y - first * z, 1.0 - second * (xx + zz), second * y * z + first * x),
        (second * x * z + first * y, second * y * z - first * x, 1.0 - second * (xx + yy)),
    )
    return back, spread
