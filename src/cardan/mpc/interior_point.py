"""An interior point for the quadratic programs of predictive control (docs/theory/interior_point.md).

    minimise  sum_k  1/2 x_k' Q_k x_k + q_k' x_k + 1/2 u_k' R u_k + r_k' u_k + z' s_k + 1/2 s_k' Z s_k
    with      x_(k+1) = A_k x_k + B_k M u_k + c_k,   x_0 given
              lower_k <= u_k <= upper_k
              G_k x_k <= h_k + s_k,   s_k >= 0                                                                     (1)

R and Z are diagonal. M, the mixer, has fewer rows than columns: many thrusters make one wrench. Every iterate satisfies
the dynamics and lies strictly within its bounds, so whatever the budget allows can be flown. One factorisation by
Riccati's recursion serves the predictor and the corrector of an iteration.
"""

import math
from typing import NamedTuple

from cardan.mpc.dense import add_back, add_scaled, dot, multiply, multiply_back
from cardan.mpc.problem import mixer_at
from cardan.mpc.riccati import factorise, find_step, follow, weigh

# ---- what `solve` returns ------------------------------------------------------------------------------------------
SOLVED = 0
OUT_OF_ITERATIONS = 1  # the best that the budget allowed: feasible, not optimal to the tolerance
BROKEN_DOWN = 2  # a number is not finite

CLOSEST = 0.1  # [-] of its range that an input keeps from its bounds at the start
START = 0.1  # [-] products of slacks and multipliers at the start, of gradients times ranges
KEPT = 0.995  # [-] of the way to the nearest bound that a step goes at most


class Outcome(NamedTuple):
    """How it went.

    Attributes:
        status: One of the codes above.
        iterations: How many.
        mu: Mean product of slacks and multipliers.
        residual: Largest violation of stationarity, found by an adjoint pass over the final iterate.
    """

    status: int
    iterations: int
    mu: float
    residual: float


def solve(problem, iterate, room, tolerance, most):
    """Improve `iterate` until mu and the residual are below `tolerance` times the largest gradient of the cost.

    Args:
        problem: Eq. (1).
        iterate: On entry `x[0]` and a guess of `u`; on return all of it.
        room: Memory.
        tolerance: [-] See above.
        most: Iterations that the budget allows.
    """
    scale, mu = begin(problem, iterate, room)
    pairs, least = count_pairs(problem), tolerance * scale
    for iteration in range(most + 1):
        residual = stationarity(problem, iterate, room)
        if not residual + mu < math.inf:
            return Outcome(BROKEN_DOWN, iteration, mu, residual)
        if mu <= least and residual <= least:
            return Outcome(SOLVED, iteration, mu, residual)
        if iteration == most:
            break
        weigh(problem, iterate, room)
        factorise(problem, room)
        aim_at(iterate, room, 0.0, 0.0)
        find_step(problem, iterate, room)
        if pairs > 0:
            # Mehrotra: the predictor tells how much of mu = 0 can be had, the corrector aims at that
            reach = longest(problem, iterate, room, 1.0)
            ahead = complementarity(problem, iterate, room, reach) / pairs
            aim_at(iterate, room, max(mu * (ahead / mu) ** 3, 0.1 * least), 1.0)
            find_step(problem, iterate, room)
        move(iterate, room.step, longest(problem, iterate, room, KEPT))
        roll_out(problem, iterate, room)
        mark_gaps(problem, iterate, room)
        mu = complementarity(problem, iterate, room, 0.0) / pairs if pairs > 0 else 0.0
    return Outcome(OUT_OF_ITERATIONS, most, mu, residual)


# ---- the iterate ---------------------------------------------------------------------------------------------------


def begin(problem, iterate, room):
    """Put the guess within its bounds, follow the dynamics, choose multipliers; returns the scale, and mu."""
    lower, upper, u = problem.lower, problem.upper, iterate.u
    stages, inputs = u.shape
    rows = iterate.s.shape[1]
    for k in range(stages):
        for i in range(inputs):
            margin = CLOSEST * (upper[k, i] - lower[k, i])
            u[k, i] = min(max(u[k, i], lower[k, i] + margin), upper[k, i] - margin)
            iterate.low[k, i] = iterate.high[k, i] = 0.0
    roll_out(problem, iterate, room)
    for k in range(1, stages + 1):
        for j in range(rows):
            over = max(0.0, dot(problem.G[k, j], iterate.x[k]) - problem.h[k, j])
            iterate.row[k, j] = problem.z[j] + problem.Z[j] * over if over > 0.0 else 0.0

    # of all that bounds leave, each pair begins with the same share of what the cost would gain by it
    scale, total, free = 1.0, 0.0, 0
    last_costate(problem, iterate, room)
    for k in range(stages - 1, -1, -1):
        multiply_back(problem.B[k], room.a, room.y)
        for i in range(inputs):
            if upper[k, i] > lower[k, i]:
                slope = gradient(problem, iterate, room, k, i)
                scale = max(scale, abs(slope))
                total += abs(slope) * (upper[k, i] - lower[k, i])
                free += 1
        costate_before(problem, iterate, room, k)
    mu = max(START * total / max(free, 1), 1.0e-6 * scale)
    for k in range(stages):
        for i in range(inputs):
            if upper[k, i] > lower[k, i]:
                iterate.low[k, i], iterate.high[k, i] = mu / (u[k, i] - lower[k, i]), mu / (upper[k, i] - u[k, i])
    for k in range(1, stages + 1):
        for j in range(rows):
            begin_row(problem, iterate, k, j, mu)
    mark_gaps(problem, iterate, room)
    return scale, mu


def begin_row(problem, iterate, k, j, mu):
    """Slack and multipliers of a soft row that are stationary, their products about mu: Eq. (11)."""
    margin = problem.h[k, j] - dot(problem.G[k, j], iterate.x[k])
    over = max(0.0, -margin)
    asked = problem.z[j] + problem.Z[j] * over
    s = over + mu / asked
    if over > 0.0:
        iterate.free[k, j] = mu / s
        iterate.row[k, j] = problem.z[j] + problem.Z[j] * s - iterate.free[k, j]
    else:
        iterate.row[k, j] = mu / (margin + s)
        iterate.free[k, j] = problem.z[j] + problem.Z[j] * s - iterate.row[k, j]
    iterate.s[k, j] = s


def count_pairs(problem):
    """How many products of slacks and multipliers there are."""
    stages, rows = problem.h.shape
    pairs = 2 * (stages - 1) * rows
    for k in range(stages - 1):
        for i in range(len(problem.R)):
            pairs += 2 if problem.upper[k, i] > problem.lower[k, i] else 0
    return pairs


def roll_out(problem, iterate, room):
    """States that follow from the inputs."""
    for k in range(iterate.u.shape[0]):
        multiply(mixer_at(problem, k), iterate.u[k], room.y)
        follow(problem, k, iterate.x[k], room.y, iterate.x[k + 1])


def mark_gaps(problem, iterate, room):
    """What soft rows leave."""
    for k in range(1, iterate.s.shape[0]):
        for j in range(iterate.s.shape[1]):
            room.gap[k, j] = problem.h[k, j] + iterate.s[k, j] - dot(problem.G[k, j], iterate.x[k])


def move(iterate, step, reach):
    """Go a part of a step; states then follow from inputs."""
    for k in range(iterate.u.shape[0]):
        for i in range(iterate.u.shape[1]):
            iterate.u[k, i] += reach * step.u[k, i]
            iterate.low[k, i] += reach * step.low[k, i]
            iterate.high[k, i] += reach * step.high[k, i]
        for j in range(iterate.s.shape[1]):
            iterate.s[k + 1, j] += reach * step.s[k + 1, j]
            iterate.row[k + 1, j] += reach * step.row[k + 1, j]
            iterate.free[k + 1, j] += reach * step.free[k + 1, j]


def longest(problem, iterate, room, kept):
    """How much of a step keeps every slack and multiplier positive, at most 1."""
    step, blocking = room.step, 1.0 / kept
    reach = blocking
    for k in range(iterate.u.shape[0]):
        for i in range(iterate.u.shape[1]):
            down, up = iterate.u[k, i] - problem.lower[k, i], problem.upper[k, i] - iterate.u[k, i]
            reach = shortened(reach, down, step.u[k, i])
            reach = shortened(reach, up, -step.u[k, i])
            reach = shortened(reach, iterate.low[k, i], step.low[k, i])
            reach = shortened(reach, iterate.high[k, i], step.high[k, i])
        for j in range(iterate.s.shape[1]):
            reach = shortened(reach, room.gap[k + 1, j], gap_step(problem, step, k + 1, j))
            reach = shortened(reach, iterate.s[k + 1, j], step.s[k + 1, j])
            reach = shortened(reach, iterate.row[k + 1, j], step.row[k + 1, j])
            reach = shortened(reach, iterate.free[k + 1, j], step.free[k + 1, j])
    return kept * reach


def shortened(reach, value, change):
    """The part of a step after which a positive value is zero, if that is shorter."""
    return -value / change if value + reach * change < 0.0 else reach


def gap_step(problem, step, k, j):
    """What a step adds to the gap of a soft row."""
    return step.s[k, j] - dot(problem.G[k, j], step.x[k])


def complementarity(problem, iterate, room, reach):
    """The sum of all products of slacks and multipliers after a part of the step."""
    step, total = room.step, 0.0
    for k in range(iterate.u.shape[0]):
        for i in range(iterate.u.shape[1]):
            u = iterate.u[k, i]
            if reach > 0.0:
                u += reach * step.u[k, i]
            low, high = iterate.low[k, i], iterate.high[k, i]
            if reach > 0.0:
                low, high = low + reach * step.low[k, i], high + reach * step.high[k, i]
            total += low * (u - problem.lower[k, i]) + high * (problem.upper[k, i] - u)
        for j in range(iterate.s.shape[1]):
            gap, s, row, free = room.gap[k + 1, j], iterate.s[k + 1, j], iterate.row[k + 1, j], iterate.free[k + 1, j]
            if reach > 0.0:
                gap, s = gap + reach * gap_step(problem, step, k + 1, j), s + reach * step.s[k + 1, j]
                row, free = row + reach * step.row[k + 1, j], free + reach * step.free[k + 1, j]
            total += gap * row + s * free
    return total


# ---- stationarity --------------------------------------------------------------------------------------------------


def stationarity(problem, iterate, room):
    """The largest gradient of the Lagrangian, Eq. (2), with costates by Eq. (3)."""
    stages, inputs = iterate.u.shape
    worst = 0.0
    last_costate(problem, iterate, room)
    for k in range(stages - 1, -1, -1):
        for j in range(iterate.s.shape[1]):
            asked = problem.z[j] + problem.Z[j] * iterate.s[k + 1, j]
            worst = larger(worst, asked - iterate.row[k + 1, j] - iterate.free[k + 1, j])
        multiply_back(problem.B[k], room.a, room.y)
        for i in range(inputs):
            if problem.upper[k, i] > problem.lower[k, i]:
                slope = gradient(problem, iterate, room, k, i)
                worst = larger(worst, slope - iterate.low[k, i] + iterate.high[k, i])
        costate_before(problem, iterate, room, k)
    return worst


def larger(worst, value):
    """The larger magnitude; not a number if either is none."""
    size = abs(value)
    return worst if size <= worst else size


def gradient(problem, iterate, room, k, i):
    """What a little more of an input costs, by the costate that `room.y` has been made from."""
    value, mixer = problem.R[i] * iterate.u[k, i] + problem.r[k, i], mixer_at(problem, k)
    for j in range(len(room.y)):
        value += mixer[j, i] * room.y[j]
    return value


def last_costate(problem, iterate, room):
    own_slope(problem, iterate, room.a, iterate.u.shape[0])


def costate_before(problem, iterate, room, k):
    """From the costate of stage k + 1 in `room.a` to that of stage k."""
    if k == 0:
        return
    own_slope(problem, iterate, room.b, k)
    add_back(problem.A[k], room.a, room.b)
    for i in range(len(room.a)):
        room.a[i] = room.b[i]


def own_slope(problem, iterate, out, k):
    """What a little more of a state costs at its own stage."""
    for i in range(len(out)):
        out[i] = problem.q[k, i] + dot(problem.Q[k, i], iterate.x[k])
    for j in range(iterate.row.shape[1]):
        add_scaled(problem.G[k, j], iterate.row[k, j], out)


def aim_at(iterate, room, mu, corrects):
    """Products that the step aims at, less what it would itself add to them by the one found before."""
    step, aim = room.step, room.aim
    for k in range(iterate.u.shape[0]):
        for i in range(iterate.u.shape[1]):
            aim.low[k, i] = aim.high[k, i] = mu
            if corrects > 0.0:
                aim.low[k, i] = mu - step.u[k, i] * step.low[k, i]
                aim.high[k, i] = mu + step.u[k, i] * step.high[k, i]
        for j in range(iterate.s.shape[1]):
            aim.row[k + 1, j] = aim.free[k + 1, j] = mu
            if corrects > 0.0:
                # `aim.s` has what the step before adds to the gap
                aim.row[k + 1, j] = mu - aim.s[k + 1, j] * step.row[k + 1, j]
                aim.free[k + 1, j] = mu - step.s[k + 1, j] * step.free[k + 1, j]
