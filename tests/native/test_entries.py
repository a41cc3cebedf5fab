"""Entries: what plain Python and native code have in common."""

from collections import namedtuple
from typing import Annotated, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cardan as cd
from cardan.native.fingerprint import fingerprint, helpers_of
from cardan.native.layout import Block, Field
from parts import Bank, Numbers, Weights


class Mixed(NamedTuple):
    a: float
    n: int
    flags: np.ndarray
    m: np.ndarray


@given(st.floats(allow_nan=False), st.integers(-(2**62), 2**62), st.lists(st.booleans(), max_size=5), st.integers(0, 4))
def test_packing_and_unpacking_returns_the_same_value(a, n, flags, rows):
    m = np.arange(3.0 * rows).reshape(rows, 3)
    value = Mixed(a, n, np.array(flags, dtype=bool), m)
    declared = Block(
        Mixed,
        (
            Field("a", "float", ()),
            Field("n", "int", ()),
            Field("flags", "bool", (None,), (True,)),
            Field("m", "float", (None, 3), (True, False)),
        ),
    )
    block = declared.sized_like(value)
    words = np.zeros(block.words)
    block.pack(value, words)
    back = block.unpack(words)
    assert (back.a, back.n) == (a, n)
    assert back.flags.dtype == bool
    assert np.array_equal(back.flags, value.flags)
    assert np.array_equal(back.m, m)
    with pytest.raises(ValueError, match="read-only"):
        back.m[...] = 0.0


@cd.message
class Everything(NamedTuple):
    number: Annotated[float, "-"]
    count: Annotated[int, "-"]
    is_on: Annotated[bool, "-"]
    r_N: Annotated[cd.Vec3, "m"]
    dcm_BN: Annotated[cd.Mat3, "-"]
    list: Annotated[cd.Vec, "-"]
    rows_N: Annotated[cd.Rows3, "m"]


@cd.model
class Transform(NamedTuple):
    """Touches every kind of field, before and after fields whose size each instance fixes."""

    weights: Annotated[cd.Vec, "-"]
    shift: Annotated[int, "-"]
    is_flipped: Annotated[bool, "-"]
    table: Annotated[cd.Mat, "-"]
    last: Annotated[float, "-"]

    @cd.output
    def result(self, t: float, source: Everything) -> Everything:
        sign = -1.0 if self.is_flipped else 1.0
        return Everything(
            number=source.number * self.last + t,
            count=source.count + self.shift,
            is_on=not source.is_on,
            r_N=sign * source.r_N + self.table[0, 1],
            dcm_BN=source.dcm_BN.T,
            list=source.list * self.weights[-1],
            rows_N=source.rows_N + source.r_N,
        )


EVERYTHING = Everything(
    0.5, 3, True, np.array([1.0, 2.0, 3.0]), np.arange(9.0).reshape(3, 3), np.arange(4.0), np.ones((2, 3))
)


@pytest.mark.parametrize("jit", [True, False])
def test_every_kind_of_field_survives_the_way_through_memory(jit):
    scn = cd.Scenario()
    part = Transform(weights=[1.0, 2.0], shift=-1, is_flipped=True, table=[[1.0, 2.0, 3.0]], last=4.0)
    scn.add(part, name="part", source=EVERYTHING)
    sim = cd.Simulation(scn, jit=jit)
    sim.run(until=1.0, record=cd.Record(ports=["part.result"]))
    result = sim["part.result"]
    assert result.number == 3.0
    assert result.count == 2
    assert result.is_on is np.False_
    assert result.r_N.tolist() == [1.0, 0.0, -1.0]
    assert np.array_equal(result.dcm_BN, EVERYTHING.dcm_BN.T)
    assert result.list.tolist() == [0.0, 2.0, 4.0, 6.0]
    assert result.rows_N.tolist() == [[2.0, 3.0, 4.0]] * 2


@settings(deadline=None, max_examples=25)
@given(st.lists(st.floats(0.1, 10.0), min_size=1, max_size=6), st.integers(1, 5))
def test_sizes_that_instances_fix_are_found_and_kept(constants, inputs):
    """Messages of other sizes use the same compiled entry."""
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(len(constants), inputs))
    source = rng.normal(size=inputs)
    scn = cd.Scenario()
    mix = scn.add(Weights(weights=weights), name="mix", source=Numbers(source))
    scn.add(Bank(time_constants=constants), name="bank", source=mix.signal)
    sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.01))
    sim.run(until=0.1)
    expected = weights @ source * (1.0 - np.exp(-0.1 / np.array(constants)))
    assert sim["bank.signal"].values == pytest.approx(expected, rel=1e-6, abs=1e-9)


def outer(x):
    return inner(x) + 1.0


def inner(x):
    return 2.0 * x


def test_helpers_of_helpers_are_found():
    assert helpers_of(outer) == [inner]


def test_the_fingerprint_follows_content_and_not_names_or_places():
    first = eval("lambda x: x + 1.0")
    moved = eval("\n\n\n(lambda x: x + 1.0)".strip())
    assert fingerprint(first) == fingerprint(moved)
    assert fingerprint(first) != fingerprint(eval("lambda x: x + 2.0"))
    assert fingerprint(first) != fingerprint(first, text="another wrapper")


def test_the_fingerprint_follows_which_field_of_a_constant_has_which_value():
    def reads_mass(fields):
        constant = namedtuple("Places", fields)(0, 8)
        return eval("lambda x: x + places.mass", {"places": constant})

    assert fingerprint(reads_mass("mass com")) != fingerprint(reads_mass("com mass"))


@cd.model
class Limited(NamedTuple):
    """An input that may be missing altogether."""

    @cd.output
    def signal(self, t: float, limit: Numbers | None = None) -> Numbers:
        if limit is None:
            return Numbers(np.array([t, t]))
        return Numbers(np.minimum(np.array([t, t]), limit.values))


@pytest.mark.parametrize("jit", [True, False])
def test_an_input_with_default_none_may_be_missing(jit):
    scn = cd.Scenario()
    scn.add(Limited(), name="free")
    scn.add(Limited(), name="limited", limit=Numbers(np.array([0.25, 9.0])))
    log = cd.Simulation(scn, jit=jit).run(until=1.0, record=cd.Record(ports=["*"]))
    assert log["free.signal"].values[-1].tolist() == [1.0, 1.0]
    assert log["limited.signal"].values[-1].tolist() == [0.25, 1.0]
