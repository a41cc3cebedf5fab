"""Soft limits of free flyers: Eqs. (11) to (13) of docs/theory/tracking_mpc.md, a row of the program each."""

import math

import numpy as np

from cardan.mpc.dense import row_dot
from cardan.mpc.flyer_prediction import DR, DV, DW, R, V, W

SPEED, RATE, OTHERS = 0, 1, 2  # rows: speed, rate, then spheres and planes


def rows_of(case):
    return OTHERS + case.spheres.shape[0] + case.planes.shape[0]


def most_of(case, rows):
    """By how much each limit may be tightened: half of a speed or a rate, so that some is left."""
    out = np.full(rows, math.inf)
    out[SPEED], out[RATE] = 0.5 * case.settings.max_speed, 0.5 * case.settings.max_rate
    return out


def limit(case, node, G, h):
    """Soft limits of a neighbourhood: Eqs. (11) to (13)."""
    G[:, :] = 0.0
    settings = case.settings
    h[SPEED] = settings.max_speed - toward(node, V, G[SPEED], DV)
    h[RATE] = settings.max_rate - toward(node, W, G[RATE], DW)
    row = OTHERS
    for i in range(case.spheres.shape[0]):
        x, y, z = node[R] - case.spheres[i, 0], node[R + 1] - case.spheres[i, 1], node[R + 2] - case.spheres[i, 2]
        distance, radius = math.sqrt((x * x + y * y) + z * z), grown_radius(case, node, i)
        part = -1.0 / max(distance, TINY)
        # the centre has no nearest way out; one along x is as good as any
        G[row, DR] = part * x if distance > TINY else -1.0
        G[row, DR + 1], G[row, DR + 2] = part * y, part * z
        for j in range(3):
            G[row, DV + j] = growth(case.settings.step, radius) * node[V + j]
        h[row] = distance - radius
        row += 1
    for i in range(case.planes.shape[0]):
        for j in range(3):
            G[row, DR + j] = case.planes[i, j]
        h[row] = case.planes[i, 3] - plane_height(case.planes, i, node)
        row += 1


TINY = 1.0e-12


def grown_radius(case, node, i):
    """[m] The radius of a sphere for a node of a free flyer."""
    return grown(case.spheres[i, 3], case.settings.step, length_at(node, V))


def grown(radius, step, speed):
    """[m] A radius so large that a straight step between two places outside does not cut into the sphere: Eq. (12)."""
    half = 0.5 * step * speed
    return math.sqrt(radius * radius + half * half)


def growth(step, grown_radius):
    """[s] How fast a grown radius grows along the velocity, over the velocity."""
    return 0.25 * step * step / grown_radius


def toward(node, at, row, near):
    """The length of the vector at `at`; its direction goes into a row."""
    x, y, z = node[at], node[at + 1], node[at + 2]
    length = math.sqrt((x * x + y * y) + z * z)
    part = 1.0 / max(length, TINY)
    row[near], row[near + 1], row[near + 2] = part * x, part * y, part * z
    return length


def weigh_round_limits(case, node, multipliers, G, H):
    """Add to weights what limits of speed and rate bend by, with the multipliers of the program before: Eq. (17)."""
    weigh_round(multipliers[SPEED], length_at(node, V), case.settings.max_speed, G[SPEED], DV, H)
    weigh_round(multipliers[RATE], length_at(node, W), case.settings.max_rate, G[RATE], DW, H)


def weigh_round(multiplier, length, most, row, near, H):
    """The same for one limit of a length, with its direction in a row at `near`."""
    # tightened by half at the most, it is not met by less
    part = multiplier / max(length, 0.5 * most)
    for i in range(3):
        for j in range(3):
            H[near + i, near + j] += part * ((1.0 if i == j else 0.0) - row[near + i] * row[near + j])


def plane_height(planes, i, node):
    return (planes[i, 0] * node[R] + planes[i, 1] * node[R + 1]) + planes[i, 2] * node[R + 2]


def excess(case, node, row):
    """How far a node exceeds a soft limit."""
    if row == SPEED:
        return length_at(node, V) - case.settings.max_speed
    if row == RATE:
        return length_at(node, W) - case.settings.max_rate
    i = row - OTHERS
    if i < case.spheres.shape[0]:
        x, y, z = node[R] - case.spheres[i, 0], node[R + 1] - case.spheres[i, 1], node[R + 2] - case.spheres[i, 2]
        return grown_radius(case, node, i) - math.sqrt((x * x + y * y) + z * z)
    i -= case.spheres.shape[0]
    return plane_height(case.planes, i, node) - case.planes[i, 3]


def length_at(node, at):
    return math.sqrt((node[at] * node[at] + node[at + 1] * node[at + 1]) + node[at + 2] * node[at + 2])


def largest_excess(case, nodes):
    worst = 0.0
    for k in range(1, nodes.shape[0]):
        for j in range(rows_of(case)):
            worst = max(worst, excess(case, nodes[k], j))
    return worst


def bend(case, problem, iterate, nodes, excess_of, rows):
    """Make soft limits of a program exact at `nodes`, where its step leads: a round one leaves less than it says."""
    for k in range(1, nodes.shape[0]):
        for j in range(rows):
            used = row_dot(problem.G, k, j, iterate.x) - excess_of(case, nodes[k], j)
            problem.h[k, j] = min(problem.h[k, j], used - case.margins[k, j])


def count_active(case, plan, nodes):
    """How many bounds and soft limits are met."""
    count = 0.0
    for k in range(plan.shape[0]):
        for i in range(plan.shape[1]):
            near = MET * (case.upper[i] - case.lower[i])
            count += 1.0 * (plan[k, i] - case.lower[i] <= near or case.upper[i] - plan[k, i] <= near)
        for j in range(rows_of(case)):
            count += 1.0 * (excess(case, nodes[k + 1], j) >= -MET)
    return count


MET = 1.0e-3  # [-] of its range that an input at a bound is away from it at the most; for soft limits in their unit
