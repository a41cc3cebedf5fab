from functools import cache

import numpy as np
import pytest

import cardan as cd
from cardan.maths import rotation_angle
from cardan.messages import FrameMotion
from cardan.missions import MISSIONS
from cardan.missions.thruster_arms import JOINTS, angles, thrusts

MISSION = MISSIONS["thruster-arms"]
RECORD = cd.Record(every=0.1, ports=["hub.motion", "*.state", "allocation.*", "arms.hub"])
GROUPS = 10  # so that the workers of a test run share the starts
BOUND = np.rad2deg(np.arcsin(1.0 / 1.5))  # [deg] of the commands: docs/theory/thruster_arm_allocation.md, Eq. (4)


@cache
def simulation():
    return cd.Simulation(MISSION.build(), dynamics=MISSION.service(), integrator=MISSION.integrator_for())


def random_start(number):
    """1 m, 20 degrees, 0.01 m/s and 0.01 rad/s in random directions."""
    directions = np.random.default_rng(number).normal(size=(4, 3))
    r_N, axis, v_N, omega_B = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    sigma_BN = np.tan(np.deg2rad(20.0) / 4.0) * axis
    return FrameMotion(r_BN_N=r_N, v_BN_N=0.01 * v_N, sigma_BN=sigma_BN, omega_BN_B=0.01 * omega_B)


@pytest.mark.parametrize("group", range(GROUPS))
def test_random_starts_come_to_rest_with_bounded_joints_and_thrust(group):
    sim = simulation()
    for number in range(100 * group // GROUPS, 100 * (group + 1) // GROUPS):
        sim.reset({"hub": random_start(number)})
        log = sim.run(until=250.0, record=RECORD, progress=False)
        end = sim["hub.motion"]
        # ten times what was measured
        assert np.linalg.norm(end.r_BN_N) < 1e-4, number
        assert np.linalg.norm(end.v_BN_N) < 5e-6, number
        assert np.rad2deg(rotation_angle(end.sigma_BN)) < 1e-4, number
        assert np.linalg.norm(end.omega_BN_B) < 1e-7, number
        # commands stay within the bound, and joints follow smoothly
        assert np.max(np.abs(angles(log))) < BOUND, number
        assert np.min(thrusts(log)) > 0.0 and np.max(thrusts(log)) <= 2.5, number
        assert np.max(np.abs(log["arms.hub"].torque_B)) < 5.0, number


def test_the_shoulders_hold_still():
    sim = simulation()
    sim.reset()
    log = sim.run(until=60.0, record=RECORD, progress=False)
    shoulders = [i for i, name in enumerate(JOINTS) if "base" in name]
    assert np.max(np.abs(angles(log)[:, shoulders])) < 0.5  # [deg]


def test_both_services_fly_the_same_mission():
    logs = []
    for service in ("recursive-tree", "mujoco"):
        sim = cd.Simulation(MISSION.build(), dynamics=MISSION.service(service), integrator=MISSION.integrator_for())
        logs.append(sim.run(until=60.0, record=RECORD, progress=False))
    assert logs[1]["hub.motion"].r_BN_N == pytest.approx(logs[0]["hub.motion"].r_BN_N, abs=1e-10)
    assert logs[1]["hub.motion"].sigma_BN == pytest.approx(logs[0]["hub.motion"].sigma_BN, abs=1e-10)
    assert angles(logs[1]) == pytest.approx(angles(logs[0]), abs=1e-7)
