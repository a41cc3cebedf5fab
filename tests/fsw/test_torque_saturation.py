import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardan.fsw import TorqueSaturation
from cardan.messages import HingeTorques

LIMITS = np.array([1.0, 2.0, 3.0])


def sent(command: list[float], keeps_direction: bool, limits: np.ndarray = LIMITS) -> np.ndarray:
    part = TorqueSaturation(max_torque=limits, keeps_direction=keeps_direction)
    return part.step(HingeTorques(np.array(command))).torques.torque


@pytest.mark.parametrize("keeps_direction", [True, False])
def test_what_all_motors_can_do_is_left_alone(keeps_direction):
    assert sent([0.9, -2.0, 0.0], keeps_direction).tolist() == [0.9, -2.0, 0.0]


def test_alone_each_motor_is_limited_on_both_sides():
    assert sent([5.0, -4.0, 1.5], False).tolist() == [1.0, -2.0, 1.5]
    assert sent([-5.0, 4.0, -1.5], False).tolist() == [-1.0, 2.0, -1.5]


def test_together_all_are_reduced_as_the_one_that_is_furthest_beyond():
    assert sent([5.0, -4.0, 1.5], True) == pytest.approx([1.0, -0.8, 0.3], rel=1e-15)


@given(command=st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3))
def test_no_motor_ever_gets_more_than_its_limit_and_a_direction_that_is_kept_is_kept(command):
    alone, together = sent(command, False), sent(command, True)
    assert np.all(np.abs(alone) <= LIMITS) and np.all(np.abs(together) <= LIMITS)
    share = np.max(np.abs(np.array(command)) / LIMITS)
    assert together * max(share, 1.0) == pytest.approx(np.array(command), rel=1e-14, abs=1e-300)


@pytest.mark.parametrize("keeps_direction", [True, False])
def test_a_motor_that_can_do_nothing_does_nothing(keeps_direction):
    limits = np.array([1.0, 0.0, 3.0])
    assert sent([0.5, 0.0, -2.0], keeps_direction, limits).tolist() == [0.5, 0.0, -2.0]
    expected = [0.0, 0.0, 0.0] if keeps_direction else [0.5, 0.0, -2.0]
    assert np.abs(sent([0.5, 0.1, -2.0], keeps_direction, limits)).tolist() == np.abs(expected).tolist()


@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_command_of_another_length_is_refused(count):
    with pytest.raises(ValueError) as caught:
        sent([1.0] * count, False)
    assert str(caught.value) == "TorqueSaturation: `command` has another number of motors than `max_torque`."
