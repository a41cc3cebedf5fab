"""Where links are and how they move: kernels, on a robot's row of numbers (docs/theory/robotics.md).

Positions are relative to the base's origin and velocities relative to its velocity, in inertial axes, so that a robot
has the same digits wherever it flies. Spatial vectors are (angular, linear) about the base's origin. Throughout, `m` is
the row of numbers, `b` the table of records in it, `w` a table with a row of results per link, and `s` the table of
columns.
"""

import math

import numpy as np

from cardan.maths import Mat, Vec, sin_cos
from cardan.mechanism.tree import BALL, HINGE
from cardan.native.tuples import (
    Six,
    Three,
    add3,
    add6,
    angular,
    cross3,
    join,
    linear,
    motion_cross,
    quat_product,
    scale6,
    subtract3,
    turn_from_quat,
    turned,
)
from cardan.robotics.packing import (
    ANCHOR,
    ANCHOR_PARENT,
    AXIS_PARENT,
    COM,
    FRAME_LINK,
    FRAME_POS,
    FRAME_TURN,
    IS_FREE,
    KIND,
    LINKS,
    MASS,
    NU,
    OFFSET_AXIS,
    OFFSET_POS,
    OFFSET_QUAT,
    PARENT,
    Q_AT,
    REFERENCE,
    U_AT,
    records_of,
)
from cardan.robotics.spatial import (
    get3,
    get4,
    get6,
    get9,
    put3,
    put4,
    put6,
    put9,
)

ZERO6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

# of a link, in its row of w: quaternion, matrix to inertial axes, position; mass, lever m c and J about the base's
# origin, of the link or of all that hangs on it; velocity; acceleration, or force. One table for all of them costs one
# allocation.
QUAT_, TURN_, R_, MASS_, LEVER_, J_, V_, A_ = 0, 4, 13, 16, 17, 20, 26, 32
WIDTH = 38


def new_tables(m: Vec, width: int) -> tuple[Mat, Mat]:
    """Room for results: w (links, width) and s (nu, 6)."""
    return np.empty((int(m[LINKS]), width)), np.empty((int(m[NU]), 6))


def place(m: Vec, b: Mat, q: Vec, w: Mat, s: Mat) -> None:
    """Attitude and position of every link, and the column of every freedom. Eqs. (1) to (4)."""
    if m[IS_FREE] != 0.0:
        length = math.sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6])
        quat = (q[3] / length, q[4] / length, q[5] / length, q[6] / length)
        turn = turn_from_quat(quat)
        put6(s, 0, 0, (turn[0], turn[3], turn[6], 0.0, 0.0, 0.0))
        put6(s, 1, 0, (turn[1], turn[4], turn[7], 0.0, 0.0, 0.0))
        put6(s, 2, 0, (turn[2], turn[5], turn[8], 0.0, 0.0, 0.0))
        put6(s, 3, 0, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
        put6(s, 4, 0, (0.0, 0.0, 0.0, 0.0, 1.0, 0.0))
        put6(s, 5, 0, (0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    else:
        quat = (1.0, 0.0, 0.0, 0.0)
        turn = turn_from_quat(quat)
    put4(w, 0, QUAT_, quat)
    put9(w, 0, TURN_, turn)
    put3(w, 0, R_, (0.0, 0.0, 0.0))
    for link in range(1, len(b)):
        above, kind, u_at = int(b[link, PARENT]), int(b[link, KIND]), int(b[link, U_AT])
        here = q[int(b[link, Q_AT])]
        turn_above, r_above, quat_above = get9(w, above, TURN_), get3(w, above, R_), get4(w, above, QUAT_)
        anchor = add3(r_above, turned(turn_above, get3(b, link, ANCHOR_PARENT)))
        if kind == HINGE:
            # the offset and then a turn by the angle about the axis: offset (cos, axis sin)
            half = 0.5 * (here - b[link, REFERENCE])
            sine, cosine = sin_cos(half)
            offset, about = get4(b, link, OFFSET_QUAT), get4(b, link, OFFSET_AXIS)
            own = (
                cosine * offset[0] + sine * about[0], cosine * offset[1] + sine * about[1],
                cosine * offset[2] + sine * about[2], cosine * offset[3] + sine * about[3],
            )  # fmt: skip
            quat = quat_product(quat_above, own)
            turn = turn_from_quat(quat)
            r = subtract3(anchor, turned(turn, get3(b, link, ANCHOR)))
            axis = turned(turn_above, get3(b, link, AXIS_PARENT))
            put6(s, u_at, 0, join(axis, cross3(anchor, axis)))
        elif kind == BALL:
            q_at = int(b[link, Q_AT])
            own = (here, q[q_at + 1], q[q_at + 2], q[q_at + 3])
            quat = quat_product(quat_product(quat_above, get4(b, link, OFFSET_QUAT)), own)
            turn = turn_from_quat(quat)
            r = subtract3(anchor, turned(turn, get3(b, link, ANCHOR)))
            x, y, z = (turn[0], turn[3], turn[6]), (turn[1], turn[4], turn[7]), (turn[2], turn[5], turn[8])
            put6(s, u_at, 0, join(x, cross3(anchor, x)))
            put6(s, u_at + 1, 0, join(y, cross3(anchor, y)))
            put6(s, u_at + 2, 0, join(z, cross3(anchor, z)))
        else:
            quat = quat_product(quat_above, get4(b, link, OFFSET_QUAT))
            turn = turn_from_quat(quat)
            axis = turned(turn_above, get3(b, link, AXIS_PARENT))
            moved = here - b[link, REFERENCE]
            r = add3(r_above, turned(turn_above, get3(b, link, OFFSET_POS)))
            r = add3(r, (axis[0] * moved, axis[1] * moved, axis[2] * moved))
            put6(s, u_at, 0, join((0.0, 0.0, 0.0), axis))
        put4(w, link, QUAT_, quat)
        put9(w, link, TURN_, turn)
        put3(w, link, R_, r)


def freedoms(kind: int) -> int:
    """How many freedoms a joint below the base has."""
    return 3 if kind == BALL else 1


def freedoms_of(m: Vec, b: Mat, link: int) -> tuple[int, int]:
    """First freedom of a link's joint, and how many it has; the base's are the first six."""
    if link == 0:
        return 0, (6 if m[IS_FREE] != 0.0 else 0)
    return int(b[link, U_AT]), freedoms(int(b[link, KIND]))


def base_velocity(m: Vec, u: Vec, s: Mat) -> Six:
    """Spatial velocity of the base about its own origin: it only turns."""
    if m[IS_FREE] == 0.0:
        return ZERO6
    return add6(add6(scale6(get6(s, 0, 0), u[0]), scale6(get6(s, 1, 0), u[1])), scale6(get6(s, 2, 0), u[2]))


def own_motion(b: Mat, s: Mat, link: int, u: Vec) -> Six:
    """What a link's own joint adds to the motion of its parent."""
    u_at = int(b[link, U_AT])
    motion = scale6(get6(s, u_at, 0), u[u_at])
    for j in range(1, freedoms(int(b[link, KIND]))):
        motion = add6(motion, scale6(get6(s, u_at + j, 0), u[u_at + j]))
    return motion


def move(m: Vec, b: Mat, u: Vec, w: Mat, s: Mat) -> None:
    """Spatial velocity of every link, relative to that of the base's origin. Eq. (5)."""
    put6(w, 0, V_, base_velocity(m, u, s))
    for link in range(1, len(b)):
        put6(w, link, V_, add6(get6(w, int(b[link, PARENT]), V_), own_motion(b, s, link, u)))


def column_rate(m: Vec, w: Mat, s: Mat, link: int, k: int) -> Six:
    """Rate of the column of freedom `k`, which belongs to `link`. Eq. (6)."""
    if m[IS_FREE] != 0.0 and 3 <= k < 6:
        return ZERO6  # the base's velocity is along inertial axes
    return motion_cross(get6(w, link, V_), get6(s, k, 0))


def point_of(w: Mat, frame: Vec) -> Three:
    """Position of a frame's origin."""
    link = int(frame[FRAME_LINK])
    at = (frame[FRAME_POS], frame[FRAME_POS + 1], frame[FRAME_POS + 2])
    return add3(get3(w, link, R_), turned(get9(w, link, TURN_), at))


def put_column(J: Mat, k: int, S: Six, p: Three) -> None:
    """A column at the point `p`: (angular, linear + angular x p)."""
    sweep = cross3(angular(S), p)
    J[0, k], J[1, k], J[2, k] = S[0], S[1], S[2]
    J[3, k], J[4, k], J[5, k] = S[3] + sweep[0], S[4] + sweep[1], S[5] + sweep[2]


def jacobian_at(m: Vec, b: Mat, w: Mat, s: Mat, frame: Vec, J: Mat) -> None:
    """Columns of a frame's Jacobian, from places that are known. Eq. (7)."""
    p = point_of(w, frame)
    J[:, :] = 0.0
    link = int(frame[FRAME_LINK])
    while True:
        first, count = freedoms_of(m, b, link)
        for k in range(first, first + count):
            put_column(J, k, get6(s, k, 0), p)
        if link == 0:
            break
        link = int(b[link, PARENT])


def jacobian_rate_at(m: Vec, b: Mat, w: Mat, s: Mat, frame: Vec, J: Mat) -> None:
    """Rate of a frame's Jacobian, from places and velocities that are known. Eq. (8)."""
    p = point_of(w, frame)
    link = int(frame[FRAME_LINK])
    V = get6(w, link, V_)
    p_dot = add3(linear(V), cross3(angular(V), p))
    J[:, :] = 0.0
    while True:
        first, count = freedoms_of(m, b, link)
        for k in range(first, first + count):
            put_column(J, k, column_rate(m, w, s, link, k), p)
            sweep = cross3(get3(s, k, 0), p_dot)
            J[3, k] += sweep[0]
            J[4, k] += sweep[1]
            J[5, k] += sweep[2]
        if link == 0:
            break
        link = int(b[link, PARENT])


def subtree_masses(b: Mat, w: Mat, lever: Mat, mass: Vec) -> None:
    """Mass times centre of mass, and mass, of every link with all that hangs on it. Eq. (9)."""
    for link in range(len(b)):
        c = add3(get3(w, link, R_), turned(get9(w, link, TURN_), get3(b, link, COM)))
        mass[link] = b[link, MASS]
        put3(lever, link, 0, (c[0] * mass[link], c[1] * mass[link], c[2] * mass[link]))
    for link in range(len(b) - 1, 0, -1):
        above = int(b[link, PARENT])
        mass[above] += mass[link]
        put3(lever, above, 0, add3(get3(lever, above, 0), get3(lever, link, 0)))


# ---- from coordinates alone ------------------------------------------------------------------------------------------


def frame_pose(m: Vec, q: Vec, frame: Vec, r: Vec, turn: Mat) -> None:
    """Position relative to the base's origin, and matrix from the frame's to inertial components."""
    w, s = new_tables(m, WIDTH)
    place(m, records_of(m), q, w, s)
    p, link_turn = point_of(w, frame), get9(w, int(frame[FRAME_LINK]), TURN_)
    for i in range(3):
        r[i] = p[i]
        column = turned(link_turn, (frame[FRAME_TURN + i], frame[FRAME_TURN + 3 + i], frame[FRAME_TURN + 6 + i]))
        turn[0, i], turn[1, i], turn[2, i] = column[0], column[1], column[2]


def jacobian(m: Vec, q: Vec, frame: Vec, J: Mat) -> None:
    """(6, nu) Jacobian of a frame: its twist (angular, linear), in inertial axes, is J u."""
    w, s = new_tables(m, WIDTH)
    b = records_of(m)
    place(m, b, q, w, s)
    jacobian_at(m, b, w, s, frame, J)


def jacobian_rate(m: Vec, q: Vec, u: Vec, frame: Vec, J: Mat) -> None:
    """(6, nu) Rate of the Jacobian of a frame."""
    w, s = new_tables(m, WIDTH)
    b = records_of(m)
    place(m, b, q, w, s)
    move(m, b, u, w, s)
    jacobian_rate_at(m, b, w, s, frame, J)


def centres_of_mass(m: Vec, q: Vec, r: Vec, mass: Vec) -> None:
    """Centre of mass of every link with all that hangs on it, relative to the base's origin, and its mass."""
    w, s = new_tables(m, WIDTH)
    b = records_of(m)
    place(m, b, q, w, s)
    subtree_masses(b, w, r, mass)
    for link in range(len(b)):
        for i in range(3):
            # what weighs nothing is where its frame is
            r[link, i] = r[link, i] / mass[link] if mass[link] > 0.0 else w[link, R_ + i]
