import numpy as np
import pytest

from cardan.fsw import ThrusterSwap
from cardan.fsw.gimbal.thruster_swap import ThrusterSwapMemory
from cardan.messages import ThrustAxis

FIRST, SECOND, HOME = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])
ONCE = ThrusterSwap(swap=100.0, settle=10.0, second_home_B=HOME)
OFTEN = ThrusterSwap(swap=100.0, settle=10.0, second_home_B=HOME, swaps=3)


def at(t, part=ONCE, memory=ThrusterSwapMemory(0.5 * FIRST, HOME)):
    return part.step(t, memory, ThrustAxis(FIRST), ThrustAxis(SECOND))


def switches(t, part):
    sent = at(t, part)[1]
    return bool(sent.first_switch.is_on), bool(sent.second_switch.is_on)


@pytest.mark.parametrize(
    ("t", "first", "second"),
    [
        (0.0, False, False),
        (10.0, True, False),
        (99.0, True, False),
        (100.0, False, False),
        (110.0, False, True),
        (205.0, False, True),
    ],
)
def test_thrusters_fire_one_after_the_other_once_the_spacecraft_has_settled(t, first, second):
    assert switches(t, ONCE) == (first, second)


def test_they_may_take_turns_and_the_last_one_does_not_end():
    assert [switches(t, OFTEN) for t in (50.0, 150.0, 205.0, 250.0, 350.0, 405.0, 1e6)] == [
        (True, False),
        (False, True),
        (False, False),
        (True, False),
        (False, True),
        (False, True),
        (False, True),
    ]


def test_in_its_turn_the_first_follows_its_command_and_the_second_stays():
    memory, sent = at(50.0)
    assert np.array_equal(sent.axis.axis_B, FIRST) and np.array_equal(sent.first_axis.axis_B, FIRST)
    assert np.array_equal(sent.second_axis.axis_B, HOME)
    assert np.array_equal(memory.first_axis_B, FIRST) and np.array_equal(memory.second_axis_B, HOME)


def test_in_its_turn_the_second_follows_its_command_and_the_first_stays():
    memory, sent = at(100.0)
    assert np.array_equal(sent.axis.axis_B, SECOND) and np.array_equal(sent.second_axis.axis_B, SECOND)
    assert np.array_equal(sent.first_axis.axis_B, 0.5 * FIRST) and np.array_equal(memory.first_axis_B, 0.5 * FIRST)


def test_the_second_begins_at_home():
    assert np.array_equal(ONCE.initial().second_axis_B, HOME)
