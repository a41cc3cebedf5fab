import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.errors import ImpossibleValue, NotFinite, OutsideData
from environment_reference import REFERENCE


@pytest.mark.parametrize("case", REFERENCE["ephemeris"]["epochs"], ids=lambda case: case["utc"])
def test_positions_and_velocities_agree_with_spice(case):
    names = list(case["from_earth"])
    part = models.ephemeris(cd.Epoch(case["utc"]) - 4e5, 8e5, [name.removesuffix("_barycentre") for name in names])
    motions = part.motions(4e5)
    assert np.array_equal(motions.r_BN_N, part.positions(4e5).r_BN_N)
    for i, name in enumerate(names):
        expected = case["from_earth"][name]
        # TDB by three terms errs by 10 us here: 0.5 m of a body that moves at 50 km/s
        assert motions.r_BN_N[i] == pytest.approx(expected["r_N_m"], abs=1.0)
        # per second of TT, of which TDB has up to 3.3e-10 more or less
        assert np.linalg.norm(motions.v_BN_N[i] - expected["v_N_m_s"]) < 5e-10 * np.linalg.norm(expected["v_N_m_s"])


def test_the_centre_is_at_the_origin():
    epoch = cd.Epoch("2030-05-05T05:05:05Z")
    part = models.ephemeris(epoch, 1e6, ["moon", "earth"], centre="moon")
    other = models.ephemeris(epoch, 1e6, ["moon"])
    r = part.positions(12345.0).r_BN_N
    assert np.array_equal(r[0], np.zeros(3))
    assert r[1] == pytest.approx(-other.positions(12345.0).r_BN_N[0], abs=1e-4)


def test_positions_are_smooth_where_granules_meet():
    part = models.ephemeris(cd.Epoch("2024-01-01"), 3e6)
    for join in part.start[1:]:
        before, after = part.motions(join - 1e-3), part.motions(join + 1e-3)
        drift = after.r_BN_N - before.r_BN_N - 2e-3 * after.v_BN_N
        assert np.abs(drift).max() < 0.05  # [m] as DE440 itself, rounded to 1 mm


def test_a_year_has_all_its_days():
    part = models.ephemeris(cd.Epoch("2024-01-01"), 366 * 86400.0, ["sun"])
    distance = [np.linalg.norm(part.positions(t).r_BN_N[0]) for t in np.arange(0.0, 366.0, 2.0) * 86400.0]
    assert np.min(distance) == pytest.approx(1.471e11, rel=1e-4)
    assert np.max(distance) == pytest.approx(1.521e11, rel=1e-4)
    assert 2.0 * np.argmin(distance) == pytest.approx(2.0, abs=2.0)  # early in January


def test_beyond_its_table_the_run_ends():
    scn = cd.Scenario("sky")
    part = models.ephemeris(cd.Epoch("2024-01-01"), 86400.0)
    scn.add(part, name="sky")
    sim = cd.Simulation(scn, integrator=cd.Rk4(step=3600.0))
    with pytest.raises(NotFinite, match=r"sky\.positions"):
        sim.run(until=10 * 86400.0, record=cd.Record(ports=["sky.positions"]))
    assert np.isnan(part.positions(-4e5).r_BN_N).all()


def test_tables_that_do_not_fit_are_refused():
    with pytest.raises(ImpossibleValue, match="three columns for each body"):
        models.Ephemeris(start=[0.0, 1.0], length=1.0, rows=np.ones((3, 3)))
    with pytest.raises(OutsideData, match="There is no `pluto`"):
        models.ephemeris(cd.Epoch("2024-01-01"), 1.0, ["pluto"])
