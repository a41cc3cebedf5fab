import numpy as np
import pytest

from cardan.maths import dcm_from_mrp, dcm_from_quaternion, gimbal_axis, gimbal_quaternion, mrp_rate
from cardan.messages import TurnArc
from cardan.models import TwoAxisGimbal

ARC = TurnArc(
    q_SM=gimbal_quaternion(0.2, -0.3, 1, 2),
    axis_G=np.array([0.6, 0.0, 0.8]),
    start=5.0,
    angle=0.1,
    rate=0.3,
    acceleration=-0.7,
)


def test_the_rate_is_that_of_the_attitude_and_the_acceleration_that_of_the_rate():
    h, t, gimbal = 1e-5, 5.4, TwoAxisGimbal()
    before, now, after = (gimbal.motion(t + dt, ARC) for dt in (-h, 0.0, h))
    # central differences: their error is h^2 times third derivatives
    sigma_dot = (after.sigma_GM - before.sigma_GM) / (2 * h)
    assert mrp_rate(now.sigma_GM, now.omega_GM_G) == pytest.approx(sigma_dot, abs=1e-9)
    assert (after.omega_GM_G - before.omega_GM_G) / (2 * h) == pytest.approx(now.omega_dot_GM_G, abs=1e-9)


def test_both_outputs_say_the_same():
    motion, turn = TwoAxisGimbal().motion(5.2, ARC), TwoAxisGimbal().turn(5.2, ARC)
    assert dcm_from_quaternion(turn.q_CP) == pytest.approx(dcm_from_mrp(motion.sigma_GM), abs=1e-15)
    assert np.array_equal(turn.omega_CP_C, motion.omega_GM_G)
    assert np.array_equal(turn.omega_dot_CP_C, motion.omega_dot_GM_G)


@pytest.mark.parametrize("order", [(3, 1, 2), (1, 2, 3), (2, 3, 1), (3, 2, 1), (1, 3, 2), (2, 1, 3)])
def test_tip_and_tilt_are_those_of_the_pointing_axis(order):
    i, j, k = order
    arc = TurnArc(q_SM=gimbal_quaternion(0.2, -0.3, j, k))
    motion = TwoAxisGimbal(thrust_axis=i, tip_axis=j, tilt_axis=k).motion(7.0, arc)
    assert (motion.tip, motion.tilt) == pytest.approx((0.2, -0.3), abs=1e-15)
    axis_M = dcm_from_mrp(motion.sigma_GM)[i - 1]
    assert axis_M == pytest.approx(gimbal_axis(0.2, -0.3, i, j, k), abs=1e-15)
