"""What a part does wrong is the same error in native code as in plain Python, and never a plausible number."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.errors import ShapeError
from cardan.maths import normal
from parts import Number


class Memory(NamedTuple):
    n: Annotated[int, "-"] = 0
    is_late: Annotated[bool, "-"] = False


class Outputs(NamedTuple):
    out: Number


NUMBERS = (0.0, 1.7, np.nan, np.inf, 1.0e300, 2.0**63)
WHOLE, TRUTH, INDEX, PLACE, DIVISOR, POWER = range(6)


def pick(values, place):
    """A helper, which is checked as the part is."""
    return values[place]


@cd.task
class Strays(NamedTuple):
    """Goes wrong in one way, at its fourth tick."""

    way: Annotated[int, "-"] = WHOLE
    number: Annotated[int, "-"] = 0  # which of NUMBERS is sent as a whole number
    levels: Annotated[cd.Vec, "-"] = np.arange(3.0)
    table: Annotated[cd.Mat, "-"] = np.eye(2)

    def step(self, t: float, x: Memory) -> tuple[Memory, Outputs]:
        late = 1.0 if x.n == 3 else 0.0
        numbers = np.array(NUMBERS)
        n = x.n + 1.0
        is_late = 0.0
        out = 1.0
        if self.way == WHOLE and late:
            n = numbers[self.number]
        if self.way == TRUTH:
            is_late = 0.5 * late
        if self.way == INDEX:
            out = self.levels[round(t * 10.0)]
        if self.way == PLACE:
            out = self.table[1, pick(np.array([0, 1, 0, -5]), x.n)]
        if self.way == DIVISOR:
            out = 7 // (3 - x.n)
        if self.way == POWER:
            out = 3 ** (2 - x.n)
        return Memory(n, is_late), Outputs(Number(out))


@cd.task
class Draws(NamedTuple):
    limit: Annotated[float, "-"] = 1.0

    def step(self, x: Memory, rng: cd.RandomKey) -> tuple[Memory, Outputs]:
        drawn = normal(rng, 1)[0]
        if drawn > self.limit:
            raise ValueError(f"{x.n} draws were below the limit")
        return Memory(x.n + 1), Outputs(Number(drawn))


def failure(part, jit):
    """What a run ends with: the class and text of the exception, its note, and how far the log goes."""
    scn = cd.Scenario(seed=3)
    scn.add(part, name="part", every=0.1)
    sim = cd.Simulation(scn, jit=jit)
    with pytest.raises(Exception) as caught:
        sim.run(until=10.0, progress=False)
    note = getattr(caught.value, "__notes__", [""])[0]
    return type(caught.value), str(caught.value), note, list(sim.log.t)


@pytest.mark.parametrize(
    ("part", "kind", "text"),
    [
        *((Strays(WHOLE, number), ShapeError, "takes whole numbers that fit 64 bits") for number in range(1, 6)),
        (Strays(TRUTH), ShapeError, "`Strays.step -> memory.is_late` takes True or False"),
        (Strays(INDEX), IndexError, "index 3 is out of bounds for axis 0 with size 3"),
        (Strays(PLACE), IndexError, "index -5 is out of bounds for axis 1 with size 2"),
        (Strays(DIVISOR), ZeroDivisionError, "integer division or modulo by zero"),
        (Strays(POWER), ValueError, "Integers to negative integer powers are not allowed."),
        (Draws(), ValueError, "draws were below the limit"),
    ],
)
def test_a_fault_is_the_same_error_in_both_worlds(part, kind, text):
    native, plain = failure(part, True), failure(part, False)
    assert native == plain
    assert native[0] is kind
    assert text in native[1]


def test_an_index_out_of_bounds_names_part_line_index_and_size():
    _, text, note, t = failure(Strays(INDEX), True)
    line = Strays.step.__code__.co_firstlineno + 11
    assert text == "index 3 is out of bounds for axis 0 with size 3"
    assert note == f"in `part.step` at t = 0.3 s, test_native_differences.py line {line}"
    assert len(t) == 3


def test_a_float_that_is_whole_may_be_sent_as_a_whole_number():
    scn = cd.Scenario()
    scn.add(Strays(WHOLE, 0), name="part", every=0.1)
    sim = cd.Simulation(scn)
    sim.run(until=0.25)
    assert sim["part.memory"].n == 3
