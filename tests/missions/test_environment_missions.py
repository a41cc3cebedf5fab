"""`low-orbit-day` and `geostationary-year`."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.maths import Rows3, dcm_from_mrp
from cardan.messages import BodyWrench, FrameMotion
from cardan.missions import MISSIONS, geostationary_year, low_orbit_day
from cardan.missions.earth_sun_moon import add_sky
from environment_reference import REFERENCE

LOW, HIGH = MISSIONS["low-orbit-day"], MISSIONS["geostationary-year"]


def fly(mission, until, options=None, record=None, dynamics=None):
    sim = cd.Simulation(
        mission.scenario(options), dynamics=dynamics or mission.service(), integrator=mission.integrator_for(options)
    )
    return sim.run(until=until, record=record or mission.record)


def test_the_orbit_of_an_articulated_vehicle_agrees_with_an_independent_integration_of_a_point():
    """A whole day with 20x20, Sun and Moon; arrays turn and wheels spin meanwhile, which must not matter."""
    case = REFERENCE["orbit"]["cases"][0]
    assert (low_orbit_day.EPOCH.utc[:19], low_orbit_day.DAY) == (case["utc"][:19], case["duration_s"])
    record = cd.Record(every=86400.0, ports=["bus.momentum"])
    vehicle = fly(LOW, 86400.0, {"drag": False, "radiation": False}, record)["bus.momentum"]
    assert vehicle.r_CN_N[0] == pytest.approx(case["start_r_N_m"], abs=1e-8)
    assert vehicle.v_CN_N[0] == pytest.approx(case["start_v_N_m_s"], abs=1e-11)
    assert vehicle.r_CN_N[-1] == pytest.approx(case["end_r_N_m"], abs=0.01)


@cd.model
class RecordedForce(NamedTuple):
    """A force that was recorded every second, interpolated by cubic polynomials through four samples."""

    force_N: Annotated[Rows3, "N"]

    @cd.output
    def wrench(self, t: float) -> BodyWrench:
        i = min(max(int(t), 1), len(self.force_N) - 3)
        x = t - i
        before, here = -x * (x - 1.0) * (x - 2.0) / 6.0, (x + 1.0) * (x - 1.0) * (x - 2.0) / 2.0
        after, beyond = -(x + 1.0) * x * (x - 2.0) / 2.0, (x + 1.0) * x * (x - 1.0) / 6.0
        force = before * self.force_N[i - 1] + here * self.force_N[i] + after * self.force_N[i + 1]
        return BodyWrench(force_B=force + beyond * self.force_N[i + 2], torque_B=np.zeros(3))


def test_under_all_loads_it_agrees_with_a_point_that_another_integrator_flies():
    """A whole day: the point has the vehicle's mass and the forces of air and light that were recorded, and DOP853."""
    ports = ["bus.motion", "bus.momentum", "array*_hinge.state", "drag_*", "light_*"]
    log = fly(LOW, 86400.0, record=cd.Record(every=1.0, ports=ports))
    force_B = np.zeros((len(log.t), 3))
    for kind in ("drag", "light"):
        force_B += log[f"{kind}_bus.wrench"].force_B
        for name in low_orbit_day.ARRAYS:
            force_B += low_orbit_day.turned(log[f"{kind}_{name}.wrench"].force_B, log[f"{name}_hinge.state"].angle)
    force_N = np.einsum("tji,tj->ti", dcm_from_mrp(log["bus.motion"].sigma_BN), force_B)

    vehicle = low_orbit_day.build().mechanism
    m = cd.Mechanism("point")
    mass = sum(mass for mass, _, _ in vehicle.tree.body_mass.values())
    body = m.add_body("body", joint=cd.Free(), mass=mass, inertia_B=np.eye(3))
    scn = cd.Scenario("point", mechanism=m, epoch=low_orbit_day.EPOCH)
    sky = add_sky(scn, low_orbit_day.EPOCH, 90000.0, m.group_of_bodies("all"), body, degree=20)
    scn.leave_open(sky.sun.light)
    pushed = scn.add(RecordedForce(force_N), name="pushed")
    scn.connect(pushed.wrench, body.com.wrench)
    scn.start({body: FrameMotion(low_orbit_day.START_R_N, low_orbit_day.START_V_N)})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Dop853(rtol=1e-12, atol=1e-9, max_step=10.0))
    sim.run(until=86400.0, record=cd.Record(every=86400.0, ports=["body.motion"]))
    # steps of 10 s resolve a penumbra; over the day light and air move it by kilometres
    assert sim["body.motion"].r_BN_N == pytest.approx(log["bus.momentum"].r_CN_N[-1], abs=0.01)


def test_a_revolution_has_its_loads_and_its_night():
    log = fly(LOW, 5700.0)
    visible = log["sun.light"].visible
    assert np.mean(visible < 0.5) == pytest.approx(0.37, abs=0.02)
    # in the dark light does not push, and air always resists
    dark = visible == 0.0
    assert np.all(low_orbit_day.torques(log, "light")[dark] == 0.0)
    assert np.abs(low_orbit_day.torques(log, "light")[~dark]).max() > 1e-6
    assert np.linalg.norm(low_orbit_day.torques(log, "drag"), axis=1)[1:].min() > 1e-7
    # the arrays turn once, and follow the Sun
    assert np.ptp(log["array1_hinge.state"].angle) == pytest.approx(2.0 * np.pi, rel=0.02)
    assert low_orbit_day.array_error(log).max() < 0.1
    assert np.abs(log["err.error"].sigma_BR).max() < 1e-3
    results = {result.name: result.value for result in low_orbit_day.results(log)}
    assert 490.0 < results["lowest height"] < results["highest height"] < 520.0


def test_both_services_fly_alike():
    ports = cd.Record(every=300.0, ports=["bus.motion"])
    tree, mujoco = (fly(LOW, 300.0, record=ports, dynamics=service)["bus.motion"] for service in LOW.dynamics)
    assert tree.sigma_BN == pytest.approx(mujoco.sigma_BN, abs=1e-9)
    assert tree.r_BN_N == pytest.approx(mujoco.r_BN_N, abs=1e-3)


def test_a_geostationary_satellite_drifts_towards_the_stable_longitude():
    """Over 60 days: libration about 75 deg east (Soop, Handbook of Geostationary Orbits), 0.9 deg of tilt a year."""
    log = fly(HIGH, 60.0 * 86400.0)
    days, longitude = log.t / 86400.0, geostationary_year.places(log)
    # d^2 longitude / dt^2 = -0.00168 deg/d^2 sin 2(longitude - 75.1 deg), roughly
    acceleration = 2.0 * np.polyfit(days, longitude, 2)[0]
    assert acceleration == pytest.approx(0.00168 * np.sin(2.0 * np.deg2rad(75.1 - 20.0)), rel=0.15)
    assert geostationary_year.inclination(log)[-1] * 365.25 / 60.0 == pytest.approx(0.9, abs=0.25)
    # the spring season of eclipses begins some 22 days before the equinox
    dark = days[log["sun.light"].visible < 0.5]
    assert dark.min() == pytest.approx(79.0 - 22.0, abs=3.0)
