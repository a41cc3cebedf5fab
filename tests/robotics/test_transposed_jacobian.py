"""Joint torques that pull a tip to where it should be."""

import numpy as np
from floating import ROBOT, TIP, messages, state_of

from cardan.maths import mrp_from_dcm
from cardan.messages import TipReference
from cardan.robotics import TransposedJacobian


def test_the_torques_do_the_work_of_the_wrench_at_the_tip():
    """Power of the torques is power of spring and damper on the tip, for joints alone and for a base that answers."""
    base, joints = messages()
    state = state_of(base, joints)
    pose, twist = state.pose("tip"), state.twist("tip")
    away = np.array([0.1, -0.2, 0.3])
    reference = TipReference(pose.r_N + away, np.array([0.0, 0.1, 0.0]), mrp_from_dcm(pose.R.T), np.zeros(3))
    wrench = np.concatenate([-3.0 * twist[:3], 50.0 * away + 8.0 * ([0.0, 0.1, 0.0] - twist[3:])])
    for is_floating, J in ((True, state.generalized_jacobian("tip")), (False, state.jacobians("tip").J_m)):
        law = TransposedJacobian(ROBOT.numbers, TIP, 50.0, 8.0, 20.0, 3.0, is_floating)
        torque = law.step(base, joints, reference).torque.torque
        assert np.allclose(torque, J.T @ wrench, rtol=0.0, atol=1e-12)


def test_a_turned_tip_is_turned_back():
    base, joints = messages(at_rest=True)
    state = state_of(base, joints)
    pose = state.pose("tip")
    c, s = np.cos(0.002), np.sin(0.002)
    wanted = pose.R @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    reference = TipReference(pose.r_N, np.zeros(3), mrp_from_dcm(wanted.T), np.zeros(3))
    torque = (
        TransposedJacobian(ROBOT.numbers, TIP, 0.0, 0.0, K_attitude=5.0).step(base, joints, reference).torque.torque
    )
    pull = np.concatenate([5.0 * 0.002 * pose.R[:, 2], np.zeros(3)])
    assert np.allclose(torque, state.generalized_jacobian("tip").T @ pull, rtol=0.0, atol=1e-8)
