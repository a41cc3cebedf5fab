import numpy as np
import pytest

import cardan as cd
from cardan.messages import ThrusterSwitch
from cardan.models import PropellantTank, PropellantTankState

PART = PropellantTank(full_mass=100.0, radius=0.5, flow_rate=0.01)


def test_each_thruster_that_fires_draws_its_flow():
    on, off = ThrusterSwitch(True), ThrusterSwitch(False)
    x = PropellantTankState(100.0)
    assert [float(PART.derivatives(x, a, b).mass) for a, b in [(off, off), (on, off), (on, on)]] == [0.0, -0.01, -0.02]


def test_what_is_left_is_a_sphere():
    properties = PART.properties(PropellantTankState(80.0))
    assert properties.mass == 80.0 and not properties.r_CB_B.any()
    assert properties.inertia_C_B == pytest.approx(0.4 * 80.0 * 0.25 * np.eye(3))


def test_a_body_and_its_tank_are_one_body():
    """Against many small masses: a cube of eight for the dry body, and a shell of six that has the tank's inertia."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = signs * [0.5, 0.7, 0.9] + np.array([0.1, 0.2, 0.0])
    dry = 10.0 * np.ones(8)
    centre = dry @ corners / dry.sum()
    arms = corners - centre
    inertia = sum(m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(dry, arms, strict=True))
    tank = PropellantTank(100.0, 0.5, 0.01, [0.0, 0.3, 1.0], dry_mass=80.0, r_DB_B=centre, inertia_D_B=inertia)
    found = tank.properties(PropellantTankState(60.0))

    reach = 0.5 * np.sqrt(0.6)  # six masses at this distance have 2/5 m r^2 about every axis
    shell = np.vstack([reach * np.eye(3), -reach * np.eye(3)]) + np.array([0.0, 0.3, 1.0])
    points, masses = np.vstack([corners, shell]), np.concatenate([dry, np.full(6, 10.0)])
    together = masses @ points / masses.sum()
    arms = points - together
    whole = sum(m * (a @ a * np.eye(3) - np.outer(a, a)) for m, a in zip(masses, arms, strict=True))
    assert found.mass == pytest.approx(140.0) and found.r_CB_B == pytest.approx(together)
    assert found.inertia_C_B == pytest.approx(whole)


@pytest.mark.parametrize("service", [cd.RecursiveTree(), cd.Mujoco(), cd.BackSubstitution()], ids=str)
def test_it_starts_full_and_empties_a_vehicle(service):
    m = cd.Mechanism("ship")
    hub = m.add_body("hub", joint=cd.Free(), mass=300.0, inertia_B=60.0 * np.eye(3))
    scn = cd.Scenario(mechanism=m)
    body = PART._replace(r_TB_B=np.array([0.0, 0.0, 1.0]), dry_mass=200.0, inertia_D_B=50.0 * np.eye(3))
    part = scn.add(body, name="xenon", first=ThrusterSwitch(True))
    scn.connect(part.properties, hub.mass_properties)
    sim = cd.Simulation(scn, dynamics=service, integrator=cd.Rk4(step=1.0))
    log = sim.run(until=1000.0, record=cd.Record(every=1000.0, ports=["hub.momentum"]))
    assert log["hub.momentum"].mass == pytest.approx([300.0, 290.0])
    assert log["hub.momentum"].r_CN_N[:, 2] == pytest.approx([100.0 / 300.0, 90.0 / 290.0])
