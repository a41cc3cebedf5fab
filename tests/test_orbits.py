"""Keplerian orbits: the motion that elements stand for, and elements that no orbit has."""

import numpy as np
import pytest

import cardan as cd
from cardan.celestial import EARTH
from cardan.errors import SettingError


def test_orbits_are_what_their_elements_say():
    start = cd.orbit(a=1.0e7, e=0.01, i=0.58, Omega=0.84, omega=6.07, f=1.49, mu=EARTH.mu)
    r, v = start.r_BN_N, start.v_BN_N
    energy = 0.5 * v @ v - EARTH.mu / np.linalg.norm(r)
    assert -EARTH.mu / (2.0 * energy) == pytest.approx(1.0e7, rel=1e-13)
    h = np.cross(r, v)
    assert np.arccos(h[2] / np.linalg.norm(h)) == pytest.approx(0.58)
    assert np.arctan2(h[0], -h[1]) == pytest.approx(0.84)
    eccentricity = np.cross(v, h) / EARTH.mu - r / np.linalg.norm(r)
    assert np.linalg.norm(eccentricity) == pytest.approx(0.01)
    assert np.arccos(eccentricity @ r / np.linalg.norm(eccentricity) / np.linalg.norm(r)) == pytest.approx(1.49)
    assert np.linalg.norm(cd.circular_orbit(altitude_km=600.0).r_BN_N) == pytest.approx(6978136.3)


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (
            lambda: cd.orbit(a=-1.0e7, e=2.0, f=3.0),
            "A hyperbola with e = 2.0 does not reach a true anomaly of 3.0 rad.",
        ),
        (
            lambda: cd.orbit(a=-1.0, e=0.5),
            "There is no orbit with a = -1.0 m, e = 0.5, mu = 398600441500000.0 m^3/s^2.\n"
            "  An ellipse needs a > 0 and 0 <= e < 1, a hyperbola a < 0 and e > 1.",
        ),
    ],
)
def test_what_is_no_orbit_is_refused(action, text):
    with pytest.raises(SettingError) as caught:
        action()
    assert str(caught.value) == text
