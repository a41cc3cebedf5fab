"""A free flyer with an arm takes hold of a handrail."""

from functools import cache

import numpy as np
import pytest

import cardan as cd
from cardan.missions import MISSIONS
from cardan.missions.mpc_capture import MAX_SPEED, RANGES, captured, hull_clearances

MISSION = MISSIONS["mpc-capture"]


@cache
def flown():
    sim = cd.Simulation(MISSION.scenario(), dynamics=MISSION.service(), integrator=MISSION.integrator_for())
    log = sim.run(until=MISSION.until, record=MISSION.record, progress=False)
    return log, {result.name: result.value for result in MISSION.results(log)}


def test_the_gripper_closes_in_its_envelope_and_the_craft_comes_to_rest():
    log, found = flown()
    assert found["the gripper closes at"] < 20.0
    assert found["distance then"] <= 20.0 and found["angle then"] <= np.rad2deg(0.1) and found["speed then"] <= 50.0
    assert found["speed of the gripper at the end"] < 1.0
    when = captured(log)
    assert not log["seq.status"].is_captured[:when].any() and log["seq.status"].is_captured[when:].all()
    assert not log["ctl.command"].thrust[when + 1 :].any()


def test_hull_and_joints_keep_their_limits():
    log, _ = flown()
    antenna, wall = (values[: captured(log) + 1] for values in hull_clearances(log))
    # soft, and asked for at steps of 0.5 s
    assert antenna.min() > -0.01 and wall.min() > -0.01
    assert np.linalg.norm(log["flyer/astrobee.motion"].v_BN_N, axis=1).max() < MAX_SPEED + 0.02
    for (low, high), joint in zip(RANGES, ("pan", "shoulder", "elbow"), strict=True):
        assert low - 0.02 < log[f"{joint}.state"].angle.min() and log[f"{joint}.state"].angle.max() < high + 0.02


def test_every_program_is_solved_and_bounds_are_never_exceeded():
    log, found = flown()
    assert found["ticks without a converged program"] == 0.0 and not log["ctl.status"].is_fallback.any()
    assert found["largest joint torque"] <= 0.5 and found["largest thrust, of its limit"] <= 100.0


def test_a_run_that_ends_before_says_so():
    sim = cd.Simulation(MISSION.scenario(), dynamics=MISSION.service(), integrator=MISSION.integrator_for())
    log = sim.run(until=1.0, record=MISSION.record, progress=False)
    result = MISSION.results(log)[0]
    assert result.value is None and str(result) == "the gripper closes at: not within its envelope"


def test_an_option_that_is_no_number_is_refused():
    with pytest.raises(cd.errors.SettingError, match=r"`envelope.distance` is a number"):
        MISSION.scenario({"envelope.distance": "near"})
