import numpy as np
import pytest

from cardan.maths import quaternion_from_mrp
from cardan.messages import BodyTorque
from cardan.models import RigidBody, RigidBodyState

INERTIA = np.array([[9.0, 0.5, -0.3], [0.5, 8.0, 0.2], [-0.3, 0.2, 6.0]])
OMEGA = np.array([0.1, -0.4, 0.3])


def test_the_angular_acceleration_obeys_euler():
    torque = np.array([1.0, 2.0, -3.0])
    rates = RigidBody(inertia_B=INERTIA).derivatives(RigidBodyState(omega_BN_B=OMEGA), BodyTorque(torque))
    assert INERTIA @ rates.omega_BN_B + np.cross(OMEGA, INERTIA @ OMEGA) == pytest.approx(torque, abs=1e-14)


def test_the_attitude_is_reported_as_the_short_rotation():
    sigma = np.array([0.1, 0.2, -0.3])
    state = RigidBodyState(q_BN=-quaternion_from_mrp(sigma), omega_BN_B=OMEGA)
    attitude = RigidBody(inertia_B=INERTIA).attitude(state)
    assert attitude.sigma_BN == pytest.approx(sigma, abs=1e-15)
    assert np.array_equal(attitude.omega_BN_B, OMEGA)


def test_projection_restores_the_length_and_nothing_else():
    state = RigidBodyState(q_BN=np.array([2.0, 0.0, 0.0, 0.0]), omega_BN_B=OMEGA)
    projected = RigidBody(inertia_B=INERTIA).project(state)
    assert projected.q_BN.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert np.array_equal(projected.omega_BN_B, OMEGA)
