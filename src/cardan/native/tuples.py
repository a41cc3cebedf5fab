"""Algebra on tuples of numbers, which the compiler keeps in registers.

A turn or a general 3x3 matrix is its nine numbers row by row, a symmetric one (00, 01, 02, 11, 12, 22). Six numbers
are a motion or a force: (angular, linear).
"""

import math

from cardan.maths import choose
from cardan.native.pointers import load_float, store_float

Three = tuple[float, float, float]
Four = tuple[float, float, float, float]
Six = tuple[float, float, float, float, float, float]
Nine = tuple[float, float, float, float, float, float, float, float, float]


def load3(at: int) -> Three:
    return load_float(at), load_float(at + 8), load_float(at + 16)


def load4(at: int) -> Four:
    return load_float(at), load_float(at + 8), load_float(at + 16), load_float(at + 24)


def load6(at: int) -> Six:
    return (
        load_float(at),
        load_float(at + 8),
        load_float(at + 16),
        load_float(at + 24),
        load_float(at + 32),
        load_float(at + 40),
    )


def load9(at: int) -> Nine:
    a, b = load6(at), load3(at + 48)
    return a[0], a[1], a[2], a[3], a[4], a[5], b[0], b[1], b[2]


def store3(at: int, a: Three) -> None:
    store_float(at, a[0])
    store_float(at + 8, a[1])
    store_float(at + 16, a[2])


def store4(at: int, a: Four) -> None:
    store3(at, (a[0], a[1], a[2]))
    store_float(at + 24, a[3])


def store9(at: int, a: Nine) -> None:
    store3(at, (a[0], a[1], a[2]))
    store3(at + 24, (a[3], a[4], a[5]))
    store3(at + 48, (a[6], a[7], a[8]))


def add3(a: Three, b: Three) -> Three:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def subtract3(a: Three, b: Three) -> Three:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def scale3(a: Three, s: float) -> Three:
    return a[0] * s, a[1] * s, a[2] * s


def dot3(a: Three, b: Three) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross3(a: Three, b: Three) -> Three:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def turned(t: Nine, a: Three) -> Three:
    """T a"""
    return (
        t[0] * a[0] + t[1] * a[1] + t[2] * a[2],
        t[3] * a[0] + t[4] * a[1] + t[5] * a[2],
        t[6] * a[0] + t[7] * a[1] + t[8] * a[2],
    )


def turned_back(t: Nine, a: Three) -> Three:
    """TT a"""
    return (
        t[0] * a[0] + t[3] * a[1] + t[6] * a[2],
        t[1] * a[0] + t[4] * a[1] + t[7] * a[2],
        t[2] * a[0] + t[5] * a[1] + t[8] * a[2],
    )


def symmetric_times(m: Six, a: Three) -> Three:
    """M a"""
    return (
        m[0] * a[0] + m[1] * a[1] + m[2] * a[2],
        m[1] * a[0] + m[3] * a[1] + m[4] * a[2],
        m[2] * a[0] + m[4] * a[1] + m[5] * a[2],
    )


def symmetric_turned(t: Nine, m: Six) -> Six:
    """T m tT"""
    a = symmetric_times(m, (t[0], t[1], t[2]))
    b = symmetric_times(m, (t[3], t[4], t[5]))
    c = symmetric_times(m, (t[6], t[7], t[8]))
    return (
        t[0] * a[0] + t[1] * a[1] + t[2] * a[2],
        t[0] * b[0] + t[1] * b[1] + t[2] * b[2],
        t[0] * c[0] + t[1] * c[1] + t[2] * c[2],
        t[3] * b[0] + t[4] * b[1] + t[5] * b[2],
        t[3] * c[0] + t[4] * c[1] + t[5] * c[2],
        t[6] * c[0] + t[7] * c[1] + t[8] * c[2],
    )


def symmetric_inverse(m: Six) -> Six:
    """The inverse of a symmetric 3x3 matrix, by its adjugate."""
    c00 = m[3] * m[5] - m[4] * m[4]
    c01 = m[2] * m[4] - m[1] * m[5]
    c02 = m[1] * m[4] - m[2] * m[3]
    d = 1.0 / (m[0] * c00 + m[1] * c01 + m[2] * c02)
    return (
        c00 * d, c01 * d, c02 * d, (m[0] * m[5] - m[2] * m[2]) * d, (m[1] * m[2] - m[0] * m[4]) * d,
        (m[0] * m[3] - m[1] * m[1]) * d,
    )  # fmt: skip


def turn_from_quat(q: Four) -> Nine:
    """The matrix that takes components of the turned frame to those of the frame it was turned from."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


def turn_product(a: Nine, b: Nine) -> Nine:
    """The matrix a b."""
    x, y, z = turned(a, (b[0], b[3], b[6])), turned(a, (b[1], b[4], b[7])), turned(a, (b[2], b[5], b[8]))
    return x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]


def quat_from_turn(t: Nine) -> Four:
    """The quaternion of a turn, from whichever of its components is large (Shepperd)."""
    trace = t[0] + t[4] + t[8]
    by_w = (trace >= t[0]) & (trace >= t[4]) & (trace >= t[8])
    by_x = (t[0] >= t[4]) & (t[0] >= t[8])
    q = choose4(
        t[4] >= t[8],
        (t[2] - t[6], t[1] + t[3], 1.0 + 2.0 * t[4] - trace, t[5] + t[7]),
        (t[3] - t[1], t[2] + t[6], t[5] + t[7], 1.0 + 2.0 * t[8] - trace),
    )
    square = choose(t[4] >= t[8], q[2], q[3])
    q = choose4(by_x, (t[7] - t[5], 1.0 + 2.0 * t[0] - trace, t[1] + t[3], t[2] + t[6]), q)
    square = choose(by_x, q[1], square)
    q = choose4(by_w, (1.0 + trace, t[7] - t[5], t[2] - t[6], t[3] - t[1]), q)
    scale = 0.5 / math.sqrt(choose(by_w, q[0], square))
    return q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale


def choose4(condition: bool, a: Four, b: Four) -> Four:
    return (
        choose(condition, a[0], b[0]),
        choose(condition, a[1], b[1]),
        choose(condition, a[2], b[2]),
        choose(condition, a[3], b[3]),
    )


def store6(at: int, a: Six) -> None:
    store3(at, (a[0], a[1], a[2]))
    store3(at + 24, (a[3], a[4], a[5]))


def add6(a: Six, b: Six) -> Six:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


def subtract6(a: Six, b: Six) -> Six:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5]


def add9(a: Nine, b: Nine) -> Nine:
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5], a[6] + b[6], a[7] + b[7],
        a[8] + b[8],
    )  # fmt: skip


def scale6(a: Six, s: float) -> Six:
    return a[0] * s, a[1] * s, a[2] * s, a[3] * s, a[4] * s, a[5] * s


def dot6(a: Six, b: Six) -> float:
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])


def join(a: Three, b: Three) -> Six:
    return a[0], a[1], a[2], b[0], b[1], b[2]


def angular(a: Six) -> Three:
    return a[0], a[1], a[2]


def linear(a: Six) -> Three:
    return a[3], a[4], a[5]


def quat_product(a: Four, b: Four) -> Four:
    """The turn a after which comes b, in the axes that a leaves."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def motion_cross(V: Six, c: Six) -> Six:
    """V x c, for motions."""
    w, a = angular(V), angular(c)
    return join(cross3(w, a), add3(cross3(w, linear(c)), cross3(linear(V), a)))
