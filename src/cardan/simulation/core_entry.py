"""The core as an entry: all that it is given lies in one row of slots.

A slot has three words: the address and the shape of an array, or a number in the first. The order is that of the
arguments of `core.advance`, those that are NamedTuples field by field.
"""

from cardan.native.pointers import load_float, load_int
from cardan.native.storage import float_matrix, float_vector, int_matrix, int_vector
from cardan.simulation.core import Method, Plan, Recorder, advance

SLOT = 3  # words
PLAN = 2  # the slot of its first field; the arena comes before, as floats and as integers
METHOD = PLAN + len(Plan._fields)
RECORDER = METHOD + len(Method._fields)
TIMES = RECORDER + len(Recorder._fields)


def advance_with(t, context):
    """`core.advance` with what lies in the row of slots at `context`."""
    plan = Plan(
        stage=_int_matrix(context, PLAN),
        tick=_int_matrix(context, PLAN + 1),
        tasks=_int_matrix(context, PLAN + 2),
        delays=_int_matrix(context, PLAN + 3),
        projections=_int_matrix(context, PLAN + 4),
        record=_int_matrix(context, PLAN + 5),
        breaks=_int_matrix(context, PLAN + 6),
        x=_int(context, PLAN + 7),
        xdot=_int(context, PLAN + 8),
        size=_int(context, PLAN + 9),
        work=_int(context, PLAN + 10),
        absolute=_int(context, PLAN + 11),
        relative=_int(context, PLAN + 12),
        positions=_int(context, PLAN + 13),
    )
    method = Method(
        a=_float_matrix(context, METHOD),
        b=_float_vector(context, METHOD + 1),
        c=_float_vector(context, METHOD + 2),
        error=_float_vector(context, METHOD + 3),
        error_low=_float_vector(context, METHOD + 4),
        is_fsal=_int(context, METHOD + 5) != 0,
        is_semi_implicit=_int(context, METHOD + 6) != 0,
        error_order=_int(context, METHOD + 7),
        step=_int(context, METHOD + 8),
        first_step=_float(context, METHOD + 9),
        min_step=_float(context, METHOD + 10),
        max_step=_float(context, METHOD + 11),
        identity=_int(context, METHOD + 12),
    )
    recorder = Recorder(clock=_int_vector(context, RECORDER), buffer=_int_matrix(context, RECORDER + 1))
    return advance(
        _float_vector(context, 0),
        _int_vector(context, 1),
        plan,
        method,
        recorder,
        _int(context, TIMES),
        _int_vector(context, TIMES + 1),
    )


def _int(context, slot):
    return load_int(context + 8 * SLOT * slot)


def _float(context, slot):
    return load_float(context + 8 * SLOT * slot)


def _int_vector(context, slot):
    return int_vector(_int(context, slot), load_int(context + 8 * (SLOT * slot + 1)))


def _float_vector(context, slot):
    return float_vector(_int(context, slot), load_int(context + 8 * (SLOT * slot + 1)))


def _int_matrix(context, slot):
    at = context + 8 * SLOT * slot
    return int_matrix(load_int(at), load_int(at + 8), load_int(at + 16))


def _float_matrix(context, slot):
    at = context + 8 * SLOT * slot
    return float_matrix(load_int(at), load_int(at + 8), load_int(at + 16))
