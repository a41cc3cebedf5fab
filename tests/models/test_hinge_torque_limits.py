import numpy as np
import pytest

from cardan.messages import HingeTorques
from cardan.models import HingeTorqueLimits


def test_each_torque_is_limited_alone_on_both_sides():
    part = HingeTorqueLimits(max_torque=[1.0, 2.0, 3.0, 0.0])
    command = HingeTorques(torque=np.array([0.5, 5.0, -5.0, 1.0]))
    assert part.torques(command).torque.tolist() == [0.5, 2.0, -3.0, 0.0]


def test_a_command_of_another_length_is_refused():
    part = HingeTorqueLimits(max_torque=[1.0, 2.0, 3.0])
    for count in (1, 2):
        with pytest.raises(ValueError) as caught:
            part.torques(HingeTorques(np.ones(count)))
        assert str(caught.value) == "HingeTorqueLimits: `command` has another number of motors than `max_torque`."
