"""A tip reference along a straight line."""

import numpy as np

from cardan.robotics import TipLine

LINE = TipLine([1.0, 2.0, 3.0], [2.0, 0.0, 3.5], duration=4.0, begin=1.0, sigma_TN=[0.1, 0.2, 0.3])


def test_it_waits_at_both_ends():
    for t, r_N in ((0.0, LINE.start_N), (1.0, LINE.start_N), (5.0, LINE.end_N), (9.0, LINE.end_N)):
        reference = LINE.step(t).reference
        assert np.array_equal(reference.r_TN_N, r_N) and not reference.v_TN_N.any()
        assert np.array_equal(reference.sigma_TN, [0.1, 0.2, 0.3]) and not reference.omega_TN_N.any()


def test_it_is_half_way_at_half_time_and_its_velocity_is_the_rate_of_its_position():
    assert np.allclose(LINE.step(3.0).reference.r_TN_N, [1.5, 1.0, 3.25])
    for t in (1.2, 2.0, 3.7):
        numeric = (LINE.step(t + 1e-5).reference.r_TN_N - LINE.step(t - 1e-5).reference.r_TN_N) / 2e-5
        assert np.allclose(LINE.step(t).reference.v_TN_N, numeric, rtol=0.0, atol=1e-9)
