"""Parts in lanes: traced where they can be, with the bits of one call each; and the reason where they cannot."""

import ctypes
from types import SimpleNamespace
from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import maths
from cardan.contracts import check
from cardan.errors import ContractViolation
from cardan.messages import BodyTorque
from cardan.native import tracing
from cardan.native.python_entry import CALLBACK


@cd.message
class Reading(NamedTuple):
    value: Annotated[float, "-"] = 0.0
    is_valid: Annotated[bool, "-"] = True
    count: Annotated[int, "-"] = 0


class Kept(NamedTuple):
    last_B: Annotated[maths.Vec3, "N m"] = maths.ZERO3
    is_started: Annotated[bool, "-"] = False
    count: Annotated[int, "-"] = 0


class Outputs(NamedTuple):
    limited: BodyTorque
    seen: Reading


@cd.task
class Everything(NamedTuple):
    """All kinds of operations, memories and messages."""

    gain: Annotated[float, "-"] = 2.0
    curve: Annotated[maths.Vec, "-"] = np.array([0.5, -1.0, 3.0, 0.25])
    is_on: Annotated[bool, "-"] = True

    def step(self, dt: float, x: Kept, torque: BodyTorque, reading: Reading) -> tuple[Kept, Outputs]:
        a, v = torque.torque_B, reading.value
        sine, cosine = maths.sin_cos(100.0 * v)
        sines, cosines = maths.sin_cos(a)
        summed = maths.total(self.curve) + maths.norm(a) - dt / (3.0 + v * v)
        first = maths.choose(x.is_started, x.last_B, a)
        chosen = maths.choose(reading.is_valid & (v > 0.0), maths.cross(first, a), -a * self.gain)
        rows = maths.by_rows_if(self.is_on & reading.is_valid, _square, 2, np.stack((a, first)), v)
        curve = np.floor(4.0 * self.curve) + np.zeros(4)
        found = np.maximum(np.minimum(chosen, 2.0), -1.5) + rows[0, 1] * sines - cosines * rows[1, 0]
        found = found + np.where(a > 0.5 * v, curve[1:], np.sqrt(np.abs(a)))
        value = (
            sine * cosine
            + summed
            + maths.exp(-v * v)
            + maths.arctan2(v, a[0])
            + (reading.count == 1) * 0.5
            + (reading.count > 0.5) * v
        )
        other = maths.choose(reading.count < 1, 1.0 / (2.0 + v * v), maths.tan(v))
        memory = Kept(last_B=0.5 * (found + first), is_started=True, count=reading.count)
        return memory, Outputs(BodyTorque(found), Reading(value - other, v < 0.1, x.count))


def _square(row, scale):
    return row[0] * row[0] * scale, row[1] - row[2]


def test_a_method_without_decisions_runs_eight_at_once_with_the_bits_of_one_call_each():
    assert cd.check_task(Everything(), trials=8).targets["lanes"] == "eight at once"


@cd.model
class Branches(NamedTuple):
    """Decides by a message."""

    @cd.output
    def changed(self, torque: BodyTorque) -> BodyTorque:
        return BodyTorque(-torque.torque_B if torque.torque_B[0] > 0.0 else 2.0 * torque.torque_B)


class Drawn(NamedTuple):
    torque: BodyTorque


@cd.task
class Draws(NamedTuple):
    """Draws random numbers."""

    def step(self, rng: cd.RandomKey) -> Drawn:
        return Drawn(BodyTorque(maths.normal(rng, 3)))


@cd.model
class Compares(NamedTuple):
    """Compares truth values."""

    is_on: Annotated[bool, "-"] = True

    @cd.output
    def changed(self, torque: BodyTorque) -> BodyTorque:
        return BodyTorque(maths.choose(self.is_on == (torque.torque_B[0] > 0.0), 1.0, 2.0) * torque.torque_B)


@cd.model
class Multiplies(NamedTuple):
    """Multiplies a matrix as NumPy does."""

    turn: Annotated[maths.Mat, "-"] = np.eye(3)

    @cd.output
    def changed(self, torque: BodyTorque) -> BodyTorque:
        return BodyTorque(self.turn @ torque.torque_B)


@cd.model
class Adds(NamedTuple):
    """Adds as NumPy does."""

    @cd.output
    def changed(self, torque: BodyTorque) -> BodyTorque:
        return BodyTorque(torque.torque_B * torque.torque_B.sum())


@cd.model
class Sorts(NamedTuple):
    """Uses a function of NumPy's that is not known for lanes."""

    @cd.output
    def changed(self, torque: BodyTorque) -> BodyTorque:
        return BodyTorque(np.sort(torque.torque_B))


@cd.model
class Long(NamedTuple):
    """More operations than are worth compiling."""

    @cd.output
    def changed(self, torque: BodyTorque) -> BodyTorque:
        a = torque.torque_B
        for _ in range(3000):
            a = a - 0.5 * a
        return BodyTorque(a)


@pytest.mark.parametrize(
    ("part", "why"),
    [
        (Branches(), "decides by a value"),
        (Compares(), "compares truth values"),
        (Multiplies(), "uses `np.matmul`"),
        (Adds(), "uses `np.add`.reduce"),
        (Sorts(), "uses `np.sort`"),
        (Long(), "has too many operations"),
    ],
)
def test_a_method_that_cannot_be_traced_is_called_one_by_one_and_the_report_says_why(part, why):
    assert cd.check_model(part, trials=3).targets["lanes"] == f"one by one: {why}"


def test_nothing_that_is_traced_asks_for_the_object_that_a_value_is():
    with pytest.raises(tracing.Untraced, match="uses `isinstance`"):
        tracing.check_code((lambda value: isinstance(value, float)).__code__)
    tracing.check_code((lambda value: 1.0 if value is None else [each is not None for each in value]).__code__)
    with pytest.raises(tracing.Untraced, match="compares by `is`"):
        tracing.check_code((lambda value: [1.0 if each is True else 2.0 for each in value]).__code__)


def test_random_draws_are_made_one_by_one():
    assert cd.check_task(Draws(), trials=3).targets["lanes"].startswith("one by one: ")


def test_other_bits_in_lanes_are_a_fault(monkeypatch):
    nothing = CALLBACK(lambda t, context: 0)
    address = ctypes.cast(nothing, ctypes.c_void_p).value
    monkeypatch.setattr(check, "lane_compilation", lambda call: SimpleNamespace(compile=lambda: address))
    with pytest.raises(ContractViolation) as error:
        cd.check_task(Everything(), trials=3)
    assert str(error.value) == (
        "`Everything.step` gives other numbers for eight members of a batch at once than for each alone.\n"
        "  That is a fault of Cardan's, not of the part; please report it."
    )
