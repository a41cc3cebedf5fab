import numpy as np
import pytest

from cardan.fsw import CusumTest, WheelResiduals
from cardan.messages import HingeStates, HingeTorques


def test_a_dead_wheel_is_named_by_the_balance_of_its_momentum():
    parts, test = WheelResiduals([0.1, 0.1, 0.1], noise=0.01), CusumTest()
    x, c, rate, torque = parts.initial(), None, np.zeros(3), np.array([0.05, -0.05, 0.05])
    for tick in range(20):
        x, out = parts.step(0.1, x, HingeStates(np.zeros(3), rate.copy()), HingeTorques(torque))
        assert np.allclose(out.residual.value, [0.0, 5.0 if tick else 0.0, 0.0], atol=1e-9)
        c, told = test.step(0.1 * tick, test.initial(out.residual) if c is None else c, out.residual)
        rate = rate + 0.1 / 0.1 * torque * [1.0, 0.0, 1.0]
    assert told.report.is_alarm and told.report.suspect == 1


def test_another_number_of_wheels_is_refused():
    parts = WheelResiduals([0.1, 0.1], noise=0.01)
    with pytest.raises(ValueError, match="WheelResiduals: `wheels` or `torques` has another number of wheels"):
        parts.step(0.1, parts.initial(), HingeStates(np.zeros(3), np.zeros(3)), HingeTorques(np.zeros(2)))
