"""What kernels have in common: numbers of a table as tuples, rigid inertias about the base's origin.

`get3(a, i, k)` are the numbers k, k+1, k+2 of row i. Where k is known when the code is compiled, and it is everywhere,
one check of the row serves them all.

A rigid inertia is (mass, lever m c, J) with J the symmetric tensor about the origin; spatial vectors are (angular,
linear), in inertial axes about the base's origin, as six numbers. A symmetric 6x6 inertia is three blocks J, H, M with
force = (J w + H a, HT w + M a) for the motion (w, a); J and M are symmetric, H is row by row.
"""

from cardan.maths import Mat
from cardan.native.tuples import (
    Four,
    Nine,
    Six,
    Three,
    add3,
    add6,
    add9,
    angular,
    cross3,
    join,
    linear,
    symmetric_times,
    turned,
    turned_back,
)


def get3(a: Mat, i: int, k: int) -> Three:
    return a[i, k], a[i, k + 1], a[i, k + 2]


def get4(a: Mat, i: int, k: int) -> Four:
    return a[i, k], a[i, k + 1], a[i, k + 2], a[i, k + 3]


def get6(a: Mat, i: int, k: int) -> Six:
    return a[i, k], a[i, k + 1], a[i, k + 2], a[i, k + 3], a[i, k + 4], a[i, k + 5]


def get9(a: Mat, i: int, k: int) -> Nine:
    return (
        a[i, k], a[i, k + 1], a[i, k + 2], a[i, k + 3], a[i, k + 4], a[i, k + 5], a[i, k + 6], a[i, k + 7], a[i, k + 8],
    )  # fmt: skip


def put3(a: Mat, i: int, k: int, x: Three) -> None:
    a[i, k], a[i, k + 1], a[i, k + 2] = x[0], x[1], x[2]


def put4(a: Mat, i: int, k: int, x: Four) -> None:
    a[i, k], a[i, k + 1], a[i, k + 2], a[i, k + 3] = x[0], x[1], x[2], x[3]


def put6(a: Mat, i: int, k: int, x: Six) -> None:
    a[i, k], a[i, k + 1], a[i, k + 2] = x[0], x[1], x[2]
    a[i, k + 3], a[i, k + 4], a[i, k + 5] = x[3], x[4], x[5]


def put9(a: Mat, i: int, k: int, x: Nine) -> None:
    put6(a, i, k, (x[0], x[1], x[2], x[3], x[4], x[5]))
    put3(a, i, k + 6, (x[6], x[7], x[8]))


def add_to3(a: Mat, i: int, k: int, x: Three) -> None:
    put3(a, i, k, add3(get3(a, i, k), x))


def add_to6(a: Mat, i: int, k: int, x: Six) -> None:
    put6(a, i, k, add6(get6(a, i, k), x))


def add_to9(a: Mat, i: int, k: int, x: Nine) -> None:
    put9(a, i, k, add9(get9(a, i, k), x))


def inertia_times(J: Six, H: Nine, M: Six, a: Six) -> Six:
    """Force that the motion `a` needs."""
    w, v = angular(a), linear(a)
    return join(add3(symmetric_times(J, w), turned(H, v)), add3(turned_back(H, w), symmetric_times(M, v)))


def rigid_times(mass: float, lever: Three, J: Six, a: Six) -> Six:
    """Force that a rigid inertia needs for the motion `a`: (J w + lever x v, m v - lever x w)."""
    w, v = angular(a), linear(a)
    push = cross3(w, lever)
    return join(
        add3(symmetric_times(J, w), cross3(lever, v)),
        (mass * v[0] + push[0], mass * v[1] + push[1], mass * v[2] + push[2]),
    )


def about_origin(own: Six, mass: float, c: Three) -> Six:
    """Inertia about the origin from that about the centre of mass `c`."""
    x, y, z = c[0], c[1], c[2]
    mx, my, mz = mass * x, mass * y, mass * z
    return (
        own[0] + (my * y + mz * z), own[1] - mx * y, own[2] - mx * z,
        own[3] + (mx * x + mz * z), own[4] - my * z, own[5] + (mx * x + my * y),
    )  # fmt: skip
