"""A step of the interior point by Riccati's recursion (docs/theory/interior_point.md)."""

import math

from cardan.mpc.dense import (
    add_back,
    add_product_back,
    add_scaled,
    cholesky,
    dot,
    mixed_weight,
    multiply,
    multiply_back,
    product,
    product_with_lower,
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


def factorise(problem, room):
    """Riccati's recursion, Eqs. (6) to (8). The mixer is eliminated: its rows are all that a stage decides on."""
    stages = problem.c.shape[0]
    stage_weight(problem, room, stages, room.P[stages])
    for k in range(stages - 1, -1, -1):
        ahead, L, H, V = room.P[k + 1], room.L[k], room.H[k], room.V[k]
        # Eq. (6): M W^-1 M' = F F', L = B F
        mixed_weight(mixer_at(problem, k), room.give[k], room.square)
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
    mixer = mixer_at(problem, k)
    for i in range(len(room.y)):
        value = 0.0
        for j in range(len(problem.R)):
            is_free = problem.upper[k, j] > problem.lower[k, j]
            own = -room.give[k, j] * room.pull[k, j] if is_free else problem.lower[k, j]
            value += mixer[i, j] * own
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
        mixer = mixer_at(problem, k)
        for i in range(step.u.shape[1]):
            slope = room.pull[k, i]
            for j in range(len(room.y)):
                slope += mixer[j, i] * room.y[j]
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


def follow(problem, k, x, y, out):
    """The state after x, with y of the mixer."""
    A, B = problem.A[k], problem.B[k]
    for i in range(len(out)):
        out[i] = problem.c[k, i] + dot(A[i], x) + dot(B[i], y)
