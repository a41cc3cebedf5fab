import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.errors import ImpossibleValue
from cardan.maths import geodetic
from cardan.models.environment.msis_arcs import msis
from environment_reference import REFERENCE


def place(latitude_deg, longitude_deg, altitude_km):
    phi, lam, h, e2 = np.deg2rad(latitude_deg), np.deg2rad(longitude_deg), 1e3 * altitude_km, 0.0066943799901413165
    n = 6378137.0 / np.sqrt(1.0 - e2 * np.sin(phi) ** 2)
    return np.array(
        [(n + h) * np.cos(phi) * np.cos(lam), (n + h) * np.cos(phi) * np.sin(lam), (n * (1.0 - e2) + h) * np.sin(phi)]
    )


@pytest.mark.parametrize("case", REFERENCE["atmosphere"]["msis"], ids=lambda case: case["utc"])
def test_pymsis_is_asked_the_right_question(case):
    r = place(case["geodetic_latitude_deg"], case["longitude_deg"], case["altitude_km"])
    utc = cd.Epoch(case["utc"]).seconds("UTC")
    indices = case["f107"], case["f107a"], np.full(7, case["ap"])
    density, temperature = msis(np.array([utc]), r[None], *indices)
    assert density[0] == pytest.approx(case["nrlmsise00"]["density_kg_m3"], rel=1e-5)  # heights to 1e-9 of themselves
    assert temperature[0] == pytest.approx(case["nrlmsise00"]["temperature_K"], rel=1e-5)


def orbit_through(air_part, epoch, **wires):
    """Density and motion along an orbit at 420 km."""
    m = cd.Mechanism("satellite")
    body = m.add_body("body", joint=cd.Free(), mass=10.0, inertia_B=np.eye(3))
    group = m.group_of_bodies("all")
    scn = cd.Scenario("air", mechanism=m, epoch=epoch)
    earth = scn.add(models.earth_orientation(epoch, 6000.0), name="earth")
    field = scn.add(models.J2Gravity(), name="field", positions=group.positions, planet=earth.planet)
    scn.connect(field.pull, group.gravity)
    if isinstance(air_part, models.MsisArcs):
        arcs = scn.add(air_part, name="arcs", every=60.0, motion=body.motion, planet=earth.planet)
        scn.add(models.ArcAtmosphere(), name="air", arc=arcs.arc, motion=body.motion, planet=earth.planet)
    else:
        scn.add(air_part, name="air", motion=body.motion, planet=earth.planet)
    scn.start({body: cd.circular_orbit(altitude_km=420.0, i=1.2)})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=10.0))
    return sim.run(until=5600.0, record=cd.Record(every=10.0, ports=["air.air", "body.motion", "earth.planet"]))


def exact(log, epoch):
    r_P = np.einsum("tij,tj->ti", log["earth.planet"].dcm_PN, log["body.motion"].r_BN_N)
    density, _ = msis(epoch.seconds("UTC") + log.t, r_P, 150.0, 150.0, np.full(7, 4.0))
    return density


@pytest.mark.filterwarnings("ignore::cardan.errors.LooseEnds")
def test_arcs_and_grid_follow_the_density_along_an_orbit():
    epoch = cd.Epoch("2024-03-20T03:06:24Z")
    log = orbit_through(models.msis_arcs(epoch), epoch)
    error = (log["air.air"].density / exact(log, epoch) - 1.0)[1:]  # at time zero there was no arc yet
    assert np.abs(error).max() < 5e-4  # asked 0.05 %
    grid = orbit_through(models.gridded_atmosphere(epoch, 6000.0, (395.0, 455.0)), epoch)
    error = grid["air.air"].density / exact(grid, epoch) - 1.0
    assert np.abs(error).max() < 0.015
    assert np.sqrt(np.mean(error**2)) < 0.005


def test_indices_that_do_not_exist_are_refused():
    epoch = cd.Epoch("2024-01-01")
    with pytest.raises(ImpossibleValue, match="must be one number, or seven"):
        models.msis_arcs(epoch, ap=[1.0, 2.0])
    with pytest.raises(ImpossibleValue, match="f107"):
        models.msis_arcs(epoch, f107=0.0)
    assert geodetic(place(10.0, 20.0, 400.0))[2] == pytest.approx(4e5)
