"""One step of a free flyer's prediction, and how it depends on where it begins and on what drives it.

A node has 13 numbers: position r and velocity v (inertial), quaternion q (scalar first, body to inertial), angular
velocity w (body). Its neighbourhood has 12: dr, dtheta (a small turn about body axes), dv, dw. The step is that of the
classical Runge-Kutta method; its derivative is that of the method itself, to rounding (docs/theory/tracking_mpc.md).
"""

import math
from typing import Any, NamedTuple

import numpy as np

from cardan.mpc.dense import dot

R, Q, V, W = 0, 3, 7, 10  # where r, q, v and w begin in a node
NODE = 13
DR, DTHETA, DV, DW = 0, 3, 6, 9  # and in a neighbourhood
NEAR = 12
WRENCH = 6  # force and torque, in body components
DIRECTIONS = 12  # that are carried along: dtheta, dw, force, torque


class Body(NamedTuple):
    """What is predicted.

    Attributes:
        mass: [kg]
        inertia: (3, 3) [kg m^2] About the centre of mass, in body components.
        inverse: (3, 3) Its inverse.
        gradient: (3, 3) [1/s^2] Of the gravity that is felt in the frame in which r is given; zero far from everything.
    """

    mass: float
    inertia: Any
    inverse: Any
    gradient: Any


class StepRoom(NamedTuple):
    """Memory of a step.

    Attributes:
        s: (13,) Node at a stage.
        k: (13,) Its rate.
        total: (13,) Weighted sum of rates.
        T: (13, 12) Derivatives of the node at a stage.
        D: (13, 12) Their rates.
        sum: (13, 12) Weighted sum of these.
        begin: (13, 12) Derivatives at the beginning.
    """

    s: Any
    k: Any
    total: Any
    T: Any
    D: Any
    sum: Any
    begin: Any


def new_step_room():
    return StepRoom(
        np.zeros(NODE), np.zeros(NODE), np.zeros(NODE), np.zeros((NODE, 12)), np.zeros((NODE, 12)),
        np.zeros((NODE, 12)), np.zeros((NODE, 12)),
    )  # fmt: skip


def predict(body, node, wrench, h, room, out):
    """The node after `h` [s] under a constant wrench, into `out`."""
    room.total[:] = 0.0
    for stage in range(4):
        reach, share = stage_of(stage, h)
        for i in range(NODE):
            room.s[i] = node[i] + reach * room.k[i] if stage > 0 else node[i]
        rate(body, room.s, wrench, room.k)
        for i in range(NODE):
            room.total[i] += share * room.k[i]
    for i in range(NODE):
        out[i] = node[i] + room.total[i]
    normalise(out)


def predict_near(body, node, wrench, h, room, out, A, B):
    """The same, with the derivatives of the neighbourhood after the step: A (12, 12), B (12, 6)."""
    begin_directions(node, room.begin)
    room.total[:] = 0.0
    room.sum[:, :] = 0.0
    for stage in range(4):
        reach, share = stage_of(stage, h)
        for i in range(NODE):
            room.s[i] = node[i] + reach * room.k[i] if stage > 0 else node[i]
            for j in range(DIRECTIONS):
                room.T[i, j] = room.begin[i, j] + reach * room.D[i, j] if stage > 0 else room.begin[i, j]
        rate(body, room.s, wrench, room.k)
        rate_near(body, room.s, wrench, room.T, room.D)
        for i in range(NODE):
            room.total[i] += share * room.k[i]
            for j in range(DIRECTIONS):
                room.sum[i, j] += share * room.D[i, j]
    for i in range(NODE):
        out[i] = node[i] + room.total[i]
        for j in range(DIRECTIONS):
            room.T[i, j] = room.begin[i, j] + room.sum[i, j]
    length = normalise(out)
    take_directions(out, length, room.T, A, B)
    fall_near(body.gradient, h, A)


def stage_of(stage, h):
    """How far a stage is from the beginning, by the rate before it, and its share in the step."""
    reach = 0.0 if stage == 0 else (h if stage == 3 else 0.5 * h)
    return reach, h / 6.0 if stage == 0 or stage == 3 else h / 3.0


def rate(body, s, wrench, out):
    """Rates of a node: Eqs. (2) to (5)."""
    w, x, y, z = s[Q], s[Q + 1], s[Q + 2], s[Q + 3]
    a, b, c = s[W], s[W + 1], s[W + 2]
    J, N, g = body.inertia, body.inverse, body.gradient
    fx, fy, fz = wrench[0] / body.mass, wrench[1] / body.mass, wrench[2] / body.mass
    # C f = f + 2 w (e x f) + 2 e x (e x f), with q = (w, e)
    tx, ty, tz = 2.0 * (y * fz - z * fy), 2.0 * (z * fx - x * fz), 2.0 * (x * fy - y * fx)
    out[V] = fx + w * tx + (y * tz - z * ty)
    out[V + 1] = fy + w * ty + (z * tx - x * tz)
    out[V + 2] = fz + w * tz + (x * ty - y * tx)
    for i in range(3):
        out[R + i] = s[V + i]
        out[V + i] += (g[i, 0] * s[R] + g[i, 1] * s[R + 1]) + g[i, 2] * s[R + 2]
    out[Q] = -0.5 * (x * a + y * b + z * c)
    out[Q + 1] = 0.5 * (w * a + y * c - z * b)
    out[Q + 2] = 0.5 * (w * b + z * a - x * c)
    out[Q + 3] = 0.5 * (w * c + x * b - y * a)
    hx = (J[0, 0] * a + J[0, 1] * b) + J[0, 2] * c
    hy = (J[1, 0] * a + J[1, 1] * b) + J[1, 2] * c
    hz = (J[2, 0] * a + J[2, 1] * b) + J[2, 2] * c
    tx, ty, tz = wrench[3] - (b * hz - c * hy), wrench[4] - (c * hx - a * hz), wrench[5] - (a * hy - b * hx)
    for i in range(3):
        out[W + i] = (N[i, 0] * tx + N[i, 1] * ty) + N[i, 2] * tz


def rate_near(body, s, wrench, T, out):
    """Rates of the derivatives T: those of `rate`, direction by direction."""
    w, x, y, z = s[Q], s[Q + 1], s[Q + 2], s[Q + 3]
    a, b, c = s[W], s[W + 1], s[W + 2]
    J, N, g = body.inertia, body.inverse, body.gradient
    per_mass = 1.0 / body.mass
    fx, fy, fz = wrench[0] * per_mass, wrench[1] * per_mass, wrench[2] * per_mass
    tx, ty, tz = 2.0 * (y * fz - z * fy), 2.0 * (z * fx - x * fz), 2.0 * (x * fy - y * fx)
    hx = (J[0, 0] * a + J[0, 1] * b) + J[0, 2] * c
    hy = (J[1, 0] * a + J[1, 1] * b) + J[1, 2] * c
    hz = (J[2, 0] * a + J[2, 1] * b) + J[2, 2] * c
    for d in range(DIRECTIONS):
        dw, dx, dy, dz = T[Q, d], T[Q + 1, d], T[Q + 2, d], T[Q + 3, d]
        da, db, dc = T[W, d], T[W + 1, d], T[W + 2, d]
        # the force itself is a direction: 6, 7 and 8
        ex, ey, ez = per_mass * (d == 6), per_mass * (d == 7), per_mass * (d == 8)
        ux = 2.0 * (dy * fz - dz * fy + y * ez - z * ey)
        uy = 2.0 * (dz * fx - dx * fz + z * ex - x * ez)
        uz = 2.0 * (dx * fy - dy * fx + x * ey - y * ex)
        gx = (g[0, 0] * T[R, d] + g[0, 1] * T[R + 1, d]) + g[0, 2] * T[R + 2, d]
        gy = (g[1, 0] * T[R, d] + g[1, 1] * T[R + 1, d]) + g[1, 2] * T[R + 2, d]
        gz = (g[2, 0] * T[R, d] + g[2, 1] * T[R + 1, d]) + g[2, 2] * T[R + 2, d]
        out[R, d], out[R + 1, d], out[R + 2, d] = T[V, d], T[V + 1, d], T[V + 2, d]
        out[V, d] = gx + ex + dw * tx + w * ux + (dy * tz - dz * ty + y * uz - z * uy)
        out[V + 1, d] = gy + ey + dw * ty + w * uy + (dz * tx - dx * tz + z * ux - x * uz)
        out[V + 2, d] = gz + ez + dw * tz + w * uz + (dx * ty - dy * tx + x * uy - y * ux)
        out[Q, d] = -0.5 * (dx * a + dy * b + dz * c + x * da + y * db + z * dc)
        out[Q + 1, d] = 0.5 * (dw * a + dy * c - dz * b + w * da + y * dc - z * db)
        out[Q + 2, d] = 0.5 * (dw * b + dz * a - dx * c + w * db + z * da - x * dc)
        out[Q + 3, d] = 0.5 * (dw * c + dx * b - dy * a + w * dc + x * db - y * da)
        kx = (J[0, 0] * da + J[0, 1] * db) + J[0, 2] * dc
        ky = (J[1, 0] * da + J[1, 1] * db) + J[1, 2] * dc
        kz = (J[2, 0] * da + J[2, 1] * db) + J[2, 2] * dc
        # and so is the torque: 9, 10 and 11
        sx = 1.0 * (d == 9) - (db * hz - dc * hy) - (b * kz - c * ky)
        sy = 1.0 * (d == 10) - (dc * hx - da * hz) - (c * kx - a * kz)
        sz = 1.0 * (d == 11) - (da * hy - db * hx) - (a * ky - b * kx)
        out[W, d] = (N[0, 0] * sx + N[0, 1] * sy) + N[0, 2] * sz
        out[W + 1, d] = (N[1, 0] * sx + N[1, 1] * sy) + N[1, 2] * sz
        out[W + 2, d] = (N[2, 0] * sx + N[2, 1] * sy) + N[2, 2] * sz


def begin_directions(node, T):
    """Derivatives of a node by a turn about its axes, and by its angular velocity; forces change nothing yet."""
    w, x, y, z = node[Q], node[Q + 1], node[Q + 2], node[Q + 3]
    T[:, :] = 0.0
    # half of q times a vector part
    T[Q, 0], T[Q + 1, 0], T[Q + 2, 0], T[Q + 3, 0] = -0.5 * x, 0.5 * w, 0.5 * z, -0.5 * y
    T[Q, 1], T[Q + 1, 1], T[Q + 2, 1], T[Q + 3, 1] = -0.5 * y, -0.5 * z, 0.5 * w, 0.5 * x
    T[Q, 2], T[Q + 1, 2], T[Q + 2, 2], T[Q + 3, 2] = -0.5 * z, 0.5 * y, -0.5 * x, 0.5 * w
    T[W, 3] = T[W + 1, 4] = T[W + 2, 5] = 1.0


def take_directions(node, length, T, A, B):
    """Into the columns of A and B; a change of the quaternion becomes a turn about the axes of the new node."""
    w, x, y, z = node[Q], node[Q + 1], node[Q + 2], node[Q + 3]
    for d in range(DIRECTIONS):
        M = A if d < 6 else B
        column = (DTHETA + d if d < 3 else DW + d - 3) if d < 6 else d - 6
        part = 2.0 / length
        dw, dx, dy, dz = T[Q, d], T[Q + 1, d], T[Q + 2, d], T[Q + 3, d]
        M[DTHETA, column] = part * (w * dx - x * dw - y * dz + z * dy)
        M[DTHETA + 1, column] = part * (w * dy - y * dw - z * dx + x * dz)
        M[DTHETA + 2, column] = part * (w * dz - z * dw - x * dy + y * dx)
        for i in range(3):
            M[DR + i, column] = T[R + i, d]
            M[DV + i, column] = T[V + i, d]
            M[DW + i, column] = T[W + i, d]


def fall_near(gradient, h, A):
    """Columns of position and velocity: the method's own polynomial of a linear fall, Eq. (6)."""
    for i in range(3):
        for j in range(3):
            square = (gradient[i, 0] * gradient[0, j] + gradient[i, 1] * gradient[1, j]) + gradient[i, 2] * gradient[
                2, j
            ]
            same = 1.0 if i == j else 0.0
            A[DR + i, DR + j] = A[DV + i, DV + j] = same + h * h / 2.0 * gradient[i, j] + h**4 / 24.0 * square
            A[DR + i, DV + j] = h * same + h**3 / 6.0 * gradient[i, j]
            A[DV + i, DR + j] = h * gradient[i, j] + h**3 / 6.0 * square
            for row in (DTHETA, DW):
                A[row + i, DR + j] = A[row + i, DV + j] = 0.0


def normalise(node):
    """Make its quaternion a unit one; returns the length that it had."""
    length = math.sqrt(
        (node[Q] * node[Q] + node[Q + 1] * node[Q + 1]) + (node[Q + 2] * node[Q + 2] + node[Q + 3] * node[Q + 3])
    )
    for i in range(4):
        node[Q + i] /= length
    return length


def inverse_of(m):
    """Of a symmetric 3x3 matrix."""
    out = np.zeros((3, 3))
    for i in range(3):
        a, b = m[(i + 1) % 3], m[(i + 2) % 3]
        for j in range(3):
            out[j, i] = a[(j + 1) % 3] * b[(j + 2) % 3] - a[(j + 2) % 3] * b[(j + 1) % 3]
    determinant = dot(m[0], out[:, 0])
    for i in range(3):
        for j in range(3):
            out[i, j] /= determinant
    return out
