import numpy as np
import pytest

from cardan.contracts.jax_target import traceable
from cardan.maths import choose, may_skip
from cardan.native.compiling import jitted

X, Y = np.array([1.0, -2.0, 3.0]), np.array([10.0, 20.0, 30.0])
WHERE = np.array([True, False, True])


def choosing(condition, x, y):
    return choose(condition, x, y)


native = jitted(choosing)

CASES = {
    "numbers": (True, 1.5, -2.5),
    "the other number": (False, 1.5, -2.5),
    "integers": (False, 3, 4),
    "an integer and a number": (True, 3, 0.5),
    "lists by one condition": (True, X, Y),
    "the other list by one condition": (False, X, Y),
    "a list of one and a list by one condition": (False, X[:1], Y),
    "a list and a list of one by one condition": (True, X, Y[:1]),
    "lists": (WHERE, X, Y),
    "a list and a number": (WHERE, X, 7.0),
    "a number and a list": (WHERE, 7.0, Y),
    "numbers by many conditions": (WHERE, 7.0, 8.0),
    "a list of one serves all": (WHERE, X[:1], Y),
    "another list of one serves all": (WHERE, X, Y[:1]),
    "a list of one beside a number": (WHERE, X[:1], 7.0),
    "a number beside a list of one": (WHERE, 7.0, Y[:1]),
    "one condition in a list serves all": (WHERE[:1], X, Y),
    "one false condition in a list serves all": (WHERE[1:2], X, Y),
    "one condition in a list beside a number": (WHERE[:1], X, 7.0),
    "a number and a list by one condition in a list": (WHERE[1:2], 7.0, Y),
    "no elements": (WHERE[:0], X[:0], Y[:0]),
    "signs of zero": (WHERE, -0.0 * X, 0.0 * X),
    "values that are not finite": (WHERE, X / np.array([1.0, 1.0, np.inf]), np.array([np.nan, np.inf, 1.0])),
    "every other element": (np.arange(6)[::2] > 1, np.arange(6.0)[::2], -np.arange(6.0)[::-2]),
    "matrices, as NumPy does": (np.eye(3) > 0.5, np.ones((3, 3)), np.zeros((3, 3))),
}


@pytest.mark.parametrize("case", CASES)
def test_native_code_chooses_as_plain_python_does(case):
    plain, compiled = np.asarray(choosing(*CASES[case])), np.asarray(native(*CASES[case]))
    assert plain.shape == compiled.shape
    assert plain.astype(float).tobytes() == compiled.astype(float).tobytes()
    assert np.array_equal(plain, np.where(*CASES[case]), equal_nan=True)


@pytest.mark.parametrize("function", [choosing, native], ids=["plain", "native"])
@pytest.mark.parametrize(
    "arguments",
    [(True, X, Y[:2]), (WHERE, X[:2], Y), (WHERE[:2], X, Y), (WHERE[:2], X, 1.0), (WHERE[:2], 1.0, Y)],
    ids=["x and y", "x", "condition", "condition and x", "condition and y"],
)
def test_lists_of_different_lengths_are_refused(function, arguments):
    text = "could not be broadcast together" if function is choosing else r"choose: lists of different lengths\."
    with pytest.raises(ValueError, match=text):
        function(*arguments)


def above(values):
    """The sum of positive parts."""
    found = 0.0
    for i in range(len(values)):
        if may_skip(values[i] <= 0.0):
            continue
        found = found + np.maximum(values[i], 0.0)
    return found


def test_what_may_be_skipped_is_skipped_but_by_jax():
    jax = pytest.importorskip("jax")
    values = np.array([1.5, -2.0, 0.0, 4.0, -0.0])
    assert above(values) == jitted(above)(values) == 5.5
    assert float(jax.jit(traceable(above))(values)) == 5.5
    assert may_skip(np.bool_(True)) is True
