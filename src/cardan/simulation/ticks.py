"""What happens at a tick: outputs, tasks, what is held, samples (docs/concepts/timing.md).

`tick_with` is the order of things, for one run or for eight side by side; the pieces of one run follow.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.native.pointers import WORD, store_int
from cardan.native.status import OK
from cardan.native.storage import copy_words
from cardan.simulation.core import (
    BEGUN,
    BUFFER,
    BUFFER_FULL,
    DONE,
    DUE,
    END,
    ENTRY_FAILED,
    FIRST,
    FOR_RECORDER,
    FOR_TASKS,
    FSAL_VALID,
    IS_HELD,
    IS_SETTLED,
    NANO,
    NOT_BEGUN,
    NOW,
    PERIOD,
    ROOM,
    STAGE_TIME,
    TASK_TABLE,
    TASKS_BEGUN,
    TICK_BEGUN,
    TICK_DONE,
    TICK_TABLE,
    WORDS,
    WRITTEN,
    call,
    note_failure,
)


def tick_with(
    evaluate_outputs: Callable[..., Any],
    change: Callable[..., Any],
    shift: Callable[..., Any],
    run_task: Callable[..., Any],
    hold: Callable[..., Any],
    record: Callable[..., Any],
) -> Callable[..., Any]:
    """The tick of NOW: outputs, tasks, hold, record; returns one of the codes of `core`.

    `memory` is what the pieces work on, `ints` the header that says where the tick stands.

    Args:
        evaluate_outputs: `(memory, ints, plan, wanted, only)`: the outputs that `wanted` (bits) asks for, with `only`
            those that no task asks for; returns whether all went well.
        change: `(memory, ints, plan, now)`: parameters that change at this time [ns].
        shift: `(memory, ints, plan, now)`: delay lines whose clock ticks now.
        run_task: `(memory, ints, plan, i, now)`: task `i`, which is due; returns whether it went well.
        hold: `(memory)`: what tasks have sent is held from here on.
        record: `(memory, ints, plan, recorder, recorded)`: samples of the groups in `recorded` (bits).
    """

    def run(memory, ints, plan, recorder, waits):
        """With `waits`, up to the first task that waits for what comes from outside."""
        now = ints[NOW]
        is_task_due = ints[TICK_BEGUN] == TASKS_BEGUN
        for i in range(plan.tasks.shape[0]):
            is_task_due = is_task_due or ints[plan.tasks[i, 3]] == now
        recorded = 0
        for g in range(recorder.groups.shape[0]):
            if is_sample_due(now, recorder, g, is_task_due):
                if recorder.groups[g, WRITTEN] == recorder.groups[g, ROOM]:
                    return BUFFER_FULL
                recorded |= FOR_RECORDER << g

        # 1. outputs of mechanism and models, from the messages held since the last tick
        is_new = ints[TICK_BEGUN] == NOT_BEGUN
        wanted = (FOR_TASKS if is_task_due and is_new else 0) | recorded
        if wanted != 0 and not evaluate_outputs(memory, ints, plan, wanted, is_task_due and not is_new):
            return ENTRY_FAILED

        # parameters that change now
        if is_new:
            change(memory, ints, plan, now)

        # 2. and 3. tasks that are due, in order; their outputs are held
        if is_task_due:
            if is_new:
                shift(memory, ints, plan, now)
            for i in range(plan.waiting if waits else plan.tasks.shape[0]):
                if ints[plan.tasks[i, 3]] == now and not run_task(memory, ints, plan, i, now):
                    return ENTRY_FAILED
            ints[FSAL_VALID] = 0
            ints[IS_SETTLED] = 1 if is_new else 0
            ints[IS_HELD] = 0
            hold(memory)
        if waits:
            ints[TICK_BEGUN] = TASKS_BEGUN if is_task_due else BEGUN
            return DONE

        # 4. the recorder
        if recorded != 0:
            record(memory, ints, plan, recorder, recorded)
        ints[TICK_BEGUN] = NOT_BEGUN
        ints[TICK_DONE] = 1
        return DONE

    return run


# ---- outputs and parameters ----------------------------------------------------------------------------------------


def evaluate_outputs(arena, ints, plan, wanted, only):
    """Evaluate the outputs that `wanted` (bits) asks for; with `only`, those that no task asks for."""
    t = ints[NOW] / NANO
    if arena[STAGE_TIME] != t:
        arena[STAGE_TIME] = -1.0
    for i in range(plan.tick.shape[0]):
        if plan.tick[i, 2] & wanted != 0 and not (only and plan.tick[i, 2] & FOR_TASKS != 0):
            status = call(arena, ints, plan.tick[i, 0], t, plan.tick[i, 1])
            if status != OK:
                note_failure(arena, ints, status, TICK_TABLE, i, 0, t)
                return False
    return True


def change_parameters(ints, plan, now):
    """Overwrite the parameters that are to change at this time [ns]."""
    i = first_after(plan.changes, now - 1)
    while i < plan.changes.shape[0] and plan.changes[i, 0] == now:
        source, target, words = plan.changes[i, 1], plan.changes[i, 2], plan.changes[i, 3]
        copy_words(ints.ctypes.data + WORD * target, ints.ctypes.data + WORD * source, words)
        ints[FSAL_VALID] = 0
        ints[IS_HELD] = 0
        i += 1


def first_after(table, now):
    """The first row of a table in order of time whose time [ns] is after `now`, by halving."""
    low, high = 0, table.shape[0]
    while low < high:
        middle = (low + high) // 2
        if table[middle, 0] <= now:
            low = middle + 1
        else:
            high = middle
    return low


def renew_parameters(ints, plan, task):
    """Overwrite the parameters that the messages of a task change; -1 for what is given from outside."""
    for i in range(plan.updates.shape[0]):
        if plan.updates[i, 0] == task:
            source, target, words = plan.updates[i, 1], plan.updates[i, 2], plan.updates[i, 3]
            copy_words(ints.ctypes.data + WORD * target, ints.ctypes.data + WORD * source, words)


# ---- tasks ---------------------------------------------------------------------------------------------------------


def run_task(arena, ints, plan, i, now):
    """A task that is due; returns whether it went well."""
    key = plan.tasks[i, 4]
    if key >= 0:
        ints[key] += 1
    status = call(arena, ints, plan.tasks[i, 0], now / NANO, plan.tasks[i, 1])
    if status != OK:
        # a run that goes on from here does the rest of this tick, with the same random numbers
        if key >= 0:
            ints[key] -= 1
        ints[TICK_BEGUN] = BEGUN
        note_failure(arena, ints, status, TASK_TABLE, i, 0, now / NANO)
        return False
    renew_parameters(ints, plan, i)
    ints[plan.tasks[i, 3]] = next_tick(arena, plan, i, now)
    return True


def next_tick(arena, plan, i, now):
    """[ns] When task `i` runs next: at the next multiple of its period, or before that where it asks to be woken."""
    period, offset, wake_up = plan.tasks[i, 2], plan.tasks[i, 5], plan.tasks[i, 6]
    if wake_up < 0:
        return now + period
    regular = now + period - (now - offset) % period
    if not 0.0 < arena[wake_up] < (regular - now) / NANO:
        return regular
    return now + max(1, np.int64(np.round(arena[wake_up] * NANO)))


def shift_delays(ints, plan, now):
    """Push the present message into every delay line whose clock ticks now; readers see the oldest."""
    for i in range(plan.delays.shape[0]):
        source, line, words, length, clock, state = plan.delays[i]
        if ints[plan.tasks[clock, 3]] != now:
            continue
        if ints[state] == 0:
            ints[state] = 1
            continue
        if length == 1:
            copy_words(ints.ctypes.data + WORD * line, ints.ctypes.data + WORD * source, words)
            continue
        # readers find the oldest at the line's beginning; the newest takes the place that it leaves in the ring
        ring = line + (1 + ints[state + 1]) * words
        copy_words(ints.ctypes.data + WORD * line, ints.ctypes.data + WORD * ring, words)
        copy_words(ints.ctypes.data + WORD * ring, ints.ctypes.data + WORD * source, words)
        ints[state + 1] = (ints[state + 1] + 1) % (length - 1)


# ---- recorder ------------------------------------------------------------------------------------------------------


def is_sample_due(now, recorder, g, is_task_due):
    period = recorder.groups[g, PERIOD]
    if period > 0:
        return recorder.groups[g, DUE] == now
    return period < 0 or is_task_due


def write_sample(ints, plan, recorder, g):
    group = recorder.groups[g]
    target = group[BUFFER] + WORD * group[WRITTEN] * group[WORDS]
    store_int(target, ints[NOW])
    target += WORD
    for i in range(group[FIRST], group[END]):
        start, words = plan.record[i, 0], plan.record[i, 1]
        copy_words(target, ints.ctypes.data + WORD * start, words)
        target += WORD * words
    group[WRITTEN] += 1
    group[DUE] = ints[NOW] + group[PERIOD]


# ---- of one run ----------------------------------------------------------------------------------------------------


def _change(arena, ints, plan, now):
    change_parameters(ints, plan, now)


def _shift(arena, ints, plan, now):
    shift_delays(ints, plan, now)


def _hold(arena):
    """Its outputs lie where their readers look for them."""


def _record(arena, ints, plan, recorder, recorded):
    for g in range(recorder.groups.shape[0]):
        if recorded & (FOR_RECORDER << g) != 0:
            write_sample(ints, plan, recorder, g)


run_tick = tick_with(evaluate_outputs, _change, _shift, run_task, _hold, _record)
