import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.errors import NotFinite, WiringError
from cardan.maths import geodetic
from cardan.messages import DensityFactor, FrameMotion, PlanetOrientation


def test_density_falls_by_e_over_a_scale_height():
    part, planet = models.ExponentialAtmosphere(), models.planet_at_rest()
    r = 6378137.0 + 4.0e5
    at = [part.air(FrameMotion(r_BN_N=np.array([r + d, 0.0, 0.0])), planet).density for d in (0.0, 58515.0)]
    assert at == pytest.approx([3.725e-12, 3.725e-12 / np.e], rel=1e-9)
    denser = part.air(FrameMotion(r_BN_N=np.array([r, 0.0, 0.0])), planet, DensityFactor(2.0)).density
    assert denser == pytest.approx(2.0 * 3.725e-12, rel=1e-9)


def test_the_air_turns_with_the_planet():
    planet = PlanetOrientation(dcm_PN=np.eye(3), omega_PN_N=np.array([0.0, 0.0, 7.292e-5]))
    air = models.ExponentialAtmosphere().air(FrameMotion(r_BN_N=np.array([7.0e6, 0.0, 0.0])), planet)
    assert air.v_AN_N == pytest.approx([0.0, 7.0e6 * 7.292e-5, 0.0])


def test_heights_are_above_the_ellipsoid():
    rng = np.random.default_rng(0)
    latitude, longitude = rng.uniform(-np.pi / 2, np.pi / 2, 200), rng.uniform(-np.pi, np.pi, 200)
    height = 10.0 ** rng.uniform(0.0, 8.5, 200)
    e2 = 0.0066943799901413165
    normal = 6378137.0 / np.sqrt(1.0 - e2 * np.sin(latitude) ** 2)
    rho = (normal + height) * np.cos(latitude)
    r = np.stack(
        [rho * np.cos(longitude), rho * np.sin(longitude), (normal * (1.0 - e2) + height) * np.sin(latitude)], axis=1
    )
    sine, cosine, found = geodetic(r)
    assert np.abs(found - height).max() < 1e-6
    assert np.abs(np.arctan2(sine, cosine) - latitude).max() < 1e-11
    assert geodetic(np.array([0.0, 0.0, 6.5e6]))[2] == pytest.approx(6.5e6 - 6356752.314245, abs=1e-6)  # at the pole


def test_air_without_an_orientation_is_refused():
    scn = cd.Scenario("air")
    scn.add(models.ExponentialAtmosphere(), name="air", motion=FrameMotion(r_BN_N=np.array([7.0e6, 0.0, 0.0])))
    with pytest.raises(WiringError, match=r"air\.planet"):
        cd.Simulation(scn)


def test_there_is_no_air_below_the_ground():
    """Positions in kilometres are the usual cause."""
    scn = cd.Scenario("air")
    motion = FrameMotion(r_BN_N=np.array([6778.0, 0.0, 0.0]))
    scn.add(models.ExponentialAtmosphere(), name="air", motion=motion, planet=models.planet_at_rest())
    with pytest.raises(NotFinite, match=r"`air\.air` returned nan in `density`"):
        cd.Simulation(scn).run(until=1.0, record=cd.Record(ports=["air.air"]))
