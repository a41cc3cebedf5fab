"""A spacecraft that is turned by its gimbal: nothing acts from outside, so momentum stays."""

import numpy as np
import pytest

import cardan as cd
from cardan import drivers, models
from gimbal_chain import DEG, STEP, Script, add_gimbal, tables

TABLES = tables()
HUB_INERTIA, PLATFORM_INERTIA = np.diag([200.0, 180.0, 150.0]), np.diag([2.0, 2.5, 3.0])


def spacecraft(r_MB_B=(0.0, 0.4, -1.0), q_MB=(1.0, 0.0, 0.0, 0.0), r_CB_B=(0.0, 0.0, 0.0)):
    m = cd.Mechanism("explorer")
    hub = m.add_body("hub", joint=cd.Free(), mass=300.0, inertia_B=HUB_INERTIA)
    m.add_body(
        "platform",
        parent=hub,
        joints={"ball": cd.Ball()},
        mass=20.0,
        inertia_B=PLATFORM_INERTIA,
        r_BP_P=r_MB_B,
        q_BP=q_MB,
        r_CB_B=r_CB_B,
    )
    return m


def by_steps(m, first, second, until, dynamics, integrator, place=10000, every=None):
    """The spacecraft while its motors take so many steps."""
    scn = cd.Scenario(mechanism=m)
    drives = []
    for i, steps in enumerate((first, second)):
        commands = scn.add(Script([0.0], [float(steps)], [0.0]), name=f"script{i}", every=1.0)
        start = drivers.StepperDriverMemory(place=place)
        drives.append(
            scn.add(drivers.StepperDriver(**STEP), name=f"drive{i}", every=1.0, command=commands.steps, initial=start)
        )
    driver = drivers.GimbalDriver(*TABLES.to_gimbal, motor_step=STEP["step_angle"], step_time=STEP["step_time"])
    path = scn.add(driver, name="path", every=1.0, first=drives[0].motor, second=drives[1].motor)
    gimbal = scn.add(models.TwoAxisGimbal(), name="gimbal", arc=path.arc)
    scn.connect(gimbal.turn, m.joints["ball"].prescribed)
    sim = cd.Simulation(scn, dynamics=dynamics, integrator=integrator)
    every = every or STEP["step_time"] / 4
    ports = ["hub.motion", "hub.momentum", "gimbal.motion"]
    return sim.run(until=until, record=cd.Record(every=every, ports=ports))


def test_a_tip_about_one_axis_turns_the_hub_back_by_its_share_of_inertia():
    """Both motors step alike, so the platform turns about its first axis; its centre is that of the hub."""
    log = by_steps(spacecraft(r_MB_B=(0, 0, 0)), 40, 40, 0.4, cd.RecursiveTree(), cd.Rk4(step=0.002))
    tipped = log["gimbal.motion"].tip[1:] - log["gimbal.motion"].tip[1]
    share = PLATFORM_INERTIA[0, 0] / (PLATFORM_INERTIA[0, 0] + HUB_INERTIA[0, 0])
    turned = 4.0 * np.arctan(log["hub.motion"].sigma_BN[1:, 0])
    assert np.ptp(tipped) > 0.05 * DEG
    # also within the steps: every jump of the acceleration falls between two steps of the integrator
    assert turned - turned[0] == pytest.approx(-share * tipped, abs=1e-13)


@pytest.mark.parametrize("dynamics", [cd.RecursiveTree(), cd.Mujoco(), cd.BackSubstitution()], ids=str)
def test_momentum_stays_zero_while_the_platform_steps(dynamics):
    m = spacecraft(q_MB=(0.9, 0.1, -0.3, 0.3), r_CB_B=(0.05, -0.02, 0.3))
    log = by_steps(m, 60, -25, 0.6, dynamics, cd.DormandPrince54(rtol=1e-11, atol=1e-13))
    momentum = log["hub.momentum"]
    swing = np.max(np.abs(log["gimbal.motion"].omega_GM_G)) * 2.0
    assert np.max(np.abs(momentum.momentum_C_N[1:])) < 1e-10 * swing
    assert np.max(np.abs(momentum.v_CN_N[1:])) < 1e-13
    assert np.ptp(log["hub.motion"].sigma_BN[1:], axis=0).max() > 1e-6


def test_services_agree_on_the_hub_s_motion():
    m = spacecraft(q_MB=(0.9, 0.1, -0.3, 0.3), r_CB_B=(0.05, -0.02, 0.3))
    services = (cd.RecursiveTree(), cd.Mujoco(), cd.BackSubstitution())
    first, *others = (by_steps(m, 60, -25, 0.6, service, cd.Rk4(step=0.001))["hub.motion"] for service in services)
    for other in others:
        assert first.sigma_BN == pytest.approx(other.sigma_BN, abs=1e-13)
        assert first.omega_BN_B == pytest.approx(other.omega_BN_B, abs=1e-12)


def test_the_integrator_keeps_its_order_across_the_edges_of_steps():
    """Halving a step of order two leaves a quarter of the error: no edge lies inside a step."""
    m = spacecraft(q_MB=(0.9, 0.1, -0.3, 0.3), r_CB_B=(0.05, -0.02, 0.3))

    def end(step):
        log = by_steps(m, 60, -25, 0.48, cd.RecursiveTree(), cd.Heun(step=step), every=0.48)
        return log["hub.motion"].sigma_BN[-1]

    fine = end(0.00025)
    errors = [np.linalg.norm(end(step) - fine) for step in (0.004, 0.002)]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_a_gimbal_that_rests_costs_no_steps():
    scn = cd.Scenario(mechanism=spacecraft())
    script = scn.add(Script([0.0], [0.0], [0.0]), name="script", every=3600.0)
    gimbal = add_gimbal(scn, script.angles, 3600.0, TABLES)
    scn.connect(gimbal.turn, scn.mechanism.joints["ball"].prescribed)
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.DormandPrince54())
    sim.run(until=3600.0, record=cd.Record(every=None))
    moving = sim.steps["accepted"]
    sim.run(until=10 * 3600.0, record=cd.Record(every=None))
    # from stowed to home: about ten thousand steps of two halves each; then nothing
    assert moving > 19000 and sim.steps["accepted"] - moving < 100
