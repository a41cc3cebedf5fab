import numpy as np
import pytest

from cardan import models
from cardan.messages import DensityArc, FrameMotion


def test_an_arc_is_not_extrapolated():
    part, motion, planet = models.ArcAtmosphere(), FrameMotion(r_BN_N=np.ones(3)), models.planet_at_rest()
    arc = DensityArc(100.0, 60.0, np.log(1e-12), 0.01, -1e-4, 900.0)
    assert part.air(130.0, arc, motion, planet).density == pytest.approx(1e-12 * np.exp(0.3 - 0.045))
    for t in (99.0, 161.0):
        assert np.isnan(part.air(t, arc, motion, planet).density)
