"""Temporary arrays on the stack: the same numbers as in plain Python, and no heap where none is needed."""

import uuid
from collections.abc import Callable

import llvmlite.binding as llvm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import cfunc, njit, prange
from numba.core.runtime import _nrt_python, rtsys

from cardan.maths import dcm_from_mrp, matvec
from cardan.native import entry as entry_module
from cardan.native import temporaries
from cardan.native.compiling import jitted
from cardan.native.drafting import draft
from cardan.native.entry import machine_code_of
from cardan.native.machine_code import load, machine_code, optimise
from cardan.native.pointers import ENTRY_SIGNATURE, load_float, store_float
from cardan.native.python_entry import CALLBACK
from cardan.native.status import Status
from cardan.native.storage import float_vector

Function = Callable[[float, int], int]


def entry_of(function: Function) -> Function:
    """`function` in the form that entries are generated in."""
    kernel = jitted(function)

    def entry(t, context):
        return kernel(t, context)

    return entry


def compiled(function: Function) -> Function:
    """`function` as an entry, compiled now, so that a test never meets code from disk."""
    symbol = f"entry_{uuid.uuid4().hex}"
    code = machine_code_of(entry_of(function), symbol)
    assert code is not None
    return CALLBACK(load(code, symbol))


def written_by(function: Function, t: float, *given: float) -> list[float]:
    """What `function` leaves in its memory, which begins with what it is given."""
    memory = np.zeros(16)
    memory[: len(given)] = given
    assert function(t, memory.ctypes.data) == Status.OK
    return memory.tolist()


def heap_use(function: Function, t: float) -> tuple[int, int]:
    """How many arrays a call takes from the heap, and how many it gives back."""
    _nrt_python.memsys_enable_stats()
    memory = np.zeros(16)
    before = rtsys.get_allocation_stats()
    function(t, memory.ctypes.data)
    after = rtsys.get_allocation_stats()
    return after.mi_alloc - before.mi_alloc, after.mi_free - before.mi_free


def vector_algebra(t, context):
    a = np.array([load_float(context), load_float(context + 8), t])
    b = np.cross(a, 2.0 * a + np.array([1.0, t, -3.0]))
    turned = np.outer(a, b) @ (a - b) + np.where(a > b, a, b)
    for i in range(3):
        store_float(context + 8 * i, turned[i])
    return 0


vector_algebra_entry = compiled(vector_algebra)
few = st.floats(-10.0, 10.0)


@given(few, few, few)
def test_arrays_outside_loops_hold_the_same_numbers_as_in_python(t, x, y):
    expected, got = (written_by(function, t, x, y) for function in (vector_algebra, vector_algebra_entry))
    # a matrix times a vector is BLAS in plain Python, which may add in another order
    assert np.allclose(expected, got, rtol=1e-13, atol=1e-13 * np.abs(expected).max())


def algebra_without_blas(t, context):
    a = np.array([t, 2.0, -t])
    b = a * a - 0.5 * np.cross(a, a[::-1])
    store_float(context, (a + b).sum())
    return 0


def test_arrays_outside_loops_need_no_heap():
    assert heap_use(compiled(algebra_without_blas), 0.3) == (0, 0)


def fibonacci(t, context):
    """Two arrays are kept from one turn of the loop to the next, so no two may share a place."""
    last, present = np.array([0.0, t]), np.array([1.0, -t])
    for _ in range(int(load_float(context))):
        last, present = present, np.array([0.5, 0.25]) * (last + present)
    for i in range(2):
        store_float(context + 8 * i, last[i] - present[i])
    return 0


fibonacci_entry = compiled(fibonacci)


@given(few, st.integers(0, 400))
@settings(deadline=None)
def test_an_array_kept_through_a_loop_is_not_written_over(t, turns):
    """400 turns take four times the room in the frame, so most arrays are the heap's."""
    assert written_by(fibonacci_entry, t, turns) == written_by(fibonacci, t, turns)


def many_turns(t, context):
    total = np.zeros(3)
    for i in range(1000):
        total = total + np.array([t, 1.0, i])
    store_float(context, total[0])
    return 0


def test_a_long_loop_gives_back_what_it_takes_from_the_heap():
    taken, given_back = heap_use(compiled(many_turns), 1.0)
    assert taken == given_back
    # three arrays a turn; the first of them fit into the frame
    assert 0 < taken <= 3000 - temporaries.ROOM // (temporaries.RECORD + 32)


def test_arrays_share_one_room_where_they_have_no_places_of_their_own(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(temporaries, "OWN_PLACES", 200)  # a second array of three numbers is one too many
    entry = compiled(algebra_without_blas)
    assert written_by(entry, 0.3) == written_by(algebra_without_blas, 0.3)
    assert heap_use(entry, 0.3) == (0, 0)


def large(t, context):
    a = np.arange(5000.0) * t
    store_float(context, a[4999] + (a + a)[1])
    return 0


def test_an_array_larger_than_the_room_comes_from_the_heap():
    entry = compiled(large)
    assert written_by(entry, 0.5) == written_by(large, 0.5)
    taken, given_back = heap_use(entry, 0.5)
    assert taken == given_back > 0


@njit
def halvings(a):
    """A function that calls itself cannot become part of another; what it returns lives on the heap."""
    if a[0] < 1.0:
        return a + 0.0
    return halvings(0.5 * a) + a


def recursive(t, context):
    found = halvings(np.array([t, -t, 1.0]))
    for i in range(3):
        store_float(context + 8 * i, found[i])
    return 0


def test_what_a_recursive_function_returns_outlives_its_frame():
    entry = compiled(recursive)
    for t in (0.5, 3.0, 1e6):
        assert written_by(entry, t) == written_by(recursive, t)
    taken, given_back = heap_use(entry, 1e6)
    assert taken == given_back > 0


def turned_about(v, angle, axis):
    """Long enough, with three callers, that LLVM does not make it part of them by itself."""
    k = axis / np.sqrt((axis * axis).sum())
    turned = v * np.cos(angle) + np.cross(k, v) * np.sin(angle) + k * (k * v).sum() * (1.0 - np.cos(angle))
    mirrored = turned - 2.0 * k * (k * turned).sum()
    return (turned if angle > 0.0 else mirrored) + np.cross(turned, mirrored)


def turns(t, context):
    v, axis = np.array([1.0, t, 2.0]), np.array([t, 0.5, -1.0])
    v = turned_about(turned_about(turned_about(v, 0.3, axis), -0.2, v), t, axis)
    for i in range(3):
        store_float(context + 8 * i, v[i])
    return 0


def test_functions_that_stay_apart_return_arrays_of_the_heap(monkeypatch: pytest.MonkeyPatch):
    whole = compiled(turns)
    assert heap_use(whole, 0.7) == (0, 0)
    monkeypatch.setattr(temporaries, "LARGEST_COPIES", -1_000_000)
    apart = compiled(turns)
    assert written_by(apart, 0.7) == written_by(whole, 0.7)
    taken, given_back = heap_use(apart, 0.7)
    assert taken == given_back > 0


def test_text_that_is_not_understood_leaves_numbas_code_and_says_so(caplog: pytest.LogCaptureFixture):
    assert temporaries.with_arrays_on_the_stack("define nonsense", "f", "entry", 1) is None
    assert "stay on the heap" in caplog.text


def either(t, context):
    """One array or another, so that the counts of both go through one place."""
    mine = np.array([t, 1.0, 2.0])
    chosen = mine if t > 0.0 else np.ones(int(3.0 - t))
    store_float(context, chosen.sum() + mine[0])
    return 0


@pytest.mark.parametrize("t", [1.0, -1.0, -5000.0])
def test_arrays_of_both_kinds_meet_in_one_variable(t):
    entry = compiled(either)
    assert written_by(entry, t) == written_by(either, t)
    taken, given_back = heap_use(entry, t)
    assert taken == given_back


def raises(t, context):
    a = np.array([t, 1.0])
    if a.sum() > 1.0:
        raise ValueError("too much")
    return 0


def test_what_raises_says_so_and_ends_nothing():
    entry = compiled(raises)
    assert entry(1.0, 0) == Status.RAISED
    assert entry(-1.0, 0) == Status.OK


def slices(t, context):
    """Numba tells in words which shapes do not fit, which needs Python's objects once somebody asks for the words."""
    a, b = np.zeros(6), np.array([t, 1.0, 2.0])
    begin = int(load_float(context))
    a[begin : begin + 3] = b
    store_float(context, a[3])
    return 0


def test_slices_are_assigned_on_the_stack_and_a_wrong_shape_raises():
    entry = compiled(slices)
    assert written_by(entry, 0.5, 3.0) == written_by(slices, 0.5, 3.0)
    assert heap_use(entry, 0.5) == (0, 0)
    memory = np.array([5.0])
    assert entry(0.5, memory.ctypes.data) == Status.RAISED


def unwritten(t, context):
    """What nobody has written is one number, whatever it is."""
    a = np.empty(4, np.int64)
    first = a[0]
    store_float(context, (a ^ a).sum() + (a - a).sum() + (1.0 if first == a[0] else 0.0))
    return 0


def test_an_unwritten_element_reads_the_same_twice():
    assert written_by(compiled(unwritten), 0.0)[0] == 1.0


# ---- what stays as Numba made it -----------------------------------------------------------------------------------


@njit(parallel=True)
def in_threads(n):
    out = np.zeros(n)
    for i in prange(n):
        out[i] = np.array([1.0, 2.0])[i % 2]
    return out


def parallel(t, context):
    store_float(context, in_threads(100).sum())
    return 0


def test_threads_count_references_in_numbas_way(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(entry_module, "numbas_own", cfunc(ENTRY_SIGNATURE, error_model="numpy"))
    assert machine_code_of(entry_of(parallel), "unused") is None


def test_an_operation_that_needs_a_compilers_library_is_not_kept():
    """LLVM would make a call of it that nothing here can answer."""
    module = llvm.parse_assembly("""
        declare double @llvm.powi.f64.i32(double, i32)
        define double @power(double %x, i32 %n) {
            %y = call double @llvm.powi.f64.i32(double %x, i32 %n)
            ret double %y
        }""")
    assert machine_code(module) is None


# ---- the rewriting itself ------------------------------------------------------------------------------------------


def test_counts_of_references_are_recognised_and_called_as_they_are_defined():
    written = draft(entry_of(many_turns), ENTRY_SIGNATURE)
    assert written is not None
    module = llvm.parse_assembly(written.text)
    temporaries._inline_all(module, written.function)
    optimise(module)
    calls = [line for line in str(module).split("\n") if "call" in line and "@NRT_decref(" in line]
    assert calls
    assert all(temporaries._COUNT.match(line) for line in calls)


def test_counts_of_arrays_with_places_of_their_own_are_dropped():
    body = """entry:
  %a = tail call ptr @NRT_MemInfo_alloc_aligned(i64 noundef range(i64 0, -7) 24, i32 32), !noalias !3
  %"b c" = call noalias ptr @NRT_MemInfo_alloc_aligned(i64 noundef %n, i32 32)
  tail call void @NRT_decref(ptr nonnull %a)
  tail call void @NRT_decref(ptr %"b c")
  br label %entry.2

entry.2:                                          ; preds = %entry.2, %entry
  %in_loop = call ptr @NRT_MemInfo_alloc_aligned(i64 8, i32 32)
  br i1 %x, label %entry.2, label %"the end"

"the end":                                        ; preds = %entry.2
  ret i64 0"""
    lines = temporaries._on_the_stack(body.split("\n"))
    assert [line for line in lines if "decref" in line] == ['  call void @NRT_decref(ptr %"b c")']
    assert sum("alloca [24 x i8]" in line for line in lines) == 1
    assert sum("@cardan_take(" in line for line in lines) == 2


def test_counts_are_dropped_where_a_pointer_can_only_be_to_the_frame():
    body = """entry:
  %a = call ptr @NRT_MemInfo_alloc_aligned(i64 24, i32 32)
  %b = call ptr @NRT_MemInfo_alloc_aligned(i64 24, i32 32)
  %heap = call ptr @NRT_MemInfo_alloc_aligned(i64 %n, i32 32)
  br label %next

next:                                             ; preds = %next, %entry
  %"one of" = phi ptr [ %a, %entry ], [ null, %"the, end" ]
  %turned = phi ptr [ %b, %entry ], [ %later, %next ]
  %later = phi ptr [ %turned, %next ], [ %"one of", %entry ]
  %any = phi ptr [ %heap, %entry ], [ %a, %next ]
  %of_any = phi ptr [ %any, %entry ], [ %a, %next ]
  call void @NRT_decref(ptr %"one of")
  call void @NRT_incref(ptr %later)
  call void @NRT_decref(ptr %any)
  call void @NRT_decref(ptr %of_any)
  br label %next"""
    lines = temporaries._on_the_stack(body.split("\n"))
    counted = [line.strip() for line in lines if "@NRT_" in line]
    assert counted == ["call void @NRT_decref(ptr %any)", "call void @NRT_decref(ptr %of_any)"]


def difference(t, context):
    """Its arrays have a size that is known only where their function has become part of the entry."""
    first, second = float_vector(context, 3), float_vector(context + 24, 3)
    turned = matvec(dcm_from_mrp(first), first - second)
    for i in range(3):
        store_float(context + 8 * i, turned[i])
    return 0


def test_arrays_of_known_size_end_up_in_registers():
    written = draft(entry_of(difference), ENTRY_SIGNATURE)
    assert written is not None
    module = temporaries.with_arrays_on_the_stack(written.text, written.function, "difference", Status.RAISED)
    assert module is not None
    (function,) = (function for function in module.functions if not function.is_declaration)
    assert "alloca" not in str(function)
    assert "br " not in str(function)


def test_only_loops_of_a_few_turns_lose_the_mark_that_keeps_them_together():
    loop = """again:
  %is_last = icmp eq i64 %i, {}
  br i1 %is_last, label %done, label %again, !llvm.loop !7"""
    short, long = (loop.format(turns).split("\n") for turns in (temporaries.FEW, temporaries.FEW + 1))
    assert temporaries._with_short_loops(short)[-1] == "  br i1 %is_last, label %done, label %again"
    assert temporaries._with_short_loops(long) == long


def test_a_chain_of_functions_that_call_each_other_twice_is_not_copied_without_end():
    """Twenty doublings of a hundred lines would be a hundred million."""
    body = "\n".join(["define void @f{0}() {{", *["  fence acquire"] * 98, "{1}", "}}"])
    bodies = {"f0": body.format(0, "")}
    for i in range(1, 20):
        bodies[f"f{i}"] = body.format(i, 2 * f"  call void @f{i - 1}()\n")
    chosen = temporaries._to_inline(bodies)
    assert "f0" in chosen
    lengths = {"f0": 100}
    for i in range(1, 20):
        lengths[f"f{i}"] = 100 + (2 * lengths[f"f{i - 1}"] if f"f{i - 1}" in chosen else 0)
    assert max(lengths.values()) < 3 * temporaries.LARGEST_COPIES


def test_functions_that_call_themselves_or_each_other_stay_apart():
    bodies = {
        "top": "define void @top() {\n  call void @odd()\n  call void @self()\n}",
        "odd": "define void @odd() {\n  call void @even()\n}",
        "even": "define void @even() {\n  call void @odd()\n}",
        "self": "define void @self() {\n  call void @self()\n}",
    }
    chosen = temporaries._to_inline(bodies)
    assert "self" not in chosen
    assert not {"odd", "even"} <= chosen
