"""The stages of a Rosenbrock step: linearly implicit, with the derivatives of the right-hand side by differences.

What is stiff, wherever in a scenario, is in these derivatives: springs and dampers of joints, contact, gains, time
constants (docs/theory/integrators/rosenbrock.md).
"""

import math
from collections.abc import Callable
from typing import Any

from cardan.native.status import OK
from cardan.simulation.runge_kutta import combine, copy

ROUNDING = 2.220446049250313e-16
SMALL = 1.0e-5  # states below this are as large as this where they are moved for a difference


def rosenbrock_room(size: int) -> int:
    """Words that a step needs beside the state at its start and the stages."""
    return 2 * size * size + 3 * size


def rosenbrock_with(evaluate: Callable[..., Any], known_rates: Callable[..., Any]) -> Callable[..., Any]:
    """All stages of one step; arguments as in `runge_kutta_with`."""

    def run(arena, ints, plan, method, t, h, end):
        """From the state at `plan.work`; leaves the new state in X."""
        x, xdot, n, x0 = plan.x, plan.xdot, plan.size, plan.work
        k, stages = plan.work + n, len(method.b)
        f0 = k + stages * n
        ft, jacobian = f0 + n, f0 + 2 * n
        matrix, order = jacobian + n * n, jacobian + 2 * n * n
        copy(arena, x, x0, n)
        is_known, status = known_rates(arena, ints, plan, t)
        if status == OK and not is_known:
            status = evaluate(arena, ints, plan, t, 0, False)
        if status != OK:
            return status
        copy(arena, f0, xdot, n)

        # Eq. (3): derivatives by time and by each state
        later = t + max(1.0e-6 * h, 1.0e-9 * abs(t))
        status = evaluate(arena, ints, plan, later, 1, True)
        if status != OK:
            return status
        for i in range(n):
            arena[ft + i] = (arena[xdot + i] - arena[f0 + i]) / (later - t)
        for j in range(n):
            was = arena[x + j]
            arena[x + j] = was + math.sqrt(ROUNDING * max(SMALL, abs(was)))
            moved = arena[x + j] - was
            status = evaluate(arena, ints, plan, t, 1, True)
            if status != OK:
                return status
            arena[x + j] = was
            for i in range(n):
                arena[jacobian + i * n + j] = (arena[xdot + i] - arena[f0 + i]) / moved

        # Eq. (2): (1/gamma - h J) k_s = f_s + sum_j c_sj k_j + h g_s df/dt
        diagonal = method.coupling[0, 0]
        for i in range(n * n):
            arena[matrix + i] = -h * arena[jacobian + i]
        for i in range(n):
            arena[matrix + i * n + i] += diagonal
        factor(arena, matrix, order, n)
        for s in range(stages):
            rhs = k + s * n
            if is_first(method, s):
                copy(arena, rhs, f0, n)
            else:
                combine(arena, x, x0, k, n, h, method.a[s, :s], k + (s - 1) * n)
                at = end if method.c[s] == 1.0 else t + method.c[s] * h
                status = evaluate(arena, ints, plan, at, s, True)
                if status != OK:
                    return status
                copy(arena, rhs, xdot, n)
            for j in range(s):
                weight = method.coupling[s, j]
                for i in range(n):
                    arena[rhs + i] += weight * arena[k + j * n + i]
            for i in range(n):
                arena[rhs + i] += h * method.coupling[s, stages] * arena[ft + i]
            solve(arena, matrix, order, n, rhs, xdot)
        combine(arena, x, x0, k, n, h, method.b, k + (stages - 1) * n)
        return OK

    return run


def is_first(method, s):
    """Whether a stage is evaluated where the step begins."""
    other = 0
    for j in range(s):
        other += 1 if method.a[s, j] != 0.0 else 0
    return other == 0


def factor(arena, at, order, n):
    """Triangular factors of the matrix at `at` in its place; `order` takes which row comes when."""
    for i in range(n):
        arena[order + i] = i
    for j in range(n):
        best = j
        for i in range(j + 1, n):
            if abs(arena[at + i * n + j]) > abs(arena[at + best * n + j]):
                best = i
        if best != j:
            arena[order + j], arena[order + best] = arena[order + best], arena[order + j]
            for i in range(n):
                here, there = at + j * n + i, at + best * n + i
                arena[here], arena[there] = arena[there], arena[here]
        part = 1.0 / arena[at + j * n + j]
        row = arena[at + j * n + j + 1 : at + j * n + n]
        for i in range(j + 1, n):
            share = arena[at + i * n + j] * part
            arena[at + i * n + j] = share
            if share != 0.0:
                other = arena[at + i * n + j + 1 : at + i * n + n]
                for m in range(n - j - 1):
                    other[m] -= share * row[m]


def solve(arena, at, order, n, rhs, room):
    """The solution takes the place of the right-hand side."""
    for i in range(n):
        total = arena[rhs + int(arena[order + i])]
        for j in range(i):
            total -= arena[at + i * n + j] * arena[room + j]
        arena[room + i] = total
    for i in range(n - 1, -1, -1):
        total = arena[room + i]
        for j in range(i + 1, n):
            total -= arena[at + i * n + j] * arena[rhs + j]
        arena[rhs + i] = total / arena[at + i * n + i]
