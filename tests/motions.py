"""What every prescribed motion must satisfy: its rates are the derivatives of its positions and attitudes."""

import numpy as np
import pytest

from cardan.maths import dcm_from_quaternion, quaternion_rate


def assert_consistent(motion, t, step=1e-4, allowed=1e-6):
    """Against central differences of `motion(t)`, which err by about `step` squared times the motion's own rates."""
    before, now, after = motion(t - step), motion(t), motion(t + step)
    assert np.linalg.norm(now.q_FM) == pytest.approx(1.0, abs=1e-14)
    assert (after.r_FM_M - before.r_FM_M) / (2.0 * step) == pytest.approx(now.v_FM_M, abs=allowed)
    assert (after.v_FM_M - before.v_FM_M) / (2.0 * step) == pytest.approx(now.a_FM_M, abs=allowed)
    q_dot = (after.q_FM - before.q_FM) / (2.0 * step)
    assert q_dot == pytest.approx(quaternion_rate(now.q_FM, now.omega_FM_F), abs=allowed)
    # a rate in components of F changes alike seen from F and from M
    gained = (after.omega_FM_F - before.omega_FM_F) / (2.0 * step)
    assert gained == pytest.approx(now.omega_dot_FM_F, abs=allowed)
    assert dcm_from_quaternion(now.q_FM) @ dcm_from_quaternion(now.q_FM).T == pytest.approx(np.eye(3), abs=1e-14)
