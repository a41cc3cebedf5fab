"""Forward and inverse dynamics in a number of steps that grows with the number of links (docs/theory/robotics.md)."""

import numpy as np

from cardan.maths import Mat, Vec
from cardan.native.tuples import (
    Nine,
    Six,
    Three,
    add3,
    add6,
    angular,
    cross3,
    dot6,
    join,
    linear,
    motion_cross,
    scale3,
    scale6,
    subtract3,
    subtract6,
    symmetric_inverse,
    symmetric_times,
    turned,
    turned_back,
)
from cardan.robotics.inertia import body_times, gather, weigh, weighed
from cardan.robotics.kinematics import (
    A_,
    J_,
    LEVER_,
    MASS_,
    R_,
    TURN_,
    V_,
    WIDTH,
    ZERO6,
    base_velocity,
    freedoms,
    new_tables,
    own_motion,
    place,
)
from cardan.robotics.packing import ARMATURE, COM, INERTIA, IS_FREE, KIND, MASS, PARENT, U_AT, records_of
from cardan.robotics.spatial import (
    add_to6,
    add_to9,
    get3,
    get6,
    get9,
    inertia_times,
    put6,
    put9,
)


def base_acceleration(m: Vec, u_dot: Vec, s: Mat) -> Six:
    """Spatial acceleration of the base about its own origin."""
    if m[IS_FREE] == 0.0:
        return ZERO6
    return add6(base_velocity(m, u_dot, s), (0.0, 0.0, 0.0, u_dot[3], u_dot[4], u_dot[5]))


def accelerate(m: Vec, b: Mat, u: Vec, u_dot: Vec, w: Mat, s: Mat) -> None:
    """Velocity and acceleration of every link. Eqs. (5) and (18)."""
    put6(w, 0, V_, base_velocity(m, u, s))
    put6(w, 0, A_, base_acceleration(m, u_dot, s))
    for link in range(1, len(b)):
        above = int(b[link, PARENT])
        V, A = get6(w, above, V_), get6(w, above, A_)
        moving, pushed = own_motion(b, s, link, u), own_motion(b, s, link, u_dot)
        put6(w, link, V_, add6(V, moving))
        put6(w, link, A_, add6(add6(A, pushed), motion_cross(V, moving)))


def force_alone(b: Mat, w: Mat, wrench: Mat, link: int, V: Six, A: Six) -> Six:
    """What a link alone needs beyond what acts on it from outside. Eq. (19)."""
    turn, omega, alpha = get9(w, link, TURN_), angular(V), angular(A)
    # its mass goes with its centre of mass
    c = add3(get3(w, link, R_), turned(turn, get3(b, link, COM)))
    v = add3(linear(V), cross3(omega, c))
    push = scale3(add3(add3(linear(A), cross3(alpha, c)), cross3(omega, v)), b[link, MASS])
    # its inertia is known in its own axes
    own, omega_B = get6(b, link, INERTIA), turned_back(turn, omega)
    spin_B = add3(symmetric_times(own, turned_back(turn, alpha)), cross3(omega_B, symmetric_times(own, omega_B)))
    f = join(add3(turned(turn, spin_B), cross3(c, push)), push)
    if len(wrench) > 0:
        return subtract6(f, get6(wrench, link, 0))
    return f


def needed_forces(b: Mat, w: Mat, wrench: Mat) -> None:
    """Puts in the place of accelerations the force that every link needs with all that hangs on it."""
    for link in range(len(b)):
        put6(w, link, A_, force_alone(b, w, wrench, link, get6(w, link, V_), get6(w, link, A_)))
    for link in range(len(b) - 1, 0, -1):
        add_to6(w, int(b[link, PARENT]), A_, get6(w, link, A_))


def read_efforts(m: Vec, b: Mat, w: Mat, s: Mat, u_dot: Vec, tau: Vec) -> None:
    """Efforts along all freedoms from the forces through joints. Eq. (20)."""
    if m[IS_FREE] != 0.0:
        n = turned_back(get9(w, 0, TURN_), get3(w, 0, A_))
        tau[0], tau[1], tau[2] = n[0], n[1], n[2]
        tau[3], tau[4], tau[5] = w[0, A_ + 3], w[0, A_ + 4], w[0, A_ + 5]
    for link in range(1, len(b)):
        first = int(b[link, U_AT])
        for k in range(first, first + freedoms(int(b[link, KIND]))):
            tau[k] = dot6(get6(s, k, 0), get6(w, link, A_)) + b[link, ARMATURE] * u_dot[k]


def inverse_dynamics(m: Vec, q: Vec, u: Vec, u_dot: Vec, wrench: Mat, tau: Vec) -> None:
    """(nu,) What acts on base and joints if the rates change by `u_dot`.

    `wrench` (links, 6), or with no rows, is what acts on links from outside: torque about the base's origin, and force.
    """
    w, s = new_tables(m, WIDTH)
    efforts_of(m, records_of(m), w, s, q, u, u_dot, wrench, tau)


def efforts_of(m: Vec, b: Mat, w: Mat, s: Mat, q: Vec, u: Vec, u_dot: Vec, wrench: Mat, tau: Vec) -> None:
    """The same with all tables at hand."""
    place(m, b, q, w, s)
    accelerate(m, b, u, u_dot, w, s)
    needed_forces(b, w, wrench)
    read_efforts(m, b, w, s, u_dot, tau)


def floating_dynamics(m: Vec, q: Vec, u: Vec, u_dot: Vec, wrench: Mat, tau: Vec) -> None:
    """Inverse dynamics with a base that only joints push: fills the base's part of `u_dot`, and all of `tau`.

    On entry the base's part of `tau` has what acts on the base from outside, zero for a floating one. Eqs. (21), (22).
    """
    w, s = new_tables(m, WIDTH)
    b = records_of(m)
    for k in range(6):
        u_dot[k] = 0.0
    place(m, b, q, w, s)
    accelerate(m, b, u, u_dot, w, s)
    needed_forces(b, w, wrench)
    weigh(b, w)
    gather(b, w)

    # the base goes where the forces of the links leave it, and takes all along
    turn = get9(w, 0, TURN_)
    pushed = join(turned(turn, (tau[0], tau[1], tau[2])), (tau[3], tau[4], tau[5]))
    A = rigid_solve(w[0, MASS_], get3(w, 0, LEVER_), get6(w, 0, J_), subtract6(pushed, get6(w, 0, A_)))
    for link in range(len(b)):
        add_to6(w, link, A_, body_times(w, link, A))
    put_base(turn, A, u_dot)
    read_efforts(m, b, w, s, u_dot, tau)


def put_base(turn: Nine, A: Six, u_dot: Vec) -> None:
    """The base's acceleration as rates of its rates."""
    alpha = turned_back(turn, angular(A))
    u_dot[0], u_dot[1], u_dot[2] = alpha[0], alpha[1], alpha[2]
    u_dot[3], u_dot[4], u_dot[5] = A[3], A[4], A[5]


def rigid_solve(mass: float, lever: Three, J: Six, f: Six) -> Six:
    """The motion for which a rigid inertia needs the force `f`, by way of its centre of mass."""
    c = scale3(lever, 1.0 / mass)
    x, y, z = lever[0], lever[1], lever[2]
    own = (
        J[0] - (y * c[1] + z * c[2]), J[1] + x * c[1], J[2] + x * c[2],
        J[3] - (x * c[0] + z * c[2]), J[4] + y * c[2], J[5] - (x * c[0] + y * c[1]),
    )  # fmt: skip
    n, force = angular(f), linear(f)
    alpha = symmetric_times(symmetric_inverse(own), subtract3(n, cross3(c, force)))
    return join(alpha, add3(scale3(force, 1.0 / mass), cross3(c, alpha)))


# of a link: articulated inertia J, H, M and the force p it needs if nothing gives way
AJ_, AH_, AM_, AP_ = WIDTH, WIDTH + 6, WIDTH + 15, WIDTH + 21
ARTICULATED = WIDTH + 27
# of a freedom: U = I S, 1 / D, push u
U_, D_, PUSH_ = 0, 6, 7
FREEDOM = 8


def forward_dynamics(m: Vec, q: Vec, u: Vec, tau: Vec, wrench: Mat, u_dot: Vec) -> None:
    """(nu,) Rates of the rates, from what acts on base, joints and links. Eqs. (23) to (26)."""
    w, s = new_tables(m, ARTICULATED)
    accelerations_of(m, records_of(m), w, s, np.empty((len(u_dot), FREEDOM)), q, u, tau, wrench, u_dot)


def accelerations_of(
    m: Vec, b: Mat, w: Mat, s: Mat, free: Mat, q: Vec, u: Vec, tau: Vec, wrench: Mat, u_dot: Vec
) -> None:
    """The same with all tables at hand."""
    place(m, b, q, w, s)
    stand_alone(m, b, u, w, s, wrench)
    eliminate(b, w, s, tau, free)

    # the base, then outwards
    A = ZERO6
    if m[IS_FREE] != 0.0:
        turn = get9(w, 0, TURN_)
        pushed = join(turned(turn, (tau[0], tau[1], tau[2])), (tau[3], tau[4], tau[5]))
        J, H, M = get6(w, 0, AJ_), get9(w, 0, AH_), get6(w, 0, AM_)
        A = articulated_solve(J, H, M, subtract6(pushed, get6(w, 0, AP_)))
        put_base(turn, A, u_dot)
    put6(w, 0, A_, A)
    for link in range(1, len(b)):
        first = int(b[link, U_AT])
        A = get6(w, int(b[link, PARENT]), A_)
        for k in range(first, first + freedoms(int(b[link, KIND]))):
            u_dot[k] = (free[k, PUSH_] - dot6(get6(free, k, U_), A)) * free[k, D_]
            A = add6(A, scale6(get6(s, k, 0), u_dot[k]))
        put6(w, link, A_, A)


def stand_alone(m: Vec, b: Mat, u: Vec, w: Mat, s: Mat, wrench: Mat) -> None:
    """Inertia of every link alone, and the force it needs if no rate changes. Eq. (23)."""
    for link in range(len(b)):
        if link == 0:
            V, A = base_velocity(m, u, s), ZERO6
        else:
            above, moving = int(b[link, PARENT]), own_motion(b, s, link, u)
            V_above = get6(w, above, V_)
            V, A = add6(V_above, moving), add6(get6(w, above, A_), motion_cross(V_above, moving))
        put6(w, link, V_, V)
        put6(w, link, A_, A)
        mass, lever, J = weighed(b, w, link)
        x, y, z = lever
        put6(w, link, AJ_, J)
        put9(w, link, AH_, (0.0, -z, y, z, 0.0, -x, -y, x, 0.0))
        put6(w, link, AM_, (mass, 0.0, 0.0, mass, 0.0, mass))
        put6(w, link, AP_, force_alone(b, w, wrench, link, V, A))


def eliminate(b: Mat, w: Mat, s: Mat, tau: Vec, free: Mat) -> None:
    """From the tips to the base, freedoms are taken out one by one. Eqs. (24) and (25)."""
    for link in range(len(b) - 1, 0, -1):
        J, H, M, p = get6(w, link, AJ_), get9(w, link, AH_), get6(w, link, AM_), get6(w, link, AP_)
        first = int(b[link, U_AT])
        k = first + freedoms(int(b[link, KIND])) - 1
        while k >= first:
            S = get6(s, k, 0)
            U = inertia_times(J, H, M, S)
            d = 1.0 / (dot6(S, U) + b[link, ARMATURE])
            push = tau[k] - dot6(S, p)
            J, H, M = taken_out(J, H, M, U, d)
            p = add6(p, scale6(U, push * d))
            put6(free, k, U_, U)
            free[k, D_] = d
            free[k, PUSH_] = push
            k -= 1
        above = int(b[link, PARENT])
        add_to6(w, above, AJ_, J)
        add_to9(w, above, AH_, H)
        add_to6(w, above, AM_, M)
        add_to6(w, above, AP_, p)


def taken_out(J: Six, H: Nine, M: Six, U: Six, d: float) -> tuple[Six, Nine, Six]:
    """Inertia less U UT d."""
    n, f = angular(U), linear(U)
    nd, fd = scale3(n, d), scale3(f, d)
    return (
        (
            J[0] - n[0] * nd[0], J[1] - n[0] * nd[1], J[2] - n[0] * nd[2], J[3] - n[1] * nd[1], J[4] - n[1] * nd[2],
            J[5] - n[2] * nd[2],
        ),
        (
            H[0] - nd[0] * f[0], H[1] - nd[0] * f[1], H[2] - nd[0] * f[2],
            H[3] - nd[1] * f[0], H[4] - nd[1] * f[1], H[5] - nd[1] * f[2],
            H[6] - nd[2] * f[0], H[7] - nd[2] * f[1], H[8] - nd[2] * f[2],
        ),
        (
            M[0] - f[0] * fd[0], M[1] - f[0] * fd[1], M[2] - f[0] * fd[2], M[3] - f[1] * fd[1], M[4] - f[1] * fd[2],
            M[5] - f[2] * fd[2],
        ),
    )  # fmt: skip


def articulated_solve(J: Six, H: Nine, M: Six, f: Six) -> Six:
    """The motion for which an articulated inertia needs the force `f`, by the Schur complement of M. Eq. (26)."""
    inverse = symmetric_inverse(M)
    n, force = angular(f), linear(f)
    # rows of H times M^-1
    x = symmetric_times(inverse, (H[0], H[1], H[2]))
    y = symmetric_times(inverse, (H[3], H[4], H[5]))
    z = symmetric_times(inverse, (H[6], H[7], H[8]))
    left = (
        J[0] - (x[0] * H[0] + x[1] * H[1] + x[2] * H[2]), J[1] - (x[0] * H[3] + x[1] * H[4] + x[2] * H[5]),
        J[2] - (x[0] * H[6] + x[1] * H[7] + x[2] * H[8]), J[3] - (y[0] * H[3] + y[1] * H[4] + y[2] * H[5]),
        J[4] - (y[0] * H[6] + y[1] * H[7] + y[2] * H[8]), J[5] - (z[0] * H[6] + z[1] * H[7] + z[2] * H[8]),
    )  # fmt: skip
    bent = (x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2])
    alpha = symmetric_times(symmetric_inverse(left), subtract3(n, turned(bent, force)))
    return join(alpha, symmetric_times(inverse, subtract3(force, turned_back(H, alpha))))
