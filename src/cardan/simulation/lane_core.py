"""The native loop of a batch for eight members at once: their mechanism and their integrator side by side.

Eight members have an arena each. Parts and tasks that can be traced (`lane_entry`) work on all of these arenas at once,
the others on one after another. The functions of the dynamics service and the integrator work on a second memory in
which every word has eight neighbours, one for each member (`cardan.native.lanes`). Between the two, words are moved:
down to the arenas what parts read of the mechanism and of their own states, up what the mechanism reads of parts, and
rates.

Time is that of the first member; only members that stand at the same time, with the same tasks due, form a group. If
anything does not come out well in any member, the group gives up with all rows as they were, and its members are
advanced one by one: so nothing here needs to know what went wrong.
"""

from typing import Any, NamedTuple

from cardan.native.lanes import COUNT, four_words_down, four_words_up
from cardan.native.pointers import WORD, call_entry, load_word, store_int
from cardan.native.status import OK
from cardan.native.storage import int_matrix
from cardan.simulation import batch_core
from cardan.simulation.core import (
    DONE,
    ENTRY_FAILED,
    EVALUATIONS,
    FOR_RECORDER,
    FOR_TASKS,
    FSAL_VALID,
    INTEGRATOR,
    IS_HELD,
    IS_SETTLED,
    LAST_ERROR,
    LOOK_EVERY,
    NANO,
    NEXT_STEP,
    NOW,
    PAUSED,
    STAGE_TIME,
    STATE_NOT_FINITE,
    STEPS,
    TICK_BEGUN,
    TICK_DONE,
    Recorder,
)
from cardan.simulation.core_entry import (
    TIMES,
    float_matrix_at,
    float_vector_at,
    int_at,
    int_matrix_at,
    int_vector_at,
    method_at,
    plan_at,
)
from cardan.simulation.core_loop import next_event
from cardan.simulation.runge_kutta import copy, runge_kutta_with, semi_implicit_with
from cardan.simulation.steps import begin_evaluation, end_evaluation, is_finite
from cardan.simulation.ticks import (
    change_parameters,
    next_tick,
    renew_parameters,
    shift_delays,
    tick_with,
    write_sample,
)

# the slots, in order
(
    BATCH,  # address of the slots of the batch
    CORE,  # address of what the core is given
    FIRST,  # which of the members of the batch's slots are meant: this one and those after it
    ARENAS,  # (8, words) an arena for each
    LANES,  # the second memory
    STAGE,  # (n, 8) as the tables of `core.Plan`, with the columns below
    TICK,
    PROJECT,
    WANTED,  # what is behind the outputs
    MOVES,  # (n, 2) stretches of words that are moved: where in an arena, how many
    HELD,  # (n, 2) what the mechanism reads of what is held, likewise
    OWN,  # (n, 2) what members have of their own beside their states, likewise
    STRUCTURE,  # (n, 2) which words of that say how the mechanism is made, likewise: they must be the same in all
    SHOWN,  # (n, 2) what of the continuous state is among the outputs, or recorded, likewise
    RECORDERS,  # (8 n, GROUP) for each member what `core.Recorder` has; nothing where nothing is recorded
    ADVANCED,  # how many groups have been advanced
    TASKS,  # (n, 2) entry and context of tasks that run for all at once; zeros where one runs for each
) = range(17)

# the columns of a table
ENTRY = 0
CONTEXT = 1  # its word if it works for one, else the address of its two words
BITS = 2
WAY = 3  # ALONE, SERVICE or TRACED
DOWN = 4  # rows of MOVES: what goes down before it, from this one on
DOWN_END = 5
MOVED = 6  # what goes up after it; after a function of the service, what goes down
MOVED_END = 7
COLUMNS = 8

# how something is called
ALONE = 0  # for one after another, with its arena
SERVICE = 1  # for all at once, with the second memory: its two words make a LANE_ADDRESS
TRACED = 2  # for all at once, with their arenas (`lane_entry`)

# the words of the header that members of a group have in common
COMMON = (NOW, TICK_DONE, FSAL_VALID, INTEGRATOR, TICK_BEGUN, STAGE_TIME)


class Group(NamedTuple):
    """Eight members: their memory, and what to call; as `core.Plan` says it, for the second memory.

    Attributes:
        arenas: (8, words) Their arenas.
        ints: The same as whole numbers.
        lanes: The second memory.
        stage: What every stage evaluates.
        tick: What ticks evaluate.
        projections: What puts states back on their manifolds.
        moves: Stretches of words that are moved.
        held: What the mechanism reads of what is held.
        shown: What of the continuous state is among the outputs, or recorded.
        recorders: For each member what `core.Recorder` has, one after another.
        x: Where the state begins.
        xdot: Where its rates begin.
        size: How many numbers it has.
        work: Where the integrator's own memory begins.
        positions: Where the marks of position-like states begin.
        tasks: Tasks that run for all at once.
    """

    arenas: Any
    ints: Any
    lanes: Any
    stage: Any
    tick: Any
    projections: Any
    moves: Any
    held: Any
    shown: Any
    recorders: Any
    x: int
    xdot: int
    size: int
    work: int
    positions: int
    tasks: Any


def group_at(context, plan):
    arenas = float_matrix_at(context, ARENAS)
    return Group(
        arenas=arenas,
        ints=int_matrix(arenas.ctypes.data, arenas.shape[0], arenas.shape[1]),
        lanes=float_vector_at(context, LANES),
        stage=int_matrix_at(context, STAGE),
        tick=int_matrix_at(context, TICK),
        projections=int_matrix_at(context, PROJECT),
        moves=int_matrix_at(context, MOVES),
        held=int_matrix_at(context, HELD),
        shown=int_matrix_at(context, SHOWN),
        recorders=int_matrix_at(context, RECORDERS),
        x=COUNT * plan.x,
        xdot=COUNT * plan.xdot,
        size=COUNT * plan.size,
        work=COUNT * plan.work,
        positions=COUNT * plan.positions,
        tasks=int_matrix_at(context, TASKS),
    )


def advance_group(t, context):
    """Advance eight members; returns DONE, or anything else with all of them as they were."""
    batch, core = int_at(context, BATCH), int_at(context, CORE)
    plan, method = plan_at(core), method_at(core)
    waits = int_vector_at(core, TIMES + 1)[2] != 0
    group = group_at(context, plan)
    members = int_vector_at(batch, batch_core.MEMBERS)[int_at(context, FIRST) :]
    rows, spans = float_matrix_at(batch, batch_core.ROWS), int_matrix_at(batch, batch_core.SPANS)
    given, given_at = float_matrix_at(batch, batch_core.GIVEN), int_matrix_at(batch, batch_core.GIVEN_AT)
    outputs, out = int_matrix_at(batch, batch_core.OUTPUTS), float_matrix_at(batch, batch_core.OUT)
    untils, codes = int_vector_at(batch, batch_core.UNTILS), int_vector_at(batch, batch_core.CODES)
    steps, span = int_at(batch, batch_core.STEPS), int_at(batch, batch_core.SPAN)
    wanted = int_matrix_at(context, WANTED)

    for lane in range(COUNT):
        batch_core.move(group.arenas[lane], rows, spans, members[lane], True)
    if not are_alike(group.ints, plan, int_matrix_at(context, STRUCTURE)):
        return PAUSED
    ints = group.ints[0]
    took, evaluated = ints[STEPS], ints[EVALUATIONS]
    move(group, int_matrix_at(context, OWN), True)
    move_words(group, plan.x, plan.size, True)
    for k in range(steps):
        if given.shape[1] > 0:
            for lane in range(COUNT):
                start = given.ctypes.data + WORD * (members[lane] * given.shape[1] + k * (given.shape[1] // steps))
                batch_core.copy_runs(group.arenas[lane], given_at, start, True)
            ints[FSAL_VALID] = 0
        code = advance(group, ints, plan, method, untils[members[0]] + k * span, waits)
        if code != DONE:
            return code
        for i in range(wanted.shape[0]):
            if call_row(group, wanted, i, ints[NOW] / NANO) != OK:
                return ENTRY_FAILED
        move(group, group.shown, False)
        for lane in range(COUNT):
            start = out.ctypes.data + WORD * (members[lane] * out.shape[1] + k * (out.shape[1] // steps))
            batch_core.copy_runs(group.arenas[lane], outputs, start, False)

    move_words(group, plan.x, plan.size, False)
    group.arenas[0, STAGE_TIME] = -1.0  # what was evaluated stays behind in the arena
    took, evaluated = ints[STEPS] - took, ints[EVALUATIONS] - evaluated
    for lane in range(COUNT):
        if lane > 0:
            share_header(group.ints[lane], ints, took, evaluated)
        batch_core.move(group.arenas[lane], rows, spans, members[lane], False)
        codes[members[lane]] = DONE
    int_vector_at(context, ADVANCED)[0] += 1
    return DONE


def are_alike(ints, plan, structure):
    """Whether all stand at the same time, with the same tasks due, and have mechanisms that are made alike."""
    for lane in range(1, COUNT):
        for word in COMMON:
            if ints[lane, word] != ints[0, word]:
                return False
        if ints[lane, STEPS] % LOOK_EVERY != ints[0, STEPS] % LOOK_EVERY:
            return False
        for i in range(plan.tasks.shape[0]):
            if ints[lane, plan.tasks[i, 3]] != ints[0, plan.tasks[i, 3]]:
                return False
        for r in range(structure.shape[0]):
            for word in range(structure[r, 0], structure[r, 0] + structure[r, 1]):
                if ints[lane, word] != ints[0, word]:
                    return False
    return True


def share_header(ints, first, took, evaluated):
    """Let a member's header say what that of the first says."""
    if ints[INTEGRATOR] != first[INTEGRATOR]:
        ints[NEXT_STEP] = ints[LAST_ERROR] = 0
    for word in COMMON:
        ints[word] = first[word]
    ints[IS_SETTLED], ints[IS_HELD] = first[IS_SETTLED], first[IS_HELD]
    ints[STEPS] += took
    ints[EVALUATIONS] += evaluated


# ---- as in the core, for all at once -------------------------------------------------------------------------------


def recorder_of(group, lane):
    """Where the samples of a member go."""
    count = group.recorders.shape[0] // COUNT
    return Recorder(groups=group.recorders[lane * count : (lane + 1) * count])


def evaluate_outputs(group, ints, plan, wanted, only):
    """What `wanted` (bits) asks for; with `only`, what no task asks for; returns whether all went well."""
    first, t = group.arenas[0], ints[NOW] / NANO
    if first[STAGE_TIME] != t:
        first[STAGE_TIME] = -1.0
    for i in range(group.tick.shape[0]):
        bits = group.tick[i, BITS]
        is_wanted = bits & wanted != 0 and not (only and bits & FOR_TASKS != 0)
        if is_wanted and call_row(group, group.tick, i, t) != OK:
            return False
    return True


def change(group, ints, plan, now):
    """Parameters of all that change now."""
    if plan.changes.shape[0] > 0:
        for lane in range(COUNT):
            change_parameters(group.ints[lane], plan, now)


def shift(group, ints, plan, now):
    """Delay lines of all."""
    if plan.delays.shape[0] > 0:
        for lane in range(COUNT):
            shift_delays(group.ints[lane], plan, now)


def run_task(group, ints, plan, i, now):
    """One task, of each; returns whether all went well."""
    due, key, t = plan.tasks[i, 3], plan.tasks[i, 4], now / NANO
    entry, context = plan.tasks[i, 0], group.arenas.ctypes.data + WORD * plan.tasks[i, 1]
    upcoming = next_tick(group.arenas[0], plan, i, now)
    is_traced = group.tasks[i, 0] != 0
    if key >= 0:
        for lane in range(COUNT):
            group.ints[lane, key] += 1
    if is_traced and call_entry(group.tasks[i, 0], t, group.tasks[i, 1]) != OK:
        return False
    for lane in range(COUNT):
        if not is_traced and call_entry(entry, t, context + WORD * lane * group.arenas.shape[1]) != OK:
            return False
        group.ints[lane, due] = upcoming
    if plan.updates.shape[0] > 0:
        for lane in range(COUNT):
            renew_parameters(group.ints[lane], plan, i)
    return True


def hold(group):
    """The mechanism reads from the second memory what tasks have sent."""
    move(group, group.held, True)


def record(group, ints, plan, recorder, recorded):
    """Samples of all; they are due when those of the first are."""
    move(group, group.shown, False)
    for lane in range(COUNT):
        group.ints[lane, NOW] = ints[NOW]
        own = recorder_of(group, lane)
        for g in range(own.groups.shape[0]):
            if recorded & (FOR_RECORDER << g) != 0:
                write_sample(group.ints[lane], plan, own, g)


run_tick = tick_with(evaluate_outputs, change, shift, run_task, hold, record)


def evaluate(lanes, ints, group, t, stage, is_between):
    """The rates of all."""
    known = begin_evaluation(group.arenas[0], ints, t, is_between)
    for i in range(group.stage.shape[0]):
        if group.stage[i, BITS] & known == 0:
            status = call_row(group, group.stage, i, t)
            if status != OK:
                return status
    end_evaluation(group.arenas[0], ints, t)
    return OK


def no_rates(lanes, ints, group, t):
    """No method with a fixed step ends with the rates of the next."""
    return False, OK


runge_kutta_stages = runge_kutta_with(evaluate, no_rates)
semi_implicit_stages = semi_implicit_with(evaluate)


def fixed_step(group, ints, method, event):
    """One step of all, as `steps.fixed_step` and `steps.accept` do it."""
    lanes, now = group.lanes, ints[NOW]
    target = min((now // method.step + 1) * method.step, event)
    t, h = now / NANO, (target - now) / NANO
    copy(lanes, group.work, group.x, group.size)
    if method.is_semi_implicit:
        status = semi_implicit_stages(lanes, ints, group, t, h)
    else:
        status = runge_kutta_stages(lanes, ints, group, method, t, h, target / NANO)
    if status != OK:
        return ENTRY_FAILED
    if not is_finite(lanes[group.x : group.x + group.size]):
        return STATE_NOT_FINITE
    for i in range(group.projections.shape[0]):
        if call_row(group, group.projections, i, target / NANO) != OK:
            return ENTRY_FAILED
    ints[NOW] = target
    ints[FSAL_VALID] = 0
    return DONE


def advance(group, ints, plan, method, until, waits):
    """To `until` [ns], as `core_loop.advance` does."""
    recorder = recorder_of(group, 0)
    ints[IS_SETTLED] = ints[IS_HELD] = 0
    if plan.updates.shape[0] > 0:
        for lane in range(COUNT):
            renew_parameters(group.ints[lane], plan, -1)
    hold(group)
    while True:
        if ints[TICK_DONE] == 0:
            is_last = waits and ints[NOW] >= until
            code = run_tick(group, ints, plan, recorder, is_last)
            if code != DONE or is_last:
                return code
        if ints[NOW] >= until:
            return DONE
        if ints[INTEGRATOR] != method.identity:
            ints[INTEGRATOR] = method.identity
            ints[FSAL_VALID] = 0
            ints[NEXT_STEP] = ints[LAST_ERROR] = 0
        code = fixed_step(group, ints, method, next_event(ints, plan, recorder, until))
        if code != DONE:
            return code
        ints[STEPS] += 1
        ints[TICK_DONE] = 0


# ---- rows and words ------------------------------------------------------------------------------------------------


def call_row(group, table, i, t):
    """Call what stands in a row of a table, for all; returns a status."""
    if table[i, WAY] == SERVICE:
        status = call_entry(table[i, ENTRY], t, table[i, CONTEXT])
        for r in range(table[i, MOVED], table[i, MOVED_END]):
            move_words(group, group.moves[r, 0], group.moves[r, 1], False)
        return status
    for r in range(table[i, DOWN], table[i, DOWN_END]):
        move_words(group, group.moves[r, 0], group.moves[r, 1], False)
    if table[i, WAY] == TRACED:
        status = call_entry(table[i, ENTRY], t, table[i, CONTEXT])
        if status != OK:
            return status
    else:
        context = group.arenas.ctypes.data + WORD * table[i, CONTEXT]
        for lane in range(COUNT):
            status = call_entry(table[i, ENTRY], t, context + WORD * lane * group.arenas.shape[1])
            if status != OK:
                return status
    for r in range(table[i, MOVED], table[i, MOVED_END]):
        move_words(group, group.moves[r, 0], group.moves[r, 1], True)
    return OK


def move(group, runs, is_up):
    for r in range(runs.shape[0]):
        move_words(group, runs[r, 0], runs[r, 1], is_up)


def move_words(group, at, words, is_up):
    """From the arenas up to the second memory, or down."""
    single, side_by_side = group.arenas.ctypes.data + WORD * at, group.lanes.ctypes.data + WORD * COUNT * at
    stride = WORD * group.arenas.shape[1]
    fours = words - words % 4
    for w in range(0, fours, 4):
        if is_up:
            four_words_up(single + WORD * w, stride, side_by_side + WORD * COUNT * w)
        else:
            four_words_down(single + WORD * w, stride, side_by_side + WORD * COUNT * w)
    for w in range(fours, words):
        for lane in range(COUNT):
            below, above = single + stride * lane + WORD * w, side_by_side + WORD * (COUNT * w + lane)
            if is_up:
                store_int(above, load_word(below))
            else:
                store_int(below, load_word(above))
