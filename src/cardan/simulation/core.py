"""The native core: what it reads and writes, and how it calls entries.

Clock and tasks (`ticks`), stages and integrators (`steps`) are one compiled loop (`core_loop`), plain Python in form,
which runs as native code without the GIL. It reads and writes three things only: the arena (one row of words, seen as
floats and as integers), the plan (tables that say which entry to call with which context, fixed once a simulation is
made) and the recorder's buffers. It returns to the interpreter to pause, to have a buffer emptied, or with a failure;
all that it needs to go on lies in the arena. After a failure X is left as the entry that failed saw it, so that it can
be reported; the state before the step lies at `plan.work`.
"""

from typing import Any, NamedTuple

from cardan.native.pointers import WORD, call_entry
from cardan.native.status import OK, RAISED

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


def note_failure(arena, ints, status, table, row, stage, t, code=ENTRY_FAILED):
    """Leave in the arena what the interpreter needs to say what happened."""
    ints[FSAL_VALID] = 0
    ints[FAIL_STATUS] = status
    ints[FAIL_TABLE] = table
    ints[FAIL_ROW] = row
    ints[FAIL_STAGE] = stage
    arena[FAIL_TIME] = t
    return code
