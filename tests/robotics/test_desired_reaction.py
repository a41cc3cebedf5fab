"""Joint rates that move a tip and turn the base as wanted, or not at all."""

import numpy as np
from floating import ROBOT, TIP, after, messages, state_of

from cardan.maths import mrp_from_dcm
from cardan.messages import AttitudeReference, TipReference
from cardan.robotics import DesiredReaction


def reference_of(state, velocity):
    pose = state.pose("tip")
    return TipReference(pose.r_N, np.array(velocity), mrp_from_dcm(pose.R.T), np.zeros(3))


def test_the_base_does_not_turn_while_the_tip_moves():
    """Zero reaction, and the momentum that the robot has is carried by the joints."""
    base, joints = messages()
    state = state_of(base, joints)
    law = DesiredReaction(ROBOT.numbers, TIP, base_gain=0.0)
    rate = law.step(base, joints, reference_of(state, [0.1, 0.2, -0.1])).command.rate
    moved = after(state, rate)
    assert np.allclose(moved.u_0[:3], 0.0, atol=1e-13)
    assert np.allclose(moved.twist("tip")[3:], [0.1, 0.2, -0.1], rtol=0.0, atol=1e-13)
    assert np.allclose(moved.momentum, state.momentum, rtol=0.0, atol=1e-13)


def test_the_base_turns_as_its_reference_does():
    base, joints = messages(at_rest=True)
    state = state_of(base, joints)
    law = DesiredReaction(ROBOT.numbers, TIP, rows=[1.0, 1.0, 1.0] + 9 * [0.0])
    attitude = AttitudeReference(base.sigma_BN, np.array([0.01, -0.02, 0.03]), np.zeros(3))
    rate = law.step(base, joints, reference_of(state, [0.0, 0.0, 0.0]), attitude).command.rate
    assert np.allclose(state.R_0 @ after(state, rate).u_0[:3], [0.01, -0.02, 0.03], rtol=0.0, atol=1e-14)


def test_an_attitude_error_of_the_base_is_turned_back():
    base, joints = messages(at_rest=True)
    state = state_of(base, joints)
    law = DesiredReaction(ROBOT.numbers, TIP, base_gain=0.5)
    attitude = AttitudeReference(np.zeros(3), np.zeros(3), np.zeros(3))
    rate = law.step(base, joints, reference_of(state, [0.0, 0.0, 0.0]), attitude).command.rate
    assert np.allclose(after(state, rate).u_0[:3], -0.5 * 4.0 * base.sigma_BN, rtol=0.0, atol=1e-13)


def test_the_adjugate_is_the_inverse_until_its_gain_is_capped():
    base, joints = messages()
    reference = reference_of(state_of(base, joints), [0.1, 0.2, -0.1])
    plain, whole, capped = (
        law.step(base, joints, reference).command.rate
        for law in (
            DesiredReaction(ROBOT.numbers, TIP),
            DesiredReaction(ROBOT.numbers, TIP, is_adjugate=True, largest_gain=1.0e12),
            DesiredReaction(ROBOT.numbers, TIP, is_adjugate=True, largest_gain=1.0),
        )
    )
    assert np.allclose(whole, plain, rtol=0.0, atol=1e-9)
    share = np.linalg.norm(capped) / np.linalg.norm(plain)
    assert share < 0.1 and np.allclose(capped, share * plain, rtol=0.0, atol=1e-9)
