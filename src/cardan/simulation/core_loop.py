"""The loop of the native core: ticks and steps, until a time is reached or something stops it."""

from cardan.simulation.core import (
    DONE,
    DUE,
    FSAL_VALID,
    INTEGRATOR,
    IS_HELD,
    IS_SETTLED,
    LAST_ERROR,
    NEXT_STEP,
    NOW,
    PAUSED,
    PERIOD,
    STEPS,
    TICK_DONE,
)
from cardan.simulation.steps import adaptive_step, fixed_step
from cardan.simulation.ticks import first_after, renew_parameters, run_tick


def advance(arena, ints, plan, method, recorder, until, pace):
    """Advance to `until` [ns] at the most; returns one of the codes above.

    Returns PAUSED once the time has reached `pace[0]` [ns], or after `pace[1]` steps. Neither changes any step. The
    first may be lowered while the core is at work. Where `pace[2]` is not 0, the tick of `until` goes no further than
    to the first task that waits for what comes from outside; the next call goes on from there.
    """
    budget = pace[1]
    ints[IS_SETTLED] = 0  # the run before may have evaluated something else at its last tick
    ints[IS_HELD] = 0  # inputs from outside and parameters may have been written to
    renew_parameters(ints, plan, -1)

    while True:
        if ints[TICK_DONE] == 0:
            waits = pace[2] != 0 and ints[NOW] >= until
            code = run_tick(arena, ints, plan, recorder, waits)
            if code != DONE or waits:
                return code
        if ints[NOW] >= until:
            return DONE
        if budget <= 0 or ints[NOW] >= pace[0]:
            return PAUSED
        budget -= 1

        if ints[INTEGRATOR] != method.identity:
            ints[INTEGRATOR] = method.identity
            ints[FSAL_VALID] = 0
            arena[NEXT_STEP] = 0.0
            arena[LAST_ERROR] = 0.0
        if method.step > 0:
            code = fixed_step(arena, ints, plan, method, next_event(ints, plan, recorder, until))
        else:
            code = adaptive_step(arena, ints, plan, method, next_event(ints, plan, recorder, until))
        if code != DONE:
            return code
        ints[STEPS] += 1
        ints[TICK_DONE] = 0


def next_event(ints, plan, recorder, until):
    """[ns] The next time at which the integrator has to stop."""
    event = until
    for i in range(plan.tasks.shape[0]):
        event = min(event, ints[plan.tasks[i, 3]])
    for g in range(recorder.groups.shape[0]):
        if recorder.groups[g, PERIOD] > 0:
            event = min(event, recorder.groups[g, DUE])
    change = first_after(plan.changes, ints[NOW])
    if change < plan.changes.shape[0]:
        event = min(event, plan.changes[change, 0])
    first = first_after(plan.breaks, ints[NOW])
    return min(event, plan.breaks[first, 0]) if first < plan.breaks.shape[0] else event
