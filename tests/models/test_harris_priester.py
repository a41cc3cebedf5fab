import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.errors import NotFinite
from cardan.messages import FrameMotion, FramePositions
from environment_reference import REFERENCE


def density(r, sun, **options):
    sky = FramePositions(np.array([[0.0, 0.0, 0.0], sun]))
    return models.HarrisPriester(**options).air(FrameMotion(r_BN_N=np.array(r)), models.planet_at_rest(), sky).density


@pytest.mark.parametrize("case", REFERENCE["atmosphere"]["harris_priester"], ids=lambda case: str(case["r_m"]))
def test_it_agrees_with_an_independent_program(case):
    assert density(case["r_m"], case["sun_m"]) == pytest.approx(case["density_kg_m3"], rel=1e-6)


def test_the_bulge_follows_the_sun_by_two_hours():
    def around(angle):
        return density([6.778137e6 * np.cos(angle), 6.778137e6 * np.sin(angle), 0.0], [1.5e11, 0.0, 0.0])

    angles = np.linspace(-np.pi, np.pi, 361)
    densities = [around(angle) for angle in angles]
    assert np.rad2deg(angles[np.argmax(densities)]) == pytest.approx(30.0)
    assert np.max(densities) == pytest.approx(7.492e-12, rel=1e-9)  # of the table, at 400 km
    assert np.min(densities) == pytest.approx(2.249e-12, rel=1e-9)


@pytest.mark.parametrize("height", [90e3, 1001e3])
def test_beyond_its_table_there_is_no_density(height):
    assert np.isnan(density([6378137.0 + height, 0.0, 0.0], [1.5e11, 0.0, 0.0]))


def test_a_run_below_the_table_ends():
    scn = cd.Scenario("low")
    sky = FramePositions(np.array([[0.0, 0.0, 0.0], [1.5e11, 0.0, 0.0]]))
    low = FrameMotion(r_BN_N=np.array([6.44e6, 0.0, 0.0]))
    scn.add(models.HarrisPriester(), name="air", motion=low, planet=models.planet_at_rest(), celestial=sky)
    with pytest.raises(NotFinite, match=r"air\.air"):
        cd.Simulation(scn, integrator=cd.Rk4(step=1.0)).run(until=1.0, record=cd.Record(ports=["air.air"]))
