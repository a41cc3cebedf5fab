"""What `check_model` says of operations whose last digits depend on the machine."""

import math
from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import maths
from cardan.contracts.rounding import loose_roundings
from parts import Gain, Number


def instead_of(function) -> dict[str, str]:
    return {each.operation: each.instead for each in loose_roundings(function)}


def squashed(x):
    return np.tanh(x)


@cd.model
class Loose(NamedTuple):
    """Uses NumPy's own functions, one of them in a helper."""

    rate: Annotated[float, "rad/s"] = 0.1

    @cd.output
    def signal(self, t: float, source: Number) -> Number:
        return Number(np.tan(self.rate * t) + squashed(source.value) ** 3)


@cd.model
class Firm(NamedTuple):
    """The same from `cardan.maths`."""

    rate: Annotated[float, "rad/s"] = 0.1

    @cd.output
    def signal(self, t: float, source: Number) -> Number:
        s = maths.tanh(source.value)
        return Number(maths.tan(self.rate * t) + s * s * s)


def test_a_part_is_accepted_and_its_loose_operations_are_named():
    report = cd.check_model(Loose())
    assert report.targets["native"].endswith(" here, to 1e-13 elsewhere")
    assert [(each.operation, each.instead) for each in report.roundings] == [
        ("np.tan", "use `cardan.maths.tan`"),
        ("**", "write `x * x` for a square, else use `cardan.maths.power`"),
        ("np.tanh", "use `cardan.maths.tanh`"),
    ]
    line = Loose.signal.__code__.co_firstlineno + 2
    assert f"""  last digits depend on processor and versions:
    np.tan (test_rounding.py:{line}): use `cardan.maths.tan`
    ** (test_rounding.py:{line}): write `x * x` for a square, else use `cardan.maths.power`
    np.tanh (test_rounding.py:{squashed.__code__.co_firstlineno + 1}): use `cardan.maths.tanh`""" in str(report)


@pytest.mark.parametrize("part", [Firm(), Gain()], ids=lambda part: type(part).__name__)
def test_the_same_bits_are_promised_where_nothing_is_loose(part):
    report = cd.check_model(part)
    assert report.targets["native"] == "the same bits"
    assert report.roundings == ()
    assert "depend" not in str(report)


def test_a_part_that_is_not_compiled_has_nothing_to_compare():
    @cd.model(jit=False)
    class Interpreted(NamedTuple):
        @cd.output
        def signal(self, source: Number) -> Number:
            return Number(np.tan(source.value))

    assert cd.check_model(Interpreted()).roundings == ()


def of_matrices(a, b):
    return a @ b + np.dot(a, b) + np.linalg.inv(a) + a.dot(b)


def of_sums(a):
    return np.sum(a) + a.sum() + sum(a) + np.mean(a) + a.mean() + np.prod(a) + np.std(a)


def of_powers(x):
    x **= 2
    return pow(x, 0.5) + np.power(x, 3.0) + np.float_power(x, 2.0) + math.pow(x, 2.0)


def of_math(x):
    return math.asin(x) + math.exp(x) + math.hypot(x, x) + math.erf(x)


def of_others(x):
    return np.interp(x, x, x) + np.linspace(x, x, 3)


def within(x):
    return np.array([np.cos(each) for each in x])


@pytest.mark.parametrize(
    ("function", "operations"),
    [
        (of_matrices, ["np.dot", "np.linalg.inv", "@", ".dot()"]),
        (of_sums, ["np.sum", "np.mean", "np.prod", "np.std", ".sum()", "sum", ".mean()"]),
        (of_powers, ["np.power", "np.float_power", "math.pow", "**", "pow"]),
        (of_math, ["math.asin", "math.exp", "math.hypot", "math.erf"]),
        (of_others, ["np.interp", "np.linspace"]),
        (within, ["np.cos"]),
    ],
    ids=["matrices", "sums", "powers", "math", "others", "comprehension"],
)
def test_loose_operations_are_found(function, operations):
    assert list(instead_of(function)) == operations


def test_what_to_write_instead_exists():
    for function, name in ((of_math, "math.asin"), (of_math, "math.exp"), (of_math, "math.hypot")):
        advice = instead_of(function)[name]
        assert hasattr(maths, advice.rpartition(".")[2].rstrip("`"))
    assert "cardan.maths.total" in instead_of(of_sums)[".sum()"]
    assert instead_of(of_math)["math.erf"] == "write it out, or use `cardan.maths`"


def exact(a, x, n):
    b = np.sqrt(np.abs(a)) + np.where(a > 0.0, np.floor(a), np.minimum(a, x)) + np.cumsum(a)
    c = maths.cross(a, b) * maths.norm(b) + np.array([math.sqrt(x), x % 2.0, max(x, 1.0)]) + math.floor(x)
    return np.concatenate((b, c)) * np.pi + np.float64(n) + np.max(b) + np.square(x) + np.round(x) + 2.0**-52


def test_exact_operations_are_not_named():
    assert loose_roundings(exact) == []
