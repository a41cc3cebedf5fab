import numpy as np
import pytest

import cardan as cd
from cardan.dynamics import Calculator
from cardan.maths import rotation_angle
from cardan.messages import HingeLock, HingeState
from cardan.missions import MISSIONS
from cardan.missions.branching_panels import HINGES, INERTIA, PHASE, STOWED, angles, paper_gains
from cardan.missions.vehicles import vehicle

MISSION = MISSIONS["branching-panels"]
USUAL = MISSION.integrator_for()
SMALL = 1.0e-6  # of the largest momentum of the hub


def fly(service="mujoco", paper=False, integrator=USUAL):
    scenario = MISSION.scenario({"gains.paper": paper})
    sim = cd.Simulation(scenario, dynamics=MISSION.service(service), integrator=integrator)
    return sim.run(until=MISSION.until, record=MISSION.record, progress=False)


def momenta(log):
    """Largest linear and angular momentum of the vehicle, each relative to the largest of the hub alone."""
    hub = MISSION.build().mechanism.model.body("hub")
    motion, whole = log["hub.motion"], log["hub.momentum"]
    linear_hub, angular_hub = hub.mass[0] * motion.v_BN_N, hub.inertia * motion.omega_BN_B
    linear = np.max(whole.mass * np.linalg.norm(whole.v_CN_N, axis=1)) / np.max(np.linalg.norm(linear_hub, axis=1))
    angular = np.max(np.linalg.norm(whole.momentum_C_N, axis=1)) / np.max(np.linalg.norm(angular_hub, axis=1))
    return linear, angular


def test_momentum_stays_zero_while_panels_hit_their_stops():
    """With the gains of the paper the loops swing until the panels knock against their stops."""
    log = fly(paper=True)
    linear, angular = momenta(log)
    assert linear < SMALL and angular < SMALL
    # panels 10 and 20 swing by degrees, but not through their stops
    assert np.max(np.abs(angles(log) - np.rad2deg(log["ref.reference"].angle))) > 1.0
    assert np.min(angles(log)) > -1e-3 and np.max(angles(log)) < 180.0 + 1e-3


@pytest.mark.parametrize("service", ["mujoco", "recursive-tree"])
def test_panels_deploy_phase_by_phase_and_momentum_stays_zero(service):
    log = fly(service)
    linear, angular = momenta(log)
    assert linear < SMALL and angular < SMALL
    assert log["seq.progress"].phase[-1] == 3
    assert np.max(np.abs(angles(log)[-1])) < 1e-2
    assert np.max(np.abs(angles(log) - np.rad2deg(log["ref.reference"].angle))) < 0.1
    # a hinge is free in its own phase and held before and after it
    phase, is_engaged = log["seq.progress"].phase, log["seq.locks"].is_engaged
    assert np.array_equal(is_engaged, np.where(phase[:, None] == PHASE[None, :], 0.0, 1.0))


def test_the_attitude_of_the_hub_has_converged_and_both_services_agree():
    """Panel 10 leans on its stop when panel 20 arrives, by 0.005 deg for the service that knows no stops."""
    finer = cd.DormandPrince54(rtol=0.5 * USUAL.rtol, atol=0.5 * USUAL.atol)
    logs = fly(), fly(integrator=finer), fly("recursive-tree")
    sigma, at_half, other = (log["hub.motion"].sigma_BN[-1] for log in logs)
    assert rotation_angle(sigma) > 0.01  # [rad] the hub did turn
    # MRP are a quarter of the angle; 1e-4 rad is what was asked for
    assert 4.0 * np.linalg.norm(at_half - sigma) < 1e-6
    assert 4.0 * np.linalg.norm(other - sigma) < 1e-6


def test_gains_are_made_for_the_largest_inertia_that_each_hinge_moves():
    """With all other hinges held and the hub giving way; as it is released, or with everything deployed."""
    m = cd.Mechanism.from_mjcf(vehicle("branching_panels.xml"))
    links = [m.tree.joints.index(name) for name in HINGES]
    largest = np.zeros(6)
    for pose in (STOWED, np.zeros(6)):
        q = np.array(m.tree.reference)
        q[m.tree.q_at[links]] = pose
        M = Calculator(m).mass_matrix(q)
        felt = M[6:, 6:] - M[6:, :6] @ np.linalg.solve(M[:6, :6], M[:6, 6:])
        largest = np.maximum(largest, np.diag(felt)[m.tree.v_at[links] - 6])
    assert pytest.approx(largest, rel=5e-3) == INERTIA


def test_the_gains_of_the_paper_do_not_suit_the_vehicle():
    """Without stops the swing grows as exp(K_i / (2 K_p) t), and no phase is ever completed."""
    log, pid = fly("recursive-tree", paper=True), paper_gains()
    assert log["seq.progress"].phase[-1] == 0
    error = np.abs(angles(log) - np.rad2deg(log["ref.reference"].angle))[:, 1]
    early, late = (np.max(error[(log.t > t) & (log.t < t + 2000.0)]) for t in (6000.0, 8000.0))
    assert late / early == pytest.approx(np.exp(2000.0 * pid.K_i[1] / (2.0 * pid.K_p[1])), rel=0.1)


def test_a_panel_that_drifts_gently_onto_its_stop_is_turned_back():
    """MuJoCo's own tolerance, a share of the mean inertia, would let it through at this speed."""
    m = cd.Mechanism.from_mjcf(vehicle("branching_panels.xml"))
    start = dict(zip(HINGES, STOWED, strict=True)) | {"panel_10_deploy": 0.0, "panel_20_deploy": 0.0}
    drifting = "panel_2p_deploy"
    start[drifting] = 1e-3
    scn = cd.Scenario("drift", mechanism=m)
    for name in HINGES:
        if name != drifting:
            scn.connect(HingeLock(is_engaged=True, angle=start[name]), m.joints[name].lock)
    scn.start({name: HingeState(angle=angle) for name, angle in start.items()})
    scn.start({drifting: HingeState(angle=1e-3, rate=-1e-4)})
    sim = cd.Simulation(scn, dynamics=cd.Mujoco(), integrator=cd.DormandPrince54(rtol=1e-8, atol=1e-10))
    state = sim.run(until=20.0, record=cd.Record(every=0.01, ports=["*.state"]))[f"{drifting}.state"]
    assert np.min(state.angle) > -2e-6  # [rad] met after 10 s; at 1e-4 rad/s nothing would be 1e-3 rad deep by now
    assert np.min(state.angle) < 0.0
    assert state.rate[-1] > 1e-5
