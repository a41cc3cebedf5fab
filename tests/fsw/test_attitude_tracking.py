import numpy as np
import pytest

from cardan.fsw import AttitudeTracking
from cardan.maths import dcm_from_mrp
from cardan.messages import Attitude, AttitudeReference

ATTITUDE = Attitude(sigma_BN=np.array([0.1, 0.2, -0.3]), omega_BN_B=np.array([0.01, -0.02, 0.03]))
REFERENCE = AttitudeReference(
    sigma_RN=np.array([-0.2, 0.3, 0.1]),
    omega_RN_N=np.array([0.001, 0.002, 0.003]),
    omega_dot_RN_N=np.array([1e-4, 2e-4, -3e-4]),
)


def test_the_error_is_the_attitude_relative_to_the_reference():
    error = AttitudeTracking().step(ATTITUDE, REFERENCE).error
    dcm_BN, dcm_RN = dcm_from_mrp(ATTITUDE.sigma_BN), dcm_from_mrp(REFERENCE.sigma_RN)
    assert dcm_from_mrp(error.sigma_BR) == pytest.approx(dcm_BN @ dcm_RN.T, abs=1e-14)
    assert error.omega_BR_B == pytest.approx(ATTITUDE.omega_BN_B - dcm_BN @ REFERENCE.omega_RN_N, abs=1e-16)
    assert error.omega_RN_B == pytest.approx(dcm_BN @ REFERENCE.omega_RN_N, abs=1e-16)
    assert error.omega_dot_RN_B == pytest.approx(dcm_BN @ REFERENCE.omega_dot_RN_N, abs=1e-16)


def test_without_a_reference_the_inertial_frame_is_followed():
    error = AttitudeTracking().step(ATTITUDE).error
    assert error.sigma_BR == pytest.approx(ATTITUDE.sigma_BN, abs=1e-16)
    assert np.array_equal(error.omega_BR_B, ATTITUDE.omega_BN_B)
