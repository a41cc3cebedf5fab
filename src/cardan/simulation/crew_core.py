"""How threads share the members of a batch, in native code.

The leader opens a job, takes part in it until all members are handed out, and waits for those who have joined. A helper
that wakes too late finds nothing left, and has cost nothing. Helpers look out for the next job for a while before they
sleep, because to wake a thread takes longer than many a job.

LEFT, the number of members that are not handed out yet, is the gate. The leader writes all else first; whoever takes
something from LEFT has a share of the present job, and finds everything as the leader wrote it. BUSY counts those who
may be taking something: a helper counts itself in before it looks at LEFT, and the leader looks at BUSY when nothing is
left, so that none is overlooked.
"""

from cardan.native import atomics
from cardan.native.layout import LINE
from cardan.native.pointers import WORD, call_entry, call_two, load_int, load_word, store_int
from cardan.native.status import OK
from cardan.simulation.batch_core import CODES, MEMBERS, ROWS, SPAN, UNTILS
from cardan.simulation.batch_core import SLOTS as BATCH_SLOTS
from cardan.simulation.core import DONE, FSAL_VALID, NOW
from cardan.simulation.core_entry import SLOT, int_at, int_matrix_at, int_vector_at

# ---- what all share: words, those that change hands in lines of the processor's cache of their own -----------------
TICKET = 0  # grows with every job
LEFT = LINE  # members that are not handed out yet
BUSY = 2 * LINE  # helpers that take part
SLEEPING = 3 * LINE  # helpers that sleep
IS_LEADER_ASLEEP = 4 * LINE
FAILED = 5 * LINE  # members that have failed in this job
COUNT = 6 * LINE  # members in this job
CHUNK = COUNT + 1  # how many are handed out at once
FORGETS = COUNT + 2  # whether rates that were known before count no longer
CALLS = COUNT + 3  # whether helpers are called
HAS_ENDED = COUNT + 4  # whether they are to end
SLOTS = COUNT + 5  # address of the slots of `batch_core`, of which those from ROWS on hold for all
ENTRY = COUNT + 6  # address of `batch_core.advance_members`
LOCK, UNLOCK, WAIT, WAKE, YIELD = range(COUNT + 7, COUNT + 12)  # addresses of functions of the system
MUTEX = 8 * LINE  # what these work on, each at most 16 words
WORK = 10 * LINE
IDLE = 12 * LINE
WORDS = 14 * LINE

# ---- what each has for itself --------------------------------------------------------------------------------------
ROLE = 0
SHARED = 1  # address of what all share
OWN_SLOTS = 2  # address of its own slots of `batch_core`
OWN_WORDS = 3

# ---- roles ---------------------------------------------------------------------------------------------------------
LEADER = 0  # opens a job, takes part in it, and waits for the helpers
HELPER = 1  # takes part in one job after another
OPENER = 2  # opens a job for guests
GUEST = 3  # takes part in one job
ENDER = 4  # lets the helpers end

PATIENCE = 100  # looks for the next job before sleep, some tens of microseconds


def act(t, context):
    """Do what a thread has to do; the leader returns how many members have failed."""
    role = load_int(context + WORD * ROLE)
    shared, slots = load_int(context + WORD * SHARED), load_int(context + WORD * OWN_SLOTS)
    if role == HELPER:
        return serve(shared, slots)
    if role == GUEST:
        return take_part(shared, slots)
    if role == ENDER:
        atomics.store(shared + WORD * HAS_ENDED, 1)
        return call_helpers(shared)
    open_job(shared)
    if role == OPENER:
        return OK
    if load_int(shared + WORD * CALLS) != 0:
        call_helpers(shared)
    take_part(shared, slots)
    wait_for_helpers(shared)
    return atomics.load(shared + WORD * FAILED)


# ---- the leader ----------------------------------------------------------------------------------------------------


def open_job(shared):
    """Let members be taken; nobody takes part in anything yet."""
    atomics.store(shared + WORD * FAILED, 0)
    atomics.store(shared + WORD * LEFT, load_int(shared + WORD * COUNT))


def call_helpers(shared):
    atomics.add(shared + WORD * TICKET, 1)
    if atomics.load(shared + WORD * SLEEPING) > 0:
        lock(shared)
        call_two(load_int(shared + WORD * WAKE), shared + WORD * WORK, 0)
        unlock(shared)
    return OK


def wait_for_helpers(shared):
    for _ in range(PATIENCE):
        if atomics.load(shared + WORD * BUSY) == 0:
            return
        give_way(shared)
    lock(shared)
    atomics.store(shared + WORD * IS_LEADER_ASLEEP, 1)
    while atomics.load(shared + WORD * BUSY) > 0:
        wait(shared, IDLE)
    atomics.store(shared + WORD * IS_LEADER_ASLEEP, 0)
    unlock(shared)


# ---- helpers -------------------------------------------------------------------------------------------------------


def serve(shared, slots):
    """Take part in one job after another, until they are to end."""
    seen = 0
    while True:
        looks = 0
        while atomics.load(shared + WORD * TICKET) == seen:
            looks += 1
            if looks < PATIENCE:
                give_way(shared)
            else:
                sleep(shared, seen)
        seen = atomics.load(shared + WORD * TICKET)
        if atomics.load(shared + WORD * HAS_ENDED) != 0:
            return OK
        atomics.add(shared + WORD * BUSY, 1)
        take_part(shared, slots)
        if atomics.add(shared + WORD * BUSY, -1) == 1 and atomics.load(shared + WORD * IS_LEADER_ASLEEP) != 0:
            lock(shared)
            call_two(load_int(shared + WORD * WAKE), shared + WORD * IDLE, 0)
            unlock(shared)


def sleep(shared, seen):
    """Until there is another job."""
    lock(shared)
    atomics.add(shared + WORD * SLEEPING, 1)
    while atomics.load(shared + WORD * TICKET) == seen:
        wait(shared, WORK)
    atomics.add(shared + WORD * SLEEPING, -1)
    unlock(shared)


# ---- both ----------------------------------------------------------------------------------------------------------


def take_part(shared, slots):
    """Advance members, some at a time, as long as any are left."""
    chunk = load_int(shared + WORD * CHUNK)
    has_slots = False
    while True:
        left = atomics.add(shared + WORD * LEFT, -chunk)
        if left <= 0:
            return OK
        if not has_slots:
            has_slots = True
            copy_slots(load_int(shared + WORD * SLOTS), slots)
        advance_some(shared, slots, load_int(shared + WORD * COUNT) - left, min(chunk, left))


def copy_slots(source, target):
    """What holds for all."""
    for word in range(SLOT * ROWS, SLOT * BATCH_SLOTS):
        store_int(target + WORD * word, load_word(source + WORD * word))


def advance_some(shared, slots, first, count):
    """Advance some of the members of the job, from the `first` on."""
    at = slots + WORD * SLOT * MEMBERS
    store_int(at, load_int(load_int(shared + WORD * SLOTS) + WORD * SLOT * MEMBERS) + WORD * first)
    store_int(at + WORD, count)
    rows, members, untils, codes = (
        int_matrix_at(slots, ROWS),
        int_vector_at(slots, MEMBERS),
        int_vector_at(slots, UNTILS),
        int_vector_at(slots, CODES),
    )
    span, forgets = int_at(slots, SPAN), load_int(shared + WORD * FORGETS) != 0
    for i in members:
        untils[i] = rows[i, NOW] + span
        if forgets:
            rows[i, FSAL_VALID] = 0
    call_entry(load_int(shared + WORD * ENTRY), 0.0, slots)
    failed = 0
    for i in members:
        failed += 1 if codes[i] != DONE else 0
    if failed > 0:
        atomics.add(shared + WORD * FAILED, failed)


# ---- the system's ---------------------------------------------------------------------------------------------------


def lock(shared):
    call_two(load_int(shared + WORD * LOCK), shared + WORD * MUTEX, 0)


def unlock(shared):
    call_two(load_int(shared + WORD * UNLOCK), shared + WORD * MUTEX, 0)


def wait(shared, condition):
    call_two(load_int(shared + WORD * WAIT), shared + WORD * condition, shared + WORD * MUTEX)


def give_way(shared):
    """Let another thread have the processor, if any wants it."""
    call_two(load_int(shared + WORD * YIELD), 0, 0)
