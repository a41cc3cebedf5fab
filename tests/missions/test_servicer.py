"""The servicer's missions: what each promises, on both dynamics services."""

import numpy as np
import pytest

from cardan.missions import MISSIONS
from cardan.missions.servicer_arm import base_angle
from cardan.simulation.simulation import Simulation

NAMES = ("free-floating-reach", "zero-reaction", "desired-reaction")


def flown(name: str, dynamics: str = "recursive-tree"):
    mission = MISSIONS[name]
    sim = Simulation(mission.scenario(), dynamics=mission.service(dynamics), integrator=mission.integrator_for())
    return mission, sim.run(until=mission.until, record=mission.record, progress=False)


@pytest.fixture(scope="module")
def logs():
    return {name: flown(name) for name in NAMES}


def results(logs, name):
    mission, log = logs[name]
    return {result.name: result.value for result in mission.results(log)}


@pytest.mark.parametrize("name", NAMES)
def test_the_momentum_of_a_floating_base_is_kept(logs, name):
    """To rounding: joint torques are of order 0.03 N m over 20 s."""
    numbers = results(logs, name)
    assert numbers["largest angular momentum"] < 1e-13 and numbers["largest momentum"] < 1e-13


def test_the_tip_stays_on_its_line_while_the_base_reacts(logs):
    numbers = results(logs, "free-floating-reach")
    assert np.isclose(numbers["way of the tip"], 0.45, rtol=1e-6)
    assert numbers["largest distance of the tip from its reference"] < 1.0  # [um]
    assert numbers["turn of the base at the end"] > 20.0


def test_the_base_does_not_turn_over_the_whole_motion(logs):
    numbers = results(logs, "zero-reaction")
    assert numbers["largest turn of the base"] < 1e-8
    assert np.isclose(numbers["way of the tip"], np.sqrt(0.17), rtol=1e-6)
    assert numbers["largest turn of a joint"] > 60.0


def test_the_reaction_turns_the_base_by_ten_degrees_about_one_axis(logs):
    numbers = results(logs, "desired-reaction")
    assert np.isclose(numbers["turn of the base at the end"], 10.0, rtol=0.0, atol=1e-6)
    sigma = logs["desired-reaction"][1]["bus.motion"].sigma_BN
    assert np.abs(sigma[:, [0, 2]]).max() < 1e-8


def test_an_arm_that_ignores_its_base_would_turn_it():
    """The same line with nothing asked of the base: what the zero-reaction manoeuvre is worth."""
    mission = MISSIONS["free-floating-reach"]
    sim = Simulation(
        mission.scenario({"way": (-0.2, 0.3, 0.2)}), dynamics=mission.service(), integrator=mission.integrator_for()
    )
    log = sim.run(until=mission.until, record=mission.record, progress=False)
    assert np.rad2deg(base_angle(log)).max() > 5.0


@pytest.mark.parametrize("name", NAMES)
def test_both_services_fly_the_same_mission(logs, name):
    """Bases agree to rounding that the feedback of 2,500 ticks and more has passed on."""
    _, other = flown(name, "mujoco")
    ours = logs[name][1]
    assert np.abs(ours["bus.motion"].sigma_BN - other["bus.motion"].sigma_BN).max() < 1e-12
    assert np.abs(ours["tip.motion"].r_BN_N - other["tip.motion"].r_BN_N).max() < 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_figures_and_the_curve_have_the_length_of_the_log(logs, name):
    mission, log = logs[name]
    assert len(mission.curve(log).values) == len(log.t)
    for make in mission.figures.values():
        for panel in make(log):
            assert all(len(across) == len(up) == len(log.t) for across, up in panel.curves.values())
