"""Vectors, quaternions (scalar first) and small matrices of free flyers, as tuples, which cost no memory."""

import math

from cardan.maths import arctan2, sin_cos
from cardan.mpc.flyer_prediction import Q

SMALL = 1.0e-12


def square(a):
    return (a[0] * a[0] + a[1] * a[1]) + a[2] * a[2]


def quaternion_product(a, b):
    w, x, y, z = a
    return (
        w * b[0] - x * b[1] - y * b[2] - z * b[3],
        w * b[1] + x * b[0] + y * b[3] - z * b[2],
        w * b[2] - x * b[3] + y * b[0] + z * b[1],
        w * b[3] + x * b[2] - y * b[1] + z * b[0],
    )


def turn_by(x, y, z):
    """The quaternion of a rotation vector [rad]."""
    angle = math.sqrt((x * x + y * y) + z * z)
    sine, cosine = sin_cos(0.5 * angle)
    part = sine / angle if angle > SMALL else 0.5
    return cosine, part * x, part * y, part * z


def rotation_vector(q):
    """The short rotation vector [rad] of a quaternion."""
    w, x, y, z = q
    sign = 1.0 if w >= 0.0 else -1.0
    sine = math.sqrt((x * x + y * y) + z * z)
    part = sign * (2.0 * arctan2(sine, sign * w) / sine if sine > SMALL else 2.0)
    return part * x, part * y, part * z


def turned_back_by(q, a):
    """A vector in inertial components, in those of the body."""
    w, x, y, z = q[0], -q[1], -q[2], -q[3]
    tx, ty, tz = 2.0 * (y * a[2] - z * a[1]), 2.0 * (z * a[0] - x * a[2]), 2.0 * (x * a[1] - y * a[0])
    return a[0] + w * tx + (y * tz - z * ty), a[1] + w * ty + (z * tx - x * tz), a[2] + w * tz + (x * ty - y * tx)


def turn_derivative(theta):
    """How a rotation vector changes with a small turn about body axes, Eq. (9), by rows."""
    x, y, z = theta
    angle = math.sqrt((x * x + y * y) + z * z)
    # 1 / angle^2 - cot(angle / 2) / (2 angle), which is 1/12 at zero
    sine, cosine = sin_cos(0.5 * angle)
    part = (
        1.0 / (angle * angle) - cosine / (2.0 * angle * sine) if angle > 1.0e-3 else 1.0 / 12.0 + angle * angle / 720.0
    )
    xx, yy, zz = x * x, y * y, z * z
    return (
        (1.0 - part * (yy + zz), part * x * y - 0.5 * z, part * x * z + 0.5 * y),
        (part * x * y + 0.5 * z, 1.0 - part * (xx + zz), part * y * z - 0.5 * x),
        (part * x * z - 0.5 * y, part * y * z + 0.5 * x, 1.0 - part * (xx + yy)),
    )


def turn_of(target, node):
    """By rows, the matrix that takes components along the axes of a target to those along a node's."""
    q = quaternion_product(
        (target[Q], -target[Q + 1], -target[Q + 2], -target[Q + 3]), (node[Q], node[Q + 1], node[Q + 2], node[Q + 3])
    )
    x, y, z = turned_back_by(q, (1.0, 0.0, 0.0)), turned_back_by(q, (0.0, 1.0, 0.0)), turned_back_by(q, (0.0, 0.0, 1.0))
    return (x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])


def row_times(row, m):
    return (
        (row[0] * m[0][0] + row[1] * m[1][0]) + row[2] * m[2][0],
        (row[0] * m[0][1] + row[1] * m[1][1]) + row[2] * m[2][1],
        (row[0] * m[0][2] + row[1] * m[1][2]) + row[2] * m[2][2],
    )
