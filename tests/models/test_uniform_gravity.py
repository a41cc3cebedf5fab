import numpy as np
import pytest

from cardan import models
from cardan.messages import FramePositions, VehicleMomentum


def test_every_body_is_accelerated_alike():
    positions = FramePositions(np.array([[0.0, 2.0e7, 5.0], [0.0, 2.0e7, -2.0]]))
    field = models.UniformGravity(mu=4.0e14).pull(positions, VehicleMomentum(7.0, np.array([0.0, 2.0e7, 0.0])))
    assert field.g_N == pytest.approx(np.array([[0.0, -1.0, 0.0], [0.0, -1.0, 0.0]]), rel=1e-14)
    assert np.array_equal(field.gradient_N, np.zeros((2, 6)))
