import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

import cardan as cd
from cardan.missions import MISSIONS
from cardan.missions.reaction_wheels import attitude_error, wheel_speeds

MISSION = MISSIONS["reaction-wheels"]


def fly(service=None, until=600.0, integrator=None, record=None, **options):
    named = {name.replace("_", "."): value for name, value in options.items()}
    integrator = integrator or MISSION.integrator_for(named)
    sim = cd.Simulation(MISSION.scenario(named), dynamics=MISSION.service(service), integrator=integrator)
    return sim.run(until=until, record=record, progress=False)


@pytest.fixture(scope="module")
def flown():
    return fly("recursive-tree")


def test_both_services_fly_the_same_mission(flown):
    other = fly("mujoco")
    # rounding that a feedback loop does not amplify: 3e-13 was measured
    assert other["bus.motion"].sigma_BN == pytest.approx(flown["bus.motion"].sigma_BN, abs=1e-10)
    assert other["bus.motion"].omega_BN_B == pytest.approx(flown["bus.motion"].omega_BN_B, abs=1e-11)
    assert wheel_speeds(other) == pytest.approx(wheel_speeds(flown), abs=1e-7)


def test_the_spacecraft_comes_to_rest_within_what_its_motors_can_do(flown):
    assert attitude_error(flown)[0] > 80.0
    assert attitude_error(flown)[-1] < 0.2
    torque = flown["limit.torques"].torque
    assert np.max(np.abs(torque)) == 0.2
    assert flown.t[-1] == 600.0


def test_the_bus_is_where_its_orbit_says(flown):
    """The energy of the orbit is that of its semi-major axis, 10,000 km."""
    motion = flown["bus.motion"]
    energy = 0.5 * np.sum(motion.v_BN_N**2, axis=1) - 0.3986004415e15 / np.linalg.norm(motion.r_BN_N, axis=1)
    # the origin circles the centre of mass with up to 0.03 rad/s x 0.01 m on top of 6 km/s
    assert energy == pytest.approx(-0.3986004415e15 / (2.0 * 10.0e6), abs=3.0)


def test_a_misaligned_wheel_changes_the_motion_and_is_corrected(flown):
    crooked = fly(wheel_misalignment=2.0)
    difference = np.max(np.abs(crooked["bus.motion"].sigma_BN - flown["bus.motion"].sigma_BN))
    assert 1e-3 < difference < 0.05
    assert attitude_error(crooked)[-1] < 0.5
    # at rest the same momentum is in other wheels: wheel 2 makes up for sin 2 deg of wheel 1, which still turns a bit
    change = wheel_speeds(crooked)[-1, 1] - wheel_speeds(flown)[-1, 1]
    assert change == pytest.approx(-np.sin(np.deg2rad(2.0)) * wheel_speeds(crooked)[-1, 0], abs=2.0)


def test_an_imbalance_shakes_the_bus_at_the_wheels_own_rate():
    """The force U W^2 turns with the wheel; its lever is the 5.8 mm from the vehicle's centre of mass to the wheel."""
    step = cd.Rk4(step=0.0025)
    record = cd.Record(every=0.0025, ports=["bus.motion", "rw1Spin.state"])
    smooth = fly(until=10.0, integrator=step, record=record)
    shaken = fly(until=10.0, integrator=step, record=record, wheel_imbalance=100.0)
    t, angle, rate = shaken.t, shaken["rw1Spin.state"].angle, shaken["rw1Spin.state"].rate
    jitter = np.gradient(shaken["bus.motion"].omega_BN_B - smooth["bus.motion"].omega_BN_B, t, axis=0)[5:-5]
    rate_dot = np.gradient(rate, t)
    # forces with the wheel's angle: centrifugal, and of the wheel's acceleration; the rest is slow
    turning = [np.cos(angle), np.sin(angle)]
    columns = [rate**2 * turning[0], rate**2 * turning[1], rate_dot * turning[0], rate_dot * turning[1]]
    model = np.stack([*columns, np.ones_like(t), t, t**2], axis=1)[5:-5]
    fitted = np.linalg.lstsq(model, jitter, rcond=None)[0]
    assert np.all(np.var(jitter - model @ fitted, axis=0) < 1e-4 * np.var(jitter, axis=0))
    # U lever / I: 100 g cm = 1e-3 kg m, wheel 3 (9 of 777 kg) at 0.5 m moves the centre of mass, 1 % for its inertia
    expected = 1.0e-3 * (0.5 * 9.0 / 777.0) / np.array([900.0, 800.0, 600.0])
    amplitude = np.hypot(fitted[0], fitted[1])
    assert amplitude == pytest.approx(expected * [np.sqrt(2.0), 1.0, 1.0], rel=0.02)


def test_only_a_wheel_out_of_balance_needs_small_steps():
    assert MISSION.integrator_for() == cd.Rk4(step=0.1)
    assert MISSION.integrator_for({"wheel.misalignment": 2.0}) == cd.Rk4(step=0.1)
    assert MISSION.integrator_for({"wheel.imbalance": 1.0}) == cd.Rk4(step=0.0025)


def test_no_step_takes_memory_from_the_heap():
    """Every part of the mission computes in vectors and matrices. What is counted comes from the calls of the core."""
    sim = cd.Simulation(MISSION.build(), dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.1))
    sim.compile()
    _nrt_python.memsys_enable_stats()
    before = rtsys.get_allocation_stats().mi_alloc
    sim.run(until=200.0)
    assert rtsys.get_allocation_stats().mi_alloc - before < 1000  # in 2000 steps
