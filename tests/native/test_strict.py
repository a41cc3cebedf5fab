"""Compiled code does what Python does, or is refused: nothing differs in silence."""

import operator
from typing import NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardan.native.strict import CHECKED, Refused, StrictCompiler
from cardan.native.whole_numbers import is_truth, is_whole

SYMBOLS = {"//": operator.floordiv, "%": operator.mod, "**": operator.pow, "<<": operator.lshift, ">>": operator.rshift}
WORDS = st.integers(-(2**63), 2**63 - 1)


def compiled(function, **options):
    return numba.njit(pipeline_class=StrictCompiler, error_model="numpy", **options)(function)


def operation(symbol, in_place):
    """A function of two whole numbers that applies an operator, in place or not."""
    namespace: dict = {}
    body = f"    a {symbol}= b\n    return a" if in_place else f"    return a {symbol} b"
    exec(f"def apply(a, b):\n{body}", namespace)
    return namespace["apply"]


OPERATIONS = {
    (symbol, in_place): compiled(operation(symbol, in_place)) for symbol in SYMBOLS for in_place in (False, True)
}


def outcome(function, a, b):
    """What a function gives, or the class of what it raises."""
    try:
        return int(function(a, b))
    except (ZeroDivisionError, ValueError) as error:
        return type(error)


class TestWholeNumbers:
    def test_both_forms_of_every_checked_operator_are_tried(self):
        in_place = {getattr(operator, f"i{plain.__name__.removesuffix('_')}") for plain in SYMBOLS.values()}
        assert set(CHECKED) == set(SYMBOLS.values()) | in_place

    @pytest.mark.parametrize("in_place", [False, True])
    @pytest.mark.parametrize("symbol", SYMBOLS)
    @given(a=WORDS, b=st.one_of(st.integers(-70, 70), WORDS))
    def test_an_operator_gives_what_numpy_gives(self, symbol, in_place, a, b):
        if symbol == "**":
            a, b = a % 7, b % 20 - 5  # no power that wraps
        if (symbol, b) == ("//", -1) or (symbol, b) == ("%", -1):
            b = 1  # the smallest number has no opposite
        by_numpy = SYMBOLS[symbol]
        with np.errstate(divide="ignore"):
            expected = outcome(by_numpy, np.int64(a), np.int64(b))
        if b == 0 and symbol in ("//", "%"):
            expected = ZeroDivisionError  # where NumPy gives 0
        assert outcome(OPERATIONS[symbol, in_place], a, b) == expected

    def test_floats_keep_their_rules(self):
        assert OPERATIONS["//", False](7.0, 0.0) == np.inf
        assert OPERATIONS["**", False](2.0, -2) == 0.25

    @given(value=st.one_of(st.floats(), st.sampled_from([2.0**63, -(2.0**63), 2.0**62, 0.5])))
    def test_a_float_is_whole_if_an_integer_of_64_bits_equals_it(self, value):
        exact = value == value and abs(value) != np.inf and value == int(value) and -(2**63) <= int(value) < 2**63
        assert is_whole(value) == exact
        assert WHOLE(value) == exact

    @given(value=WORDS)
    def test_an_integer_of_64_bits_is_whole(self, value):
        assert is_whole(value)
        assert is_whole(np.int64(value))
        assert WHOLE(value)

    def test_a_larger_integer_is_not(self):
        assert not is_whole(2**63)
        assert not is_whole(np.uint64(2**63))
        assert not WHOLE(np.uint64(2**63))

    @pytest.mark.parametrize("value", [0, 1, 2, -1, 0.0, 1.0, 0.5, np.nan, True, False])
    def test_a_truth_is_zero_or_one(self, value):
        assert bool(is_truth(value)) is (value in (0, 1))
        assert bool(TRUTH(value)) is (value in (0, 1))


def asks_for_whole(value):
    return is_whole(value)


def asks_for_truth(value):
    return is_truth(value)


WHOLE, TRUTH = compiled(asks_for_whole), compiled(asks_for_truth)


def one_branch(x):
    if x > 0.0:
        y = 1.0
    return y


def after_a_loop(n):
    for i in range(n):
        last = 2.0 * i
    return last


def on_the_first_turn(n):
    total = 0.0
    for i in range(n):
        if i == 0:
            before = 1.0
        else:
            total += before
    return total


def by_all_branches(x):
    if x > 0.0:
        y = 1.0
    elif x < -1.0:
        raise ValueError("too small")
    else:
        y = 2.0
    return y


def inside_a_loop(n):
    total = 0.0
    while True:
        step = total + 1.0
        if step > n:
            break
        total = step
    return step


class TestVariables:
    @pytest.mark.parametrize(
        ("function", "argument", "name", "line"),
        [(one_branch, 1.0, "y", 3), (after_a_loop, 3, "last", 3), (on_the_first_turn, 3, "before", 6)],
    )
    def test_one_that_some_path_leaves_unassigned_is_refused(self, function, argument, name, line):
        with pytest.raises(Refused) as caught:
            compiled(function)(argument)
        assert caught.value.what == f"`{name}` is not assigned on every path that leads here."
        assert caught.value.line == function.__code__.co_firstlineno + line
        assert caught.value.file == __file__

    @pytest.mark.parametrize(
        ("function", "argument", "expected"), [(by_all_branches, 1.0, 1.0), (inside_a_loop, 2.5, 3.0)]
    )
    def test_one_that_every_path_assigns_is_taken(self, function, argument, expected):
        assert compiled(function)(argument) == expected


def by_flat(a):
    a.flat[0] = 7.0


def by_diagonal(a):
    np.fill_diagonal(a, 7.0)


def by_contiguity(a):
    np.ascontiguousarray(a)[0, 0] = 7.0


def by_order(a):
    np.asfortranarray(a)[0, 0] = 7.0


def by_iteration(a):
    for item in np.nditer(a):
        item[()] = 7.0


class TestReadOnlyArrays:
    @pytest.mark.parametrize("write", [by_flat, by_diagonal, by_contiguity, by_order, by_iteration])
    def test_no_function_writes_into_one_by_a_back_door(self, write):
        array = np.zeros((2, 2))
        array.flags.writeable = False
        with pytest.raises(Refused, match="input or a parameter"):
            compiled(write)(array)

    @pytest.mark.parametrize("write", [by_flat, by_diagonal, by_iteration])
    def test_one_of_its_own_a_function_may_write_into(self, write):
        array = np.zeros((2, 2))
        compiled(write)(array)
        assert array[0, 0] == 7.0


class Wrench(NamedTuple):
    force: np.ndarray
    torque: np.ndarray = np.array([1.0, 2.0])
    scale: float = 3.0


def with_defaults(force):
    return Wrench(force=force)


def with_defaults_on_one_path(force, is_short):
    return Wrench(force) if is_short else Wrench(force, np.zeros(2), 0.5)


class TestDefaults:
    def test_a_named_tuple_may_leave_out_fields_that_have_one(self):
        made = compiled(with_defaults)(np.ones(2))
        assert np.array_equal(made.torque, [1.0, 2.0])
        assert made.scale == 3.0

    def test_they_mix_with_given_ones(self):
        function = compiled(with_defaults_on_one_path)
        assert np.array_equal(function(np.ones(2), True).torque, [1.0, 2.0])
        assert np.array_equal(function(np.ones(2), False).torque, [0.0, 0.0])

    def test_a_default_that_was_changed_by_its_reader_stays_what_it_is(self):
        def spoil(force):
            made = Wrench(force)
            made.torque[0] = 9.0
            return made.torque[0]

        assert compiled(spoil)(np.ones(2)) == 9.0
        assert compiled(with_defaults)(np.ones(2)).torque[0] == 1.0
