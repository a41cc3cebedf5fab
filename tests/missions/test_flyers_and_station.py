"""The free flyers and the station: numbers of their sources, and what they can do."""

import mujoco
import numpy as np
import pytest

import cardan as cd
from cardan.fsw.allocation.wrench_axes import missing_axes
from cardan.missions.vehicles import FLYERS, add_flyer, gateway, port, ports


def flyer(kind: str):
    return add_flyer(cd.Mechanism("alone"), kind, name="f")


@pytest.mark.parametrize(
    ("kind", "mass", "moments", "total"),
    [
        ("astrobee", 9.583788668, [0.153427995, 0.14271405, 0.162302759], 4.8),
        ("sprint", 35 * 0.45359237, [0.1357847991911488] * 3, 12 * 0.085 * 4.4482216152605),
        ("cubesat", 3.0, [0.025, 0.025, 0.005], 4.8),
    ],
)
def test_masses_inertias_and_thrust_are_those_of_the_sources(kind, mass, moments, total):
    made = flyer(kind)
    assert made.mass == pytest.approx(mass, rel=1e-9)
    assert made.inertia_C_B == pytest.approx(np.diag(moments), rel=1e-9, abs=1e-15)
    assert len(made.thrusters.names) == 12
    assert made.thrusters.max_thrust.sum() == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("kind", FLYERS)
def test_every_flyer_can_push_and_turn_either_way_about_every_axis(kind):
    assert missing_axes(flyer(kind).mixer, np.ones(6)) == []


@pytest.mark.parametrize("kind", FLYERS)
def test_all_thrusters_together_cancel(kind):
    made = flyer(kind)
    assert made.mixer @ np.ones(12) == pytest.approx(np.zeros(6), abs=1e-15)


def test_one_mechanism_may_hold_several_flyers():
    m = gateway()
    first = add_flyer(m, "astrobee", name="bee", r_BN_N=(3.6, 16.0, 0.0))
    second = add_flyer(m, "sprint", name="eye", r_BN_N=(3.6, 18.0, 0.0))
    assert (first.body, second.body) == ("bee/astrobee", "eye/sprint")
    assert second.thrusters.names[0] == "eye/T0"
    assert len(m.tree.roots) == 2


def test_ports_have_a_place_and_point_outwards():
    assert len(ports()) == 8
    airlock = port("dock_crew_airlock_a")
    assert airlock.r_PN_N == pytest.approx([-3.11, -6.97, -0.02])
    assert airlock.axis_N == pytest.approx([0.0, -1.0, 0.0])


def test_astrobee_touches_the_airlock_where_its_source_says():
    m = gateway()
    made = add_flyer(m, "astrobee", name="bee")
    model, data = m.model, mujoco.MjData(m.model)
    airlock = port("dock_crew_airlock_a")
    for outwards, touches in ((0.1624, True), (0.1625, False)):  # 0.1624087775917904 m
        data.qpos[:3] = airlock.r_PN_N + outwards * airlock.axis_N
        mujoco.mj_forward(model, data)
        assert (data.ncon > 0) == touches
    assert made.body in m.bodies


def test_a_flyer_between_two_modules_is_inside_the_station():
    m = gateway()
    add_flyer(m, "astrobee", name="bee")
    data = mujoco.MjData(m.model)
    data.qpos[:3] = port("dock_orion_interface_a").r_PN_N + 2.0 * port("dock_orion_interface_a").axis_N
    mujoco.mj_forward(m.model, data)
    assert data.ncon > 0 and data.contact.dist.min() < -1.0


def test_an_unknown_flyer_or_port_is_named():
    with pytest.raises(cd.CardanError) as caught:
        add_flyer(cd.Mechanism("m"), "astrobe", name="bee")
    assert "There is no free flyer `astrobe`. Did you mean `astrobee`?" in str(caught.value)
    with pytest.raises(cd.CardanError) as caught:
        port("dock_crew_airlock")
    assert "The gateway has no port `dock_crew_airlock`. Did you mean `dock_crew_airlock_a`?" in str(caught.value)
