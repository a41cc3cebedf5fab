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
from typing import Any, NamedTuple

import numpy as np

# ---- what `solve` returns ------------------------------------------------------------------------------------------
SOLVED = 0
OUT_OF_ITERATIONS = 1  # the best that the budget allowed: feasible, not optimal to the tolerance
BROKEN_DOWN = 2  # a number is not finite

CLOSEST = 0.1  # [-] of its range that an input keeps from its bounds at the start
START = 0.1  # [-] products of slacks and multipliers at the start, of gradients times ranges
KEPT = 0.995  # [-] of the way to the nearest bound that a step goes at most


class Problem(NamedTuple):
    """The numbers of Eq. (1): N stages, nx states, ny rows of the mixer, nu inputs, m soft rows a stage.

    Attributes:
        A: (N, nx, nx) States to next states.
        B: (N, nx, ny) What the mixer gives to next states.
        c: (N, nx) What comes without inputs.
        M: (ny, nu) Mixer.
        Q: (N + 1, nx, nx) Weights of states, symmetric; the last is the terminal weight.
        q: (N + 1, nx) Their linear part.
        R: (nu,) Weights of inputs, positive.
        r: (N, nu) Their linear part.
        lower: (N, nu) Bounds of inputs. An input whose bounds coincide is fixed.
        upper: (N, nu) The others.
        G: (N + 1, m, nx) Soft rows. Those of stage 0 do not matter.
        h: (N + 1, m) Their limits.
        z: (m,) Linear penalty, positive.
        Z: (m,) Quadratic penalty, positive.
    """

    A: Any
    B: Any
    c: Any
    M: Any
    Q: Any
    q: Any
    R: Any
    r: Any
    lower: Any
    upper: Any
    G: Any
    h: Any
    z: Any
    Z: Any


class Iterate(NamedTuple):
    """Where the method stands, or what a step adds to that.

    Attributes:
        x: (N + 1, nx) States.
        u: (N, nu) Inputs.
        low: (N, nu) Multipliers of lower bounds.
        high: (N, nu) Multipliers of upper bounds.
        s: (N + 1, m) How far soft rows may be exceeded.
        row: (N + 1, m) Multipliers of the rows.
        free: (N + 1, m) Multipliers of s >= 0.
    """

    x: Any
    u: Any
    low: Any
    high: Any
    s: Any
    row: Any
    free: Any


class Room(NamedTuple):
    """Memory of the method. What it holds on entry does not matter.

    Attributes:
        step: What a step adds.
        aim: Products of slacks and multipliers that a step aims at, as far as pairs go: low, high, row, free.
        gap: (N + 1, m) What soft rows leave, h + s - G x.
        P: (N + 1, nx, nx) Riccati's matrices.
        p: (N + 1, nx) Costates are P x + p.
        L: (N, ny, nx) Transposed: B times the factor of the inverse weight of what the mixer gives.
        H: (N, ny, ny) Cholesky factors of I + L' P L.
        V: (N, ny, nx) H^-1 L' P A.
        v: (N, ny) The same for the constant part.
        give: (N, nu) One over the weight of each input and its barriers.
        pull: (N, nu) Its linear part.
        hold: (N + 1, m) Weight of each soft row.
        push: (N + 1, m) Its linear part.
        square: (ny, ny) For products; the ones below too.
        wide: (ny, nx)
        tall: (nx, nx)
        a: (nx,)
        b: (nx,)
        y: (ny,)
        w: (ny,)
    """

    step: Iterate
    aim: Iterate
    gap: Any
    P: Any
    p: Any
    L: Any
    H: Any
    V: Any
    v: Any
    give: Any
    pull: Any
    hold: Any
    push: Any
    square: Any
    wide: Any
    tall: Any
    a: Any
    b: Any
    y: Any
    w: Any


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


def new_iterate(stages, states, inputs, rows):
    """An iterate with nothing in it."""
    return Iterate(
        np.zeros((stages + 1, states)),
        np.zeros((stages, inputs)),
        np.zeros((stages, inputs)),
        np.zeros((stages, inputs)),
        np.zeros((stages + 1, rows)),
        np.zeros((stages + 1, rows)),
        np.zeros((stages + 1, rows)),
    )


def new_room(stages, states, outputs, inputs, rows):
    """Memory for a problem of these sizes."""
    return Room(
        new_iterate(stages, states, inputs, rows),
        new_iterate(stages, states, inputs, rows),
        np.zeros((stages + 1, rows)),
        np.zeros((stages + 1, states, states)),
        np.zeros((stages + 1, states)),
        np.zeros((stages, outputs, states)),
        np.zeros((stages, outputs, outputs)),
        np.zeros((stages, outputs, states)),
        np.zeros((stages, outputs)),
        np.zeros((stages, inputs)),
        np.zeros((stages, inputs)),
        np.zeros((stages + 1, rows)),
        np.zeros((stages + 1, rows)),
        np.zeros((outputs, outputs)),
        np.zeros((outputs, states)),
        np.zeros((states, states)),
        np.zeros(states),
        np.zeros(states),
        np.zeros(outputs),
        np.zeros(outputs),
    )


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
        multiply(problem.M, iterate.u[k], room.y)
        follow(problem, k, iterate.x[k], room.y, iterate.x[k + 1])


def follow(problem, k, x, y, out):
    """The state after x, with y of the mixer."""
    A, B = problem.A[k], problem.B[k]
    for i in range(len(out)):
        out[i] = problem.c[k, i] + dot(A[i], x) + dot(B[i], y)


def mark_gaps(problem, iterate, room):
    """What soft rows leave."""
    for k in range(1, iterate.s.shape[0]):
        for j in range(iterate.s.shape[1]):
            room.gap[k, j] = problem.h[k, j] + iterate.s[k, j] - dot(problem.G[k, j], iterate.x[k])


def move(iterate, step, reach):
    """Go a part of a step."""
    for k in range(iterate.u.shape[0]):
        for i in range(iterate.u.shape[1]):
            iterate.u[k, i] += reach * step.u[k, i]
            iterate.low[k, i] += reach * step.low[k, i]
            iterate.high[k, i] += reach * step.high[k, i]
        for i in range(iterate.x.shape[1]):
            iterate.x[k + 1, i] += reach * step.x[k + 1, i]
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
    value = problem.R[i] * iterate.u[k, i] + problem.r[k, i]
    for j in range(len(room.y)):
        value += problem.M[j, i] * room.y[j]
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


# ---- a step --------------------------------------------------------------------------------------------------------


def weigh(problem, iterate, room):
    """Weights of inputs and rows with their barriers: Eqs. (4) and (5)."""
    for k in range(iterate.u.shape[0]):
        for i in range(iterate.u.shape[1]):
            down, up = iterate.u[k, i] - problem.lower[k, i], problem.upper[k, i] - iterate.u[k, i]
            is_free = problem.upper[k, i] > problem.lower[k, i]
            # a fixed input gives nothing
            weight = problem.R[i] + iterate.low[k, i] / down + iterate.high[k, i] / up if is_free else math.inf
            room.give[k, i] = 1.0 / weight
        for j in range(iterate.s.shape[1]):
            a, b = row_weights(problem, iterate, room, k + 1, j)
            room.hold[k + 1, j] = a * b / (a + b)


def row_weights(problem, iterate, room, k, j):
    """What a row weighs by its gap, and what the penalty of exceeding it weighs."""
    a = iterate.row[k, j] / room.gap[k, j]
    return a, problem.Z[j] + iterate.free[k, j] / iterate.s[k, j]


def factorise(problem, room):
    """Riccati's recursion, Eqs. (6) to (8). The mixer is eliminated: its rows are all that a stage decides on."""
    stages = problem.c.shape[0]
    stage_weight(problem, room, stages, room.P[stages])
    for k in range(stages - 1, -1, -1):
        ahead, L, H, V = room.P[k + 1], room.L[k], room.H[k], room.V[k]
        # Eq. (6): M W^-1 M' = F F', L = B F
        mixed_weight(problem.M, room.give[k], room.square)
        cholesky(room.square)
        product_with_lower(problem.B[k], room.square, L)
        # Eq. (7): H H' = I + L' P L
        product(L, ahead, room.wide)
        for i in range(H.shape[0]):
            for j in range(i + 1):
                H[i, j] = H[j, i] = dot(room.wide[i], L[j])
            H[i, i] += 1.0
        cholesky(H)
        # Eq. (8): P = Q + A' P A - V' V
        product(ahead, problem.A[k], room.tall)
        product(room.wide, problem.A[k], V)
        solve_lower_rows(H, V)
        if k > 0:
            stage_weight(problem, room, k, room.P[k])
            add_product_back(problem.A[k], room.tall, V, room.P[k])


def stage_weight(problem, room, k, out):
    """Q with the weights of soft rows."""
    size = out.shape[0]
    for i in range(size):
        for j in range(size):
            out[i, j] = problem.Q[k, i, j]
    for r in range(problem.h.shape[1]):
        g = problem.G[k, r]
        for i in range(size):
            if g[i] != 0.0:
                add_scaled(g, room.hold[k, r] * g[i], out[i])


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


def find_step(problem, iterate, room):
    """The step to the minimum of the quadratic model whose weights are factorised."""
    pull_and_push(problem, iterate, room)
    go_back(problem, room)
    go_forth(problem, iterate, room)
    step_multipliers(problem, iterate, room)


def pull_and_push(problem, iterate, room):
    """Linear parts of inputs and rows with their barriers: Eqs. (4) and (5)."""
    aim = room.aim
    for k in range(iterate.u.shape[0]):
        for i in range(iterate.u.shape[1]):
            u, value = iterate.u[k, i], problem.r[k, i]
            if problem.upper[k, i] > problem.lower[k, i]:
                down, up = u - problem.lower[k, i], problem.upper[k, i] - u
                value -= (aim.low[k, i] + iterate.low[k, i] * u) / down
                value += (aim.high[k, i] - iterate.high[k, i] * u) / up
            room.pull[k, i] = value
        for j in range(iterate.s.shape[1]):
            a, b = row_weights(problem, iterate, room, k + 1, j)
            there = aim.row[k + 1, j] / room.gap[k + 1, j]
            asked = problem.z[j] + problem.Z[j] * iterate.s[k + 1, j] - aim.free[k + 1, j] / iterate.s[k + 1, j]
            constant = (b * there + a * asked) / (a + b)
            room.push[k + 1, j] = constant - room.hold[k + 1, j] * dot(problem.G[k + 1, j], iterate.x[k + 1])


def go_back(problem, room):
    """Constant parts of costates and feedback, Eq. (9)."""
    stages = problem.c.shape[0]
    linear_part(problem, room, stages, room.p[stages])
    for k in range(stages - 1, -1, -1):
        given(problem, room, k)
        # a = P (B y + c) + p, at stage k + 1
        multiply(problem.B[k], room.y, room.b)
        for i in range(len(room.b)):
            room.b[i] += problem.c[k, i]
        multiply(room.P[k + 1], room.b, room.a)
        for i in range(len(room.a)):
            room.a[i] += room.p[k + 1, i]
        multiply(room.L[k], room.a, room.v[k])
        solve_lower(room.H[k], room.v[k])
        if k > 0:
            linear_part(problem, room, k, room.p[k])
            add_back(problem.A[k], room.a, room.p[k])
            subtract_back(room.V[k], room.v[k], room.p[k])


def linear_part(problem, room, k, out):
    for i in range(len(out)):
        out[i] = problem.q[k, i]
    for j in range(problem.h.shape[1]):
        add_scaled(problem.G[k, j], room.push[k, j], out)


def given(problem, room, k):
    """Into `room.y` what the mixer gives if nothing is fed back: fixed inputs, and others by their own weights."""
    for i in range(len(room.y)):
        value = 0.0
        for j in range(len(problem.R)):
            is_free = problem.upper[k, j] > problem.lower[k, j]
            own = -room.give[k, j] * room.pull[k, j] if is_free else problem.lower[k, j]
            value += problem.M[i, j] * own
        room.y[i] = value


def go_forth(problem, iterate, room):
    """States and inputs at the minimum, Eq. (10), less those of the iterate."""
    step, stages = room.step, problem.c.shape[0]
    for i in range(len(room.b)):
        room.b[i] = iterate.x[0, i]
        step.x[0, i] = 0.0
    for k in range(stages):
        # w = - H'^-1 (V x + v)
        for i in range(len(room.w)):
            room.w[i] = -room.v[k, i] - dot(room.V[k, i], room.b)
        solve_lower_back(room.H[k], room.w)
        given(problem, room, k)
        follow(problem, k, room.b, room.y, room.a)
        add_back(room.L[k], room.w, room.a)
        for i in range(len(room.b)):
            room.b[i] = room.a[i]
            step.x[k + 1, i] = room.a[i] - iterate.x[k + 1, i]
        # inputs by the costate, which needs no inverse of the mixer
        for i in range(len(room.a)):
            room.a[i] = room.p[k + 1, i] + dot(room.P[k + 1, i], room.b)
        multiply_back(problem.B[k], room.a, room.y)
        for i in range(step.u.shape[1]):
            slope = room.pull[k, i]
            for j in range(len(room.y)):
                slope += problem.M[j, i] * room.y[j]
            step.u[k, i] = -room.give[k, i] * slope - iterate.u[k, i] if room.give[k, i] > 0.0 else 0.0


def step_multipliers(problem, iterate, room):
    """What the step adds to multipliers and to soft slacks: Eqs. (4) and (5)."""
    step, aim = room.step, room.aim
    for k in range(iterate.u.shape[0]):
        for i in range(iterate.u.shape[1]):
            step.low[k, i] = step.high[k, i] = 0.0
            if problem.upper[k, i] > problem.lower[k, i]:
                down, up = iterate.u[k, i] - problem.lower[k, i], problem.upper[k, i] - iterate.u[k, i]
                step.low[k, i] = (aim.low[k, i] - iterate.low[k, i] * step.u[k, i]) / down - iterate.low[k, i]
                step.high[k, i] = (aim.high[k, i] + iterate.high[k, i] * step.u[k, i]) / up - iterate.high[k, i]
        for j in range(iterate.s.shape[1]):
            s, gap = iterate.s[k + 1, j], room.gap[k + 1, j]
            a, b = row_weights(problem, iterate, room, k + 1, j)
            moved = dot(problem.G[k + 1, j], step.x[k + 1])
            asked = problem.z[j] + problem.Z[j] * s - aim.free[k + 1, j] / s
            step.s[k + 1, j] = (a * moved + aim.row[k + 1, j] / gap - asked) / (a + b)
            change = step.s[k + 1, j] - moved
            step.row[k + 1, j] = (aim.row[k + 1, j] - iterate.row[k + 1, j] * change) / gap - iterate.row[k + 1, j]
            step.free[k + 1, j] = (aim.free[k + 1, j] - iterate.free[k + 1, j] * step.s[k + 1, j]) / s
            step.free[k + 1, j] -= iterate.free[k + 1, j]
            aim.s[k + 1, j] = change


# ---- dense algebra of small sizes; inner loops run along rows ------------------------------------------------------


def dot(a, b):
    value = 0.0
    for i in range(len(a)):
        value += a[i] * b[i]
    return value


def add_scaled(a, scale, out):
    for i in range(len(out)):
        out[i] += scale * a[i]


def multiply(m, a, out):
    """Out = m a"""
    for i in range(len(out)):
        out[i] = dot(m[i], a)


def multiply_back(m, a, out):
    """Out = m' a"""
    for i in range(len(out)):
        out[i] = 0.0
    add_back(m, a, out)


def add_back(m, a, out):
    """Out += m' a"""
    for i in range(len(a)):
        add_scaled(m[i], a[i], out)


def subtract_back(m, a, out):
    """Out -= m' a"""
    for i in range(len(a)):
        add_scaled(m[i], -a[i], out)


def product(a, b, out):
    """Out = a b, four columns at a time, which the compiler keeps in one register"""
    n, whole = b.shape[0], b.shape[1] - b.shape[1] % 4
    for i in range(out.shape[0]):
        for j in range(0, whole, 4):
            c, d, e, f = 0.0, 0.0, 0.0, 0.0
            for k in range(n):
                x = a[i, k]
                c, d, e, f = c + x * b[k, j], d + x * b[k, j + 1], e + x * b[k, j + 2], f + x * b[k, j + 3]
            out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = c, d, e, f
        for j in range(whole, b.shape[1]):
            c = 0.0
            for k in range(n):
                c += a[i, k] * b[k, j]
            out[i, j] = c


def product_with_lower(a, lower, out):
    """Out = (a lower)', with a lower triangular matrix"""
    for j in range(out.shape[0]):
        for i in range(out.shape[1]):
            value = 0.0
            for k in range(j, lower.shape[0]):
                value += a[i, k] * lower[k, j]
            out[j, i] = value


def add_product_back(a, b, v, out):
    """Out += a' b - v' v, which is symmetric: its lower half is computed, four columns at a time"""
    n, m, size = a.shape[0], v.shape[0], out.shape[0]
    for i in range(size):
        for j in range(0, i + 1, 4):
            if j + 4 <= size:
                c, d, e, f = out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3]
                for k in range(n):
                    x = a[k, i]
                    c, d, e, f = c + x * b[k, j], d + x * b[k, j + 1], e + x * b[k, j + 2], f + x * b[k, j + 3]
                for k in range(m):
                    x = v[k, i]
                    c, d, e, f = c - x * v[k, j], d - x * v[k, j + 1], e - x * v[k, j + 2], f - x * v[k, j + 3]
                out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = c, d, e, f
            else:
                for last in range(j, i + 1):
                    c = out[i, last]
                    for k in range(n):
                        c += a[k, i] * b[k, last]
                    for k in range(m):
                        c -= v[k, i] * v[k, last]
                    out[i, last] = c
    for i in range(size):
        for j in range(i):
            out[j, i] = out[i, j]


def mixed_weight(mixer, give, out):
    """Out = M diag(give) M'"""
    for i in range(out.shape[0]):
        for j in range(i + 1):
            value = 0.0
            for k in range(len(give)):
                value += mixer[i, k] * give[k] * mixer[j, k]
            out[i, j] = out[j, i] = value


def cholesky(m):
    """The lower triangular factor, in place. Directions without weight, to rounding, become zero columns."""
    n = m.shape[0]
    for j in range(n):
        whole = m[j, j]
        rest = whole
        for k in range(j):
            rest -= m[j, k] * m[j, k]
        pivot = math.sqrt(rest) if rest > 1.0e-14 * whole else 0.0
        part = 1.0 / pivot if pivot > 0.0 else 0.0
        m[j, j] = pivot
        for i in range(j + 1, n):
            value = m[i, j]
            for k in range(j):
                value -= m[i, k] * m[j, k]
            m[i, j] = value * part


def solve_lower(lower, out):
    """Out = lower^-1 out"""
    for i in range(len(out)):
        value = out[i]
        for k in range(i):
            value -= lower[i, k] * out[k]
        out[i] = value / lower[i, i]


def solve_lower_back(lower, out):
    """Out = lower'^-1 out"""
    for i in range(len(out) - 1, -1, -1):
        value = out[i]
        for k in range(i + 1, len(out)):
            value -= lower[k, i] * out[k]
        out[i] = value / lower[i, i]


def solve_lower_rows(lower, out):
    """Out = lower^-1 out, for a matrix"""
    for i in range(out.shape[0]):
        for k in range(i):
            add_scaled(out[k], -lower[i, k], out[i])
        part = 1.0 / lower[i, i]
        for j in range(out.shape[1]):
            out[i, j] *= part
