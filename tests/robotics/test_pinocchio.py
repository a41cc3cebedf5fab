"""Kinematics, inertia and dynamics against Pinocchio, on random trees with every joint kind and branches anywhere."""

import numpy as np
import pytest
from mechanisms import random_mechanism, random_state

pin = pytest.importorskip("pinocchio")

import cardan as cd  # noqa: E402
from cardan.maths import tilde  # noqa: E402
from cardan.robotics import Robot  # noqa: E402
from cardan.robotics.conventions import (  # noqa: E402
    pinocchio_from_u,
    pinocchio_from_u_dot,
    u_dot_from_pinocchio,
    u_from_pinocchio,
    u_from_v,
)
from peers import Peer  # noqa: E402

TOLERANCE = 1.0e-11  # relative to the largest of its kind; trees have up to thirty bodies
SEEDS = range(60)


class Both:
    """One random robot in both, at one random state."""

    def __init__(self, seed: int) -> None:
        mechanism = random_mechanism(seed)
        self.robot = Robot(mechanism, base="b0")
        self.peer = Peer(mechanism, self.robot)
        q, v = random_state(mechanism, seed)
        rng = np.random.default_rng(seed)
        self.state = self.robot.at(q[self.robot.q_slice], u_from_v(v[self.robot.v_slice]))
        self.u_dot, self.tau = rng.normal(size=(2, self.robot.nu))
        self.q, R_0 = self.peer.q(self.state.q), self.state.R_0
        self.v = pinocchio_from_u(self.state.u, R_0)
        self.a = pinocchio_from_u_dot(self.u_dot, self.state.u, R_0)
        self.T, self.T_dot = self.peer.rates_from_u(R_0, self.state.u[:3])


@pytest.fixture(scope="module", params=range(6))
def several(request):
    return [Both(seed) for seed in SEEDS[10 * request.param : 10 * request.param + 10]]


def agree(ours, theirs, scale=None):
    assert np.abs(ours - theirs).max() < TOLERANCE * (np.abs(theirs).max() if scale is None else scale)


def test_branches_from_links_other_than_the_base_are_among_the_trees():
    branches = 0
    for seed in SEEDS:
        robot = Robot(random_mechanism(seed), base="b0")
        parents = [int(parent) for parent in robot.records[1:, 0]]
        branches += any(parents.count(link) > 1 for link in parents if link > 0)
    assert branches > 20


def test_generalized_inertia(several):
    for both in several:
        H = pin.crba(both.peer.model, both.peer.data, both.q)
        H = np.triu(H) + np.triu(H, 1).T
        agree(both.state.H, both.T.T @ H @ both.T)


def test_convective_inertia(several):
    """As a matrix where both are of Christoffel's kind; the paper's has the same product with the rates."""
    for both in several:
        pin.crba(both.peer.model, both.peer.data, both.q)
        H = np.triu(both.peer.data.M) + np.triu(both.peer.data.M, 1).T
        C = pin.computeCoriolisMatrix(both.peer.model, both.peer.data, both.q, both.v)
        expected = both.T.T @ C @ both.T + both.T.T @ H @ both.T_dot
        agree(both.state.convective(0.5), expected)
        agree(both.state.C @ both.state.u, expected @ both.state.u, np.abs(expected).max())
        agree(both.state.C + both.state.C.T, expected + expected.T)


def test_forward_dynamics(several):
    for both in several:
        tau = pinocchio_from_u(both.tau, both.state.R_0)
        a = pin.aba(both.peer.model, both.peer.data, both.q, both.v, tau)
        agree(both.state.forward_dynamics(both.tau), u_dot_from_pinocchio(a, both.v, both.state.R_0))


def test_inverse_dynamics(several):
    for both in several:
        tau = pin.rnea(both.peer.model, both.peer.data, both.q, both.v, both.a)
        agree(both.state.inverse_dynamics(both.u_dot), u_from_pinocchio(tau, both.state.R_0))


def test_poses_twists_accelerations_jacobians_and_their_rates(several):
    for both in several:
        tree, peer, state = both.robot.mechanism.tree, both.peer, both.state
        name = list(both.robot.mechanism.bodies)[-1]
        last = tree.bodies[name]
        if last.link not in peer.joint_of:
            continue
        index = peer.add_frame("probe", last.link, last.pos)
        pin.forwardKinematics(peer.model, peer.data, both.q, both.v, both.a)
        pin.computeJointJacobiansTimeVariation(peer.model, peer.data, both.q, both.v)
        pin.updateFramePlacements(peer.model, peer.data)
        aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        agree(state.pose(name).r_N, peer.data.oMf[index].translation, 1.0)
        J = np.roll(pin.getFrameJacobian(peer.model, peer.data, index, aligned), 3, axis=0)
        J_dot = np.roll(pin.getFrameJacobianTimeVariation(peer.model, peer.data, index, aligned), 3, axis=0)
        agree(state.jacobian(name), J @ both.T)
        agree(state.jacobian_rate(name), J_dot @ both.T + J @ both.T_dot, np.abs(J_dot).max())
        twist = pin.getFrameVelocity(peer.model, peer.data, index, aligned)
        agree(state.twist(name), np.concatenate([twist.angular, twist.linear]))
        moved = pin.getFrameClassicalAcceleration(peer.model, peer.data, index, aligned)
        agree(state.acceleration(name, both.u_dot), np.concatenate([moved.angular, moved.linear]))


def test_centre_of_mass_and_momentum(several):
    for both in several:
        peer, state = both.peer, both.state
        com = pin.centerOfMass(peer.model, peer.data, both.q)
        agree(state.centre_of_mass(), com, 1.0)
        h = pin.computeCentroidalMomentum(peer.model, peer.data, both.q, both.v)
        agree(state.momentum_about(com), np.concatenate([h.angular, h.linear]), np.abs(state.momentum).max())


def test_an_arm_on_the_world():
    """Without a base that flies, rates are those of the joints alone."""
    m = cd.Mechanism("arm")
    a = m.add_body("a", joint=cd.Hinge([0, 0, 1.0]), mass=2.0, inertia_B=np.diag([0.1, 0.2, 0.15]), r_CB_B=[0.3, 0, 0])
    b = m.add_body("b", parent=a, joint=cd.Slide([0, 1.0, 0]), mass=1.0, inertia_B=0.1 * np.eye(3), r_BP_P=[0.5, 0, 0])
    c = m.add_body("c", parent=a, joint=cd.Ball(), mass=1.0, inertia_B=np.diag([0.1, 0.2, 0.25]), r_BP_P=[0.5, 0, 0.1])
    m.add_body("d", parent=c, joint=cd.Hinge([1.0, 0, 0]), mass=1.0, inertia_B=0.1 * np.eye(3), r_CB_B=[0, 0.2, 0])
    robot = Robot(m, base=b)
    peer = Peer(m, robot)
    q, v = random_state(m, 3)
    tau = np.random.default_rng(3).normal(size=robot.nu)
    state = robot.at(q, v)
    assert robot.n_0 == 0
    assert state.jacobians("d").J_0.shape == (6, 0)
    H = pin.crba(peer.model, peer.data, peer.q(q))
    agree(state.H, np.triu(H) + np.triu(H, 1).T)
    agree(state.forward_dynamics(tau), pin.aba(peer.model, peer.data, peer.q(q), v, tau))
    agree(state.inverse_dynamics(tau), pin.rnea(peer.model, peer.data, peer.q(q), v, tau))
    agree(state.convective(0.5), pin.computeCoriolisMatrix(peer.model, peer.data, peer.q(q), v))


def test_derivatives_of_forward_dynamics(several):
    """To 1e-10; Pinocchio's base is along its own axes, so that changes of q, u and u' are translated."""
    for both in several:
        state, peer, nu = both.state, both.peer, both.robot.nu
        T, R_0 = both.T, state.R_0
        tau = pinocchio_from_u(both.tau, R_0)
        pin.computeABADerivatives(peer.model, peer.data, both.q, both.v, tau)
        da_dq, da_dv, da_dtau = peer.data.ddq_dq, peer.data.ddq_dv, np.array(peer.data.Minv)
        da_dtau = np.triu(da_dtau) + np.triu(da_dtau, 1).T
        a = pin.aba(peer.model, peer.data, both.q, both.v, tau)

        # a turn dtheta of the base: v and tau in its axes turn back, and what a is in inertial axes turns
        dv, dtau, out = np.zeros((nu, nu)), np.zeros((nu, nu)), np.zeros((nu, nu))
        spun = R_0 @ (a[:3] + np.cross(both.v[3:6], both.v[:3]))
        for j, e in enumerate(np.eye(3)):
            dv[:3, j] = np.cross(both.v[:3], e)
            dtau[:3, j] = np.cross(tau[:3], e)
            out[3:6, j] = np.cross(R_0 @ e, spun)
        # r'' = R (a + omega x v)
        S, by_v = np.eye(nu), np.zeros((nu, nu))
        S[:6, :6] = 0.0
        S[0:3, 3:6], S[3:6, 0:3] = np.eye(3), R_0
        by_v[3:6, 0:3] = R_0 @ tilde(both.v[3:6])
        by_v[3:6, 3:6] = -R_0 @ tilde(both.v[:3])
        by_q = S @ (da_dq @ T + da_dv @ dv + da_dtau @ dtau) + by_v @ dv + out
        by_u = S @ (da_dv @ T) + by_v @ T
        found = both.robot.dynamics_derivatives(state.q, state.u, both.tau)
        for ours, theirs in zip(found[1:], (by_q, by_u, S @ da_dtau @ T), strict=True):
            assert np.abs(ours - theirs).max() < 1e-10 * max(1.0, np.abs(theirs).max())
