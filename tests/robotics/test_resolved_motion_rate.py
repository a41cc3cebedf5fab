"""Joint rates that give a tip the twist it should have."""

import numpy as np
import pytest
from floating import ROBOT, TIP, after, messages, state_of

import cardan as cd
from cardan.errors import ImpossibleValue, ShapeError
from cardan.maths import mrp_from_dcm
from cardan.messages import FrameMotion, HingeStates, TipReference
from cardan.robotics import ResolvedMotionRate, Robot


def at_its_reference(state, twist):
    """A reference at the tip's own pose, so that only its velocity counts."""
    pose = state.pose("tip")
    return TipReference(pose.r_N, twist[3:], mrp_from_dcm(pose.R.T), twist[:3])


def test_the_tip_of_a_floating_base_has_the_twist_of_its_reference():
    base, joints = messages()
    state, twist = state_of(base, joints), np.array([0.1, -0.2, 0.05, 0.3, 0.1, -0.2])
    rate = ResolvedMotionRate(ROBOT.numbers, TIP).step(base, joints, at_its_reference(state, twist)).command.rate
    assert np.allclose(after(state, rate).twist("tip"), twist, rtol=0.0, atol=1e-13)


def test_the_tip_of_a_base_that_moves_as_it_will_has_the_twist_of_its_reference():
    base, joints = messages()
    state, twist = state_of(base, joints), np.array([0.1, -0.2, 0.05, 0.3, 0.1, -0.2])
    law = ResolvedMotionRate(ROBOT.numbers, TIP, is_floating=False)
    rate = law.step(base, joints, at_its_reference(state, twist)).command.rate
    moved = ROBOT.at(state.q, np.concatenate([state.u_0, rate]))
    assert np.allclose(moved.twist("tip"), twist, rtol=0.0, atol=1e-13)


def test_only_the_chosen_rows_count_and_the_rates_are_the_smallest_of_all():
    base, joints = messages()
    state, twist = state_of(base, joints), np.array([0.0, 0.0, 0.0, 0.3, 0.1, -0.2])
    law = ResolvedMotionRate(ROBOT.numbers, TIP, rows=[0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    rate = law.step(base, joints, at_its_reference(state, twist)).command.rate
    assert np.allclose(after(state, rate).twist("tip")[3:], twist[3:], rtol=0.0, atol=1e-13)
    whole = ResolvedMotionRate(ROBOT.numbers, TIP).step(base, joints, at_its_reference(state, twist)).command.rate
    assert np.linalg.norm(rate) < np.linalg.norm(whole)


def test_feedback_goes_towards_the_reference():
    base, joints = messages(at_rest=True)
    state = state_of(base, joints)
    pose = state.pose("tip")
    turned = pose.R @ np.array([[1.0, 0.0, 0.0], [0.0, np.cos(0.01), -np.sin(0.01)], [0.0, np.sin(0.01), np.cos(0.01)]])
    reference = TipReference(pose.r_N + np.array([0.01, 0.0, -0.02]), np.zeros(3), mrp_from_dcm(turned.T), np.zeros(3))
    law = ResolvedMotionRate(ROBOT.numbers, TIP, position_gain=2.0, attitude_gain=3.0)
    twist = after(state, law.step(base, joints, reference).command.rate).twist("tip")
    assert np.allclose(twist[3:], [0.02, 0.0, -0.04], rtol=0.0, atol=1e-14)
    assert np.allclose(twist[:3], 3.0 * 0.01 * pose.R[:, 0], rtol=0.0, atol=1e-6)  # 4 sigma is the angle to third order


def test_damping_makes_the_rates_smaller():
    base, joints = messages(at_rest=True)
    reference = at_its_reference(state_of(base, joints), np.ones(6))
    plain, damped = (
        ResolvedMotionRate(ROBOT.numbers, TIP, damping=damping).step(base, joints, reference).command.rate
        for damping in (0.0, 0.5)
    )
    assert np.linalg.norm(damped) < 0.8 * np.linalg.norm(plain)


def test_an_arm_on_the_world_needs_no_base():
    m = cd.Mechanism("arm")
    a = m.add_body("a", joint=cd.Hinge([0, 0, 1.0]), mass=1.0, inertia_B=np.eye(3))
    b = m.add_body("b", parent=a, joint=cd.Hinge([0, 0, 1.0]), mass=1.0, inertia_B=np.eye(3), r_BP_P=[1.0, 0, 0])
    m.add_site("tip", b, r_SB_B=[1.0, 0.0, 0.0])
    robot = Robot(m)
    joints = HingeStates([0.3, 0.8], [0.0, 0.0])
    r_N = robot.at(joints.angle).pose("tip").r_N
    law = ResolvedMotionRate(robot.numbers, robot.frame("tip").numbers, rows=[0.0, 0.0, 0.0, 1.0, 1.0, 0.0])
    rate = law.step(FrameMotion(), joints, TipReference(r_N, np.array([0.1, 0.2, 0.0]))).command.rate
    assert np.allclose(robot.at(joints.angle, rate).twist("tip")[3:], [0.1, 0.2, 0.0], rtol=0.0, atol=1e-14)


def test_rows_of_numbers_that_are_no_robot_and_other_numbers_of_joints_are_refused():
    base, _ = messages()
    with pytest.raises(ImpossibleValue, match=r"robot` must be the row of numbers of a robot\.\n  got 7 other numbers"):
        ResolvedMotionRate(np.zeros(7), TIP)
    with pytest.raises(ImpossibleValue, match=r"tip` must be the row of numbers of a frame on `robot`\.\n  got 3"):
        ResolvedMotionRate(ROBOT.numbers, np.zeros(3))
    with pytest.raises(ShapeError, match=r"`joints` has not as many hinges as the robot: connect `robot.hinges\(...\)"):
        ResolvedMotionRate(ROBOT.numbers, TIP).step(base, HingeStates(np.zeros(6), np.zeros(6)), TipReference())
