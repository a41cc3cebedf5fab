import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.messages import FrameMotion


def test_it_is_the_first_degree_of_the_main_field():
    epoch = cd.Epoch("2025-01-01")
    dipole, series = models.tilted_dipole(epoch), models.magnetic_field(epoch, 1.0, degree=1)
    for r in ([7e6, 1e6, 2e6], [0.0, 0.0, -6.6e6], [-3e6, 6e6, 1e6]):
        motion, planet = FrameMotion(r_BN_N=np.array(r)), models.planet_at_rest()
        expected = series.magnetism(motion, planet).field_N
        assert dipole.magnetism(motion, planet).field_N == pytest.approx(expected, rel=1e-12)


def test_the_field_points_north_over_the_equator():
    field = (
        models.tilted_dipole(cd.Epoch("2025-01-01"))
        .magnetism(FrameMotion(r_BN_N=np.array([7e6, 0.0, 0.0])), models.planet_at_rest())
        .field_N
    )
    assert field[2] == pytest.approx(2.2e-5, rel=0.05)
