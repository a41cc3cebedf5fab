"""Generalized inertia H and convective inertia C by composite bodies: kernels (docs/theory/robotics.md)."""

from cardan.maths import Mat, Vec
from cardan.native.tuples import (
    Six,
    Three,
    add3,
    add6,
    angular,
    cross3,
    dot6,
    join,
    scale3,
    symmetric_turned,
    turned,
    turned_back,
)
from cardan.robotics.kinematics import (
    J_,
    LEVER_,
    MASS_,
    R_,
    TURN_,
    V_,
    WIDTH,
    column_rate,
    freedoms,
    freedoms_of,
    move,
    new_tables,
    place,
)
from cardan.robotics.packing import (
    ARMATURE,
    COM,
    HEADER,
    INERTIA,
    IS_FREE,
    KIND,
    MASS,
    OWN_TRACE,
    PARENT,
    RECORD,
    U_AT,
    records_of,
)
from cardan.robotics.spatial import (
    about_origin,
    add_to3,
    add_to6,
    add_to9,
    get3,
    get6,
    get9,
    put3,
    put6,
    rigid_times,
)


def weighed(b: Mat, w: Mat, link: int) -> tuple[float, Three, Six]:
    """Rigid inertia of a link about the base's origin: mass, lever and J. Eq. (10)."""
    turn, mass = get9(w, link, TURN_), b[link, MASS]
    c = add3(get3(w, link, R_), turned(turn, get3(b, link, COM)))
    return mass, scale3(c, mass), about_origin(symmetric_turned(turn, get6(b, link, INERTIA)), mass, c)


def weigh(b: Mat, w: Mat) -> None:
    """Rigid inertia of every link."""
    for link in range(len(b)):
        mass, lever, J = weighed(b, w, link)
        w[link, MASS_] = mass
        put3(w, link, LEVER_, lever)
        put6(w, link, J_, J)


def gather(b: Mat, w: Mat) -> None:
    """Every link takes on what hangs on it. Eq. (11)."""
    for link in range(len(b) - 1, 0, -1):
        above = int(b[link, PARENT])
        w[above, MASS_] += w[link, MASS_]
        add_to3(w, above, LEVER_, get3(w, link, LEVER_))
        add_to6(w, above, J_, get6(w, link, J_))


def body_times(w: Mat, link: int, a: Six) -> Six:
    """A link's inertia times a motion."""
    return rigid_times(w[link, MASS_], get3(w, link, LEVER_), get6(w, link, J_), a)


def base_inertia(w: Mat, H: Mat) -> None:
    """The 6x6 block of the base, from the composite body of the whole robot. Eq. (13)."""
    turn, mass, lever = get9(w, 0, TURN_), w[0, MASS_], get3(w, 0, LEVER_)
    back = (turn[0], turn[3], turn[6], turn[1], turn[4], turn[7], turn[2], turn[5], turn[8])
    J = symmetric_turned(back, get6(w, 0, J_))
    H[0, 0], H[0, 1], H[0, 2], H[1, 1], H[1, 2], H[2, 2] = J[0], J[1], J[2], J[3], J[4], J[5]
    H[1, 0], H[2, 0], H[2, 1] = J[1], J[2], J[4]
    for i in range(3):
        # force that turning about body axis i needs: axis x lever
        f = cross3((turn[i], turn[3 + i], turn[6 + i]), lever)
        for j in range(3):
            H[i, 3 + j] = H[3 + j, i] = f[j]
            H[3 + i, 3 + j] = mass if i == j else 0.0


def inertia_at(m: Vec, b: Mat, w: Mat, s: Mat, H: Mat) -> None:
    """H from places and composite bodies that are known. Eq. (12)."""
    is_free, before, run = m[IS_FREE] != 0.0, HEADER + RECORD * len(b), HEADER + RECORD * len(b) + len(s)
    if int(m[run + len(s) - 1]) != (6 if is_free else 0):
        H[:, :] = 0.0  # no single chain: some freedoms are on different branches
    turn = get9(w, 0, TURN_)
    if is_free:
        base_inertia(w, H)
    for link in range(1, len(b)):
        first = int(b[link, U_AT])
        for k in range(first, first + freedoms(int(b[link, KIND]))):
            needed = body_times(w, link, get6(s, k, 0))
            last = k
            while last >= 0:
                start = int(m[run + last])
                for j in range(start, last + 1):
                    H[j, k] = H[k, j] = dot6(get6(s, j, 0), needed)
                last = int(m[before + start])
            H[k, k] += b[link, ARMATURE]
            if is_free:
                n = turned_back(turn, angular(needed))
                H[0, k], H[1, k], H[2, k] = n[0], n[1], n[2]
                H[3, k], H[4, k], H[5, k] = needed[3], needed[4], needed[5]
                put6(H, k, 0, (n[0], n[1], n[2], needed[3], needed[4], needed[5]))


def inertia_matrix(m: Vec, q: Vec, H: Mat) -> None:
    """(nu, nu) The generalized inertia H."""
    w, s = new_tables(m, WIDTH)
    inertia_of(m, records_of(m), w, s, q, H)


def inertia_of(m: Vec, b: Mat, w: Mat, s: Mat, q: Vec, H: Mat) -> None:
    """The same with all tables at hand."""
    place(m, b, q, w, s)
    weigh(b, w)
    gather(b, w)
    inertia_at(m, b, w, s, H)


# of a link, for C: the left half of the 6x6 matrix B, K - m [c~][c'~] row by row, and m c'
B_, FLOW_ = WIDTH, WIDTH + 9
CONVECTION = WIDTH + 12


def convect(b: Mat, w: Mat, share: float) -> None:
    """B of every link: K - m [c~][c'~] and m c', with K = [w~] (I - taken 1). Eqs. (15) and (16)."""
    for link in range(len(b)):
        mass = w[link, MASS_]
        I = symmetric_turned(get9(w, link, TURN_), get6(b, link, INERTIA))  # noqa: E741
        # bodies of one link are taken apart as the mechanism has them: only their own inertia has a choice
        taken = 0.5 * (I[0] + I[3] + I[5]) + (share - 0.5) * b[link, OWN_TRACE]
        omega, lever = get3(w, link, V_), get3(w, link, LEVER_)
        c = scale3(lever, 1.0 / mass) if mass > 0.0 else (0.0, 0.0, 0.0)
        c_dot = add3(get3(w, link, V_ + 3), cross3(omega, c))
        rows = (I[0] - taken, I[1], I[2], I[1], I[3] - taken, I[4], I[2], I[4], I[5] - taken)
        for j in range(3):
            # column j: omega x I_j - m c x (c' x e_j)
            e = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
            gyro = cross3(omega, (rows[j], rows[3 + j], rows[6 + j]))
            swing = cross3(lever, cross3(c_dot, e))
            for i in range(3):
                w[link, B_ + 3 * i + j] = gyro[i] - swing[i]
        put3(w, link, FLOW_, scale3(c_dot, mass))


def gather_convection(b: Mat, w: Mat) -> None:
    """Every link takes on B of what hangs on it. Eq. (17)."""
    for link in range(len(b) - 1, 0, -1):
        above = int(b[link, PARENT])
        add_to9(w, above, B_, get9(w, link, B_))
        add_to3(w, above, FLOW_, get3(w, link, FLOW_))


def convection_times(w: Mat, link: int, S: Six) -> Six:
    """B S = ((K - m [c~][c'~]) a, - m c' x a), with a the angular part of S."""
    a = angular(S)
    return join(turned(get9(w, link, B_), a), cross3(a, get3(w, link, FLOW_)))


def convective_matrix(m: Vec, q: Vec, u: Vec, share: float, C: Mat) -> None:
    """(nu, nu) The convective inertia C, with H' - 2 C skew. Eqs. (14) to (17).

    `share` of the trace of each body's inertia is taken out of its gyroscopic matrix: 0 gives the paper's C, 1/2 that
    of Christoffel symbols.
    """
    w, s = new_tables(m, CONVECTION)
    b = records_of(m)
    place(m, b, q, w, s)
    move(m, b, u, w, s)
    weigh(b, w)
    convect(b, w, share)
    gather(b, w)
    gather_convection(b, w)
    C[:, :] = 0.0
    for link in range(len(b)):
        first, count = freedoms_of(m, b, link)
        for k in range(first, first + count):
            # what freedom k of this link asks of those at or before it: all that hangs on this link counts
            S = get6(s, k, 0)
            needed = add6(body_times(w, link, column_rate(m, w, s, link, k)), convection_times(w, link, S))
            other = link
            while True:
                start, number = freedoms_of(m, b, other)
                for j in range(start, start + number):
                    C[j, k] = dot6(get6(s, j, 0), needed)
                    if other != link:
                        # and what they ask of it
                        turning = body_times(w, link, column_rate(m, w, s, other, j))
                        felt = add6(turning, convection_times(w, link, get6(s, j, 0)))
                        C[k, j] = dot6(S, felt)
                if other == 0:
                    break
                other = int(b[other, PARENT])
