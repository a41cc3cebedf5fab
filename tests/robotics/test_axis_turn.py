"""An attitude reference about a fixed axis."""

import numpy as np

from cardan.maths import mrp_rate, rotation_angle
from cardan.robotics import AxisTurn

TURN = AxisTurn([0.0, 0.6, 0.8], angle=0.7, duration=10.0, begin=2.0)


def test_it_begins_at_rest_and_ends_at_its_angle():
    assert not TURN.step(1.0).reference.sigma_RN.any()
    end = TURN.step(20.0).reference
    assert np.isclose(rotation_angle(end.sigma_RN), 0.7, rtol=1e-14) and not end.omega_RN_N.any()


def test_its_rate_belongs_to_its_attitude():
    """About a fixed axis the rate has the same components in both frames."""
    for t in (3.0, 7.0, 11.0):
        numeric = (TURN.step(t + 1e-5).reference.sigma_RN - TURN.step(t - 1e-5).reference.sigma_RN) / 2e-5
        now = TURN.step(t).reference
        assert np.allclose(mrp_rate(now.sigma_RN, now.omega_RN_N), numeric, rtol=0.0, atol=1e-10)
