"""The acceleration of a free root, from the inertia and the bias force that all beyond it leave there.

J, H and M are matrices by columns, p and f torque and force (docs/theory/recursive_tree.md, Eqs. (12) to (12'')).
"""

from cardan.maths import choose
from cardan.native.lanes import in_all_lanes
from cardan.native.seldom import seldom
from cardan.native.vectors import Matrix, Vector, cross, dot, product, transposed, turned, vector

# [-] least determinant of a matrix whose inverse is taken from its cofactors, relative to its cubed trace: Eq. (12')
EVEN = 0.01 / 27.0


def root_acceleration(J: Matrix, H: Matrix, M: Matrix, p: Vector, f: Vector) -> tuple[Vector, Vector]:
    """Eq. (12): the root is free of everything, so its inertia times its acceleration is minus its bias force."""
    # b = - M^-1 (f + HT a), put into J a + H b + p = 0
    N, M_is_even = symmetric_inverse(M)
    HN = product(H, N)
    HT = transposed(H[0], H[1], H[2])
    rest = J[0] - turned(HN, HT[0]), J[1] - turned(HN, HT[1]), J[2] - turned(HN, HT[2])
    R, rest_is_even = symmetric_inverse(rest)
    a = turned(R, turned(HN, f) - p)
    b = turned(N, f + turned(HT, a)) * -1.0
    return where_even(M_is_even & rest_is_even, a, b, J, H, M, p, f)


def body_acceleration(
    central: Matrix, lever: Vector, mass: float, J: Matrix, H: Matrix, M: Matrix, p: Vector, f: Vector
) -> tuple[Vector, Vector]:
    """Eq. (12''): the same of a root that feels no branches, from the inertia about its centre of mass."""
    part = 1.0 / mass
    R, is_even = symmetric_inverse(central)
    a = turned(R, cross(lever * part, f) - p)
    b = (f + cross(a, lever)) * (0.0 - part)
    return where_even(is_even, a, b, J, H, M, p, f)


def where_even(
    is_even: bool, a: Vector, b: Vector, J: Matrix, H: Matrix, M: Matrix, p: Vector, f: Vector
) -> tuple[Vector, Vector]:
    """Accelerations found from cofactors; where these lose digits, those found freedom by freedom."""
    if in_all_lanes(is_even):
        return a, b
    slow_a, slow_b, _, _ = eliminated(J, H, M, p, f)
    return chosen(is_even, a, slow_a), chosen(is_even, b, slow_b)


def chosen(condition: bool, a: Vector, b: Vector) -> Vector:
    return vector(choose(condition, a.x, b.x), choose(condition, a.y, b.y), choose(condition, a.z, b.z))


def symmetric_inverse(m: Matrix) -> tuple[Matrix, bool]:
    """The inverse of a symmetric matrix, its cofactors over its determinant, and whether it is even: Eq. (12')."""
    a, b, c = cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])
    determinant, trace = dot(m[0], a), m[0].x + m[1].y + m[2].z
    d = 1.0 / determinant
    return (a * d, b * d, c * d), determinant > EVEN * (trace * trace * trace)


def less(m: Matrix, a: Vector, x: float, y: float, z: float) -> Matrix:
    """The matrix m - a (x, y, z)."""
    return m[0] - a * x, m[1] - a * y, m[2] - a * z


def eliminated(J: Matrix, H: Matrix, M: Matrix, p: Vector, f: Vector) -> tuple[Vector, Vector, Vector, Vector]:
    """The freedoms taken out one by one, displacements first: (angular, linear) acceleration, and their divisors."""
    seldom()
    (Ja, Jb, Jc), (Ha, Hb, Hc), (Ma, Mb, Mc) = J, H, M
    # Eqs. (9) and (10): along an axis of the frame U is a column of the inertia, and D its diagonal element
    one = 1.0 / Ma.x
    y, z, first = Ma.y * one, Ma.z * one, f.x * one
    Hb, Hc, Mb, Mc = Hb - Ha * y, Hc - Ha * z, Mb - Ma * y, Mc - Ma * z
    Ja, Jb, Jc = less((Ja, Jb, Jc), Ha, Ha.x * one, Ha.y * one, Ha.z * one)
    p, f = p - Ha * first, f - Ma * first

    two = 1.0 / Mb.y
    z, second = Mb.z * two, f.y * two
    Hc, Mc = Hc - Hb * z, Mc - Mb * z
    Ja, Jb, Jc = less((Ja, Jb, Jc), Hb, Hb.x * two, Hb.y * two, Hb.z * two)
    p, f = p - Hb * second, f - Mb * second

    three = 1.0 / Mc.z
    third = f.z * three
    Ja, Jb, Jc = less((Ja, Jb, Jc), Hc, Hc.x * three, Hc.y * three, Hc.z * three)
    p = p - Hc * third

    four = 1.0 / Ja.x
    y, z, fourth = Ja.y * four, Ja.z * four, p.x * four
    Jb, Jc, p = Jb - Ja * y, Jc - Ja * z, p - Ja * fourth

    five = 1.0 / Jb.y
    z, fifth = Jb.z * five, p.y * five
    Jc, p = Jc - Jb * z, p - Jb * fifth

    # Eqs. (13) and (14), the last one first
    z = -p.z / Jc.z
    y = -fifth - Jb.z * z * five
    x = -fourth - (Ja.y * y + Ja.z * z) * four
    a = vector(x, y, z)
    z = -third - dot(Hc, a) * three
    y = -second - (dot(Hb, a) + Mb.z * z) * two
    x = -first - (dot(Ha, a) + Ma.y * y + Ma.z * z) * one
    return a, vector(x, y, z), vector(Ja.x, Jb.y, Jc.z), vector(Ma.x, Mb.y, Mc.z)
