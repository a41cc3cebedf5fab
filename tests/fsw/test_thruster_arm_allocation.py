import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardan.fsw import ThrusterArmAllocation
from cardan.fsw.allocation.thruster_arm_allocation import ThrusterArmAllocationOutputs
from cardan.maths import dcm_from_mrp
from cardan.messages import Attitude, BodyTorque, InertialForce

SIGMA_BN = np.array([0.1, 0.2, -0.3])
R_CB_B = np.array([0.1, 0.05, -0.02])
# joints that reach their angles within a tick
PART = ThrusterArmAllocation(
    r_S1B_B=[0.8, 0.0, 0.0],
    r_S2B_B=[-0.8, 0.0, 0.0],
    dcm_A1B=np.eye(3),
    dcm_A2B=np.diag([-1.0, -1.0, 1.0]),
    boom=1.0,
    r_CB_B=R_CB_B,
    max_thrust=100.0,
    time_constant=0.1,
    max_rate=100.0,
)
components = st.lists(st.floats(-1.0, 1.0).map(lambda x: round(x, 6)), min_size=3, max_size=3).map(np.array)


def ask(F_B: np.ndarray, T_B: np.ndarray, part: ThrusterArmAllocation = PART) -> ThrusterArmAllocationOutputs:
    force = InertialForce(dcm_from_mrp(SIGMA_BN).T @ F_B)
    return part.step(0.1, part.initial(), Attitude(SIGMA_BN, np.zeros(3)), force, BodyTorque(T_B))[1]


def thrusts(sent: ThrusterArmAllocationOutputs) -> list[tuple[np.ndarray, np.ndarray]]:
    """The force of each thruster in body components, and where it acts, from magnitude and angles alone."""
    found = []
    for thrust, (z, y), dcm_AB, end in (
        (sent.thrust_1.command, sent.joints.angle[2:4], PART.dcm_A1B, np.array([1.8, 0.0, 0.0])),
        (sent.thrust_2.command, sent.joints.angle[6:8], PART.dcm_A2B, np.array([-1.8, 0.0, 0.0])),
    ):
        u_A = np.array([np.cos(y) * np.cos(z), np.cos(y) * np.sin(z), -np.sin(y)])
        found.append((-thrust * dcm_AB.T @ u_A, end))
    return found


@given(F_B=components, T_B=components)
def test_both_thrusters_and_the_hub_give_what_is_asked(F_B, T_B):
    sent = ask(F_B, T_B)
    (f_1, end_1), (f_2, end_2) = thrusts(sent)
    assert f_1 + f_2 == pytest.approx(F_B, abs=1e-12)
    total_B = np.cross(end_1 - R_CB_B, f_1) + np.cross(end_2 - R_CB_B, f_2) + sent.roll.torque_B
    assert total_B == pytest.approx(T_B, abs=1e-12)
    # the hub has what two forces on a line cannot do, and nothing else
    assert sent.roll.torque_B[1:] == pytest.approx(np.zeros(2), abs=0.0)


@given(F_B=components, T_B=components)
def test_thrusters_point_outwards_within_their_cone(F_B, T_B):
    for (f_B, _), x_B in zip(thrusts(ask(F_B, T_B)), ([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]), strict=True):
        assert -f_B @ x_B >= np.linalg.norm(f_B) * np.cos(np.arcsin(1.0 / 1.5)) - 1e-12
        assert np.linalg.norm(f_B) >= 0.02 - 1e-15


@given(F_B=components, T_B=components)
def test_beyond_the_largest_thrust_force_and_torque_shrink_together(F_B, T_B):
    part = PART._replace(max_thrust=np.float64(0.5))
    sent = ask(F_B, T_B, part)
    assert max(sent.thrust_1.command, sent.thrust_2.command) <= 0.5 + 1e-12
    (f_1, end_1), (f_2, end_2) = thrusts(sent)
    total_B = np.cross(end_1 - R_CB_B, f_1) + np.cross(end_2 - R_CB_B, f_2) + sent.roll.torque_B
    wanted, given_ = np.concatenate((F_B, T_B)), np.concatenate((f_1 + f_2, total_B))
    share = given_ @ wanted / max(wanted @ wanted, 1e-300)
    assert share <= 1.0 + 1e-9
    assert given_ == pytest.approx(share * wanted, abs=1e-12)


def test_joints_follow_with_a_lag_and_no_faster_than_they_may():
    slow = PART._replace(time_constant=np.float64(0.5), max_rate=np.float64(0.3))
    end = ask(np.array([0.0, 0.1, 0.3]), np.zeros(3)).joints.angle
    memory = slow.initial()
    force = InertialForce(dcm_from_mrp(SIGMA_BN).T @ [0.0, 0.1, 0.3])
    angles = []
    for _ in range(200):
        memory, sent = slow.step(0.1, memory, Attitude(SIGMA_BN, np.zeros(3)), force, BodyTorque(np.zeros(3)))
        angles.append(sent.joints.angle)
        assert np.abs(sent.joints.rate).max() <= 0.3
        assert sent.joints.acceleration.tolist() == [0.0] * 8
    assert np.abs(np.diff(angles, axis=0)).max() <= 0.03 + 1e-15
    assert angles[-1] == pytest.approx(end, abs=1e-12)
    # the shoulders stay
    assert np.array(angles)[:, [0, 1, 4, 5]].any() == np.False_
