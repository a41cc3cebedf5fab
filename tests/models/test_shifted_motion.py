import numpy as np

from cardan import models
from cardan.messages import FrameMotion


def test_positions_and_velocities_add_and_attitude_stays():
    rows = np.arange(12.0).reshape(4, 3)
    motion, origin = FrameMotion(*rows), FrameMotion(np.array([7e6, 0.0, 0.0]), np.array([0.0, 7500.0, 0.0]))
    shifted = models.ShiftedMotion().shifted(motion, origin)
    assert np.array_equal(shifted.r_BN_N, [7e6, 1.0, 2.0])
    assert np.array_equal(shifted.v_BN_N, [3.0, 7504.0, 5.0])
    assert np.array_equal(shifted.sigma_BN, rows[2]) and np.array_equal(shifted.omega_BN_B, rows[3])
