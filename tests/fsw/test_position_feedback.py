import numpy as np
import pytest

from cardan.fsw import PositionFeedback
from cardan.messages import FrameMotion

PART = PositionFeedback(K=1.26, P=42.0, max_force=1.5, r_RN_N=np.array([1.0, 2.0, 3.0]))


def test_the_force_pulls_towards_the_point_and_against_the_velocity():
    motion = FrameMotion(r_BN_N=np.array([1.1, 2.0, 2.8]), v_BN_N=np.array([0.0, 0.01, -0.002]))
    expected_N = -1.26 * np.array([0.1, 0.0, -0.2]) - 42.0 * np.array([0.0, 0.01, -0.002])
    assert PART.step(motion).force.force_N == pytest.approx(expected_N, abs=1e-15)


def test_a_large_force_is_shortened_and_keeps_its_direction():
    far = FrameMotion(r_BN_N=np.array([1.0e4, -2.0e4, 3.0]))
    force_N = PART.step(far).force.force_N
    assert np.linalg.norm(force_N) == pytest.approx(1.5, rel=1e-15)
    wanted_N = -(far.r_BN_N - PART.r_RN_N)
    assert np.cross(force_N, wanted_N) == pytest.approx(np.zeros(3), abs=1e-11)
    assert force_N @ wanted_N > 0.0


def test_at_its_point_and_at_rest_it_asks_for_nothing():
    assert PART.step(FrameMotion(r_BN_N=PART.r_RN_N)).force.force_N.tolist() == [0.0, 0.0, 0.0]
