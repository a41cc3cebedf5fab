"""Joint torques that give joints the rates they are commanded."""

import numpy as np
from floating import ROBOT, messages, state_of

import cardan as cd
from cardan.messages import FrameMotion, HingeRates, HingeStates
from cardan.robotics import RateServo, Robot
from cardan.robotics.tasks.rate_servo import RateServoMemory


def test_the_accelerations_of_a_floating_base_are_those_asked_for():
    base, joints = messages()
    state, command = state_of(base, joints), HingeRates(np.linspace(-0.2, 0.3, 7))
    before = RateServoMemory(command.rate - 0.01, True)
    memory, sent = RateServo(ROBOT.numbers, gain=4.0).step(0.1, before, base, joints, command)
    u_dot = state.forward_dynamics(np.concatenate([np.zeros(6), sent.torque.torque]))
    expected = 0.1 + 4.0 * (command.rate - joints.rate)
    assert np.allclose(u_dot[6:], expected, rtol=0.0, atol=1e-12)
    assert np.array_equal(memory.rate, command.rate) and memory.is_started


def test_at_the_first_tick_there_is_no_command_before():
    base, joints = messages(at_rest=True)
    servo = RateServo(ROBOT.numbers, gain=4.0)
    _, sent = servo.step(0.1, servo.initial(joints), base, joints, HingeRates(np.full(7, 0.1)))
    u_dot = state_of(base, joints).forward_dynamics(np.concatenate([np.zeros(6), sent.torque.torque]))
    assert np.allclose(u_dot[6:], 0.4, rtol=0.0, atol=1e-13)


def test_an_arm_on_the_world():
    m = cd.Mechanism("arm")
    m.add_body("a", joint=cd.Hinge([0, 0, 1.0]), mass=1.0, inertia_B=2.0 * np.eye(3))
    servo = RateServo(Robot(m).numbers, gain=5.0)
    joints = HingeStates(np.array([0.3]), np.array([0.2]))
    _, sent = servo.step(0.1, servo.initial(joints), FrameMotion(), joints, HingeRates(np.array([0.4])))
    assert np.allclose(sent.torque.torque, [2.0 * 5.0 * 0.2])
