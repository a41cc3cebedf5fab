"""The core as an entry: all that it is given lies in one row of slots.

A slot has three words: the address and the shape of an array, or a number in the first. The order is that of the
arguments of `core_loop.advance`, those that are NamedTuples field by field.
"""

from cardan.native.pointers import load_float, load_int
from cardan.native.storage import float_matrix, float_vector, int_matrix, int_vector
from cardan.simulation.core import Method, Plan, Recorder
from cardan.simulation.core_loop import advance

SLOT = 3  # words
PLAN = 2  # the slot of its first field; the arena comes before, as floats and as integers
METHOD = PLAN + len(Plan._fields)
RECORDER = METHOD + len(Method._fields)
TIMES = RECORDER + len(Recorder._fields)


def advance_with(t, context):
    """`core_loop.advance` with what lies in the row of slots at `context`."""
    return advance(
        float_vector_at(context, 0),
        int_vector_at(context, 1),
        plan_at(context),
        method_at(context),
        recorder_at(context),
        int_at(context, TIMES),
        int_vector_at(context, TIMES + 1),
    )


def plan_at(context):
    return Plan(
        stage=int_matrix_at(context, PLAN),
        tick=int_matrix_at(context, PLAN + 1),
        tasks=int_matrix_at(context, PLAN + 2),
        delays=int_matrix_at(context, PLAN + 3),
        projections=int_matrix_at(context, PLAN + 4),
        record=int_matrix_at(context, PLAN + 5),
        breaks=int_matrix_at(context, PLAN + 6),
        changes=int_matrix_at(context, PLAN + 7),
        updates=int_matrix_at(context, PLAN + 8),
        x=int_at(context, PLAN + 9),
        xdot=int_at(context, PLAN + 10),
        size=int_at(context, PLAN + 11),
        work=int_at(context, PLAN + 12),
        absolute=int_at(context, PLAN + 13),
        relative=int_at(context, PLAN + 14),
        positions=int_at(context, PLAN + 15),
        waiting=int_at(context, PLAN + 16),
    )


def method_at(context):
    return Method(
        a=float_matrix_at(context, METHOD),
        b=float_vector_at(context, METHOD + 1),
        c=float_vector_at(context, METHOD + 2),
        error=float_vector_at(context, METHOD + 3),
        error_low=float_vector_at(context, METHOD + 4),
        is_fsal=int_at(context, METHOD + 5) != 0,
        is_semi_implicit=int_at(context, METHOD + 6) != 0,
        error_order=int_at(context, METHOD + 7),
        step=int_at(context, METHOD + 8),
        first_step=float_at(context, METHOD + 9),
        min_step=float_at(context, METHOD + 10),
        max_step=float_at(context, METHOD + 11),
        identity=int_at(context, METHOD + 12),
        coupling=float_matrix_at(context, METHOD + 13),
    )


def recorder_at(context):
    return Recorder(groups=int_matrix_at(context, RECORDER))


def int_at(context, slot):
    return load_int(context + 8 * SLOT * slot)


def float_at(context, slot):
    return load_float(context + 8 * SLOT * slot)


def int_vector_at(context, slot):
    return int_vector(int_at(context, slot), load_int(context + 8 * (SLOT * slot + 1)))


def float_vector_at(context, slot):
    return float_vector(int_at(context, slot), load_int(context + 8 * (SLOT * slot + 1)))


def int_matrix_at(context, slot):
    at = context + 8 * SLOT * slot
    return int_matrix(load_int(at), load_int(at + 8), load_int(at + 16))


def float_matrix_at(context, slot):
    at = context + 8 * SLOT * slot
    return float_matrix(load_int(at), load_int(at + 8), load_int(at + 16))
