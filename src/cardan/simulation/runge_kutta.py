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
        for s in range(stages):
            if s == 0:
                is_known, status = known_rates(arena, ints, plan, t)
                if status != OK:
                    return status
                if is_known:
                    copy(arena, k, xdot, n)
                    continue
            combine(arena, x, x0, k, n, h, method.a[s, :s])
            is_between = s > 0 and not (method.is_fsal and s == stages - 1)
            status = evaluate(arena, ints, plan, end if method.c[s] == 1.0 else t + method.c[s] * h, s, is_between)
            if status != OK:
                return status
            copy(arena, k + s * n, xdot, n)
        if not method.is_fsal:
            combine(arena, x, x0, k, n, h, method.b)
        return OK

    return run


def copy(arena, to, start, n):
    """Numbers from `start` on to `to`, over whole vectors, so that the compiler can work on several at once."""
    target, source = arena[to : to + n], arena[start : start + n]
    for i in range(n):
        target[i] = source[i]


def combine(arena, x, x0, k, n, h, weights):
    """X <- X0 + h (0 + weights . rates), over whole vectors, in as many passes as there are weights beside zeros."""
    to, start = arena[x : x + n], arena[x0 : x0 + n]
    last = len(weights) - 1
    while last >= 0 and weights[last] == 0.0:
        last -= 1
    is_first = True
    for j in range(last):
        if weights[j] != 0.0:
            rate = arena[k + j * n : k + j * n + n]
            if is_first:
                for i in range(n):
                    to[i] = 0.0 + weights[j] * rate[i]
            else:
                for i in range(n):
                    to[i] += weights[j] * rate[i]
            is_first = False
    if last < 0:
        for i in range(n):
            to[i] = start[i] + h * 0.0
        return
    rate = arena[k + last * n : k + last * n + n]
    if is_first:
        for i in range(n):
            to[i] = start[i] + h * (0.0 + weights[last] * rate[i])
    else:
        for i in range(n):
            to[i] = start[i] + h * (to[i] + weights[last] * rate[i])


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
