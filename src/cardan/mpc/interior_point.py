"""An interior-point solver for the quadratic programs of predictive control (docs/theory/interior_point.md).

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

from cardan.mpc.dense import add_back, multiply, multiply_back, row_dot, transpose
from cardan.mpc.problem import mixer_at
from cardan.mpc.riccati import factorise, find_step, follow, weigh

# ---- what `solve` returns ------------------------------------------------------------------------------------------
SOLVED = 0
OUT_OF_ITERATIONS = 1  # the best that the budget allowed: feasible, not optimal to the tolerance
BROKEN_DOWN = 2  # a number is not finite

COLD, WARM = 0.2, 0.02  # [-] of the way to the middle of its bounds that a guess is moved: any guess, a good one
LEAST_SCALE = 1.0e-3  # of gradients, below which residuals are absolute
CORRECTED = 10.0  # [-] of mu by which the corrector changes the aim of a product at most
KEPT = 0.995  # [-] of the way to the nearest bound that a step goes at most
BLOCKED = 0.2  # [-] a predictor that reaches no further is blocked
KEPT_IF_BLOCKED = 0.9  # [-] and of the way to the nearest bound then


class Outcome(NamedTuple):
    """How it went.

    Attributes:
        status: One of the codes above.
        iterations: How many.
        mu: Mean product of slacks and multipliers.
        residual: [-] Of the conditions of optimality, Eq. (13), found from the final iterate itself.
    """

    status: int
    iterations: int
    mu: float
    residual: float


def solve(problem, iterate, room, tolerance, most, free=0, inward=COLD):
    """Improve `iterate` until no condition of optimality is violated by more than `tolerance`, Eq. (13).

    Args:
        problem: Eq. (1).
        iterate: On entry `x[0]` and a guess of `u`; on return all of it.
        room: Memory.
        tolerance: [-] See above.
        most: Iterations that the budget allows.
        free: How many states, the last ones, are decided at the beginning too; Q[0] must weigh them.
        inward: [-] Of the way to the middle of its bounds that the guess is moved before anything else.
    """
    begin(problem, iterate, room, inward)
    pairs = count_pairs(problem)
    mu, residual = 0.0, math.inf
    for iteration in range(most + 1):
        adjoint(problem, iterate, room, free)
        residual, worth = examine(problem, iterate, room, free)
        mu = complementarity(problem, iterate, room, 0.0) / max(pairs, 1)
        if not residual + mu < math.inf:
            return Outcome(BROKEN_DOWN, iteration, mu, residual)
        if residual <= tolerance:
            return Outcome(SOLVED, iteration, mu, residual)
        if iteration == most:
            break
        weigh(problem, iterate, room)
        factorise(problem, room, free)
        aim_at(iterate, room, 0.0, 0.0)
        find_step(problem, iterate, room, free)
        kept = KEPT
        if pairs > 0:
            # Mehrotra: the predictor tells how much of mu = 0 can be had, the corrector aims at that
            reach = longest(problem, iterate, room, 1.0)
            ahead = complementarity(problem, iterate, room, reach) / pairs
            if reach > BLOCKED:
                aim_at(iterate, room, max(mu * (ahead / mu) ** 3, 0.1 * tolerance * worth), CORRECTED * mu)
            else:
                # it says nothing: even out products first, or inputs may go to and fro between their bounds for ever
                aim_at(iterate, room, mu, 0.0)
                kept = KEPT_IF_BLOCKED
            find_step(problem, iterate, room, free)
        move(iterate, room, longest(problem, iterate, room, kept))
        roll_out(problem, iterate, room)
        mark_misses(problem, iterate, room)
    return Outcome(OUT_OF_ITERATIONS, most, mu, residual)


# ---- the iterate ---------------------------------------------------------------------------------------------------


def begin(problem, iterate, room, inward):
    """Put the guess within its bounds, follow the dynamics, choose multipliers."""
    lower, upper, u = problem.lower, problem.upper, iterate.u
    stages, inputs = u.shape
    rows = iterate.s.shape[1]
    for k in range(stages):
        for i in range(inputs):
            # thrusters that all give some more give about the same wrench, so that the states stay near the guess
            u[k, i] = min(max(u[k, i], lower[k, i]), upper[k, i])
            u[k, i] += inward * (0.5 * (lower[k, i] + upper[k, i]) - u[k, i])
            iterate.low[k, i] = iterate.high[k, i] = 0.0
        transpose(problem.A[k], room.along[k])
        transpose(problem.B[k], room.across[k])
    roll_out(problem, iterate, room)
    for k in range(1, stages + 1):
        for j in range(rows):
            over = max(0.0, row_dot(problem.G, k, j, iterate.x) - problem.h[k, j])
            iterate.row[k, j] = problem.z[j] + problem.Z[j] * over if over > 0.0 else 0.0

    # of all that bounds leave, each pair begins with the same share of what the cost would gain by it
    adjoint(problem, iterate, room, 0)
    mu = starting_mu(problem, room, inward)
    for k in range(stages):
        for i in range(inputs):
            if upper[k, i] > lower[k, i]:
                iterate.low[k, i], iterate.high[k, i] = mu / (u[k, i] - lower[k, i]), mu / (upper[k, i] - u[k, i])
    for k in range(1, stages + 1):
        for j in range(rows):
            begin_row(problem, iterate, room, k, j, mu)


def starting_mu(problem, room, inward):
    """The mean product of an input that belongs at a bound: so far was it moved off it, and its gradient holds it."""
    largest, total, count = LEAST_SCALE, 0.0, 0
    for k in range(room.slope.shape[0]):
        for i in range(room.slope.shape[1]):
            spread = problem.upper[k, i] - problem.lower[k, i]
            if spread > 0.0:
                largest = max(largest, abs(room.slope[k, i]))
                total += abs(room.slope[k, i]) * spread
                count += 1
    return max(0.5 * inward * total / max(count, 1), 1.0e-6 * largest)


def begin_row(problem, iterate, room, k, j, mu):
    """Slack and multipliers of a soft row that are stationary, both products mu: Eq. (11)."""
    margin = problem.h[k, j] - row_dot(problem.G, k, j, iterate.x)
    over, Z = max(0.0, -margin), problem.Z[j]
    asked, apart = problem.z[j] + Z * over, abs(margin)
    # asked + Z t = mu/t + mu/(t + apart) has one root; from where the last term is left out, Newton rises to it
    t = 2.0 * mu / (asked + math.sqrt(asked * asked + 4.0 * Z * mu))
    for _ in range(4):
        near, far = mu / t, mu / (t + apart)
        t += (near + far - asked - Z * t) / (Z + near / t + far / (t + apart))
    s, gap = over + t, max(0.0, margin) + t
    iterate.s[k, j], room.gap[k, j], room.miss[k, j] = s, gap, 0.0
    # the larger multiplier is what the smaller one leaves
    if margin < 0.0:
        iterate.free[k, j] = mu / s
        iterate.row[k, j] = problem.z[j] + Z * s - iterate.free[k, j]
    else:
        iterate.row[k, j] = mu / gap
        iterate.free[k, j] = problem.z[j] + Z * s - iterate.row[k, j]


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
        follow(problem, room, k, iterate.x[k], room.y)
        for i in range(len(room.a)):
            iterate.x[k + 1, i] = room.a[i] + problem.c[k, i]


def mark_misses(problem, iterate, room):
    """What soft rows leave, less the gap that has gone along with the steps: the next step makes up for it."""
    for k in range(1, iterate.s.shape[0]):
        for j in range(iterate.s.shape[1]):
            left = problem.h[k, j] + iterate.s[k, j] - row_dot(problem.G, k, j, iterate.x)
            room.miss[k, j] = left - room.gap[k, j]


def move(iterate, room, reach):
    """Go a part of a step; states then follow from inputs and from where it begins.

    Gaps go along. As the difference of large numbers, found again, they could come out as nothing, or less.
    """
    step = room.step
    for i in range(iterate.x.shape[1]):
        iterate.x[0, i] += reach * step.x[0, i]
    for k in range(iterate.u.shape[0]):
        for i in range(iterate.u.shape[1]):
            iterate.u[k, i] += reach * step.u[k, i]
            iterate.low[k, i] += reach * step.low[k, i]
            iterate.high[k, i] += reach * step.high[k, i]
        for j in range(iterate.s.shape[1]):
            iterate.s[k + 1, j] += reach * step.s[k + 1, j]
            iterate.row[k + 1, j] += reach * step.row[k + 1, j]
            iterate.free[k + 1, j] += reach * step.free[k + 1, j]
            room.gap[k + 1, j] += reach * room.aim.s[k + 1, j]


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
            reach = shortened(reach, room.gap[k + 1, j], room.aim.s[k + 1, j])
            reach = shortened(reach, iterate.s[k + 1, j], step.s[k + 1, j])
            reach = shortened(reach, iterate.row[k + 1, j], step.row[k + 1, j])
            reach = shortened(reach, iterate.free[k + 1, j], step.free[k + 1, j])
    return kept * reach


def shortened(reach, value, change):
    """The part of a step after which a positive value is zero, if that is shorter."""
    return -value / change if value + reach * change < 0.0 else reach


def complementarity(problem, iterate, room, reach):
    """The sum of all products of slacks and multipliers after a part of the step."""
    step, total = room.step, 0.0
    for k in range(iterate.u.shape[0]):
        for i in range(iterate.u.shape[1]):
            u, low, high = iterate.u[k, i], iterate.low[k, i], iterate.high[k, i]
            if reach > 0.0:
                u += reach * step.u[k, i]
                low, high = low + reach * step.low[k, i], high + reach * step.high[k, i]
            total += low * (u - problem.lower[k, i]) + high * (problem.upper[k, i] - u)
        for j in range(iterate.s.shape[1]):
            gap, s, row, free = room.gap[k + 1, j], iterate.s[k + 1, j], iterate.row[k + 1, j], iterate.free[k + 1, j]
            if reach > 0.0:
                gap, s = gap + reach * room.aim.s[k + 1, j], s + reach * step.s[k + 1, j]
                row, free = row + reach * step.row[k + 1, j], free + reach * step.free[k + 1, j]
            total += gap * row + s * free
    return total


# ---- conditions of optimality --------------------------------------------------------------------------------------


def adjoint(problem, iterate, room, free):
    """Into `room.slope` what a little more of each input costs, by costates, Eq. (3); into `room.pulled` Q x + q."""
    stages = iterate.u.shape[0]
    own_slope(problem, iterate, room, stages, room.a)
    for k in range(stages - 1, -1, -1):
        multiply(room.across[k], room.a, room.y)
        multiply_back(mixer_at(problem, k), room.y, room.slope[k])
        for i in range(room.slope.shape[1]):
            room.slope[k, i] += problem.R[i] * iterate.u[k, i] + problem.r[k, i]
        if k > 0 or free > 0:
            own_slope(problem, iterate, room, k, room.b)
            add_back(problem.A[k], room.a, room.b)
            for i in range(len(room.a)):
                room.a[i] = room.b[i]


def own_slope(problem, iterate, room, k, out):
    """What a little more of a state costs at its own stage; soft rows of stage 0 do not matter."""
    size, rows = len(out), iterate.row.shape[1] if k > 0 else 0
    multiply_back(problem.Q[k], iterate.x[k], out)  # which is symmetric
    for i in range(size):
        out[i] += problem.q[k, i]
        room.pulled[k, i] = out[i]
    for j in range(rows):
        row = iterate.row[k, j]
        for i in range(size):
            out[i] += row * problem.G[k, j, i]


def examine(problem, iterate, room, free):
    """The largest violation of a condition, Eq. (13), and what moving an input across its range is worth at most."""
    stages, inputs = iterate.u.shape
    scale, worth, worst, product = LEAST_SCALE, 0.0, 0.0, 0.0
    for k in range(stages):
        for i in range(inputs):
            spread = problem.upper[k, i] - problem.lower[k, i]
            if spread > 0.0:
                slope, low, high = room.slope[k, i], iterate.low[k, i], iterate.high[k, i]
                own, given = problem.R[i] * iterate.u[k, i], problem.r[k, i]
                summand = max(abs(own), abs(given), abs(slope - own - given), low, high)
                scale, worth = max(scale, summand), max(worth, max(summand, LEAST_SCALE) * spread)
                worst = larger(worst, slope - low + high)
                product = larger(product, low * (iterate.u[k, i] - problem.lower[k, i]))
                product = larger(product, high * (problem.upper[k, i] - iterate.u[k, i]))
    for i in range(len(room.a) - free, len(room.a)):
        scale, worst = max(scale, abs(room.pulled[0, i])), larger(worst, room.a[i])
    worst /= scale
    for k in range(1, stages + 1):
        for j in range(iterate.s.shape[1]):
            s, gap, row, open_ = iterate.s[k, j], room.gap[k, j], iterate.row[k, j], iterate.free[k, j]
            asked = problem.z[j] + problem.Z[j] * s
            worst = larger(worst, (asked - row - open_) / asked)
            worst = larger(worst, room.miss[k, j] / max(abs(problem.h[k, j]), s, gap))
            product = larger(larger(product, gap * row), s * open_)
    worth = max(worth, LEAST_SCALE)
    return larger(worst, product / worth), worth


def larger(worst, value):
    """The larger magnitude; not a number if either is none."""
    size = abs(value)
    return worst if size <= worst else size


def aim_at(iterate, room, mu, most):
    """Products that the step aims at, less what the step found before would add to them by itself, `most` at most."""
    step, aim = room.step, room.aim
    for k in range(iterate.u.shape[0]):
        for i in range(iterate.u.shape[1]):
            aim.low[k, i] = mu - limited(step.u[k, i] * step.low[k, i], most)
            aim.high[k, i] = mu + limited(step.u[k, i] * step.high[k, i], most)
        for j in range(iterate.s.shape[1]):
            # `aim.s` has what the step before adds to the gap
            aim.row[k + 1, j] = mu - limited(aim.s[k + 1, j] * step.row[k + 1, j], most)
            aim.free[k + 1, j] = mu - limited(step.s[k + 1, j] * step.free[k + 1, j], most)


def limited(value, most):
    return min(max(value, -most), most)
