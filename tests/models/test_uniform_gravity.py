import numpy as np
import pytest

from cardan import models
from cardan.messages import VehicleMomentum


def test_every_body_is_accelerated_alike():
    part = models.UniformGravity(mass=np.array([2.0, 5.0]), mu=4.0e14)
    force = part.pull(VehicleMomentum(mass=7.0, r_CN_N=np.array([0.0, 2.0e7, 0.0]))).force_N
    assert force == pytest.approx(np.array([[0.0, -2.0, 0.0], [0.0, -5.0, 0.0]]), rel=1e-14)
