from itertools import pairwise

import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.ephemeris import EarthData
from cardan.errors import ImpossibleValue, NotFinite
from environment_reference import REFERENCE

MAS = np.pi / 648e6  # [rad]
CASES = REFERENCE["earth_orientation"]["epochs"]


def apart(a, b):
    """[rad] The angle between two orientations."""
    return np.linalg.norm(a @ b.T - np.eye(3)) / np.sqrt(2.0)


def with_given_data(case):
    """Earth orientation data that are the same on all days."""
    mjd, _ = cd.Epoch(case["utc"]).utc_day
    days, one = np.arange(mjd - 3.0, mjd + 5.0), np.ones(8)
    eop, arcsec = case["eop"], 1000.0 * MAS
    return EarthData(
        mjd=days,
        x_p=one * eop["x_p_arcsec"] * arcsec,
        y_p=one * eop["y_p_arcsec"] * arcsec,
        ut1_tai=one * (eop["ut1_minus_utc_s"] - case["tai_minus_utc_s"]),
        dX=one * eop["dX_mas"] * MAS,
        dY=one * eop["dY_mas"] * MAS,
        source="the test",
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["utc"])
def test_it_agrees_with_erfa(case):
    epoch, expected = cd.Epoch(case["utc"]) - 40000.0, np.array(case["dcm_ITRF_GCRF"])
    given = models.earth_orientation(epoch, 80000.0, with_given_data(case))
    assert apart(given.planet(40000.0).dcm_PN, expected) < 0.02 * MAS
    # other releases of the data have other last digits
    assert apart(models.earth_orientation(epoch, 80000.0).planet(40000.0).dcm_PN, expected) < 1.0 * MAS


def test_it_is_smooth_on_a_day_with_a_leap_second():
    part = models.earth_orientation(cd.Epoch("2016-12-31T18:00:00Z"), 43200.0)
    turned = [part.planet(t).dcm_PN for t in 21600.0 + np.array([-2.0, -1.0, 0.0, 1.0, 2.0])]
    steps = [apart(b, a) for a, b in pairwise(turned)]
    assert np.ptp(steps) < 1e-12  # [rad] of 7.3e-5: a step of UT1 would be as much again


def test_the_angular_velocity_is_that_of_the_matrix():
    part, h = models.earth_orientation(cd.Epoch("2022-07-19T13:30:00Z"), 86400.0), 1.0
    before, now, after = (part.planet(40000.0 + d) for d in (-h, 0.0, h))
    rate = (after.dcm_PN - before.dcm_PN) / (2.0 * h)
    tilde = -rate @ now.dcm_PN.T  # of omega in components of P
    omega_P = np.array([tilde[2, 1], tilde[0, 2], tilde[1, 0]])
    # precession, and the differences themselves, are left
    assert now.dcm_PN.T @ omega_P == pytest.approx(now.omega_PN_N, abs=1e-11)
    assert now.dcm_PN @ now.dcm_PN.T == pytest.approx(np.eye(3), abs=1e-15)


def test_beyond_its_table_the_run_ends():
    scn = cd.Scenario("earth")
    scn.add(models.earth_orientation(cd.Epoch("2024-01-01"), 3600.0), name="earth")
    with pytest.raises(NotFinite, match=r"earth\.planet"):
        cd.Simulation(scn, integrator=cd.Rk4(step=3600.0)).run(until=86400.0, record=cd.Record(ports=["earth.planet"]))


def test_a_planet_at_rest_is_asked_for_by_name():
    at_rest = models.planet_at_rest()
    assert np.array_equal(at_rest.dcm_PN, np.eye(3)) and np.array_equal(at_rest.omega_PN_N, np.zeros(3))
    with pytest.raises(ImpossibleValue, match="four rows or more of six columns"):
        models.EarthOrientation(0.0, 1.0, np.ones((3, 6)))
