import numpy as np
import pytest

import cardan as cd
from cardan.gimbals import CrankGimbal, make_gimbal_tables, pointing_bound, save_gimbal_tables
from cardan.missions import MISSIONS
from cardan.missions.gimbal_command import pointing_error, steps_taken

DEG = np.deg2rad(1.0)
MISSION = MISSIONS["gimbal-command"]


def fly(service=None, until=MISSION.until, **options):
    sim = cd.Simulation(
        MISSION.scenario(options), dynamics=MISSION.service(service), integrator=MISSION.integrator_for(options)
    )
    return sim.run(until=until, record=MISSION.record)


@pytest.fixture(scope="module")
def log():
    return fly()


def test_the_gimbal_ends_within_what_steps_and_tables_explain(log):
    bound = pointing_bound(CrankGimbal(), step_angle=0.008 * DEG)
    assert pointing_error(log)[-1] <= bound.inside < 0.01 * DEG


def test_it_goes_from_stowed_to_the_paper_s_angles(log):
    """Tables 1 and 2: from (18.5, 0) deg with both motors at zero to (-5, -10) deg; the axis has four digits."""
    motion = log["gimbal1.motion"]
    # the first sample after the start is a fifth of a second of motion away
    assert (motion.tip[1] / DEG, motion.tilt[1] / DEG) == pytest.approx((18.5, 0.0), abs=0.1)
    assert (motion.tip[-1] / DEG, motion.tilt[-1] / DEG) == pytest.approx((-5.0, -10.0), abs=0.01)


def test_motors_step_at_one_degree_per_second_to_their_references(log):
    for i, angle in ((1, CrankGimbal().motor_angles(-5 * DEG, -10 * DEG)[0]), (2, None)):
        steps = steps_taken(log, i)
        moving = (log.t > 0.0) & (steps < steps[-1])
        assert steps[moving] == pytest.approx(log.t[moving] / 0.008, abs=0.5)
        target = log[f"gimbal1_motors.motor{i}"].angle[-1]
        assert abs(steps[-1] * 0.008 * DEG - target) <= 0.004 * DEG * (1 + 1e-9)
        if angle is not None:
            assert target / DEG == pytest.approx(angle / DEG, abs=0.02)


def test_the_path_stays_inside_the_diamond(log):
    motion = log["gimbal1.motion"]
    gimbal = CrankGimbal()
    edge = np.abs(motion.tip) / gimbal.tip_max + np.abs(motion.tilt) / gimbal.tilt_max
    assert np.max(edge[1:]) <= 1.0 + 1e-12


def test_nothing_acts_from_outside(log):
    assert np.max(np.abs(log["hub.momentum"].momentum_C_N[1:])) < 1e-11


@pytest.mark.parametrize("service", ["mujoco", "back-substitution"])
def test_every_service_turns_the_hub_alike(log, service):
    other = fly(service, until=20.0)["hub.motion"].sigma_BN[-1]
    ours = log["hub.motion"].sigma_BN[np.argmin(np.abs(log.t - 20.0))]
    assert other == pytest.approx(ours, abs=1e-12)


def test_an_axis_outside_the_diamond_ends_on_its_edge():
    log = fly(until=170.0, axis=(0.0, 0.6, 0.8))
    angles, motion = log["gimbal1_pointing.angles"], log["gimbal1.motion"]
    assert angles.is_limited[-1]
    bound = pointing_bound(CrankGimbal(), step_angle=0.008 * DEG).at_edge
    assert np.hypot(motion.tip[-1] - angles.tip[-1], motion.tilt[-1] - angles.tilt[-1]) <= bound


def test_other_tables_can_be_put_in(tmp_path):
    save_gimbal_tables(make_gimbal_tables(CrankGimbal(crank_arc=20 * DEG)), tmp_path)
    usual, other = (fly(until=1.0, **options) for options in ({}, {"tables": str(tmp_path)}))
    assert abs(usual["gimbal1_motors.motor1"].angle[-1] - other["gimbal1_motors.motor1"].angle[-1]) > 0.1 * DEG
