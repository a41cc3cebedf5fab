"""One step of one run: the stages of its integrator, the error of an adaptive one, and what is accepted."""

import numpy as np

from cardan.native.status import NOT_FINITE, OK, SINGULAR
from cardan.simulation.core import (
    AT_TICKS,
    BREAK,
    DONE,
    ENTRY_FAILED,
    EVALUATIONS,
    FAIL_ROW,
    FAIL_STAGE,
    FORGOTTEN,
    FSAL_VALID,
    HELD,
    IS_HELD,
    IS_SETTLED,
    JUMPS,
    KNOWN,
    LAST_ERROR,
    LONG_STEP,
    LOOK_EVERY,
    MOST_JUMPS,
    NANO,
    NEXT_STEP,
    NOW,
    ON_TIME,
    PROJECT_TABLE,
    REJECTED,
    SELDOM,
    STAGE_TABLE,
    STAGE_TIME,
    STATE_NOT_FINITE,
    STEP_COLLAPSED,
    STEPS,
    call,
    note_failure,
)
from cardan.simulation.rosenbrock import rosenbrock_with
from cardan.simulation.runge_kutta import copy, runge_kutta_with, semi_implicit_with


def fixed_step(arena, ints, plan, method, event):
    """One step to the next point of the grid, or to `event` where that comes first."""
    grid = (ints[NOW] // method.step + 1) * method.step
    target = min(grid, event)
    t = ints[NOW] / NANO
    h = (target - ints[NOW]) / NANO
    copy(arena, plan.work, plan.x, plan.size)
    if method.is_semi_implicit:
        status = semi_implicit_stages(arena, ints, plan, t, h)
    else:
        status = take_stages(arena, ints, plan, method, t, h, target / NANO)
    if status != OK:
        return ENTRY_FAILED
    return accept(arena, ints, plan, method, target)


def adaptive_step(arena, ints, plan, method, event):
    """One accepted step, no further than `event`, with a PI controller on the scaled error."""
    n = plan.size
    t = ints[NOW] / NANO
    copy(arena, plan.work, plan.x, n)
    if n > 0 and arena[NEXT_STEP] == 0.0 and first_step(arena, ints, plan, method, t) != OK:
        return ENTRY_FAILED

    while True:
        # whole nanoseconds, and no sliver before the event
        room = event - ints[NOW]
        wanted = room if n == 0 else min(np.int64(min(arena[NEXT_STEP], 1.0e9) * NANO), room)
        # a break is crossed in one step: there an error estimate means nothing, and nothing can be far wrong
        is_break = room <= BREAK
        step = room if is_break else max(wanted, 1)
        is_cut = step >= room
        if not is_cut and 2 * step > room:
            step = (room + 1) // 2
        h = step / NANO
        is_smallest = step <= max(1, np.int64(method.min_step * NANO))

        status = take_stages(arena, ints, plan, method, t, h, (ints[NOW] + step) / NANO)
        if status in (NOT_FINITE, SINGULAR) and ints[FAIL_STAGE] > 0 and not is_smallest:
            # a trial went where the parts have no answer: go less far
            ints[REJECTED] += 1
            arena[NEXT_STEP] = max(0.25 * h, method.min_step)
            restore_first_stage(arena, ints, plan, method)
            continue
        if status != OK:
            return ENTRY_FAILED

        error = scaled_error(arena, ints, plan, method, h)
        if is_break:
            return accept(arena, ints, plan, method, ints[NOW] + step)
        if error <= 1.0:
            factor = step_factor(error, arena[LAST_ERROR], method.error_order)
            proposed = min(h * factor, method.max_step)
            # a step that an event cut short says nothing against the longer one proposed before it
            arena[NEXT_STEP] = max(proposed, arena[NEXT_STEP]) if is_cut and factor >= 1.0 else proposed
            arena[LAST_ERROR] = max(error, 1.0e-4)
            ints[JUMPS] -= 1 if step >= LONG_STEP and ints[JUMPS] > 0 else 0
            return accept(arena, ints, plan, method, ints[NOW] + step)

        if step == 1 and ints[JUMPS] < MOST_JUMPS:
            # the right-hand side jumps, at a contact say: that is located to the clock's nanosecond, and crossed
            ints[JUMPS] += 1
            arena[NEXT_STEP] = 10.0 * h
            return accept(arena, ints, plan, method, ints[NOW] + step)
        if is_smallest:
            return note_failure(arena, ints, OK, STAGE_TABLE, ints[FAIL_ROW], 0, t, STEP_COLLAPSED)
        ints[REJECTED] += 1
        shrink = max(0.2, 0.9 * error ** (-1.0 / (method.error_order + 1)))
        arena[NEXT_STEP] = max(h * shrink, method.min_step)
        restore_first_stage(arena, ints, plan, method)


# ---- evaluations ---------------------------------------------------------------------------------------------------


def evaluate(arena, ints, plan, t, stage, is_between):
    """The right-hand side at the state in X: outputs in order, dynamics, derivatives; the rates land in XDOT."""
    known = begin_evaluation(arena, ints, t, is_between)
    for i in range(plan.stage.shape[0]):
        if plan.stage[i, 2] & known != 0:
            continue
        status = call(arena, ints, plan.stage[i, 0], t, plan.stage[i, 1])
        if status != OK:
            note_failure(arena, ints, status, STAGE_TABLE, i, stage, t)
            return status
    end_evaluation(arena, ints, t)
    return OK


def begin_evaluation(arena, ints, t, is_between):
    """Count an evaluation; returns what need not be evaluated (bits). Until it ends, nothing is known."""
    ints[EVALUATIONS] += 1
    known = (ON_TIME if arena[STAGE_TIME] == t else 0) | (AT_TICKS if ints[IS_SETTLED] == 1 else 0)
    known |= SELDOM if is_between or ints[STEPS] % LOOK_EVERY != 0 else 0
    known |= HELD if ints[IS_HELD] == 1 else 0
    arena[STAGE_TIME] = -1.0
    ints[IS_SETTLED] = 0
    return known


def end_evaluation(arena, ints, t):
    """All outputs are there, for this time and for the messages that are held now."""
    arena[STAGE_TIME] = t
    ints[IS_HELD] = 1


def evaluate_again(arena, ints, plan, t):
    """The rates at X, which a snapshot has forgotten; the run that it was taken from has counted them."""
    status = evaluate(arena, ints, plan, t, 0, True)
    ints[EVALUATIONS] -= 1
    return status


def known_rates(arena, ints, plan, t):
    """Whether XDOT holds the rates at X because the last step ended with them, and the status of finding them again."""
    if ints[FSAL_VALID] == 0:
        return False, OK
    return True, evaluate_again(arena, ints, plan, t) if ints[FSAL_VALID] == FORGOTTEN else OK


runge_kutta_stages = runge_kutta_with(evaluate, known_rates)
semi_implicit_stages = semi_implicit_with(evaluate)
rosenbrock_stages = rosenbrock_with(evaluate, known_rates)


def take_stages(arena, ints, plan, method, t, h, end):
    """All stages of a step, explicit or not."""
    if method.coupling.shape[0] > 0:
        return rosenbrock_stages(arena, ints, plan, method, t, h, end)
    return runge_kutta_stages(arena, ints, plan, method, t, h, end)


# ---- adaptive steps ------------------------------------------------------------------------------------------------


def restore_first_stage(arena, ints, plan, method):
    """After a rejected step: the first stage is still right, its rates go back to XDOT."""
    ints[FSAL_VALID] = 0 if method.coupling.shape[0] > 0 else KNOWN
    copy(arena, plan.xdot, plan.work + plan.size, plan.size)


def scaled_error(arena, ints, plan, method, h):
    """Root mean square of the error over the tolerances; FAIL_ROW takes the state that is worst."""
    x, x0, n = plan.x, plan.work, plan.size
    k = plan.work + n
    total, total_low, worst = 0.0, 0.0, -1.0
    for i in range(n):
        scale = arena[plan.absolute + i] + arena[plan.relative + i] * max(abs(arena[x0 + i]), abs(arena[x + i]))
        error, error_low = 0.0, 0.0
        for j in range(len(method.error)):
            error += method.error[j] * arena[k + j * n + i]
        for j in range(len(method.error_low)):
            error_low += method.error_low[j] * arena[k + j * n + i]
        error, error_low = error / scale, error_low / scale
        if not abs(error) <= worst:
            worst = abs(error)
            ints[FAIL_ROW] = i
        total += error * error
        total_low += error_low * error_low
    if n == 0 or total == 0.0:
        return 0.0
    if len(method.error_low) > 0:
        # Hairer, Norsett and Wanner, Solving ODEs I, section II.10: the two estimates of DOP853 combined
        scaled = h * total / np.sqrt((total + 0.01 * total_low) * n)
    else:
        scaled = h * np.sqrt(total / n)
    return scaled if scaled - scaled == 0.0 else np.inf


def step_factor(error, last_error, order):
    """PI controller: how much longer the next step may be (Hairer, Norsett and Wanner, section II.4)."""
    if error == 0.0:
        return 10.0
    factor = 0.9 * error ** (-0.7 / (order + 1)) * (last_error ** (0.4 / (order + 1)) if last_error > 0.0 else 1.0)
    return min(10.0, max(0.2, factor))


def first_step(arena, ints, plan, method, t):
    """Propose the first step: as given, or from the size of the state and its first two derivatives.

    Hairer, Norsett and Wanner, Solving ODEs I, section II.4, "starting step size".
    """
    x, xdot, x0, n = plan.x, plan.xdot, plan.work, plan.size
    if method.first_step > 0.0:
        arena[NEXT_STEP] = min(method.first_step, method.max_step)
        return OK
    if ints[FSAL_VALID] != KNOWN:
        is_new = ints[FSAL_VALID] == 0
        status = evaluate(arena, ints, plan, t, 0, False) if is_new else evaluate_again(arena, ints, plan, t)
        if status != OK:
            return status
    k = plan.work + n
    d0, d1 = 0.0, 0.0
    for i in range(n):
        scale = arena[plan.absolute + i] + arena[plan.relative + i] * abs(arena[x0 + i])
        arena[k + i] = arena[xdot + i]
        d0 += (arena[x0 + i] / scale) ** 2
        d1 += (arena[k + i] / scale) ** 2
    d0, d1 = np.sqrt(d0 / n), np.sqrt(d1 / n)
    h0 = 1.0e-6 if d0 < 1.0e-5 or d1 < 1.0e-5 else 0.01 * d0 / d1
    h0 = min(h0, method.max_step)
    for i in range(n):
        arena[x + i] = arena[x0 + i] + h0 * arena[k + i]
    status = evaluate(arena, ints, plan, t + h0, 1, True)
    if status not in (OK, NOT_FINITE, SINGULAR):
        return status
    d2 = 0.0
    for i in range(n):
        scale = arena[plan.absolute + i] + arena[plan.relative + i] * abs(arena[x0 + i])
        d2 += ((arena[xdot + i] - arena[k + i]) / scale) ** 2
        arena[x + i] = arena[x0 + i]
        arena[xdot + i] = arena[k + i]
    ints[FSAL_VALID] = KNOWN
    h1 = 1.0e-6
    if status == OK:
        largest = max(d1, np.sqrt(d2 / n) / h0)
        h1 = max(1.0e-6, 1.0e-3 * h0) if largest <= 1.0e-15 else (0.01 / largest) ** (1.0 / (method.error_order + 1))
    arena[NEXT_STEP] = max(min(100.0 * h0, h1, method.max_step), method.min_step, 1.0e-9)
    return OK


def is_finite(numbers):
    """Whether all are; without an early end, so that several are looked at at once."""
    count = 0
    for i in range(len(numbers)):
        count += numbers[i] - numbers[i] == 0.0
    return count == len(numbers)


def accept(arena, ints, plan, method, target):
    """Take the new state in X: back onto its manifolds, finite, and the clock moves."""
    if not is_finite(arena[plan.x : plan.x + plan.size]):
        i = 0
        while arena[plan.x + i] - arena[plan.x + i] == 0.0:
            i += 1
        return note_failure(arena, ints, NOT_FINITE, STAGE_TABLE, i, 0, ints[NOW] / NANO, STATE_NOT_FINITE)

    # the stages are no longer needed, so their room serves to see whether a projection moved anything
    is_fsal_valid = method.is_fsal
    before = plan.work + plan.size
    if plan.projections.shape[0] > 0:
        if is_fsal_valid:
            copy(arena, before, plan.x, plan.size)
        for i in range(plan.projections.shape[0]):
            status = call(arena, ints, plan.projections[i, 0], target / NANO, plan.projections[i, 1])
            if status != OK:
                return note_failure(arena, ints, status, PROJECT_TABLE, i, 0, target / NANO)
        if is_fsal_valid:
            for i in range(plan.size):
                is_fsal_valid = is_fsal_valid and arena[before + i] == arena[plan.x + i]
    ints[NOW] = target
    ints[FSAL_VALID] = KNOWN if is_fsal_valid else 0
    return DONE
