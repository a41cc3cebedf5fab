import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.celestial import AU, EARTH, MOON, SUN
from cardan.errors import ImpossibleValue
from cardan.messages import FrameMotion, FramePositions
from environment_reference import REFERENCE

CASES = REFERENCE["eclipse"]["cases"]


def at(r):
    return FrameMotion(r_BN_N=np.array(r, dtype=float))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_visible_share_agrees_with_quadrature_in_fifty_digits(case):
    part = models.Sunlight(radius=[case["planet_radius_m"], case["sun_radius_m"]])
    sky = FramePositions(np.array([[0.0, 0.0, 0.0], case["r_SP_N_m"]]))
    light = part.light(at(case["r_BP_N_m"]), sky)
    assert light.visible == pytest.approx(case["visible"], abs=1e-12)  # asked are 1e-10
    distance = np.linalg.norm(np.array(case["r_SP_N_m"]) - case["r_BP_N_m"])
    assert light.flux == pytest.approx(1361.0 * (AU / distance) ** 2 * case["visible"], rel=1e-9, abs=1e-9)
    assert np.linalg.norm(light.s_N) == pytest.approx(1.0, abs=1e-15)


def test_several_bodies_cast_shadows_and_those_behind_the_sun_do_not():
    half = next(case for case in CASES if case["name"] == "low orbit, half covered")
    r, s = np.array(half["r_BP_N_m"]), np.array(half["r_SP_N_m"])
    # the same planet twice, then once more behind the Sun
    twice = models.Sunlight(radius=[half["planet_radius_m"], half["sun_radius_m"], half["planet_radius_m"]])
    visible = twice.light(at(r), FramePositions(np.array([[0.0, 0.0, 0.0], s, [0.0, 0.0, 0.0]]))).visible
    assert visible == pytest.approx(half["visible"] ** 2, abs=1e-12)
    behind = twice.light(at(r), FramePositions(np.array([[0.0, 0.0, 0.0], s, r + 2.0 * (s - r)]))).visible
    assert behind == pytest.approx(half["visible"], abs=1e-12)


def test_the_eclipse_of_2024_reaches_totality_on_its_path():
    """Greatest eclipse at 18:17 UTC, at 25.3 deg north and 104.1 deg west."""
    epoch = cd.Epoch("2024-04-08T18:17:20Z")
    sky, earth = models.ephemeris(epoch, 3600.0), models.earth_orientation(epoch, 3600.0)
    latitude, longitude = np.deg2rad([25.3, -104.1])
    up = np.array([np.cos(latitude) * np.cos(longitude), np.cos(latitude) * np.sin(longitude), np.sin(latitude)])
    part = models.Sunlight(radius=[0.0, SUN.radius, MOON.radius])
    light = part.light(at(earth.planet(0.0).dcm_PN.T @ (6.374e6 * up)), sky.positions(0.0))
    assert light.visible < 1e-3


def test_inside_a_planet_there_is_no_answer():
    part = models.Sunlight(radius=[EARTH.radius, SUN.radius])
    sky = FramePositions(np.array([[0.0, 0.0, 0.0], [AU, 0.0, 0.0]]))
    assert np.isnan(part.light(at([1e6, 0.0, 0.0]), sky).visible)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ImpossibleValue, match=r"`Sunlight\.sun` must be which entry of `radius`"):
        models.Sunlight(radius=[1.0, 2.0], sun=2)
    with pytest.raises(ValueError, match="`celestial` has another number of bodies than `radius`"):
        models.Sunlight(radius=[1.0, 2.0]).light(at([1e7, 0.0, 0.0]), FramePositions(np.ones((3, 3))))
