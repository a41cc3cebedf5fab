import numpy as np
import pytest

from cardan import models
from cardan.maths import dcm_from_mrp
from cardan.messages import FrameMotion, Magnetism


def test_the_torque_is_at_right_angles_to_field_and_dipole():
    dipole, field, sigma = np.array([0.1, -0.2, 0.3]), np.array([2e-5, -1e-5, 3e-5]), np.array([0.1, 0.2, -0.1])
    wrench = models.ResidualDipole(dipole).wrench(FrameMotion(sigma_BN=sigma), Magnetism(field))
    field_B = dcm_from_mrp(sigma) @ field
    assert wrench.torque_B == pytest.approx(np.cross(dipole, field_B), rel=1e-12)
    assert abs(wrench.torque_B @ field_B) < 1e-20
    assert np.array_equal(wrench.force_B, np.zeros(3))
