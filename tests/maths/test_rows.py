import numpy as np
import pytest

from cardan.maths import by_rows, by_rows_if
from cardan.native.compiling import jitted

ROWS, OFFSET = np.arange(12.0).reshape(4, 3), np.array([0.5, -0.25])


def pair(row, scale, offset):
    return scale * row[0] + offset[0], row[1] * row[2] + offset[1]


def of_all(rows, scale, offset):
    return by_rows(pair, 2, rows, scale, offset)


def of_all_or_none(condition, rows, scale, offset):
    return by_rows_if(condition, pair, 2, rows, scale, offset)


def of_too_few_columns(rows, scale, offset):
    return by_rows(pair, 3, rows, scale, offset)


native, native_if, native_of_too_few = jitted(of_all), jitted(of_all_or_none), jitted(of_too_few_columns)


@pytest.mark.parametrize("function", [of_all, native], ids=["plain", "native"])
@pytest.mark.parametrize("rows", [ROWS, ROWS[::2], ROWS[:1], ROWS[:0]], ids=["four", "every other", "one", "none"])
def test_each_row_gives_a_row(function, rows):
    expected = np.stack((3.0 * rows[:, 0] + 0.5, rows[:, 1] * rows[:, 2] - 0.25), axis=1)
    assert np.array_equal(function(rows, 3.0, OFFSET), expected)


@pytest.mark.parametrize("function", [of_all_or_none, native_if], ids=["plain", "native"])
def test_a_condition_that_does_not_hold_gives_zeros(function):
    assert np.array_equal(function(False, ROWS, 3.0, OFFSET), np.zeros((4, 2)))
    assert np.array_equal(function(True, ROWS, 3.0, OFFSET), of_all(ROWS, 3.0, OFFSET))


@pytest.mark.parametrize(
    ("function", "text"),
    [(of_too_few_columns, "cannot reshape"), (native_of_too_few, "by_rows: the function returns another number of")],
    ids=["plain", "native"],
)
def test_a_function_of_another_number_of_columns_is_refused(function, text):
    with pytest.raises(ValueError, match=text):
        function(ROWS, 3.0, OFFSET)
