import numpy as np
import pytest

from cardan import models
from cardan.celestial import AU
from cardan.messages import FrameMotion, FramePositions

SKY = FramePositions(np.array([[0.0, 0.0, 0.0], [AU, 0.0, 0.0]]))
R = 6378136.3


def at(r):
    return FrameMotion(r_BN_N=np.array(r, float))


def test_a_cloud_of_lambert_close_to_the_ground_has_the_flux_of_a_plane():
    """Close above the subsolar point a Lambert plane gives albedo times the flux."""
    light = models.PlanetLight(albedo=0.3).scattered(at([R * (1.0 + 1e-4), 0.0, 0.0]), SKY)
    assert light.s_N == pytest.approx([-1.0, 0.0, 0.0], abs=1e-3)
    assert light.flux == pytest.approx(0.3 * 1361.0, rel=0.01)


def test_from_far_away_it_is_the_phase_of_a_lambert_sphere():
    """2/3 albedo (R / r)^2 (sin a + (pi - a) cos a) / pi at phase angle a."""
    part, r = models.PlanetLight(albedo=0.3), 50.0 * R
    for a in (0.0, 0.7, 1.4, 2.1):
        flux = part.scattered(at([r * np.cos(a), r * np.sin(a), 0.0]), SKY).flux
        phase = 2.0 / 3.0 * 0.3 * (R / r) ** 2 * (np.sin(a) + (np.pi - a) * np.cos(a)) / np.pi
        assert flux == pytest.approx(1361.0 * phase, abs=0.03 * 1361.0 * 2.0 / 3.0 * 0.3 * (R / r) ** 2)


def test_behind_the_planet_it_is_dark_and_still_warm():
    part, behind = models.PlanetLight(), at([-7e6, 0.0, 0.0])
    dark = part.scattered(behind, SKY)
    assert dark.flux == 0.0 and np.linalg.norm(dark.s_N) == pytest.approx(1.0)
    warm = part.infrared(behind, SKY)
    assert warm.flux == pytest.approx(0.7 * 1361.0 / 4.0 * (R / 7e6) ** 2)
    assert warm.s_N == pytest.approx([1.0, 0.0, 0.0])


def test_heat_balances_light():
    """What the planet absorbs it radiates: pi R^2 (1 - albedo) S over any sphere about it."""
    flux = models.PlanetLight().infrared(at([0.0, 0.0, 9e6]), SKY).flux
    assert 4.0 * np.pi * 9e6**2 * flux == pytest.approx(np.pi * R**2 * 0.7 * 1361.0)
