"""Elementary functions: one function of the C library for plain Python and native code, whatever NumPy has."""

import llvmlite.binding as llvm
import numpy as np
import pytest

from cardan import maths
from cardan.maths.elementary import FUNCTIONS
from cardan.native.compiling import jitted

ONE = [function for function in FUNCTIONS if function.__wrapped__.__code__.co_argcount == 1]
TWO = [function for function in FUNCTIONS if function not in ONE]
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 710.0, -746.0, 5e-324, 1e308, -1e308, np.inf, -np.inf, np.nan])


def arguments(seed: int) -> np.ndarray:
    """Of every size, both signs, and what is special."""
    rng = np.random.default_rng(seed)
    sizes = 10.0 ** rng.uniform(-12.0, 12.0, 3000) * rng.choice([-1.0, 1.0], 3000)
    return np.concatenate([SPECIAL, sizes, rng.uniform(-1.0, 1.0, 3000), rng.uniform(0.0, 50.0, 3000)])


def of_one(x):
    out = np.empty((21, len(x)))
    for i in range(len(x)):
        out[0, i], out[1, i], out[2, i] = maths.sin(x[i]), maths.cos(x[i]), maths.tan(x[i])
        out[3, i], out[4, i], out[5, i] = maths.arcsin(x[i]), maths.arccos(x[i]), maths.arctan(x[i])
        out[6, i], out[7, i], out[8, i] = maths.sinh(x[i]), maths.cosh(x[i]), maths.tanh(x[i])
        out[9, i], out[10, i], out[11, i] = maths.arcsinh(x[i]), maths.arccosh(x[i]), maths.arctanh(x[i])
        out[12, i], out[13, i], out[14, i] = maths.exp(x[i]), maths.exp2(x[i]), maths.expm1(x[i])
        out[15, i], out[16, i], out[17, i] = maths.log(x[i]), maths.log2(x[i]), maths.log10(x[i])
        out[18, i], out[19, i] = maths.log1p(x[i]), maths.cbrt(x[i])
        out[20, i] = maths.sin_cos(x[i])[0] + maths.sin_cos(x[i])[1]
    return out


def of_two(x, y):
    out = np.empty((3, len(x)))
    for i in range(len(x)):
        out[0, i], out[1, i], out[2, i] = maths.arctan2(x[i], y[i]), maths.hypot(x[i], y[i]), maths.power(x[i], y[i])
    return out


def with_constants(x):
    """What LLVM would rewrite or compute beforehand if it knew these functions."""
    return (
        maths.power(x, 2.0), maths.power(x, 3.0), maths.power(x, 0.5), maths.power(x, -1.0), maths.power(2.0, x),
        maths.power(10.0, x), maths.exp(1.0), maths.tan(0.3), maths.sin(x) * maths.sin(x) + maths.cos(x) * maths.cos(x),
        maths.sin(-x), maths.log(maths.exp(x)), maths.cbrt(x) * maths.cbrt(x), maths.tan(maths.arctan(x)),
    )  # fmt: skip


def direction(y, x):
    return maths.arctan2(y, x)


def both(x):
    return maths.sin_cos(x)


def added(terms):
    return maths.total(terms)


def assert_same_bits(a, b):
    """But for the sign and the payload of nan, which mean nothing."""
    a, b = np.array(a, float), np.array(b, float)
    assert a.shape == b.shape
    assert np.array_equal(np.isnan(a), np.isnan(b))
    a[np.isnan(a)] = b[np.isnan(b)] = 0.0
    assert a.tobytes() == b.tobytes()


def test_native_code_gives_the_same_bits_as_plain_python():
    x, y = arguments(0), np.random.default_rng(2).permutation(arguments(1))
    assert_same_bits(of_one(x), jitted(of_one)(x))
    assert_same_bits(of_two(x, y), jitted(of_two)(x, y))


def test_constants_change_nothing():
    native = jitted(with_constants)
    for x in np.random.default_rng(0).uniform(0.1, 20.0, 3000):
        assert_same_bits(with_constants(x), native(x))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_both_worlds_call_one_address(function):
    jitted(with_constants)
    assert llvm.address_of_symbol(f"cardan_{function.__name__}") == function.address


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_a_function_means_what_numpys_function_of_that_name_means(function):
    named = getattr(np, function.__name__)
    x = arguments(0) if function in ONE else np.repeat(SPECIAL, len(SPECIAL))
    rest = () if function in ONE else (np.tile(SPECIAL, len(SPECIAL)),)
    with np.errstate(all="ignore"):
        theirs = named(x, *rest)
    # both libraries promise a few units in the last place
    np.testing.assert_array_max_ulp(function(x, *rest), theirs, maxulp=4)


@pytest.mark.parametrize("function", ONE, ids=lambda function: function.__name__)
def test_numbers_lists_and_arrays_of_any_shape_are_taken(function):
    for number in (1, 1.0, np.float64(1.0), np.float32(1.0), np.array(1.0), True):
        assert type(function(number)) is np.float64
        assert_same_bits(function(number), function(1.0))
    assert_same_bits(function([[0.5, 1.0], [2.0, 0.0]])[0], function(np.array([0.5, 1.0])))
    assert function(np.zeros((0, 3))).shape == (0, 3)


def test_native_code_takes_numbers_and_arrays_of_any_shape():
    native = jitted(lambda x: (maths.tan(x), maths.sin(x)))
    for x in (2, 0.5, SPECIAL, np.arange(6.0).reshape(2, 3), np.arange(6.0)[::2], np.arange(4), np.zeros(0)):
        assert_same_bits(native(x), (maths.tan(x), maths.sin(x)))


def test_functions_of_two_arguments_broadcast_in_both_worlds():
    native, x = jitted(direction), np.array([1.0, -2.0, 3.0])
    for pair in ((x, 2.0), (2.0, x), (x, x[::-1]), (x[:1], x), (x, x[:1]), (x.reshape(3, 1), x), (1, 2)):
        assert_same_bits(native(*pair), maths.arctan2(*pair))
    with pytest.raises(ValueError, match="lists of different lengths"):
        native(x, x[:2])


def test_sine_and_cosine_come_together():
    x = arguments(0)
    sines, cosines = maths.sin_cos(x)
    np.testing.assert_array_max_ulp(sines, maths.sin(x), maxulp=1)
    np.testing.assert_array_max_ulp(cosines, maths.cos(x), maxulp=1)
    native = jitted(both)
    assert_same_bits(native(x), (sines, cosines))
    assert_same_bits(native(0.3), maths.sin_cos(0.3))
    assert type(maths.sin_cos(0.3)[0]) is np.float64


def test_a_total_adds_one_after_the_other_in_both_worlds():
    native, rng = jitted(added), np.random.default_rng(0)
    for n in (0, 1, 3, 8, 100):
        terms = rng.normal(size=n) * 10.0 ** rng.integers(-5, 6, n)
        summed = 0.0
        for term in terms:
            summed += term
        assert maths.total(terms) == native(terms) == summed
        table = rng.normal(size=(n, 4)) * 10.0 ** rng.integers(-5, 6, (n, 1))
        assert_same_bits(native(table), maths.total(table))
        assert_same_bits(native(table[:, :1]), [maths.total(table[:, 0])])


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_an_array_gives_what_its_numbers_give(function):
    given = [arguments(seed)[:600].reshape(20, 30).T for seed in range(function.__wrapped__.__code__.co_argcount)]
    with np.errstate(all="raise"):
        found = function(*given)
    one_by_one = [function(*map(float, numbers)) for numbers in zip(*(each.ravel() for each in given), strict=True)]
    assert found.shape == (30, 20)
    assert found.tobytes() == np.array(one_by_one).tobytes()
    assert function(*(np.zeros((0, 3)) for _ in given)).shape == (0, 3)
