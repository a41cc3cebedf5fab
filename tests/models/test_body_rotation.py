import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.errors import OutsideData

DEG = np.pi / 180.0
BODIES = ["sun", "mercury", "venus", "moon", "mars", "jupiter", "saturn", "uranus", "neptune"]


def test_mars_at_j2000_is_as_the_iau_has_it():
    planet = models.body_rotation("mars", cd.Epoch("2000-01-01T12:00:00", "TDB"), 2.0).planet(0.0)
    alpha, delta = 317.68143 * DEG, 52.88650 * DEG
    pole = np.array([np.cos(delta) * np.cos(alpha), np.cos(delta) * np.sin(alpha), np.sin(delta)])
    assert planet.dcm_PN[2] == pytest.approx(pole, abs=1e-12)
    # the prime meridian is W ahead of the node of the equator
    node = np.array([-np.sin(alpha), np.cos(alpha), 0.0])
    assert planet.dcm_PN[0] @ node == pytest.approx(np.cos(176.630 * DEG), abs=1e-9)
    assert np.linalg.norm(planet.omega_PN_N) == pytest.approx(350.89198226 * DEG / 86400.0, rel=1e-9)


@pytest.mark.parametrize("body", BODIES)
def test_the_angular_velocity_is_that_of_the_matrix(body):
    part, t, h = models.body_rotation(body, cd.Epoch("2024-05-01"), 86400.0), 43200.0, 1.0
    before, now, after = (part.planet(t + d) for d in (-h, 0.0, h))
    tilde = -(after.dcm_PN - before.dcm_PN) / (2.0 * h) @ now.dcm_PN.T
    omega_N = now.dcm_PN.T @ np.array([tilde[2, 1], tilde[0, 2], tilde[1, 0]])
    assert omega_N == pytest.approx(now.omega_PN_N, abs=2e-12)
    assert now.dcm_PN @ now.dcm_PN.T == pytest.approx(np.eye(3), abs=1e-15)


@pytest.mark.parametrize("utc", ["2010-06-20", "2023-10-05", "2031-01-15"])
def test_the_moon_shows_its_face_to_the_earth(utc):
    """Librations in longitude and latitude stay below 8.2 and 7 deg."""
    epoch = cd.Epoch(utc)
    moon, sky = models.body_rotation("moon", epoch, 86400.0), models.ephemeris(epoch, 86400.0, ["moon"])
    to_earth = moon.planet(1000.0).dcm_PN @ -sky.positions(1000.0).r_BN_N[0]
    to_earth /= np.linalg.norm(to_earth)
    assert abs(np.arctan2(to_earth[1], to_earth[0])) < 8.2 * DEG
    assert abs(np.arcsin(to_earth[2])) < 7.0 * DEG


def test_an_unknown_body_is_refused():
    with pytest.raises(OutsideData, match=r"There is no rotation of `erath`.*\n.*the Earth has `earth_orientation`"):
        models.body_rotation("erath", cd.Epoch("2024-05-01"), 86400.0)
