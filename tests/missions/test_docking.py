"""The docking of SmallSatSim: its paper's trial, its contact settings, and what it is judged by."""

import numpy as np
import pytest

import cardan as cd
from cardan.errors import SettingError
from cardan.missions import find_mission

MISSION = find_mission("docking")


def fly(until: float = 30.0, service: str = "recursive-tree", **options: object) -> tuple[cd.Log, dict[str, float]]:
    sim = cd.Simulation(
        MISSION.scenario(options), dynamics=MISSION.service(service), integrator=MISSION.integrator_for(options)
    )
    log = sim.run(until=until, record=MISSION.record)
    return log, {result.name: result.value for result in MISSION.results(log)}


def test_the_papers_trial_touches_when_the_paper_does_and_stays():
    """Paper: first contact 16.9 s, 13.3 mm, 30.1 N s. Ours has another controller and another hull."""
    _, results = fly(service="mujoco")
    assert results["first contact"] == pytest.approx(16.9, abs=0.5)
    assert results["position error"] == pytest.approx(13.3, abs=2.0)
    assert results["attitude error"] < 1.0
    assert results["control effort"] < 32.0
    assert results["settled"] == 1.0


def test_pressed_against_the_face_it_feels_what_its_thrusters_push():
    """At rest the net force of the contact is that of the thrusters."""
    log, results = fly(controller="pd", until=60.0)
    push = log["push.state"].impulse
    spent = np.diff(push[-11:], axis=0).sum(axis=0)
    mixer = np.array([0, 0, 0, 0, -1, 1, -1, 1, 0, 0, 0, 0])  # AY+ AY- FY+ FY- along y
    given = np.diff(log["given.state"].impulse_N[-11:, 1]).sum()
    assert mixer @ spent == pytest.approx(-given, abs=2e-3)
    assert results["settled"] == 1.0


def test_softer_contact_is_deeper_and_gentler():
    hard, soft = (fly(controller="pd", contact=contact, until=60.0)[1] for contact in ("default", "soft"))
    assert soft["peak contact force"] < 0.7 * hard["peak contact force"]
    assert soft["deepest penetration"] > 1.4 * hard["deepest penetration"]


def test_options_that_are_not_there_are_refused():
    with pytest.raises(SettingError, match="`contact` is one of default, soft, damped"):
        MISSION.scenario({"contact": "hard"})
    with pytest.raises(SettingError, match="`approach` is one of step, glide"):
        MISSION.scenario({"approach": "jump"})
    with pytest.raises(SettingError, match=r"the vehicle starts .* m inside"):
        MISSION.scenario({"start.offset": [0.0, 3.0, 0.0]})
