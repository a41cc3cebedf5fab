"""The harmonic field against numbers with 50 digits, and a day in orbit against an independent integration."""

import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.ephemeris import HarmonicField, egm2008, gradient_rows
from cardan.errors import ImpossibleValue, OutsideData, WiringError
from cardan.maths import dcm_from_mrp, harmonic_gradient
from cardan.messages import FrameMotion, FramePositions, VehicleMomentum
from environment_reference import REFERENCE
from gravity_gradients import PLACES, assert_gradient

GRAVITY = REFERENCE["gravity"]


def at(part, r, planet=None):
    """The field at one place, which is also the centre of the vehicle."""
    r = np.asarray(r, dtype=float)
    vehicle = VehicleMomentum(mass=1.0, r_CN_N=r)
    return part.pull(FramePositions(r[None]), vehicle, planet or models.planet_at_rest())


@pytest.mark.parametrize("degree", [2, 20, 70])
def test_it_agrees_with_fifty_digits(degree):
    part = models.harmonic_gravity(degree)
    for point in GRAVITY["points"]:
        expected = np.array(point[f"a_P_degree_{degree}_m_s2"])
        found = at(part, point["r_P_m"]).g_N[0]
        assert np.linalg.norm(found - expected) < 1e-13 * np.linalg.norm(expected)


def test_a_field_with_all_coefficients_agrees_with_fifty_digits():
    own = GRAVITY["synthetic"]
    field = HarmonicField(np.array(own["C_nm"]), np.array(own["S_nm"]), own["mu_m3_s2"], own["radius_m"])
    part = models.harmonic_gravity(own["degree"], field)
    for point in own["points"]:
        assert at(part, point["r_P_m"]).g_N[0] == pytest.approx(point["a_P_m_s2"], rel=1e-13)
    # the kernel alone, with point mass and oblateness among its rows
    rows = gradient_rows(field.C, field.S, 5)
    for point in own["points"]:
        found = field.mu / field.radius**2 * np.array(harmonic_gradient(rows, field.radius, *point["r_P_m"]))
        assert found == pytest.approx(point["a_P_m_s2"], rel=1e-13)


def test_the_field_turns_with_the_planet():
    part, r = models.harmonic_gravity(8), PLACES[1]
    dcm_PN = dcm_from_mrp(np.array([0.3, -0.1, 0.2]))
    turned = at(part, dcm_PN.T @ r, models.planet_at_rest(dcm_PN)).g_N[0]
    assert dcm_PN @ turned == pytest.approx(at(part, r).g_N[0], rel=1e-14)


def test_every_degree_is_harmonic_and_has_no_singular_pole():
    part = models.harmonic_gravity(120)
    above = at(part, [0.0, 0.0, 6.9e6]).g_N[0]
    beside = at(part, [1e-3, 0.0, 6.9e6]).g_N[0]
    assert np.isfinite(above).all()
    assert above == pytest.approx(beside, abs=1e-8)


def test_gradient_of_what_acts_at_every_body():
    """Beyond oblateness, the gradient of the series is left out: 3e-3 of the gradient of the point mass at the most."""
    part = models.harmonic_gravity(2)
    closed = models.J2Gravity(mu=part.mu, radius=part.radius, J2=part.J2)
    found = part.pull(FramePositions(PLACES), VehicleMomentum(1.0, PLACES[0]), models.planet_at_rest()).gradient_N
    assert found == pytest.approx(closed.pull(FramePositions(PLACES), models.planet_at_rest()).gradient_N, rel=1e-14)
    assert_gradient(lambda r: closed.pull(FramePositions(r), models.planet_at_rest()))
    off = part._replace(has_gradient=False)
    assert np.all(at(off, PLACES[0]).gradient_N == 0.0)


def test_the_tidal_split_errs_by_what_the_page_says():
    """Two bodies 20 m apart: their difference in the whole field against that of the split."""
    part, step = models.harmonic_gravity(20), np.array([12.0, 16.0, 0.0])
    worst = 0.0
    for r in PLACES / np.linalg.norm(PLACES, axis=1)[:, None] * 6.878e6:
        exact = at(part, r + step).g_N[0] - at(part, r - step).g_N[0]
        split = part.pull(
            FramePositions(np.array([r + step, r - step])), VehicleMomentum(1.0, r), models.planet_at_rest()
        )
        error = split.g_N[0] - split.g_N[1] - exact
        worst = max(worst, float(np.linalg.norm(error) / np.linalg.norm(exact)))
    assert 1e-6 < worst < 3e-4


# ---- a day in orbit ------------------------------------------------------------------------------------------------


def day(case, dynamics):
    m = cd.Mechanism("satellite")
    body = m.add_body("body", joint=cd.Free(), mass=100.0, inertia_B=np.eye(3))
    group = m.group_of_bodies("all")
    epoch, until = cd.Epoch(case["utc"]), case["duration_s"]
    scn = cd.Scenario("day", mechanism=m, epoch=epoch)
    sky = scn.add(models.ephemeris(epoch, until), name="sky")
    earth = scn.add(models.earth_orientation(epoch, until), name="earth")
    field = scn.add(
        models.harmonic_gravity(case["degree"]),
        name="field",
        positions=group.positions,
        vehicle=body.momentum,
        planet=earth.planet,
    )
    mu = [0.0, REFERENCE["orbit"]["mu_sun_m3_s2"], REFERENCE["orbit"]["mu_moon_m3_s2"]]
    others = scn.add(models.NBodyGravity(mu=mu), name="others", positions=group.positions, celestial=sky.positions)
    scn.connect(field.pull, group.gravity)
    scn.connect(others.pull, group.gravity)
    scn.start({body: FrameMotion(np.array(case["start_r_N_m"]), np.array(case["start_v_N_m_s"]))})
    return cd.Simulation(scn, dynamics=dynamics, integrator=cd.Dop853(rtol=1e-13, atol=1e-6))


@pytest.mark.parametrize("dynamics", [cd.RecursiveTree(), cd.Mujoco()], ids=lambda d: d.name)
def test_a_day_in_low_orbit_agrees_with_an_independent_integration(dynamics):
    """SciPy and brahe flew the same models and lie 0.15 mm apart."""
    case = REFERENCE["orbit"]["cases"][0]
    until = case["duration_s"]
    motion = day(case, dynamics).run(until=until, record=cd.Record(every=until, ports=["body.motion"]))["body.motion"]
    # 10 mm: 1 mas of Earth orientation, as between two releases of the data, is 3 mm after a day
    assert motion.r_BN_N[-1] == pytest.approx(case["end_r_N_m"], abs=0.01)
    assert motion.v_BN_N[-1] == pytest.approx(case["end_v_N_m_s"], abs=1e-5)


# ---- bad input -----------------------------------------------------------------------------------------------------


def test_a_degree_beyond_the_file_is_refused():
    with pytest.raises(OutsideData, match="has coefficients up to degree 120; degree 121 was asked for"):
        models.harmonic_gravity(121)
    with pytest.raises(ImpossibleValue, match="eight columns wide"):
        models.HarmonicGravity(mu=1.0, radius=1.0, J2=0.0, series=np.ones((3, 7)))


def test_an_orientation_that_is_missing_is_refused():
    m = cd.Mechanism("satellite")
    body = m.add_body("body", joint=cd.Free(), mass=100.0, inertia_B=np.eye(3))
    group = m.group_of_bodies("all")
    scn = cd.Scenario("satellite", mechanism=m)
    part = scn.add(models.harmonic_gravity(4), name="field", positions=group.positions, vehicle=body.momentum)
    scn.connect(part.pull, group.gravity)
    with pytest.raises(WiringError, match=r"field\.planet"):
        cd.Simulation(scn, dynamics=cd.RecursiveTree())


def test_the_shipped_field_is_tide_free():
    assert egm2008().tide_system == "tide_free"
