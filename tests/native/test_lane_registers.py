"""Code for eight runs at once does in each lane what plain code does for one."""

import math
import re

import numpy as np
import pytest
from numba.core.errors import TypingError

from cardan.maths import choose, sin_cos
from cardan.mechanism.plumbing.arrays import unit4
from cardan.native import vectors
from cardan.native.compiling import jitted
from cardan.native.drafting import draft
from cardan.native.entry import compile_kernel
from cardan.native.lanes import COUNT, in_all_lanes, in_any_lane, lane_address
from cardan.native.pointers import ENTRY_SIGNATURE, load_float, load_int, store_float, store_int
from cardan.native.python_entry import CALLBACK
from cardan.native.tuples import quat_from_turn, turn_from_quat

WORDS = 64


def arithmetic(t, context):
    """All that numbers can do; one of them is a constant, one is whole."""
    a, b, c = load_float(context), load_float(context + 8), load_float(context + 16)
    out = context + 8 * 16
    store_float(out, a + b * c - a / b)
    store_float(out + 8, -a * 2.0 + 1.0 / c)
    store_float(out + 16, math.sqrt(abs(a)))
    store_float(out + 24, max(a, b, c) - min(a, b) + max(b, 0.5))
    sine, cosine = sin_cos(a)
    store_float(out + 32, sine)
    store_float(out + 40, cosine)
    total = 0.0
    for _ in range(load_int(context + 24)):
        total += a * b
    store_float(out + 48, total)
    store_int(context + 32, 7)
    return 0


def decisions(t, context):
    """All kinds of comparisons, and what follows from them."""
    a, b = load_float(context), load_float(context + 8)
    out = context + 8 * 16
    store_float(out, choose(a < b, a, b) + choose(a >= b, 1.0, 2.0))
    store_float(out + 8, choose((a > 0.0) & (b <= 0.5), a, choose((a == b) | (a != a), 3.0, b)))
    status = 0
    if in_any_lane(a > 100.0):
        status = 1
    is_small = True
    is_small &= a < 200.0
    return status if in_all_lanes(is_small) else 2


def algebra(t, context):
    """Vectors of three, matrices and quaternions."""
    a, b = vectors.load_packed(context), vectors.load_vector(context + 24)
    scale = load_float(context + 56)
    out = context + 8 * 16
    nothing = vectors.vector(0.0, 0.0, 0.0)
    mixed = vectors.vector(0.0, a.z, -b.y)
    m = vectors.transposed(a, b, mixed + nothing)
    vectors.store_packed(out, vectors.cross(a, b) * scale - mixed * 2.0)
    vectors.store_vector(out + 24, vectors.turned(m, vectors.turned_back(m, a)))
    store_float(out + 56, vectors.dot_pair(a, b, mixed, a) + nothing.x)
    q = unit4((a.x, a.y, a.z, scale))
    w, x, y, z = quat_from_turn(turn_from_quat(q))
    for i in range(2):
        store_float(out + 64 + 8 * i, w * x if i == 0 else y * z)
    return 0


def in_lanes(function):
    """The function for eight arenas, compiled: `run(arenas)` changes them as the function does; returns its status."""

    def wide(t, context):
        return function(t, lane_address(load_int(context), load_int(context + 8)))

    entry = CALLBACK(compile_kernel(f"{function.__name__} in lanes", wide))

    def run(arenas: np.ndarray) -> int:
        first = arenas[0].copy()
        room = np.zeros(COUNT * (WORDS + 1))
        start = -(room.ctypes.data // 8) % COUNT
        lanes = room[start : start + COUNT * WORDS].reshape(WORDS, COUNT)
        lanes[:] = arenas.T
        at = np.array([first.ctypes.data, lanes.ctypes.data - COUNT * first.ctypes.data])
        status = entry(0.0, at.ctypes.data)
        whole = [3, 4]  # words that are not numbers lie in the first arena
        arenas[:] = lanes.T
        arenas[:, whole] = first[whole]
        return status

    return run


def drawn(seed: int) -> np.ndarray:
    arenas = np.random.default_rng(seed).normal(size=(COUNT, WORDS))
    arenas[:, 3:5].view(np.int64)[:] = 5, 0
    return arenas


@pytest.mark.parametrize("function", [arithmetic, decisions, algebra])
def test_every_lane_has_the_bits_of_plain_code(function):
    run = in_lanes(function)
    for seed in range(20):
        arenas = drawn(seed)
        expected = arenas.copy()
        statuses = [function(0.0, arena.ctypes.data) for arena in expected]
        assert run(arenas) == max(statuses)
        written = slice(4, 32)
        assert arenas[:, written].tobytes() == expected[:, written].tobytes()


def test_a_condition_may_hold_in_any_lane_or_in_all():
    run = in_lanes(decisions)
    for lane in range(COUNT):
        arenas = drawn(0)
        arenas[lane, 0] = 150.0
        assert run(arenas) == 1
        arenas = drawn(0)
        arenas[lane, 0] = 250.0
        assert run(arenas) == 2


def test_what_is_not_a_number_is_chosen_as_in_plain_code():
    run, arenas = in_lanes(decisions), drawn(1)
    arenas[::2, 0] = np.nan
    expected = arenas.copy()
    for arena in expected:
        decisions(0.0, arena.ctypes.data)
    run(arenas)
    assert np.array_equal(arenas[:, 16:18], expected[:, 16:18], equal_nan=True)


def test_a_branch_on_a_number_does_not_compile():
    """It would go one way for all eight."""

    def branching(t, context):
        if load_float(context) > 0.0:
            return 1
        return 0

    with pytest.raises(TypingError, match="LaneMask"):
        in_lanes(branching)


def test_functions_that_make_pointers_from_integers_are_marked():
    """Without the mark LLVM may take an address that is reckoned from null for one that cannot be."""
    kernel = jitted(arithmetic)

    def entry(t, context):
        return kernel(t, context)

    written = draft(entry, ENTRY_SIGNATURE, error_model="numpy")
    assert written is not None
    marked = re.findall(r"^attributes (#\d+) = \{.*null_pointer_is_valid.*\}", written.text, re.MULTILINE)
    making = [text for text in written.text.split("\ndefine ")[1:] if "inttoptr" in text]
    assert making
    assert all(text.partition(" {")[0].split()[-1] in marked for text in making)
