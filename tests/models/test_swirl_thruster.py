import numpy as np
import pytest

from cardan.messages import ThrusterSwitch
from cardan.models import SwirlThruster

PART = SwirlThruster(thrust=0.25, swirl_torque=-4e-5, axis_B=np.array([0.0, 0.6, 0.8]))


def test_it_pushes_and_turns_along_its_axis():
    wrench = PART.wrench(ThrusterSwitch(True))
    assert wrench.force_B == pytest.approx([0.0, 0.15, 0.2])
    assert wrench.torque_B == pytest.approx([0.0, -2.4e-5, -3.2e-5])


def test_switched_off_it_does_nothing():
    wrench = PART.wrench(ThrusterSwitch(False))
    assert not wrench.force_B.any() and not wrench.torque_B.any()


def test_without_a_switch_it_is_on():
    assert PART.wrench().force_B.any()
