"""Numbers of SPART for its own example vehicle, reproduced to rounding."""

import numpy as np
import pytest
from sc3dof import LINKS, NUMBERS, spacecraft

from cardan.maths import quaternion_from_dcm
from cardan.robotics import Robot

TOLERANCE = 1.0e-12  # numbers are of order 1 to 100; the file has them to 16 digits


@pytest.fixture(scope="module")
def robot():
    return Robot(spacecraft())


@pytest.fixture(params=list(NUMBERS))
def case(request, robot):
    numbers = NUMBERS[request.param]
    given = {name: np.array(value, float) for name, value in numbers["in"].items()}
    q = np.concatenate([given["r0"], quaternion_from_dcm(given["R0"].T), given["qm"]])
    state = robot.at(q, np.concatenate([given["u0"], given["um"]]))
    expected = {name: np.array(value, float) for name, value in numbers.items() if name != "in"}
    return state, given, expected


def agree(ours, theirs):
    assert np.shape(ours) == np.shape(theirs)
    assert np.abs(np.asarray(ours) - theirs).max() < TOLERANCE


def test_positions_and_attitudes(case):
    state, _, spart = case
    agree(np.transpose([state.pose(f"{link}.com").r_N for link in LINKS]), spart["rL"])
    agree(state.pose("Link_EE").R, spart["RL_last"])
    agree(state.centre_of_mass(), spart["r_com"])
    for column, joint in enumerate(("Joint_1", "Joint_2", "Joint_3"), start=1):
        e, r = state.joint_axis(joint)
        agree(e, spart["e"][:, column])
        agree(r, spart["rJ"][:, column])
        agree(state.pose(f"{LINKS[column]}.com").r_N - r, spart["g"][:, column])


def test_twists_and_accelerations(case):
    state, given, spart = case
    u_dot = np.concatenate([given["u0dot"], given["umdot"]])
    agree(state.twist("Spacecraft"), spart["t0"])
    agree(np.transpose([state.twist(f"{link}.com") for link in LINKS]), spart["tL"])
    agree(state.acceleration("Spacecraft", u_dot), spart["t0dot"])
    agree(np.transpose([state.acceleration(f"{link}.com", u_dot) for link in LINKS]), spart["tLdot"])


def test_jacobians_and_their_rates(case):
    state, _, spart = case
    J_0, J_m = state.jacobians("Link_EE")
    agree(J_0, spart["J0_last"])
    agree(J_m, spart["Jm_last"])
    J_0_dot, J_m_dot = state.jacobian_rates("Link_EE")
    agree(J_0_dot, spart["J0dot_last"])
    agree(J_m_dot, spart["Jmdot_last"])
    agree(state.generalized_jacobian("Link_EE"), spart["Jstar_last"])


def test_inertia_convection_and_momentum(case):
    state, _, spart = case
    agree(state.H, spart["H"])
    agree(state.C, spart["C"])
    agree(state.momentum, spart["momentum"])


def test_dynamics_of_a_flying_and_of_a_floating_base(case):
    state, given, spart = case
    wrenches = {"Spacecraft.com": given["wF0"]}
    wrenches |= {f"{link}.com": given["wFm"][:, i] for i, link in enumerate(LINKS)}
    tau = np.concatenate([given["tau0"], given["taum"]])
    u_dot = np.concatenate([given["u0dot"], given["umdot"]])
    agree(state.forward_dynamics(tau, wrenches), spart["udot_FD"])
    agree(state.inverse_dynamics(u_dot, wrenches), spart["tau_ID"])
    tau_m, u_0_dot = state.floating_dynamics(given["umdot"], wrenches)
    agree(tau_m, spart["Floating_taum"])
    agree(u_0_dot, spart["Floating_u0dot"])
