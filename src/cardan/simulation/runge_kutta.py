"""The stages of a step, for any way to evaluate rates: of one run, or of eight side by side.

`plan` says where the state X, its rates, the state that the step began with and the stages lie in `arena`, and how many
numbers each has. Numbers are worked on one by one, so eight runs whose numbers lie side by side are one longer state.
"""

from collections.abc import Callable
from typing import Any

from cardan.native.status import OK


def runge_kutta_with(evaluate: Callable[..., Any], known_rates: Callable[..., Any]) -> Callable[..., Any]:
    """All stages of one explicit Runge-Kutta step.

    Args:
        evaluate: `(arena, ints, plan, t, stage, is_between)`: the rates at X go to XDOT; returns a status.
        known_rates: `(arena, ints, plan, t)`: whether XDOT holds the rates at X already, and a status.
    """

    def run(arena, ints, plan, method, t, h, end):
        """From the state at `plan.work`; leaves the new state in X and, if FSAL, its rates.

        A stage at the end of the step is at the time `end`, to the bit, at which the next step begins.
        """
        x, xdot, n, x0 = plan.x, plan.xdot, plan.size, plan.work
        k = plan.work + n
        stages = len(method.b)
        is_known, status = known_rates(arena, ints, plan, t)
        for s in range(stages):
            if s > 0:
                # the rates of the stage before are put aside while the next stage can begin
                combine(arena, x, x0, k, n, h, method.a[s, :s], xdot)
                copy(arena, k + (s - 1) * n, xdot, n)
            if status == OK and not (s == 0 and is_known):
                is_between = s > 0 and not (method.is_fsal and s == stages - 1)
                at = end if method.c[s] == 1.0 else t + method.c[s] * h
                status = evaluate(arena, ints, plan, at, s, is_between)
            if status != OK:
                return status
        if not method.is_fsal:
            combine(arena, x, x0, k, n, h, method.b, xdot)
        if len(method.error) > 0:
            copy(arena, k + (stages - 1) * n, xdot, n)
        return OK

    return run


def copy(arena, to, start, n):
    """Numbers from `start` on to `to`, over whole vectors, so that the compiler can work on several at once."""
    target, source = arena[to : to + n], arena[start : start + n]
    for i in range(n):
        target[i] = source[i]


def combine(arena, x, x0, k, n, h, weights, latest):
    """X <- X0 + h (0 + weights . rates) over whole vectors; up to four weights beside zeros take one pass.

    The rates of stages lie at `k`, one after the other, but those of the last one that has a weight at `latest`.
    """
    to, start = arena[x : x + n], arena[x0 : x0 + n]
    count, last, b, c, d = 0, 0, 0, 0, 0  # how many are not zero; the last of them, and those before it
    for j in range(len(weights)):
        if weights[j] != 0.0:
            count, b, c, d, last = count + 1, c, d, last, j
    if count == 0:
        for i in range(n):
            to[i] = start[i] + h * 0.0
        return
    end = len(weights) - 1
    p, rate = weights[last], rates_of(arena, k if last < end else latest - end * n, n, last)
    if count == 1:
        for i in range(n):
            to[i] = start[i] + h * (0.0 + p * rate[i])
        return
    q, other = weights[d], rates_of(arena, k, n, d)
    if count == 2:
        for i in range(n):
            to[i] = start[i] + h * ((0.0 + q * other[i]) + p * rate[i])
        return
    r, third = weights[c], rates_of(arena, k, n, c)
    if count == 3:
        for i in range(n):
            to[i] = start[i] + h * (((0.0 + r * third[i]) + q * other[i]) + p * rate[i])
        return
    s, fourth = weights[b], rates_of(arena, k, n, b)
    if count == 4:
        for i in range(n):
            to[i] = start[i] + h * ((((0.0 + s * fourth[i]) + r * third[i]) + q * other[i]) + p * rate[i])
        return
    for i in range(n):
        to[i] = 0.0
    for j in range(last):
        if weights[j] != 0.0:
            part = rates_of(arena, k, n, j)
            for i in range(n):
                to[i] += weights[j] * part[i]
    for i in range(n):
        to[i] = start[i] + h * (to[i] + p * rate[i])


def rates_of(arena, k, n, j):
    """The rates of stage `j`."""
    return arena[k + j * n : k + j * n + n]


def semi_implicit_with(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    """Velocities with the old rates, then positions with the rates that the new velocities give."""

    def run(arena, ints, plan, t, h):
        x, xdot, x0, marks = plan.x, plan.xdot, plan.work, plan.positions
        status = evaluate(arena, ints, plan, t, 0, False)
        if status != OK:
            return status
        for i in range(plan.size):
            if arena[marks + i] == 0.0:
                arena[x + i] = arena[x0 + i] + h * arena[xdot + i]
        status = evaluate(arena, ints, plan, t + h, 1, True)
        if status != OK:
            return status
        for i in range(plan.size):
            if arena[marks + i] != 0.0:
                arena[x + i] = arena[x0 + i] + h * arena[xdot + i]
        return OK

    return run
