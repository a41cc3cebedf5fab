"""The hub's equations: contributions are summed into Eq. (3), and Eqs. (4) and (5) solve it.

    [ A  B ] [ r''    ]   [ v_trans ]
    [ C  D ] [ omega' ] = [ v_rot   ]                                                                             (3)

The matrix is symmetric, so that B is the transpose of C and is not kept.
"""

from typing import NamedTuple

from cardan.dynamics.root import EVEN, eliminated
from cardan.native.tuples import (
    add3,
    add6,
    add9,
    angular,
    dot3,
    join,
    linear,
    scale3,
    subtract3,
    symmetric_inverse,
    symmetric_times,
    turned_back,
)
from cardan.native.vectors import vector


class Sums(NamedTuple):
    """Eq. (3) so far; A and D as six numbers of a symmetric matrix, C as nine."""

    A: tuple[float, ...]
    C: tuple[float, ...]
    D: tuple[float, ...]
    v_trans: tuple[float, ...]
    v_rot: tuple[float, ...]


def nothing():
    """Before anything is added."""
    none = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return Sums(none, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), none, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def add_rigid(sums, mass, lever, J, force):
    """A rigid body that moves with the hub, and the force that it needs beyond that. Eqs. (7) to (9)."""
    x, y, z = lever
    return Sums(
        add6(sums.A, (mass, 0.0, 0.0, mass, 0.0, mass)),
        add9(sums.C, (0.0, -z, y, z, 0.0, -x, -y, x, 0.0)),
        add6(sums.D, J),
        subtract3(sums.v_trans, linear(force)),
        subtract3(sums.v_rot, angular(force)),
    )


def add_answer(sums, U, answer):
    """A freedom that answers the hub by `answer` = (a, b, c), Eq. (2), and needs U theta'' for it. Eq. (12)."""
    a, b, c = (answer[0], answer[1], answer[2]), (answer[3], answer[4], answer[5]), answer[6]
    turn, push = angular(U), linear(U)
    return Sums(
        add6(sums.A, symmetric_outer(push, a)),
        add9(sums.C, outer(turn, a)),
        add6(sums.D, symmetric_outer(turn, b)),
        subtract3(sums.v_trans, scale3(push, c)),
        subtract3(sums.v_rot, scale3(turn, c)),
    )


def hub_acceleration(sums):
    """(omega', r'') by two inversions of 3x3 matrices, Eqs. (4) and (5), and the six divisors of its freedoms.

    Where one of the matrices is uneven, the freedoms are eliminated one by one (recursive_tree.md, Eq. (12')).
    """
    N = symmetric_inverse(sums.A)
    C = sums.C
    # rows of C A^-1
    first, second, third = (
        symmetric_times(N, (C[0], C[1], C[2])), symmetric_times(N, (C[3], C[4], C[5])),
        symmetric_times(N, (C[6], C[7], C[8])),
    )  # fmt: skip
    D = sums.D
    rest = (
        D[0] - dot3(first, (C[0], C[1], C[2])), D[1] - dot3(first, (C[3], C[4], C[5])),
        D[2] - dot3(first, (C[6], C[7], C[8])), D[3] - dot3(second, (C[3], C[4], C[5])),
        D[4] - dot3(second, (C[6], C[7], C[8])), D[5] - dot3(third, (C[6], C[7], C[8])),
    )  # fmt: skip
    carried = (dot3(first, sums.v_trans), dot3(second, sums.v_trans), dot3(third, sums.v_trans))
    R = symmetric_inverse(rest)
    if not (is_even(sums.A) and is_even(rest)):
        return by_elimination(sums)
    omega_dot = symmetric_times(R, subtract3(sums.v_rot, carried))  # Eq. (4)
    r_ddot = symmetric_times(N, subtract3(sums.v_trans, turned_back(C, omega_dot)))  # Eq. (5)
    divisors = (1.0 / N[0], 1.0 / N[3], 1.0 / N[5], 1.0 / R[0], 1.0 / R[3], 1.0 / R[5])
    return join(omega_dot, r_ddot), divisors


def is_even(m):
    """Whether cofactors give the inverse of a symmetric matrix without loss of digits: recursive_tree.md, Eq. (12')."""
    first = m[0] * (m[3] * m[5] - m[4] * m[4])
    determinant = first + m[1] * (m[2] * m[4] - m[1] * m[5]) + m[2] * (m[1] * m[4] - m[2] * m[3])
    trace = m[0] + m[3] + m[5]
    return determinant > EVEN * (trace * trace * trace)


def by_elimination(sums):
    """What `hub_acceleration` gives, one freedom after the other."""
    C, (tx, ty, tz), (fx, fy, fz) = sums.C, sums.v_rot, sums.v_trans
    omega_dot, r_ddot, turns, displacements = eliminated(
        columns(sums.D),
        (vector(C[0], C[3], C[6]), vector(C[1], C[4], C[7]), vector(C[2], C[5], C[8])),
        columns(sums.A),
        vector(-tx, -ty, -tz),
        vector(-fx, -fy, -fz),
    )
    divisors = (displacements.x, displacements.y, displacements.z, turns.x, turns.y, turns.z)
    return (omega_dot.x, omega_dot.y, omega_dot.z, r_ddot.x, r_ddot.y, r_ddot.z), divisors


def columns(m):
    """The columns of a symmetric matrix."""
    return vector(m[0], m[1], m[2]), vector(m[1], m[3], m[4]), vector(m[2], m[4], m[5])


def answer_to_hub(answer, acceleration):
    """Theta'' from the hub's acceleration (omega', r''). Eq. (2)."""
    a, b = (answer[0], answer[1], answer[2]), (answer[3], answer[4], answer[5])
    return dot3(a, linear(acceleration)) + dot3(b, angular(acceleration)) + answer[6]


def rigid_times(mass, lever, J, motion):
    """Inertia of a rigid body times a motion: (J w + m c x a, m a + w x m c)."""
    w, a = angular(motion), linear(motion)
    x, y, z = lever
    push = (w[1] * z - w[2] * y, w[2] * x - w[0] * z, w[0] * y - w[1] * x)
    pull = (y * a[2] - z * a[1], z * a[0] - x * a[2], x * a[1] - y * a[0])
    return join(add3(symmetric_times(J, w), pull), add3(scale3(a, mass), push))


def outer(a, b):
    """A bT, row by row."""
    return (
        a[0] * b[0], a[0] * b[1], a[0] * b[2], a[1] * b[0], a[1] * b[1], a[1] * b[2], a[2] * b[0], a[2] * b[1],
        a[2] * b[2],
    )  # fmt: skip


def symmetric_outer(a, b):
    """A bT where it is known to be symmetric once summed."""
    return a[0] * b[0], a[0] * b[1], a[0] * b[2], a[1] * b[1], a[1] * b[2], a[2] * b[2]
