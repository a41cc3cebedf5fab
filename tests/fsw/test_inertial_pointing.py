import numpy as np

from cardan.fsw import InertialPointing


def test_the_reference_is_the_attitude_that_was_asked_for_at_rest():
    reference = InertialPointing(sigma_RN=[0.1, 0.2, -0.3]).step().reference
    assert reference.sigma_RN.tolist() == [0.1, 0.2, -0.3]
    assert not np.any([reference.omega_RN_N, reference.omega_dot_RN_N])


def test_by_default_it_is_the_inertial_frame():
    assert InertialPointing().step().reference.sigma_RN.tolist() == [0.0, 0.0, 0.0]
