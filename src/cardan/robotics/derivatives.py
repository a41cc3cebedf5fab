"""Derivatives of inverse and forward dynamics: kernels (docs/theory/robotics.md, "Derivatives of the dynamics").

A neighbour of the coordinates q has as many numbers as there are rates, in their order: a small turn about the base's
axes, a displacement along inertial ones, then the joints; of a ball joint a turn about the child's axes. Nothing
depends on where the base is or on how fast it goes, so that the columns of both are zero.
"""

import math

import numpy as np

from cardan.maths import Mat, Vec
from cardan.native.tuples import (
    Six,
    Three,
    add3,
    add6,
    angular,
    cross3,
    dot3,
    dot6,
    join,
    linear,
    motion_cross,
    scale3,
    scale6,
    turned_back,
)
from cardan.robotics.inertia import (
    B_,
    CONVECTION,
    FLOW_,
    body_times,
    convect,
    convection_times,
    gather,
    gather_convection,
    inertia_at,
    weigh,
)
from cardan.robotics.kinematics import A_, V_, ZERO6, column_rate, freedoms_of, new_tables, place
from cardan.robotics.packing import IS_FREE, PARENT, records_of
from cardan.robotics.recursion import ARTICULATED, FREEDOM, accelerate, accelerations_of, needed_forces
from cardan.robotics.spatial import get3, get6, get9, put3, put6

# of a freedom: what turning its parent does to its column, V x S, and to its acceleration; its own inertia I S and
# twice B^T S, of all that hangs on its link
PSI_, BEND_, NEED_, DRAG_ = 0, 6, 12, 18
COLUMN = 21


def inverse_derivatives(m: Vec, q: Vec, u: Vec, u_dot: Vec, by_q: Mat, by_u: Mat) -> None:
    """(nu, nu) How the efforts of inverse dynamics change with q and with u, at accelerations that stay. Eq. (39)."""
    w, s = new_tables(m, CONVECTION)
    efforts_near(m, records_of(m), w, s, np.empty((len(u), COLUMN)), q, u, u_dot, by_q, by_u)


def efforts_near(m: Vec, b: Mat, w: Mat, s: Mat, c: Mat, q: Vec, u: Vec, u_dot: Vec, by_q: Mat, by_u: Mat) -> None:
    """The same with all tables at hand; leaves composite bodies in `w`, from which `inertia_at` makes H."""
    place(m, b, q, w, s)
    accelerate(m, b, u, u_dot, w, s)
    bend_columns(m, b, w, s, u_dot, c)
    needed_forces(b, w, np.zeros((0, 6)))
    weigh(b, w)
    convect(b, w, 0.5)
    gather(b, w)
    gather_convection(b, w)
    by_q[:, :] = 0.0
    by_u[:, :] = 0.0
    for link in range(len(b)):
        first, count = freedoms_of(m, b, link)
        for k in range(first, first + count):
            S = get6(s, k, 0)
            put6(c, k, NEED_, body_times(w, link, S))
            put3(c, k, DRAG_, drag(w, link, S))
        for k in range(first, first + count):
            pair_up(m, b, w, s, c, link, k, by_q, by_u)


def bend_columns(m: Vec, b: Mat, w: Mat, s: Mat, u_dot: Vec, c: Mat) -> None:
    """Psi and its like for accelerations, of every freedom: Eq. (36)."""
    for link in range(len(b)):
        first, count = freedoms_of(m, b, link)
        if link == 0:
            # the base turns on what only moves along: its own origin
            V: Six = ZERO6
            A: Six = (0.0, 0.0, 0.0, u_dot[3], u_dot[4], u_dot[5]) if count > 0 else ZERO6
        else:
            above = int(b[link, PARENT])
            V, A = get6(w, above, V_), get6(w, above, A_)
        for k in range(first, first + count):
            S = get6(s, k, 0)
            psi = motion_cross(V, S)
            bend = add6(motion_cross(A, S), motion_cross(V, psi))
            if is_shift(m, k):
                psi, bend = ZERO6, ZERO6
            put6(c, k, PSI_, psi)
            put6(c, k, BEND_, bend)


def is_shift(m: Vec, k: int) -> bool:
    """Whether a freedom moves the base along inertial axes, of which nothing depends."""
    return m[IS_FREE] != 0.0 and 3 <= k < 6


def drag(w: Mat, link: int, S: Six) -> Three:
    """2 B^T S, of which only the angular part is not zero."""
    return scale3(add3(turned_back(get9(w, link, B_), angular(S)), cross3(get3(w, link, FLOW_), linear(S))), 2.0)


def pair_up(m: Vec, b: Mat, w: Mat, s: Mat, c: Mat, link: int, k: int, by_q: Mat, by_u: Mat) -> None:
    """Freedom `k` of `link` with itself and with all before it, as row and as column: Eqs. (38) and (39)."""
    S, psi, bend = get6(s, k, 0), get6(c, k, PSI_), get6(c, k, BEND_)
    need, resist = get6(c, k, NEED_), get3(c, k, DRAG_)
    rate = add6(psi, column_rate(m, w, s, link, k))
    # what all that hangs on the link asks for if freedom k is displaced, or goes faster
    displaced = add6(body_times(w, link, bend), scale6(convection_times(w, link, psi), 2.0))
    if not is_shift(m, k):
        displaced = add6(displaced, force_cross(S, get6(w, link, A_)))
    faster = add6(body_times(w, link, rate), scale6(convection_times(w, link, S), 2.0))
    other = link
    while True:
        first, count = freedoms_of(m, b, other)
        for j in range(first, first + count):
            along = get6(s, j, 0)
            by_u[j, k] = dot6(along, faster)
            if other == link and not is_shift(m, j):
                # the column of j is displaced, too
                by_q[j, k] = dot6(get6(c, j, NEED_), bend) + dot3(get3(c, j, DRAG_), angular(psi))
            else:
                by_q[j, k] = dot6(along, displaced)
            if other != link:
                psi_j = get6(c, j, PSI_)
                rate_j = add6(psi_j, column_rate(m, w, s, other, j))
                by_q[k, j] = dot6(need, get6(c, j, BEND_)) + dot3(resist, angular(psi_j))
                by_u[k, j] = dot6(need, rate_j) + dot3(resist, angular(along))
        if other == 0:
            break
        other = int(b[other, PARENT])


def force_cross(V: Six, f: Six) -> Six:
    """V x* f, for a motion and a force."""
    w, n, force = angular(V), angular(f), linear(f)
    return join(add3(cross3(w, n), cross3(linear(V), force)), cross3(w, force))


# ---- forward dynamics ------------------------------------------------------------------------------------------------


def forward_derivatives(m: Vec, q: Vec, u: Vec, tau: Vec, u_dot: Vec, by_q: Mat, by_u: Mat, by_tau: Mat) -> None:
    """Accelerations (nu,), and how they change with q, u and tau, each (nu, nu). Eq. (40)."""
    size = len(u)
    w, s = new_tables(m, ARTICULATED if ARTICULATED > CONVECTION else CONVECTION)
    free, c, H = np.empty((size, FREEDOM)), np.empty((size, COLUMN)), np.empty((size, size))
    accelerations_near(m, records_of(m), w, s, free, c, H, q, u, tau, u_dot, by_q, by_u, by_tau)


def accelerations_near(
    m: Vec, b: Mat, w: Mat, s: Mat, free: Mat, c: Mat, H: Mat,
    q: Vec, u: Vec, tau: Vec, u_dot: Vec, by_q: Mat, by_u: Mat, by_tau: Mat,
) -> None:  # fmt: skip
    """The same with all tables at hand; `H` is left with its Cholesky factor."""
    accelerations_of(m, b, w, s, free, q, u, tau, np.zeros((0, 6)), u_dot)
    efforts_near(m, b, w, s, c, q, u, u_dot, by_q, by_u)
    inertia_at(m, b, w, s, H)
    by_tau[:, :] = 0.0
    for i in range(len(u)):
        by_tau[i, i] = 1.0
    factorise(H)
    solve_rows(H, by_tau, 1.0)
    solve_rows(H, by_q, -1.0)
    solve_rows(H, by_u, -1.0)


def factorise(H: Mat) -> None:
    """L with L LT = H in the lower half, in place, with one over its diagonal."""
    for j in range(len(H)):
        total = H[j, j]
        for k in range(j):
            total -= H[j, k] * H[j, k]
        part = 1.0 / math.sqrt(total)
        H[j, j] = part
        for i in range(j + 1, len(H)):
            total = H[i, j]
            for k in range(j):
                total -= H[i, k] * H[j, k]
            H[i, j] = total * part


def solve_rows(low: Mat, x: Mat, sign: float) -> None:
    """Replace x by sign (L LT)^-1 x; inner loops run along rows."""
    n, columns = x.shape
    for i in range(n):
        for k in range(i):
            for j in range(columns):
                x[i, j] -= low[i, k] * x[k, j]
        for j in range(columns):
            x[i, j] *= low[i, i]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            for j in range(columns):
                x[i, j] -= low[k, i] * x[k, j]
        for j in range(columns):
            x[i, j] *= low[i, i]
    for i in range(n):
        for j in range(columns):
            x[i, j] *= sign
