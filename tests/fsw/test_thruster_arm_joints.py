import numpy as np
import pytest

import cardan as cd
from cardan.dynamics.recursive_tree.calculator import Calculator
from cardan.fsw import ThrusterArmJoints
from cardan.messages import ActuatorCommand, BodyTorque, HingeReferences, HingeStates
from cardan.missions.vehicles import vehicle

RNG = np.random.default_rng(1)
M, COUPLING_B = RNG.normal(size=(8, 8)), RNG.normal(size=(8, 3))
ANGLE, RATE, WANTED, WANTED_RATE = RNG.normal(size=(4, 8))
STATES, REFERENCE = HingeStates(ANGLE, RATE), HingeReferences(WANTED, WANTED_RATE, np.zeros(8))
PART = ThrusterArmJoints(inertia=M, coupling_B=COUPLING_B, boom=2.0, max_torque=1e9, max_hub_torque=1e9)
NONE = ActuatorCommand(0.0)


def test_torques_give_the_joints_the_acceleration_of_an_oscillator():
    part = PART._replace(bandwidth=np.float64(3.0), damping=np.float64(0.7))
    sent = part.step(STATES, REFERENCE, NONE, NONE)
    a = 9.0 * (WANTED - ANGLE) + 2.0 * 0.7 * 3.0 * (WANTED_RATE - RATE)
    assert sent.torques.torque == pytest.approx(M @ a, rel=1e-12)
    assert sent.hub.torque_B == pytest.approx(COUPLING_B.T @ a, rel=1e-12)
    assert sent.hub.force_B.tolist() == [0.0, 0.0, 0.0]


def test_the_shoulder_holds_its_boom_against_the_thrust():
    at_rest = HingeReferences(ANGLE, RATE, np.zeros(8))
    load = PART.step(STATES, at_rest, ActuatorCommand(0.5), ActuatorCommand(0.7)).torques.torque
    for arm, thrust in ((0, 0.5), (4, 0.7)):
        z, y = ANGLE[arm + 2], ANGLE[arm + 3]
        force_A = -thrust * np.array([np.cos(y) * np.cos(z), np.cos(y) * np.sin(z), -np.sin(y)])
        # the moment of the thrust about the shoulder's joint y, which the motor balances
        assert load[arm + 1] == pytest.approx(-np.cross([2.0, 0.0, 0.0], force_A)[1], rel=1e-14)
        assert load[[arm, arm + 2, arm + 3]].tolist() == [0.0, 0.0, 0.0]


def test_what_is_left_to_the_hub_is_added():
    roll = BodyTorque(np.array([1.0, 2.0, 3.0]))
    without, with_it = PART.step(STATES, REFERENCE, NONE, NONE), PART.step(STATES, REFERENCE, NONE, NONE, roll)
    assert with_it.hub.torque_B - without.hub.torque_B == pytest.approx(roll.torque_B, rel=1e-12)


def test_motors_and_hub_have_their_limits():
    part = PART._replace(max_torque=np.float64(2.0), max_hub_torque=np.float64(0.5))
    sent, free = part.step(STATES, REFERENCE, NONE, NONE), PART.step(STATES, REFERENCE, NONE, NONE)
    assert sent.torques.torque == pytest.approx(np.clip(free.torques.torque, -2.0, 2.0), rel=1e-14)
    assert sent.hub.torque_B == pytest.approx(np.clip(free.hub.torque_B, -0.5, 0.5), rel=1e-14)
    assert np.abs(free.torques.torque).max() > 2.0 and np.abs(free.hub.torque_B).max() > 0.5


def test_the_hub_of_the_vehicle_does_not_turn_while_its_joints_accelerate():
    """With the hub's torque, and with its force left out as the part does, only the origin may move."""
    m = cd.Mechanism.from_mjcf(vehicle("thruster_arms.xml"))
    matrix = Calculator(m).mass_matrix(m.tree.reference)
    part = PART._replace(inertia=matrix[6:, 6:], coupling_B=matrix[6:, 3:6])
    a = 1e-3 * RNG.normal(size=8)
    reference = HingeReferences(a / 25.0, np.zeros(8), np.zeros(8))
    sent = part.step(HingeStates(np.zeros(8), np.zeros(8)), reference, NONE, NONE)
    # were the hub held, it would take this torque to hold it
    assert sent.hub.torque_B == pytest.approx(matrix[3:6, 6:] @ a, rel=1e-12, abs=1e-15)
    assert sent.torques.torque == pytest.approx(matrix[6:, 6:] @ a, rel=1e-12, abs=1e-15)
