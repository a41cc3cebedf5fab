"""What is drawn beside the bodies: contact forces, trails, horizons."""

import contextlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import cardan as cd
from cardan.messages import FrameMotion
from cardan.missions import MISSIONS
from cardan.viewer import Live, Volume
from cardan.viewer.frame import Recording, View, frame_at
from cardan.viewer.html import _Hidden
from cardan.viewer.overlays.contacts import ContactForces, contact_arrows
from cardan.viewer.overlays.keep_out import volumes_of
from cardan.viewer.overlays.paths import Horizons, Trails
from cardan.viewer.present import Present
from cardan.viewer.trace import POINTS, Trace

MJCF = """
<mujoco model="two"><option gravity="0 0 0"/><worldbody>
  <body name="probe"><freejoint name="a"/><geom type="box" size="0.2 0.2 0.2" mass="10"/></body>
  <body name="target"><freejoint name="b"/><geom type="box" size="0.2 0.4 0.4" mass="10"/></body>
</worldbody></mujoco>
"""
EVERY = 0.05


@pytest.fixture(scope="module")
def touching() -> cd.Simulation:
    """A probe that meets a target at 0.1 m/s; both fly at 7.5 km/s, 7000 km from the origin."""
    r_N, v_N = np.array([7.0e6, 1.0e5, -2.0e5]), np.array([0.0, 7500.0, 0.0])
    m = cd.Mechanism.from_mjcf(MJCF)
    m.add_compliant_contact("probe", "target", stiffness=500.0, damping=10.0)
    m.add_contact_pair("touch", "probe", "target")
    scn = cd.Scenario("touch", mechanism=m)
    scn.start(
        {
            "probe": FrameMotion(r_BN_N=r_N - np.array([0.405, 0.0, 0.0]), v_BN_N=v_N + np.array([0.1, 0.0, 0.0])),
            "target": FrameMotion(r_BN_N=r_N, v_BN_N=v_N),
        }
    )
    return cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.005))


def test_a_contact_force_is_drawn_where_bodies_touch_also_between_samples(touching: cd.Simulation) -> None:
    touching.reset()
    log = touching.run(until=0.5, record=cd.Record(every=EVERY, ports=["*.motion", "touch.contact"]))
    source = Recording(log)
    assert ContactForces.is_offered(source)
    largest = np.abs(log["touch.contact"].force_N[:, 0]).max()
    for t in (0.15, 0.15 + 0.9 * EVERY):  # held; the vehicles have moved by 300 m at the second
        ((place, arrow),) = contact_arrows(frame_at(source, t, View(1)), size=2.0)
        # on the probe's face, which is 0.2 m off its centre and dented by a few millimetres
        assert np.allclose(place, [0.2, 0.0, 0.0], rtol=0.0, atol=5e-3)
        assert arrow[0] == pytest.approx(2.0 * log["touch.contact"].force_N[3, 0] / largest) and arrow[0] < 0.0
    assert contact_arrows(frame_at(source, 0.4, View(1)), 2.0) == []  # apart again


def test_a_contact_force_is_drawn_in_a_live_run(touching: cd.Simulation) -> None:
    touching.reset()
    touching.run(until=0.1)
    source = Present(touching)
    ((place, arrow),) = contact_arrows(frame_at(source, 0.1, View(2)), size=2.0)
    assert np.allclose(place, [-0.2, 0.0, 0.0], rtol=0.0, atol=5e-3) and arrow[0] == pytest.approx(-2.0)


def test_an_exported_file_has_contact_forces(touching: cd.Simulation, monkeypatch: pytest.MonkeyPatch) -> None:
    touching.reset()
    log = touching.run(until=0.5, record=cd.Record(every=EVERY, ports=["*.motion", "touch.contact"]))
    drawn: list[int] = []
    monkeypatch.setattr(ContactForces, "_draw", lambda _, arrows: drawn.append(len(arrows)))
    with contextlib.closing(_Hidden(Recording(log), None, None, None, ())) as page:
        page.film(0.0, 0.5, 0.2)
    assert sum(drawn) > 1 and drawn[-1] == 0  # while they touch, and no longer


def test_without_contact_pairs_there_is_no_switch(log: cd.Log) -> None:
    assert not ContactForces.is_offered(Recording(log))


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    mission = MISSIONS["thruster-arms"]
    sim = cd.Simulation(mission.build(), dynamics=mission.service(), integrator=mission.integrator_for())
    with Live(sim, pace=None, port=0) as made:
        yield made


def test_a_live_page_has_trails_from_before_it_was_opened(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardan.viewer.present._TRACE_PERIOD", 0.0)
    log = live.run(until=1.0)
    live._look_back()  # as when somebody opens a page
    live._draw()
    (trails,) = [overlay for overlay in live.scenery.overlays if isinstance(overlay, Trails)]
    segments = np.asarray(trails._nodes[0].points)  # type: ignore[index]
    recorded = Recording(log)
    t = recorded.trace.t
    assert t[0] == 0.0 and t[-1] == 1.0
    assert len(segments) == (len(t) - 1) * trails._points.shape[1]
    # it ends at the sites as they are now
    sites = frame_at(recorded, 1.0, live.scenery.view).sites.r
    assert np.allclose(segments[len(t) - 2 :: len(t) - 1, 1], sites, rtol=0.0, atol=1e-5)
    live.run(until=1.5)
    assert live._source.trace.t[-1] == 1.5
    live.reset()
    live._answer()
    assert live._source.trace.t.tolist() == [0.0]  # a new run, a new trail


def test_a_trace_keeps_a_number_of_points_that_is_bounded() -> None:
    trace = Trace(np.zeros(0), np.zeros((0, 2)))
    for t in range(5 * POINTS):
        trace.add(float(t), np.array([t, -t]))
    assert POINTS <= len(trace.t) <= 2 * POINTS and trace.t[0] == 0.0 and trace.t[-1] > 5 * POINTS - 10
    assert np.array_equal(trace.coordinates[:, 0], trace.t)


def test_the_balls_that_a_controller_keeps_out_of_are_marked() -> None:
    parameters = {"keep_out_N": {"value": [[1.0, 2.0, 3.0]], "unit": "m"}, "keep_out_radius": {"value": [0.5]}}
    source: Any = SimpleNamespace(about={"parts": {"ctl": {"parameters": parameters}, "nav": {"parameters": {}}}})
    assert volumes_of(source) == [Volume(0.5, (1.0, 2.0, 3.0))]


def test_a_live_run_shows_what_its_controller_predicts() -> None:
    mission: Any = MISSIONS["free-flyer-setpoint"]
    scenario = mission.scenario({"controller": "mpc"})
    sim = cd.Simulation(scenario, dynamics=mission.service(), integrator=mission.integrator_for())
    source = Present(sim)
    assert Horizons.is_offered(source)
    (path,) = source.positions(dimensions=2)
    assert source.value(path, 0.0).shape[1] == 3  # type: ignore[union-attr]
