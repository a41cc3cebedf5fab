import mujoco
import numpy as np
import pytest

import cardan as cd
from cardan.dynamics import Calculator
from cardan.fsw import ThrusterArmJoints
from cardan.messages import (
    ActuatorCommand,
    BodyTorque,
    HingeReferences,
    HingeStates,
)
from cardan.missions.vehicles import vehicle

NOTHING = ActuatorCommand(0.0)
TIP_Z = 2


def mechanism():
    return cd.Mechanism.from_mjcf(vehicle("thruster_arms.xml"))


def part(**changes):
    m = mechanism()
    M = Calculator(m).mass_matrix(m.tree.reference)
    return ThrusterArmJoints(inertia=M[6:, 6:], coupling_B=M[6:, 3:6], boom=1.0, bandwidth=5.0)._replace(**changes)


def states(angle=None, rate=None):
    return HingeStates(np.zeros(8) if angle is None else angle, np.zeros(8) if rate is None else rate)


def wanted(angle=None, rate=None):
    zero = np.zeros(8)
    return HingeReferences(zero if angle is None else angle, zero if rate is None else rate, zero)


def one(value, joint=TIP_Z):
    values = np.zeros(8)
    values[joint] = value
    return values


def test_torques_are_the_mass_matrix_times_the_wanted_accelerations():
    loop = part(damping=0.7)
    rng = np.random.default_rng(3)
    angle, rate, to, by = 1e-2 * rng.normal(size=(4, 8))
    sent = loop.step(states(angle, rate), wanted(to, by), NOTHING, NOTHING)
    a = 25.0 * (to - angle) + 2.0 * 0.7 * 5.0 * (by - rate)
    assert sent.torques.torque == pytest.approx(loop.inertia @ a, abs=1e-14)
    assert sent.hub.torque_B == pytest.approx(loop.coupling_B.T @ a, abs=1e-14)
    assert sent.hub.force_B.tolist() == [0.0, 0.0, 0.0]


def test_roll_is_passed_on_to_the_hub():
    sent = part().step(states(), wanted(), NOTHING, NOTHING, BodyTorque(np.array([0.3, 0.0, 0.0])))
    assert sent.hub.torque_B.tolist() == [0.3, 0.0, 0.0]


def test_motors_and_hub_are_limited():
    sent = part(max_torque=2.0, max_hub_torque=0.5).step(states(), wanted(one(9.0, joint=1)), NOTHING, NOTHING)
    assert sent.torques.torque[1] == 2.0
    assert sent.hub.torque_B.tolist() == [0.0, 0.5, 0.0]


def test_a_swinging_tip_pushes_the_hub_17_times_harder_than_its_motor():
    """2 kg, 0.05 m off a joint that is 1.79 m from the hub's centre: 0.011 + 2 x 0.05 x 1.79 against 0.011 kg m^2."""
    loop = part()
    assert loop.coupling_B[TIP_Z, 2] / loop.inertia[TIP_Z, TIP_Z] == pytest.approx(17.2, abs=0.05)
    assert loop.coupling_B[TIP_Z, 2] - loop.inertia[TIP_Z, TIP_Z] == pytest.approx(2.0 * 0.05 * 1.79, rel=1e-12)


def accelerations(torques, hub):
    """[rad/s^2] Of hub and joints of the real vehicle, arms straight, under these torques."""
    m = mechanism()
    effort = np.concatenate([np.zeros(3), hub, torques])
    a = Calculator(m).forward(m.tree.reference, np.zeros(14), effort)
    return a[3:6], a[6:]


def test_the_hub_does_not_turn_while_a_tip_swings():
    sent = part().step(states(), wanted(one(0.1)), NOTHING, NOTHING)
    omega_dot_B, joints = accelerations(sent.torques.torque, sent.hub.torque_B)
    alone_B, _ = accelerations(sent.torques.torque, np.zeros(3))
    assert np.linalg.norm(alone_B) > 1e-3
    assert omega_dot_B == pytest.approx(np.zeros(3), abs=1e-15)
    # the hub is pushed sideways, by a share of the vehicle's mass that the tip is: half a per cent
    assert joints[TIP_Z] == pytest.approx(25.0 * 0.1, rel=5e-3)


def test_a_swinging_tip_does_not_bend_its_boom():
    sent = part().step(states(), wanted(one(0.1, joint=3)), NOTHING, NOTHING)
    _, joints = accelerations(sent.torques.torque, sent.hub.torque_B)
    assert abs(joints[1]) < 1e-3 * abs(joints[3])
    # with the tip's own inertia alone the boom gives way
    _, naive = accelerations(np.diag(np.diag(part().inertia)) @ one(2.5, joint=3), sent.hub.torque_B)
    assert abs(naive[1]) > 0.02 * abs(naive[3])


def test_the_load_of_the_thrust_is_carried_by_the_shoulder():
    """MuJoCo says what the thrusts of bent tips do along the joints; the motors do the opposite."""
    angle = one(0.4, joint=3) + one(-0.3, joint=7) + one(0.5, joint=2) + one(-0.2, joint=6)
    sent = part().step(states(angle), wanted(angle), ActuatorCommand(1.2), ActuatorCommand(0.7))
    model = mechanism().model
    data = mujoco.MjData(model)
    data.qpos[7:], data.ctrl[:] = angle, [1.2, 0.7]
    mujoco.mj_forward(model, data)
    assert np.max(np.abs(sent.torques.torque)) > 0.1
    assert sent.torques.torque == pytest.approx(-data.qfrc_actuator[6:], abs=1e-14)
