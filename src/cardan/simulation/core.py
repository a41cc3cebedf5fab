"""The native core: clock, tasks, stages, integrator and recorder in one compiled loop.

Everything here is plain Python in form and runs as native code without the GIL. It reads and writes three things only:
the arena (one row of words, seen as floats and as integers), the plan (tables that say which entry to call with which
context, fixed once a simulation is made) and the recorder's buffers. It returns to the interpreter to pause, to have a
buffer emptied, or with a failure; all that it needs to go on lies in the arena. After a failure X is left as the entry
that failed saw it, so that it can be reported; the state before the step lies at `plan.work`.
"""

from typing import Any, NamedTuple

import numpy as np

from cardan.native.pointers import WORD, call_entry, store_int
from cardan.native.status import NOT_FINITE, OK, RAISED, SINGULAR
from cardan.native.storage import copy_words
from cardan.simulation.rosenbrock import rosenbrock_with
from cardan.simulation.runge_kutta import copy, runge_kutta_with, semi_implicit_with

# ---- what advance() returns ----------------------------------------------------------------------------------------
DONE = 0  # `until` is reached and its tick is done
PAUSED = 1  # the budget of steps is used up, or the time to pause has come
BUFFER_FULL = 2  # the recorder has no room for the next sample
ENTRY_FAILED = 3  # an entry returned a status; FAIL_* say which
STATE_NOT_FINITE = 4  # an accepted state is not finite; FAIL_ROW is its index
STEP_COLLAPSED = 5  # the error cannot be kept below the tolerance; FAIL_ROW is the worst state

# ---- the first words of the arena ----------------------------------------------------------------------------------
NOW = 0  # [ns] integer
TICK_DONE = 1  # whether the tick of NOW has been run
FSAL_VALID = 2  # whether XDOT holds the rates at (NOW, X): KNOWN, FORGOTTEN or 0
STEPS = 3  # accepted steps
REJECTED = 4  # rejected steps
EVALUATIONS = 5  # evaluations of the right-hand side
NEXT_STEP = 6  # [s] float: what the step controller proposes; 0 before the first step
LAST_ERROR = 7  # float: scaled error of the last accepted step, for the PI controller
INTEGRATOR = 8  # which integrator wrote the words above
FAIL_STATUS = 9  # where an entry in the interpreter leaves its status, too
FAIL_TABLE = 10
FAIL_ROW = 11
FAIL_STAGE = 12
FAIL_TIME = 13  # [s] float
TICK_BEGUN = 14  # how far the tick of NOW has come where it was left: NOT_BEGUN, BEGUN or TASKS_BEGUN
STAGE_TIME = 15  # [s] float: the time for which outputs that depend on time alone have been evaluated; -1 for none
IS_SETTLED = 16  # whether the last thing evaluated is a tick of NOW, for its tasks
IS_HELD = 17  # whether outputs that depend on what is held alone have been evaluated since that last changed
JUMPS = 18  # jumps that were crossed, less the long steps since: see `adaptive_step`
HEADER = 19

# ---- tables, for FAIL_TABLE ----------------------------------------------------------------------------------------
STAGE_TABLE = 0
TICK_TABLE = 1
TASK_TABLE = 2
PROJECT_TABLE = 3

# ---- what FSAL_VALID may say ---------------------------------------------------------------------------------------
KNOWN = 1
FORGOTTEN = 2  # they were known when a snapshot was taken, and are evaluated once more without being counted again

# ---- what TICK_BEGUN may say: outputs and delay lines are ready, and some tasks have run ---------------------------
NOT_BEGUN = 0
BEGUN = 1  # a task failed, or waits for what comes from outside, and is still due
TASKS_BEGUN = 2  # it waits for what comes from outside; a task was due, and may not be any more

# ---- when a stage need not evaluate something again ----------------------------------------------------------------
ON_TIME = 1  # it depends on time alone, and the stage before was at the same time
AT_TICKS = 2  # a tick evaluated it at this state, and no task changes it
SELDOM = 4  # it looks at the state that one in LOOK_EVERY steps begins with, the first one among them
HELD = 8  # it depends on held messages and parameters alone, and was evaluated since these last changed

LOOK_EVERY = 16

# ---- who wants an output at a tick ---------------------------------------------------------------------------------
FOR_TASKS = 1
FOR_RECORDER = 2  # the first group of recorded ports; each group after it has the next bit
MOST_GROUPS = 61  # as many as there are bits

NANO = 1_000_000_000
BREAK = 2  # [ns] from just before to just after an instant at which a part is not smooth
MOST_JUMPS = 16  # that may follow each other before it is called a collapse
LONG_STEP = 1000  # [ns] after a step as long as that the next jump is another one


class Plan(NamedTuple):
    """What to call, and where things lie. Addresses are words from the start of the arena.

    An entry is the address of a C function, negated for one that runs in the interpreter. A context is a word.

    Attributes:
        stage: (n, 3) Entry and context of what every stage evaluates, in order, and when it need not (bits).
        tick: (n, 3) Entry, context, and who wants it (bits), of the outputs evaluated at a tick, in order.
        tasks: (n, 7) Entry, context, period [ns], where its next due time lies, where its tick number goes (or -1),
            offset [ns], where the delay [s] of the tick that it asks for lies (or -1).
        delays: (n, 6) Source, line, words per message, messages in the line, the task that clocks it, and where it is
            noted that the source has been written (at its very first tick a task has nothing to pass on yet), followed
            by the place in the ring of the message that is read next.
        projections: (n, 2) Entry and context of what puts states back on their manifolds.
        record: (n, 2) Where a run of recorded words lies, and its length; the groups of the recorder one after another.
        breaks: (n, 1) Times [ns] that no step passes over, in order: just before and just after each such instant.
        changes: (n, 4) Parameters that change at given times: when [ns], in order, where the new value lies, where it
            goes, how many words.
        updates: (n, 4) Parameters that change by message: the task that sends it (-1: from outside), where its message
            lies, where it goes, how many words.
        x: Where the continuous state lies.
        xdot: Where its rates lie.
        size: How many numbers the state has.
        work: Where the integrator's own memory begins.
        absolute: Where the absolute tolerances lie, one per state.
        relative: Where the relative tolerances lie.
        positions: Where the marks of position-like states lie (1.0 or 0.0).
        waiting: The first task that reads what comes from outside, directly or through others; the later ones do too.
    """

    stage: Any
    tick: Any
    tasks: Any
    delays: Any
    projections: Any
    record: Any
    breaks: Any
    changes: Any
    updates: Any
    x: int
    xdot: int
    size: int
    work: int
    absolute: int
    relative: int
    positions: int
    waiting: int


class Method(NamedTuple):
    """An integrator as numbers.

    Attributes:
        a: (s, s) Runge-Kutta matrix, strictly lower triangular.
        b: (s,) Weights of the solution.
        c: (s,) Nodes.
        error: (s,) Weights of the error estimate; empty for a fixed step.
        error_low: (s,) Weights of a second, lower estimate, as DOP853 has; else empty.
        is_fsal: Whether the last stage is evaluated at the new state.
        is_semi_implicit: Whether positions are advanced with the new rates (and the tableau is not used).
        error_order: Order of the error estimate.
        step: [ns] Fixed step; 0 for an adaptive one.
        first_step: [s] First step to try; 0 to choose it from the problem.
        min_step: [s] Smallest step.
        max_step: [s] Largest step.
        identity: A number that tells integrators apart.
        coupling: (s, s + 1) Of a Rosenbrock method: how stages enter later ones, 1/gamma on the diagonal, and in the
            last column how the derivative by time does; without rows for an explicit method.
    """

    a: Any
    b: Any
    c: Any
    error: Any
    error_low: Any
    is_fsal: bool
    is_semi_implicit: bool
    error_order: int
    step: int
    first_step: float
    min_step: float
    max_step: float
    identity: int
    coupling: Any


class Recorder(NamedTuple):
    """Where samples go.

    Attributes:
        groups: (n, GROUP) For each group of ports that are sampled together what the columns below say.
    """

    groups: Any


# ---- the columns of Recorder.groups --------------------------------------------------------------------------------
DUE = 0  # [ns] when the next sample is due
PERIOD = 1  # [ns] between samples; 0: at every tick of a task, -1: at every step
WRITTEN = 2  # samples in the buffer
ROOM = 3  # samples for which it has room
BUFFER = 4  # its address
WORDS = 5  # of a sample, the first of which is the time [ns]
FIRST = 6  # row of Plan.record
END = 7  # row of Plan.record after the last
GROUP = 8


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


def call(arena, ints, entry, t, context):
    """Call an entry; returns its status.

    One in the interpreter leaves its status in memory as its last act: what a callback returns is not defined if an
    exception from outside, such as one of a signal handler, ends it in between.
    """
    at = arena.ctypes.data + WORD * context
    if entry >= 0:
        return call_entry(entry, t, at)
    ints[FAIL_STATUS] = RAISED
    call_entry(-entry, t, at)
    status = ints[FAIL_STATUS]
    ints[FAIL_STATUS] = OK
    return status


# ---- clock and tasks -----------------------------------------------------------------------------------------------


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


def run_tick(arena, ints, plan, recorder, waits):
    """The tick of NOW: outputs, tasks, hold, record (docs/concepts/timing.md).

    With `waits`, up to the first task that waits for what comes from outside.
    """
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
    if wanted != 0 and not evaluate_outputs(arena, ints, plan, wanted, is_task_due and not is_new):
        return ENTRY_FAILED

    # parameters that change now
    if is_new:
        change_parameters(ints, plan, now)

    # 2. and 3. tasks that are due, in order; their outputs are held
    if is_task_due:
        if is_new:
            shift_delays(ints, plan, now)
        for i in range(plan.waiting if waits else plan.tasks.shape[0]):
            due = plan.tasks[i, 3]
            if ints[due] != now:
                continue
            if plan.tasks[i, 4] >= 0:
                ints[plan.tasks[i, 4]] += 1
            status = call(arena, ints, plan.tasks[i, 0], now / NANO, plan.tasks[i, 1])
            if status != OK:
                # a run that goes on from here does the rest of this tick, with the same random numbers
                if plan.tasks[i, 4] >= 0:
                    ints[plan.tasks[i, 4]] -= 1
                ints[TICK_BEGUN] = BEGUN
                return note_failure(arena, ints, status, TASK_TABLE, i, 0, now / NANO)
            renew_parameters(ints, plan, i)
            ints[due] = next_tick(arena, plan, i, now)
        ints[FSAL_VALID] = 0
        ints[IS_SETTLED] = 1 if is_new else 0
        ints[IS_HELD] = 0
    if waits:
        ints[TICK_BEGUN] = TASKS_BEGUN if is_task_due else BEGUN
        return DONE

    # 4. the recorder
    if recorded != 0:
        for g in range(recorder.groups.shape[0]):
            if recorded & (FOR_RECORDER << g) != 0:
                write_sample(ints, plan, recorder, g)
    ints[TICK_BEGUN] = NOT_BEGUN
    ints[TICK_DONE] = 1
    return DONE


def next_tick(arena, plan, i, now):
    """[ns] When task `i` runs next: at the next multiple of its period, or before that where it asks to be woken."""
    period, offset, wake_up = plan.tasks[i, 2], plan.tasks[i, 5], plan.tasks[i, 6]
    regular = now + period - (now - offset) % period
    if wake_up < 0 or not 0.0 < arena[wake_up] < (regular - now) / NANO:
        return regular
    return now + max(1, np.int64(np.round(arena[wake_up] * NANO)))


def change_parameters(ints, plan, now):
    """Overwrite the parameters that are to change at this time [ns]."""
    i = first_after(plan.changes, now - 1)
    while i < plan.changes.shape[0] and plan.changes[i, 0] == now:
        source, target, words = plan.changes[i, 1], plan.changes[i, 2], plan.changes[i, 3]
        copy_words(ints.ctypes.data + WORD * target, ints.ctypes.data + WORD * source, words)
        ints[FSAL_VALID] = 0
        ints[IS_HELD] = 0
        i += 1


def renew_parameters(ints, plan, task):
    """Overwrite the parameters that the messages of a task change; -1 for what is given from outside."""
    for i in range(plan.updates.shape[0]):
        if plan.updates[i, 0] == task:
            source, target, words = plan.updates[i, 1], plan.updates[i, 2], plan.updates[i, 3]
            copy_words(ints.ctypes.data + WORD * target, ints.ctypes.data + WORD * source, words)


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


# ---- integrators ---------------------------------------------------------------------------------------------------


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


def accept(arena, ints, plan, method, target):
    """Take the new state in X: back onto its manifolds, finite, and the clock moves."""
    for i in range(plan.size):
        if arena[plan.x + i] - arena[plan.x + i] != 0.0:
            return note_failure(arena, ints, NOT_FINITE, STAGE_TABLE, i, 0, ints[NOW] / NANO, STATE_NOT_FINITE)

    # the stages are no longer needed, so their room serves to see whether a projection moved anything
    is_fsal_valid = method.is_fsal
    before = plan.work + plan.size
    if plan.projections.shape[0] > 0:
        copy(arena, before, plan.x, plan.size)
        for i in range(plan.projections.shape[0]):
            status = call(arena, ints, plan.projections[i, 0], target / NANO, plan.projections[i, 1])
            if status != OK:
                return note_failure(arena, ints, status, PROJECT_TABLE, i, 0, target / NANO)
        for i in range(plan.size):
            is_fsal_valid = is_fsal_valid and arena[before + i] == arena[plan.x + i]
    ints[NOW] = target
    ints[FSAL_VALID] = KNOWN if is_fsal_valid else 0
    return DONE


def note_failure(arena, ints, status, table, row, stage, t, code=ENTRY_FAILED):
    """Leave in the arena what the interpreter needs to say what happened."""
    ints[FSAL_VALID] = 0
    ints[FAIL_STATUS] = status
    ints[FAIL_TABLE] = table
    ints[FAIL_ROW] = row
    ints[FAIL_STAGE] = stage
    arena[FAIL_TIME] = t
    return code
