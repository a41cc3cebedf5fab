import numpy as np
import pytest

from cardan.fsw import PositionFeedback
from cardan.messages import FrameMotion

PART = PositionFeedback(K=2.0, P=5.0, max_force=10.0, r_RN_N=[1.0, 0.0, 0.0])


def force(r_N: list[float], v_N: list[float]) -> np.ndarray:
    return PART.step(FrameMotion(r_BN_N=np.array(r_N), v_BN_N=np.array(v_N))).force.force_N


def test_each_gain_acts_on_its_own_error():
    assert force([2.0, 0.0, 1.0], [0.0, 0.4, -0.2]) == pytest.approx([-2.0, -2.0, -1.0], rel=1e-15)


def test_a_force_beyond_the_limit_is_shortened_and_keeps_its_direction():
    assert force([301.0, 0.0, 400.0], [0.0, 0.0, 0.0]) == pytest.approx([-6.0, 0.0, -8.0], rel=1e-15)


def test_at_rest_where_it_should_be_there_is_no_force():
    assert force([1.0, 0.0, 0.0], [0.0, 0.0, 0.0]).tolist() == [0.0, 0.0, 0.0]
