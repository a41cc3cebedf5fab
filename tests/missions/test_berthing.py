"""Capture of a free vehicle by an arm: free before, one vehicle after."""

import numpy as np
import pytest

import cardan as cd
from cardan.dynamics import RecursiveTree
from cardan.missions import find_mission


def fly(name: str, until: float) -> tuple[cd.Log, dict[str, float]]:
    mission = find_mission(name)
    sim = cd.Simulation(mission.scenario(), dynamics=RecursiveTree(), integrator=mission.integrator_for())
    log = sim.run(until=until, record=mission.record)
    return log, {result.name: result.value for result in mission.results(log)}


def test_before_capture_the_client_moves_as_if_nothing_held_it():
    """Six joints without drives transmit nothing: its centre of mass keeps its velocity while the arm moves."""
    log, _ = fly("capture-of-a-tumbling-target", 5.0)
    client = log["client.motion"]
    turn = cd.maths.dcm_from_mrp
    centre = np.array([turn(s).T @ [0.0, 0.0, 0.45] for s in client.sigma_BN])
    velocity = client.v_BN_N + np.array(
        [turn(s).T @ np.cross(w, [0.0, 0.0, 0.45]) for s, w in zip(client.sigma_BN, client.omega_BN_B, strict=True)]
    )
    assert np.ptp(velocity, axis=0).max() < 1e-9
    assert np.linalg.norm(np.diff(log["tip.motion"].r_BN_N, axis=0), axis=1).sum() > 0.01
    assert centre.shape == client.r_BN_N.shape


@pytest.mark.parametrize("name", ["berthing", "capture-of-a-tumbling-target"])
def test_after_capture_two_vehicles_are_one(name):
    log, results = fly(name, 30.0)
    assert results["captured after"] < 20.0
    assert results["distance at the end"] < 1.0 and results["relative rate at the end"] < 1e-6
    assert results["change of momentum"] < 1e-10 and results["change of angular momentum"] < 1e-10
    tip, client = log["tip.motion"], log["client.motion"]
    assert client.omega_BN_B[-1] == pytest.approx(tip.omega_BN_B[-1], abs=1e-9)


@pytest.mark.parametrize("dynamics", [RecursiveTree(), cd.Mujoco()])
def test_what_locks_do_is_balanced_and_what_is_lost_is_the_integrators(dynamics):
    """Captured from far off, so that locks pull hard: the loss falls as the step to the fourth power."""
    mission = find_mission("capture-of-a-tumbling-target")

    def lost(integrator):
        scn = mission.scenario()
        scn.set("capture.capture_distance", 1.0)
        scn.set("capture.capture_angle", 1.0)
        log = cd.Simulation(scn, dynamics=dynamics, integrator=integrator).run(until=0.5, record=mission.record)
        results = {result.name: result.value for result in mission.results(log)}
        assert results["captured after"] == 0.0
        return max(results["change of momentum"], results["change of angular momentum"])

    coarse, fine = lost(cd.Rk4(step=0.01)), lost(cd.Rk4(step=0.005))
    assert coarse > 1e-7 and coarse / fine == pytest.approx(16.0, rel=0.25)
    assert lost(mission.integrator_for()) < 1e-10


def test_outside_the_envelope_nothing_locks():
    mission = find_mission("berthing")
    scn = mission.scenario({"drift": [0.05, 0.0, 0.0]})
    scn.set("capture.capture_speed", 1e-6)
    sim = cd.Simulation(scn, dynamics=RecursiveTree(), integrator=mission.integrator_for())
    log = sim.run(until=5.0, record=mission.record)
    assert not log["capture.status"].is_captured.any()
    note = mission.results(log)[0]
    assert note.value is None and note.note == "not by 5 s"
