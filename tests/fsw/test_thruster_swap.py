import numpy as np
import pytest

from cardan.fsw import ThrusterSwap
from cardan.fsw.gimbal.thruster_swap import ThrusterSwapMemory
from cardan.messages import ThrustAxis

FIRST, SECOND, HOME = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
PART = ThrusterSwap(swap=100.0, settle=10.0, second_home_B=HOME)


def at(t, memory=ThrusterSwapMemory(0.5 * FIRST)):
    return PART.step(t, memory, ThrustAxis(FIRST), ThrustAxis(SECOND))


@pytest.mark.parametrize(
    ("t", "first", "second"),
    [(0.0, False, False), (10.0, True, False), (99.0, True, False), (100.0, False, False), (110.0, False, True)],
)
def test_thrusters_fire_one_after_the_other_once_the_spacecraft_has_settled(t, first, second):
    _, sent = at(t)
    assert (bool(sent.first_switch.is_on), bool(sent.second_switch.is_on)) == (first, second)


def test_before_the_swap_the_second_stays_at_home():
    memory, sent = at(50.0)
    assert np.array_equal(sent.axis.axis_B, FIRST) and np.array_equal(sent.first_axis.axis_B, FIRST)
    assert np.array_equal(sent.second_axis.axis_B, HOME) and np.array_equal(memory.first_axis_B, FIRST)


def test_after_the_swap_the_first_stays_where_it_was():
    memory, sent = at(100.0)
    assert np.array_equal(sent.axis.axis_B, SECOND) and np.array_equal(sent.second_axis.axis_B, SECOND)
    assert np.array_equal(sent.first_axis.axis_B, 0.5 * FIRST) and np.array_equal(memory.first_axis_B, 0.5 * FIRST)
