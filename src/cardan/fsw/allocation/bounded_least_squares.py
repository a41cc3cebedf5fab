"""Least squares within bounds, exactly: a primal active-set method for the thrusts of up to some dozen thrusters.

    minimise |S (M u - w)|^2 + e |u / h|^2   within lower <= u <= upper                                           (1)

docs/theory/thruster_allocation.md has the method, with its equation numbers.
"""

from typing import NamedTuple

import numpy as np

from cardan.maths import Mat, Vec
from cardan.maths.matrices import product, solve_positive

AT_LOWER, FREE, AT_UPPER = -1, 0, 1
_ROUNDING = 1.0e-12


class Allocated(NamedTuple):
    """What the search found.

    Attributes:
        thrust: [N]
        shortfall: [-] Length of S (M u - w).
        iterations: [-] Of the active set.
    """

    thrust: Vec
    shortfall: float
    iterations: int


def scaled_mixer(mixer: Mat, max_thrust: Vec, weights: Vec) -> tuple[Mat, Vec]:
    """S M H, and the diagonal of S: each row in parts of what all thrusters together could give along it, Eq. (2)."""
    rows, n = mixer.shape
    scaled, scale = np.zeros((rows, n)), np.zeros(rows)
    for i in range(rows):
        size = 0.0
        for j in range(n):
            size += abs(mixer[i, j]) * max_thrust[j]
        if size > 0.0:
            scale[i] = weights[i] / size
        for j in range(n):
            scaled[i, j] = scale[i] * mixer[i, j] * max_thrust[j]
    return scaled, scale


def free_solution(a: Mat, b: Vec, s: Vec, place: Vec, e: float) -> Vec:
    """The unbounded minimum over the free thrusters, the others where they are: Eqs. (3) and (4)."""
    rows, n = a.shape
    free = np.zeros((rows, n))
    rest = np.zeros((rows, 1))
    for i in range(rows):
        rest[i, 0] = b[i]
        for j in range(n):
            if place[j] != FREE:
                rest[i, 0] -= a[i, j] * s[j]
    count = 0
    for j in range(n):
        if place[j] == FREE:
            for i in range(rows):
                free[i, count] = a[i, j]
            count += 1
    free = free[:, :count].copy()
    across = free.T.copy()
    # of the two forms the smaller system: the other one has no more than `e` to hold it together
    if count <= rows:
        gram = product(across, free)
        for j in range(count):
            gram[j, j] += e
        moved = solve_positive(gram, product(across, rest))
    else:
        gram = product(free, across)
        for i in range(rows):
            gram[i, i] += e
        moved = product(across, solve_positive(gram, rest))
    found = s.copy()
    count = 0
    for j in range(n):
        if place[j] == FREE:
            found[j] = moved[count, 0]
            count += 1
    return found


def bounded_least_squares(a: Mat, b: Vec, lower: Vec, upper: Vec, e: float) -> tuple[Vec, int]:
    """The s within bounds that minimises |a s - b|^2 + e |s|^2, and how many iterations it took.

    Args:
        a: (m, n)
        b: (m,)
        lower: (n,)
        upper: (n,) At least `lower`.
        e: Positive.
    """
    rows, n = a.shape
    # begin at the unbounded minimum, clipped
    place = np.zeros(n)
    found = free_solution(a, b, np.zeros(n), place, e)
    s = np.zeros(n)
    for j in range(n):
        if found[j] <= lower[j] or upper[j] <= lower[j]:
            s[j], place[j] = lower[j], AT_LOWER
        elif found[j] >= upper[j]:
            s[j], place[j] = upper[j], AT_UPPER
        else:
            s[j] = found[j]
    released, iterations = -1, 0
    for _ in range(20 * n + 20):
        iterations += 1
        found = free_solution(a, b, s, place, e)
        # go there, or to the first bound on the way: Eq. (5)
        share, blocking = 1.0, -1
        for j in range(n):
            if place[j] == FREE:
                step = found[j] - s[j]
                room = (lower[j] if step < 0.0 else upper[j]) - s[j]
                if abs(step) > abs(room) and abs(room) < share * abs(step):
                    share, blocking = abs(room / step), j
        for j in range(n):
            if place[j] == FREE:
                s[j] = s[j] + share * (found[j] - s[j])
        if blocking >= 0:
            is_low = found[blocking] < s[blocking]
            s[blocking] = lower[blocking] if is_low else upper[blocking]
            place[blocking] = AT_LOWER if is_low else AT_UPPER
            # rounding alone had let it go: it belongs to its bound, and so do all that pull less
            if blocking == released and share == 0.0:
                break
            continue
        # let go of the bound that pulls most: Eq. (6)
        residual, size = np.zeros(rows), 0.0
        for i in range(rows):
            residual[i] = -b[i]
            for j in range(n):
                residual[i] += a[i, j] * s[j]
            size += abs(b[i])
        released, strongest = -1, _ROUNDING * (size + e)
        for j in range(n):
            if place[j] != FREE and upper[j] > lower[j]:
                slope = e * s[j]
                for i in range(rows):
                    slope += a[i, j] * residual[i]
                pull = slope if place[j] == AT_UPPER else -slope
                if pull > strongest:
                    released, strongest = j, pull
        if released < 0:
            break
        place[released] = FREE
    return s, iterations


def allocate(
    mixer: Mat, max_thrust: Vec, weights: Vec, effort: float, wrench: Vec, lower: Vec, upper: Vec
) -> Allocated:
    """Thrusts within bounds that give a wrench as nearly as possible: Eqs. (1) and (2).

    Args:
        mixer: (6, n) Takes thrusts to force and torque.
        max_thrust: [N] (n,)
        weights: [-] (6,)
        effort: [-] e of Eq. (1).
        wrench: (6,) Force [N] and torque [N m].
        lower: [N] (n,)
        upper: [N] (n,)
    """
    a, scale = scaled_mixer(mixer, max_thrust, weights)
    n = len(max_thrust)
    low, high = np.zeros(n), np.zeros(n)
    for j in range(n):
        if max_thrust[j] > 0.0:
            low[j], high[j] = lower[j] / max_thrust[j], max(upper[j], lower[j]) / max_thrust[j]
    s, iterations = bounded_least_squares(a, scale * wrench, low, high, effort)
    thrust, missing = np.zeros(n), 0.0
    for j in range(n):
        # to the limit itself, not to what scaling leaves of it
        at_limit = upper[j] if s[j] >= high[j] else max_thrust[j] * s[j]
        thrust[j] = lower[j] if s[j] <= low[j] else at_limit
    for i in range(len(scale)):
        part = -scale[i] * wrench[i]
        for j in range(n):
            part += a[i, j] * s[j]
        missing += part * part
    return Allocated(thrust, np.sqrt(missing), iterations)
