import numpy as np
import pytest

import cardan as cd
from cardan.errors import CardanError
from cardan.maths import dcm_from_mrp
from cardan.messages import FrameMotion, GripCommand
from cardan.models import Gripper

OFF = FrameMotion(
    r_BN_N=np.array([0.02, -0.01, 0.03]), v_BN_N=np.array([0.1, 0.0, -0.2]), sigma_BN=np.array([0.1, 0.2, -0.1]),
    omega_BN_B=np.array([0.1, -0.2, 0.3]),
)  # fmt: skip


def test_open_it_does_nothing():
    wrench = Gripper().wrench(GripCommand(False, OFF.r_BN_N, OFF.sigma_BN), OFF)
    assert not wrench.force_B.any() and not wrench.torque_B.any()


def test_closed_it_pulls_by_springs_and_dampers():
    part = Gripper(100.0, 10.0, 5.0, 2.0)
    wrench = part.wrench(GripCommand(True, np.zeros(3), OFF.sigma_BN), OFF)
    pull_N = -100.0 * OFF.r_BN_N - 10.0 * OFF.v_BN_N
    assert dcm_from_mrp(OFF.sigma_BN).T @ wrench.force_B == pytest.approx(pull_N, abs=1e-12)
    assert wrench.torque_B == pytest.approx(-2.0 * OFF.omega_BN_B, abs=1e-12)
    turned = part.wrench(GripCommand(True), FrameMotion(sigma_BN=np.array([0.01, 0.0, 0.0])))
    assert turned.torque_B == pytest.approx([-0.2, 0.0, 0.0])


def test_a_body_that_it_holds_swings_as_an_oscillator():
    m = cd.Mechanism("held")
    body = m.add_body("body", joint=cd.Free(), mass=3.0, inertia_B=np.eye(3))
    scn = cd.Scenario("held", mechanism=m)
    grip = scn.add(Gripper(stiffness=12.0, damping=0.0), name="grip", command=GripCommand(True), tip=body.motion)
    scn.connect(grip.wrench, body.wrench)
    scn.start({body: FrameMotion(r_BN_N=[0.1, 0.0, 0.0])})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.01))
    sim.advance_to(1.0)
    assert sim["body.motion"].r_BN_N[0] == pytest.approx(0.1 * np.cos(2.0), abs=1e-8)


def test_plain_and_native_give_the_same_bits():
    assert cd.check_model(Gripper()).targets["native"] == "the same bits"


def test_a_spring_of_nothing_is_refused():
    with pytest.raises(CardanError, match=r"`Gripper\.stiffness` must be positive"):
        Gripper(stiffness=0.0)
