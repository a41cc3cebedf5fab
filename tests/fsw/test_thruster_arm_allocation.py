import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cardan as cd
from cardan.fsw import ThrusterArmAllocation
from cardan.fsw.allocation.thruster_arm_allocation import ThrusterArmAllocationMemory
from cardan.maths import dcm_from_mrp
from cardan.messages import ActuatorCommand, Attitude, BodyTorque, HingeLocks, HingeState, InertialForce
from cardan.missions.vehicles import vehicle

DT = 0.01
MAX_THRUST = 2.5
BIAS, STIFFNESS = 0.02, 1.5
POSSIBLE = (MAX_THRUST - BIAS) / (1.0 + STIFFNESS)  # [N] what each thruster may be asked for
HALF_ANGLE = np.arcsin(1.0 / STIFFNESS)
JOINTS = [
    f"arm_{arm}_{joint}" for arm in (1, 2) for joint in ("base_joint_x", "base_joint_y", "tip_joint_z", "tip_joint_y")
]
UPRIGHT = Attitude(sigma_BN=np.zeros(3), omega_BN_B=np.zeros(3))


def part(r_CB_B=(0.0, 0.0, 0.0), **changes):
    """The arms of the mission; the joint commands arrive within one tick, unless it is said otherwise."""
    mission = ThrusterArmAllocation(
        r_S1B_B=np.array([0.79, 0.0, 0.0]), r_S2B_B=np.array([-0.79, 0.0, 0.0]),
        dcm_A1B=np.eye(3), dcm_A2B=np.diag([-1.0, -1.0, 1.0]), boom=1.0, r_CB_B=np.array(r_CB_B),
        max_thrust=MAX_THRUST, bias=BIAS, stiffness=STIFFNESS, time_constant=DT, max_rate=1.0e9,
    )  # fmt: skip
    return mission._replace(**changes)


def send(part, F_N, T_B, attitude=UPRIGHT, angle=None):
    memory = ThrusterArmAllocationMemory(angle=np.zeros(8) if angle is None else angle)
    force, torque = InertialForce(np.array(F_N)), BodyTorque(np.array(T_B))
    return part.step(DT, memory, attitude, force, torque)[1]


def realised(part, sent):
    """Force and torque about the centre of mass that thrusts and joint angles give, from geometry alone."""
    F_B, T_B = np.zeros(3), np.zeros(3)
    arms = (
        (sent.thrust_1.command, sent.joints.angle[:4], part.r_S1B_B, part.dcm_A1B),
        (sent.thrust_2.command, sent.joints.angle[4:], part.r_S2B_B, part.dcm_A2B),
    )
    for thrust, (_, _, z, y), shoulder_B, dcm_AB in arms:
        # the axis of the thruster after turns about z and y; it pushes against it
        axis_A = np.array([np.cos(z) * np.cos(y), np.sin(z) * np.cos(y), -np.sin(y)])
        f_B = -thrust * dcm_AB.T @ axis_A
        F_B += f_B
        T_B += np.cross(shoulder_B + part.boom * dcm_AB[0] - part.r_CB_B, f_B)
    return F_B, T_B


def asked_of_one(part, F_B, T_B):
    """[N] Larger of the two forces before the thrusters push against each other: what Eq. (3) calls max."""
    d_B = np.array([2.0 * 1.79, 0.0, 0.0])
    g_B = np.cross(T_B + np.cross(part.r_CB_B, F_B), d_B) / (d_B @ d_B)
    return max(np.linalg.norm(0.5 * F_B + g_B), np.linalg.norm(0.5 * F_B - g_B))


vectors = st.tuples(*[st.floats(-1.0, 1.0)] * 3).map(np.array)
offsets = st.tuples(*[st.floats(-0.2, 0.2)] * 3)
sizes = st.floats(-3.0, 6.0).map(lambda e: 10.0**e)


@given(F_B=vectors, T_B=vectors, r_CB_B=offsets)
def test_the_thrusters_and_the_hub_give_together_what_was_asked(F_B, T_B, r_CB_B):
    arms = part(r_CB_B)
    if asked_of_one(arms, F_B, T_B) > POSSIBLE:
        F_B, T_B = 0.3 * F_B, 0.3 * T_B
    sent = send(arms, F_B, T_B)
    given_F_B, given_T_B = realised(arms, sent)
    # rounding of a few sums and of two turns of numbers below 3
    assert given_F_B == pytest.approx(F_B, abs=1e-14)
    assert given_T_B + sent.roll.torque_B == pytest.approx(T_B, abs=1e-14)


@given(F_B=vectors, T_B=vectors, size=sizes)
def test_of_too_much_the_same_share_of_force_and_torque_is_given(F_B, T_B, size):
    arms = part()
    sent = send(arms, size * F_B, size * T_B)
    given_F_B, given_T_B = realised(arms, sent)
    share = min(1.0, POSSIBLE / max(asked_of_one(arms, size * F_B, size * T_B), 1.0e-12))
    # a torque along the line between the thrusters costs no thrust and is not limited here
    scale = 1.0 + abs(sent.roll.torque_B[0])
    assert given_F_B == pytest.approx(share * size * F_B, abs=1e-14 * scale)
    assert given_T_B + sent.roll.torque_B == pytest.approx(share * size * T_B, abs=1e-14 * scale)


@given(F_B=vectors, T_B=vectors, r_CB_B=offsets, size=sizes)
def test_thrust_is_positive_and_limited_whatever_is_asked(F_B, T_B, r_CB_B, size):
    sent = send(part(r_CB_B), size * F_B, size * T_B)
    for thrust in (sent.thrust_1.command, sent.thrust_2.command):
        assert BIAS * (1.0 - 1e-12) <= thrust <= MAX_THRUST * (1.0 + 1e-12)


@given(F_B=vectors, T_B=vectors, r_CB_B=offsets, size=sizes)
def test_joint_angles_stay_in_their_cone_whatever_is_asked(F_B, T_B, r_CB_B, size):
    angle = send(part(r_CB_B), size * F_B, size * T_B).joints.angle
    assert angle[[0, 1, 4, 5]].tolist() == [0.0, 0.0, 0.0, 0.0]
    assert np.max(np.abs(angle)) <= HALF_ANGLE
    # the cone is about the boom: both angles of a tip together
    for z, y in (angle[2:4], angle[6:8]):
        assert np.cos(z) * np.cos(y) >= np.cos(HALF_ANGLE) - 1e-12


def test_the_bound_of_the_angles_is_reached():
    """The worst demand of a thruster lies 90 degrees plus the half-angle from where it pushes at rest."""
    direction = np.array([1.0 / STIFFNESS, np.sqrt(1.0 - 1.0 / STIFFNESS**2), 0.0])
    angle = send(part(bias=1e-9), 1.8 * direction, np.zeros(3)).joints.angle
    assert np.max(np.abs(angle)) == pytest.approx(HALF_ANGLE, abs=1e-6)


@given(F_B=vectors, T_B=vectors, r_CB_B=offsets)
def test_the_hub_is_left_with_what_lies_along_the_line_between_the_thrusters(F_B, T_B, r_CB_B):
    arms = part(r_CB_B)
    sent = send(arms, 0.1 * F_B, 0.1 * T_B)
    assert sent.roll.torque_B[1:].tolist() == [0.0, 0.0]
    # about any point of that line the pair of thrusts has no torque along it
    assert realised(arms._replace(r_CB_B=np.zeros(3)), sent)[1][0] == pytest.approx(0.0, abs=1e-15)


def test_the_force_is_turned_into_the_body():
    arms, sigma_BN = part(), np.array([0.1, 0.2, -0.3])
    F_N = np.array([0.3, -0.2, 0.5])
    sent = send(arms, F_N, np.zeros(3), attitude=Attitude(sigma_BN=sigma_BN, omega_BN_B=np.zeros(3)))
    assert realised(arms, sent)[0] == pytest.approx(dcm_from_mrp(sigma_BN) @ F_N, abs=1e-14)


def test_joint_commands_lag_and_are_limited_in_rate():
    slow = part(time_constant=0.5, max_rate=0.5)
    wanted = send(part(), [0.0, 0.5, 0.0], np.zeros(3)).joints.angle
    sent = send(slow, [0.0, 0.5, 0.0], np.zeros(3))
    assert sent.joints.rate == pytest.approx(np.clip(wanted / 0.5, -0.5, 0.5), abs=1e-15)
    assert sent.joints.angle == pytest.approx(DT * sent.joints.rate, abs=1e-15)
    near = send(slow, [0.0, 0.5, 0.0], np.zeros(3), angle=wanted - 0.01)
    assert near.joints.rate == pytest.approx(np.full(8, 0.02), abs=1e-12)


def test_the_vehicle_itself_receives_the_force_and_the_torque():
    """Thrusts and joint angles given to the file's actuators and joints, whose axes nobody here writes down again."""
    F_B, T_B, span = np.array([0.4, -0.3, 0.5]), np.array([0.0, 0.6, -0.4]), 0.01
    sent = send(part(), F_B, T_B)
    m = cd.Mechanism.from_mjcf(vehicle("thruster_arms.xml"))
    scn = cd.Scenario("pushed", mechanism=m)
    scn.connect(HingeLocks(np.ones(8), sent.joints.angle), m.group_of_hinges("joints", *JOINTS).locks)
    scn.connect(ActuatorCommand(sent.thrust_1.command), m.actuators["F_thruster_1"].command)
    scn.connect(ActuatorCommand(sent.thrust_2.command), m.actuators["F_thruster_2"].command)
    scn.start({name: HingeState(angle=angle) for name, angle in zip(JOINTS, sent.joints.angle, strict=True)})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=span))
    c_N = sim["hub.momentum"].r_CN_N
    sim.run(until=span)
    end = sim["hub.momentum"]
    # the vehicle turns by less than 1e-6 rad in this time; bent tips move its centre of mass by millimetres
    assert end.mass * end.v_CN_N / span == pytest.approx(F_B, abs=1e-6)
    assert end.momentum_C_N / span + np.cross(c_N, F_B) == pytest.approx(T_B, abs=1e-6)
