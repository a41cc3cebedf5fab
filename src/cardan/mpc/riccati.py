"""A step of the interior point by Riccati's recursion (docs/theory/interior_point.md)."""

import math

from cardan.mpc.dense import (
    add_back,
    add_product_back,
    cholesky,
    lower_back_product,
    lower_of_product,
    multiply,
    multiply_back,
    product,
    row_dot,
    scale_columns,
    solve_lower,
    solve_lower_back,
    solve_lower_rows,
    subtract_back,
)
from cardan.mpc.problem import mixer_at


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


def factorise(problem, room, free):
    """Riccati's recursion, Eqs. (6) to (8). The mixer is eliminated: its rows are all that a stage decides on."""
    stages = problem.c.shape[0]
    stage_weight(problem, room, stages, room.P[stages])
    for k in range(stages - 1, -1, -1):
        A, ahead, L, H, V = problem.A[k], room.P[k + 1], room.L[k], room.H[k], room.V[k]
        # Eq. (6): M W^-1 M' = F F', L = B F
        mixer = mixer_at(problem, k)
        scale_columns(mixer, room.give, k, room.mixed)
        lower_of_product(room.mixed, mixer, room.F[k])
        cholesky(room.F[k])
        lower_back_product(room.F[k], room.across[k], L)
        # Eq. (7): H H' = I + L' P L
        product(L, ahead, room.wide)
        lower_of_product(room.wide, L, H)
        for i in range(H.shape[0]):
            H[i, i] += 1.0
        cholesky(H)
        # Eq. (8): P = Q + A' P A - V' V
        product(room.wide, A, V)
        solve_lower_rows(H, V)
        if k > 0 or free > 0:
            product(ahead, A, room.tall)
            stage_weight(problem, room, k, room.P[k])
            add_product_back(A, room.tall, V, room.P[k])
    if free > 0:
        fixed = problem.c.shape[1] - free
        for i in range(free):
            for j in range(free):
                room.start[i, j] = room.P[0, fixed + i, fixed + j]
        cholesky(room.start)


def stage_weight(problem, room, k, out):
    """Q with the weights of soft rows; those of stage 0 do not matter."""
    size = out.shape[0]
    for i in range(size):
        for j in range(size):
            out[i, j] = problem.Q[k, i, j]
    rows = problem.h.shape[1] if k > 0 else 0
    for r in range(rows):
        for i in range(size):
            x = room.hold[k, r] * problem.G[k, r, i]
            if x != 0.0:
                for j in range(size):
                    out[i, j] += x * problem.G[k, r, j]


def find_step(problem, iterate, room, free):
    """The step to the minimum of the quadratic model whose weights are factorised.

    All is relative to the iterate: whatever rounding leaves of a step, the next one finds in its slopes.
    """
    pull_and_push(problem, iterate, room)
    go_back(problem, room, free)
    go_forth(problem, room, free)
    step_multipliers(problem, iterate, room)


def pull_and_push(problem, iterate, room):
    """Slopes of inputs and multipliers of rows with their barriers: Eqs. (4) and (5)."""
    aim = room.aim
    for k in range(iterate.u.shape[0]):
        for i in range(iterate.u.shape[1]):
            u, value = iterate.u[k, i], 0.0
            if problem.upper[k, i] > problem.lower[k, i]:
                value = problem.R[i] * u + problem.r[k, i]
                value -= aim.low[k, i] / (u - problem.lower[k, i])
                value += aim.high[k, i] / (problem.upper[k, i] - u)
            room.pull[k, i] = value
        for j in range(iterate.s.shape[1]):
            a, b = row_weights(problem, iterate, room, k + 1, j)
            there, asked = row_aims(problem, iterate, room, k + 1, j)
            room.push[k + 1, j] = (b * there + a * asked) / (a + b)


def row_aims(problem, iterate, room, k, j):
    """What the multiplier of a row would be at the gap that it has, and at the slack that it has."""
    s, aim = iterate.s[k, j], room.aim
    there = (aim.row[k, j] - iterate.row[k, j] * room.miss[k, j]) / room.gap[k, j]
    return there, problem.z[j] + problem.Z[j] * s - aim.free[k, j] / s


def go_back(problem, room, free):
    """Constant parts of costates and feedback, Eq. (9)."""
    stages, size = problem.c.shape
    linear_part(problem, room, stages, room.p[stages])
    for k in range(stages - 1, -1, -1):
        # what the mixer gives if nothing is fed back
        for j in range(len(room.own)):
            room.own[j] = -room.give[k, j] * room.pull[k, j]
        multiply(mixer_at(problem, k), room.own, room.alone[k])
        # a = P B y + p, at stage k + 1
        multiply_back(room.across[k], room.alone[k], room.b)
        multiply_back(room.P[k + 1], room.b, room.a)  # which is symmetric
        for i in range(size):
            room.a[i] += room.p[k + 1, i]
        multiply(room.L[k], room.a, room.v[k])
        solve_lower(room.H[k], room.v[k])
        if k > 0 or free > 0:
            linear_part(problem, room, k, room.p[k])
            add_back(problem.A[k], room.a, room.p[k])
            subtract_back(room.V[k], room.v[k], room.p[k])


def linear_part(problem, room, k, out):
    size, rows = len(out), problem.h.shape[1] if k > 0 else 0
    for i in range(size):
        out[i] = room.pulled[k, i]
    for j in range(rows):
        push = room.push[k, j]
        for i in range(size):
            out[i] += push * problem.G[k, j, i]


def go_forth(problem, room, free):
    """Steps of states, and of inputs, Eq. (10)."""
    step, (stages, size) = room.step, problem.c.shape
    begin_free(room, size, free)
    for i in range(size):
        step.x[0, i] = room.b[i]
    for k in range(stages):
        # w = - H'^-1 (V x + v)
        multiply(room.V[k], room.b, room.w)
        for i in range(len(room.w)):
            room.w[i] = -room.v[k, i] - room.w[i]
        solve_lower_back(room.H[k], room.w)
        follow(problem, room, k, room.b, room.alone[k])
        add_back(room.L[k], room.w, room.a)
        for i in range(size):
            room.b[i] = room.a[i]
            step.x[k + 1, i] = room.a[i]
        # what the mixer is worth, by the costate; then so that inputs give just w, whatever P has made of rounding
        multiply_back(room.P[k + 1], room.b, room.a)
        for i in range(size):
            room.a[i] += room.p[k + 1, i]
        multiply(room.across[k], room.a, room.y)
        correct(room.F[k], room.w, room.y)
        multiply_back(mixer_at(problem, k), room.y, room.own)
        for i in range(step.u.shape[1]):
            step.u[k, i] = -room.give[k, i] * (room.pull[k, i] + room.own[i])


def correct(F, w, y):
    """Change y so that F' y = - w; along zero columns of F, which give nothing, it stays. Overwrites w."""
    for j in range(len(w)):
        for i in range(j + 1):
            w[i] += F[j, i] * y[j]
    solve_lower_back(F, w)
    for i in range(len(w)):
        y[i] -= w[i]


def begin_free(room, size, free):
    """Into `room.b` the step of the beginning: of states that are free, to where the cost to go is least, Eq. (12)."""
    fixed = size - free
    for i in range(size):
        room.b[i] = 0.0
    if free > 0:
        for i in range(free):
            room.begun[i] = -room.p[0, fixed + i]
        solve_lower(room.start, room.begun)
        solve_lower_back(room.start, room.begun)
        for i in range(free):
            room.b[fixed + i] = room.begun[i]


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
            moved = row_dot(problem.G, k + 1, j, step.x)
            there, asked = row_aims(problem, iterate, room, k + 1, j)
            step.s[k + 1, j] = (a * moved + there - asked) / (a + b)
            change = step.s[k + 1, j] - moved + room.miss[k + 1, j]
            step.row[k + 1, j] = (aim.row[k + 1, j] - iterate.row[k + 1, j] * change) / gap - iterate.row[k + 1, j]
            step.free[k + 1, j] = (aim.free[k + 1, j] - iterate.free[k + 1, j] * step.s[k + 1, j]) / s
            step.free[k + 1, j] -= iterate.free[k + 1, j]
            aim.s[k + 1, j] = change


def follow(problem, room, k, x, y):
    """Into `room.a` the state after x, with y of the mixer, less what comes without them."""
    multiply_back(room.along[k], x, room.a)
    add_back(room.across[k], y, room.a)
