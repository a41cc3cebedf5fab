"""Values of fields that were found right once: found again by their content, whoever gives them."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import maths
from cardan.contracts import Positive, Unit
from cardan.errors import ImpossibleValue
from parts import Number


@cd.model
class Pull(NamedTuple):
    axis_B: Annotated[maths.Vec3, "-", Unit]
    size: Annotated[float, "-", Positive] = 1.0

    @cd.output
    def signal(self, t: float) -> Number:
        return Number(self.size * self.axis_B[0])


def test_rounding_is_removed_each_time():
    rough = np.array([0.6, 0.8, 1e-7])
    first, again = Pull(rough), Pull(rough.copy())
    assert first.axis_B.tobytes() == again.axis_B.tobytes() != rough.tobytes()
    assert not again.axis_B.flags.writeable


def test_an_array_that_was_written_to_is_looked_at_again():
    axis = np.array([0.6, 0.8, 0.0])
    Pull(axis)
    axis[2] = 1.0
    with pytest.raises(ImpossibleValue, match=r"`Pull.axis_B` must be of unit length"):
        Pull(axis)


def test_what_is_wrong_is_said_each_time():
    for _ in range(2):
        with pytest.raises(ImpossibleValue, match=r"`Pull.size` must be positive"):
            Pull(np.array([1.0, 0.0, 0.0]), size=-1.0)
