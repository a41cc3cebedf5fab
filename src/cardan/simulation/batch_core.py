"""The native loop of a batch: one member after another is put into an arena, advanced, and taken out again.

Where that is possible, eight members are advanced at once (`lane_core`).

What it is given lies in a row of slots, as with `core_entry`. The core itself is called by its address.
"""

from cardan.native.lanes import COUNT
from cardan.native.pointers import WORD, call_entry, store_int
from cardan.native.status import OK
from cardan.native.storage import copy_words, int_vector
from cardan.simulation.core import (
    DONE,
    ENTRY_FAILED,
    FORGOTTEN,
    FSAL_VALID,
    KNOWN,
    NANO,
    NOW,
    STAGE_TIME,
    TICK_TABLE,
    call,
    note_failure,
)
from cardan.simulation.core_entry import float_matrix_at, float_vector_at, int_at, int_matrix_at, int_vector_at

# the slots, in order
(
    ARENA,  # float vector
    INTS,  # the same as integers
    CORE,  # address of the core
    CORE_CONTEXT,  # address of what the core is given
    UNTIL_AT,  # address of the word that says how far it goes
    GROUPS,  # address of what advances eight members at once (`lane_core`); 0 if nothing does
    GROUP_CONTEXT,  # address of what it is given
    GROUP_AT,  # address of the word that says which of the members are meant
    ROWS,  # (members, words) all that tells members apart
    SPANS,  # (n, 3) stretches of a row: where in the arena, where in the row, how many words
    MEMBERS,  # which members to advance
    UNTILS,  # (members,) [ns] how far each goes in its first step
    STEPS,  # how many steps each takes; 0 to evaluate outputs alone
    SPAN,  # [ns] how long a step is
    GIVEN,  # (members, steps x words) what is given from outside before each step
    GIVEN_AT,  # (n, 2) where in the arena it goes, how many words
    TICK,  # (n, 3) entries behind the outputs, as in `core.Plan.tick`
    OUTPUTS,  # (n, 2) where in the arena the outputs lie, how many words
    OUT,  # (members, steps x words) where they go after each step
    CODES,  # (members,) how each ended
    SLOTS,  # how many there are
) = range(21)


def advance_members(t, context):
    """Advance some members; each code says how it went. A member that fails keeps the row that it had."""
    arena, ints = float_vector_at(context, ARENA), int_vector_at(context, INTS)
    rows, spans, members = (
        float_matrix_at(context, ROWS),
        int_matrix_at(context, SPANS),
        int_vector_at(context, MEMBERS),
    )
    untils, codes = int_vector_at(context, UNTILS), int_vector_at(context, CODES)
    entry, core_context, until_at = int_at(context, CORE), int_at(context, CORE_CONTEXT), int_at(context, UNTIL_AT)
    steps, span = int_at(context, STEPS), int_at(context, SPAN)
    given, given_at = float_matrix_at(context, GIVEN), int_matrix_at(context, GIVEN_AT)
    tick, outputs, out = int_matrix_at(context, TICK), int_matrix_at(context, OUTPUTS), float_matrix_at(context, OUT)
    until, first = int_vector(until_at, 1), int_vector(int_at(context, GROUP_AT), 1)
    m, alone = 0, 0 if steps > 0 and int_at(context, GROUPS) != 0 else len(members)
    while m < len(members):
        if m >= alone and m + COUNT <= len(members):
            first[0] = m
            if call_entry(int_at(context, GROUPS), 0.0, int_at(context, GROUP_CONTEXT)) == DONE:
                m += COUNT
                continue
            alone = m + COUNT  # whatever it was that stopped them is found one by one
        i = members[m]
        m += 1
        move(arena, rows, spans, i, True)
        from_outside = given.ctypes.data + WORD * i * given.shape[1]
        to_outside = out.ctypes.data + WORD * i * out.shape[1]
        code = DONE
        for k in range(max(1, steps)):
            if steps > 0:
                if given.shape[1] > 0:
                    from_outside = copy_runs(arena, given_at, from_outside, True)
                    ints[FSAL_VALID] = 0
                until[0] = untils[i] + k * span
                code = call_entry(entry, 0.0, core_context)
                if code != DONE:
                    break
            code = evaluate(arena, ints, tick)
            if code != DONE:
                break
            to_outside = copy_runs(arena, outputs, to_outside, False)
        codes[i] = code
        if code != DONE and steps > 1:
            clear_words(to_outside, (out.ctypes.data + WORD * (i + 1) * out.shape[1] - to_outside) // WORD)
        if code == DONE and steps > 0:
            if ints[FSAL_VALID] == KNOWN:
                ints[FSAL_VALID] = FORGOTTEN  # the rates stay behind in the arena
            arena[STAGE_TIME] = -1.0
            move(arena, rows, spans, i, False)
    return OK


def move(arena, rows, spans, i, is_into_arena):
    """Copy the row of a member into the arena, or back."""
    row, base = rows.ctypes.data + WORD * i * rows.shape[1], arena.ctypes.data
    for s in range(spans.shape[0]):
        inside, outside = base + WORD * spans[s, 0], row + WORD * spans[s, 1]
        if is_into_arena:
            copy_words(inside, outside, spans[s, 2])
        else:
            copy_words(outside, inside, spans[s, 2])


def copy_runs(arena, runs, outside, is_into_arena):
    """Copy stretches of the arena from what lies side by side at `outside`, or to it; returns where that ends."""
    for r in range(runs.shape[0]):
        inside, words = arena.ctypes.data + WORD * runs[r, 0], runs[r, 1]
        if is_into_arena:
            copy_words(inside, outside, words)
        else:
            copy_words(outside, inside, words)
        outside += WORD * words
    return outside


def clear_words(at, count):
    """What a member that has failed leaves to be written."""
    for word in range(count):
        store_int(at + WORD * word, 0)


def evaluate(arena, ints, tick):
    """Evaluate the outputs of models that are wanted, at the present state and with the messages held now."""
    now = ints[NOW] / NANO
    for i in range(tick.shape[0]):
        status = call(arena, ints, tick[i, 0], now, tick[i, 1])
        if status != OK:
            note_failure(arena, ints, status, TICK_TABLE, i, 0, now)
            return ENTRY_FAILED
    return DONE
