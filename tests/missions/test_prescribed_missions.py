"""`solar-array-deployment` and `prescribed-verification`: all services, conservation, and a solution without them."""

from itertools import pairwise

import numpy as np
import pytest

import cardan as cd
from cardan.errors import SettingError
from cardan.maths import dcm_from_mrp
from cardan.missions import MISSIONS, find_mission
from cardan.missions import solar_array_deployment as deployment
from cardan.missions.prescribed_verification import conserved

SERVICES = [cd.BackSubstitution(), cd.RecursiveTree(), cd.Mujoco()]


def run(name: str, dynamics: object, until: float | None = None, **options: object) -> cd.Log:
    mission = find_mission(name)
    sim = cd.Simulation(mission.scenario(), dynamics=dynamics, integrator=mission.integrator_for(), **options)
    return sim.run(until=until or mission.until, record=mission.record)


@pytest.mark.parametrize("name", ["solar-array-deployment", "prescribed-verification"])
def test_all_services_agree_on_what_the_hub_does(name):
    """Position, velocity, attitude and rate to 1e-9 of their largest, as asked; rounding leaves about 1e-11."""
    logs = [run(name, dynamics)["hub.motion"] for dynamics in SERVICES]
    for other in logs[1:]:
        for field in ("r_BN_N", "v_BN_N", "sigma_BN", "omega_BN_B"):
            ours, theirs = getattr(logs[0], field), getattr(other, field)
            assert np.abs(ours - theirs).max() < 1e-9 * np.abs(ours).max(), field


@pytest.mark.parametrize("dynamics", SERVICES, ids=lambda d: d.name)
def test_the_verification_conserves_what_the_paper_says(dynamics):
    log = run("prescribed-verification", dynamics)
    for name, (values, scale, _) in conserved(log).items():
        if name == "rotational energy":
            assert np.abs(values).max() == scale > 1e-4  # the motors do work
            assert abs(values[-1]) < 1e-10 * scale
        else:
            assert np.abs(values).max() < 1e-12 * scale, name


@pytest.mark.parametrize(
    "integrator",
    [
        cd.Dop853(rtol=1e-13, atol=1e-17),
        cd.Dop853(rtol=1e-13, atol=1e-17, max_step=0.7),
        cd.Dop853(rtol=1e-13, atol=1e-17, max_step=20.0),
        cd.DormandPrince54(rtol=1e-13, atol=1e-16),
        cd.Rk4(step=0.05),
    ],
    ids=lambda integrator: f"{type(integrator).__name__}-{getattr(integrator, 'max_step', 'fixed')}",
)
def test_a_deployment_from_rest_keeps_momentum_and_centre_of_mass_at_zero(integrator):
    """Angular momentum below 1e-9 N m s, the centre of mass within 1e-9 m, over all four stages."""
    sim = cd.Simulation(deployment.build(), dynamics=cd.BackSubstitution(), integrator=integrator)
    log = sim.run(until=deployment.UNTIL, record=cd.Record(every=10.0, ports=["hub.momentum", "hub.motion"]))
    momentum, moved = deployment.drift(log)
    assert momentum < 1e-9 and moved < 1e-9
    assert np.rad2deg(4.0 * np.arctan(np.abs(log["hub.motion"].sigma_BN).max())) > 30.0


def test_the_hub_turns_as_the_conservation_of_momentum_alone_says():
    """In the plane, with no momentum, the hub's rate follows from the elements' motion: no dynamics is needed."""
    arrays = deployment.plan()
    mechanism = deployment.mechanism()
    half = np.pi / deployment.ELEMENTS
    profiles = [profile for stage in arrays for profile in (stage.initial, stage.main[1])]
    knots = sorted({round(t, 6) for p in profiles for t in p.start_time + np.append(0.0, np.cumsum(p.duration))})
    mass, _, inertia = mechanism.tree.body_mass["array1_element1"]

    def elements(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Positions and velocities (x, z) of the centres of mass in the hub, and rates about y."""
        r, v, rates = [], [], []
        for side, stage in zip((1.0, -1.0), arrays, strict=True):
            out = stage.initial.at(t)
            for profile in stage.main:
                around = profile.at(t)
                centre = np.array([side * deployment.RADIUS, 0.0])
                own = np.array([-side * deployment.RADIUS * np.sin(half), deployment.RADIUS * np.cos(half) / 3.0])
                arm = turn(around.value) @ (turn(out.value) @ own - centre)
                swing = out.rate * turn(around.value) @ turn(out.value) @ QUARTER @ own + around.rate * QUARTER @ arm
                r.append(arm + centre + np.array([side * deployment.MOUNT, 0.0]))
                v.append(swing)
                rates.append(out.rate + around.rate)
        return np.array(r), np.array(v), np.array(rates)

    def hub_rate(t: float) -> float:
        r, v, rates = elements(t)
        total = deployment.HUB_MASS + mass * len(r)
        centre, drift = mass * r.sum(axis=0) / total, mass * v.sum(axis=0) / total
        r, v = np.vstack([r, np.zeros(2)]) - centre, np.vstack([v, np.zeros(2)]) - drift
        masses = np.append(np.full(len(rates), mass), deployment.HUB_MASS)
        # about y, the product of (x, z) with (vx, vz) is z vx - x vz
        carried = np.sum(masses * (r[:, 1] * v[:, 0] - r[:, 0] * v[:, 1])) + inertia[1, 1] * rates.sum()
        whole = np.sum(masses * np.sum(r**2, axis=1)) + inertia[1, 1] * len(rates) + deployment.HUB_INERTIA_B[1, 1]
        return -float(carried / whole)

    nodes, weights = np.polynomial.legendre.leggauss(30)
    angle = 0.0
    for low, high in pairwise(knots):
        middle, reach = 0.5 * (high + low), 0.5 * (high - low)
        angle += reach * sum(w * hub_rate(middle + reach * n) for n, w in zip(nodes, weights, strict=True))
    log = run("solar-array-deployment", cd.BackSubstitution())
    assert 4.0 * np.arctan(log["hub.motion"].sigma_BN[-1, 1]) == pytest.approx(angle, abs=1e-9)


QUARTER = np.array([[0.0, 1.0], [-1.0, 0.0]])  # a quarter turn about y takes z to x


def turn(angle: float) -> np.ndarray:
    """A turn about y of (x, z)."""
    return np.cos(angle) * np.eye(2) + np.sin(angle) * QUARTER


def test_deployed_elements_form_two_circles():
    sim = cd.Simulation(deployment.build(), dynamics=cd.BackSubstitution(), integrator=cd.Dop853())
    sim.run(until=deployment.UNTIL, record=cd.Record(every=deployment.UNTIL, ports=["hub.motion"]))
    hub = sim["hub.motion"]
    for array, centre in ((0, [6.0, 0.0, 0.0]), (1, [-6.0, 0.0, 0.0])):
        arms = []
        for j in range(deployment.ELEMENTS):
            r_CN_N = sim[f"{deployment.element_name(array, j)}.com.motion"].r_BN_N
            arms.append(dcm_from_mrp(hub.sigma_BN) @ (r_CN_N - hub.r_BN_N) - centre)
        assert np.linalg.norm(arms, axis=1) == pytest.approx(8.0 / 3.0 * np.sin(np.deg2rad(72.0)), rel=1e-12)
        assert np.sum(arms, axis=0) == pytest.approx(np.zeros(3), abs=1e-11)


def test_the_number_of_elements_is_an_option_and_adds_no_state():
    scn = find_mission("solar-array-deployment").scenario({"array.elements": 40})
    sim = cd.Simulation(scn, dynamics=cd.BackSubstitution(), integrator=cd.Dop853(rtol=1e-13, atol=1e-17))
    assert len(scn.mechanism.bodies) == 81 and len(sim.states) == 4  # position, attitude and velocities of the hub
    log = sim.run(until=400.0, record=cd.Record(every=50.0, ports=["hub.momentum", "hub.motion"]))
    assert max(deployment.drift(log)) < 1e-9
    assert np.abs(log["hub.motion"].sigma_BN[-1]).max() > 0.01


def test_a_circle_needs_three_elements():
    with pytest.raises(SettingError) as error:
        find_mission("solar-array-deployment").scenario({"array.elements": 2})
    assert str(error.value) == "`array.elements` is 2.\n  A circle needs at least 3 elements."


@pytest.mark.parametrize("name", ["solar-array-deployment", "prescribed-verification"])
def test_an_audit_counts_the_work_of_the_motors(name):
    mission = MISSIONS[name]
    sim = cd.Simulation(mission.scenario(), dynamics=cd.BackSubstitution(), integrator=mission.integrator_for())
    sim.run(until=min(mission.until, 330.0), record=mission.record)
    audit = sim.audit()
    assert audit.is_explained, str(audit)


def test_reaction_wheels_run_on_back_substitution_too():
    """To 1e-9 of the largest, over the first minute; balanced wheels, and one that is not."""
    mission = MISSIONS["reaction-wheels"]
    for options, until in (({}, 60.0), ({"wheel.imbalance": 50.0, "wheel.misalignment": 1.0}, 2.0)):
        motions = []
        for dynamics in (cd.BackSubstitution(), cd.RecursiveTree(), cd.Mujoco()):
            scn, integrator = mission.scenario(options), mission.integrator_for(options)
            sim = cd.Simulation(scn, dynamics=dynamics, integrator=integrator)
            log = sim.run(until=until, record=cd.Record(every=1.0, ports=["bus.motion", "*Spin.state"]))
            motions.append([log["bus.motion"].sigma_BN, log["bus.motion"].omega_BN_B, log["rw1Spin.state"].rate])
        for other in motions[1:]:
            for ours, theirs in zip(motions[0], other, strict=True):
                assert np.abs(ours - theirs).max() < 1e-9 * np.abs(ours).max()


@pytest.mark.parametrize("name", ["solar-array-deployment", "prescribed-verification"])
def test_results_and_figures_are_made_of_the_log(name):
    mission = MISSIONS[name]
    log = run(name, cd.BackSubstitution())
    assert all(np.isfinite(result.value) for result in mission.results(log))
    curve = mission.curve(log)
    assert curve.t.shape == curve.values.shape
    for make in mission.figures.values():
        for panel in make(log):
            for across, up in panel.curves.values():
                assert len(across) == len(up)
