"""Control primitives as functions of matrices."""

import numpy as np
import pytest
from floating import messages, state_of

from cardan.robotics import control


@pytest.fixture(scope="module")
def state():
    return state_of(*messages())


def equations(state):
    J_0, J_m = map(np.ascontiguousarray, state.jacobians("tip"))
    return control.reaction_equations(state.H_0, state.H_0m, J_0, J_m, state.momentum)


def test_base_and_tip_follow_from_the_joints_and_the_momentum(state):
    G, drift = equations(state)
    rates = G @ state.u_m + drift
    assert np.allclose(rates[:6], state.u_0, rtol=0.0, atol=1e-13)
    assert np.allclose(rates[6:], state.twist("tip"), rtol=0.0, atol=1e-13)
    assert np.allclose(G[:6], state.reaction_matrix, rtol=0.0, atol=1e-14)
    assert np.allclose(G[6:], state.generalized_jacobian("tip"), rtol=0.0, atol=1e-14)


def test_transposed_jacobian_conserves_power(state):
    wrench, J = np.arange(6.0), state.jacobians("tip").J_m
    assert np.isclose(control.transposed_jacobian(J, wrench) @ state.u_m, wrench @ (J @ state.u_m))


def test_momentum_dumping_with_six_rows_stops_the_base_altogether(state):
    rate = control.momentum_dumping(state.H_0m, state.momentum)
    assert np.allclose(state.floating_base_rate(rate, state.momentum), 0.0, atol=1e-12)


def test_a_capped_inverse_stays_bounded_through_a_singularity():
    """Det G changes its sign on the way; the plain inverse grows without bound, the capped one does not."""
    gains = []
    for x in np.linspace(-1.0, 1.0, 41):
        G = np.array([[1.0, 2.0, 0.5], [2.0, 4.0 + x, 1.0], [0.3, -0.2, 1.0]])
        inverse = control.capped_inverse(G, 4.0)
        gains.append(np.linalg.norm(inverse, 2))
        if abs(np.linalg.det(G)) > 0.25:
            assert np.allclose(inverse @ G, np.eye(3), atol=1e-13)
    assert max(gains) < 40.0
    wide = np.array([[1.0, 2.0, 0.5], [0.3, -0.2, 1.0]])
    assert np.allclose(control.capped_inverse(wide, 1e9), np.linalg.pinv(wide), rtol=0.0, atol=1e-14)
    minus = np.diag([1.0, -1e-6])
    assert np.allclose(control.capped_inverse(minus, 10.0), -10.0 * np.diag([-1e-6, 1.0]), rtol=0.0, atol=1e-15)
