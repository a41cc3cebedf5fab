import numpy as np
import pytest

from cardan.messages import ThrusterForces
from cardan.models import StuckThruster

ASKED = ThrusterForces(np.array([0.1, 0.2, 0.3]))


def test_before_it_fails_everything_passes():
    assert StuckThruster(1, after=5.0).given(4.999, ASKED).thrust.tolist() == [0.1, 0.2, 0.3]


@pytest.mark.parametrize("thrust", [0.0, 0.3])
def test_from_then_on_one_thruster_is_stuck(thrust):
    assert StuckThruster(1, thrust, after=5.0).given(5.0, ASKED).thrust.tolist() == [0.1, thrust, 0.3]


def test_no_step_passes_over_its_failure():
    assert StuckThruster(1, after=5.0).breaks().tolist() == [5.0]


def test_a_thruster_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="StuckThruster: `number` is larger than that of the last thruster"):
        StuckThruster(3).given(0.0, ASKED)
