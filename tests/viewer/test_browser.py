"""Pages in a real browser: Chromium without a screen, WebGL by software. A page takes seconds to load, so few are."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardan as cd
from cardan.missions import MISSIONS
from cardan.simulation import FieldLog, Log
from cardan.viewer import Live, Replay
from cardan.viewer.frame import Recording
from cardan.viewer.page import address, close_server, open_server
from cardan.viewer.scene import node_name
from cardan.viewer.scenery import Scenery
from viewer.browser import Browser, Page, position

MICROMETRE = 1.0e-6
DRAWN = [name for name, mission in MISSIONS.items() if mission.dynamics]


def until(page: Page, is_so: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Wait for something to become so; the page works meanwhile."""
    limit = time.monotonic() + seconds
    while not (found := is_so()):
        if time.monotonic() > limit:
            raise AssertionError("it has not come to this")
        page.run("1")
        time.sleep(0.05)
    return found


def is_at(page: Page, scenery: Scenery, body: str, r: np.ndarray) -> Callable[[], bool]:
    drawing = scenery.source.drawing
    name = node_name(drawing, drawing.body(body))

    def check() -> bool:
        found = position(page, name)
        return found is not None and float(np.abs(np.array(found) - r).max()) < MICROMETRE

    return check


def away(log: cd.Log, body: str, i: int) -> np.ndarray:
    """[m] What was recorded of a body, relative to the hub."""
    return np.asarray(log[f"{body}.motion"].r_BN_N[i] - log["hub.motion"].r_BN_N[i])


@pytest.fixture(scope="module")
def shown(browser: Browser, log: cd.Log) -> Iterator[tuple[Replay, Page]]:
    """A replay, and a page that shows it."""
    with Replay(log, port=0, plots=["hub.motion.omega_BN_B"]) as replay:
        page = browser.page(replay.address)
        until(page, replay.server.get_clients)
        yield replay, page
        page.close()


@pytest.fixture(scope="module")
def stage(browser: Browser) -> Iterator[tuple[Any, Page]]:
    """A server for one scene after the other, and a page that shows them."""
    server = open_server("scenes", port=0)
    page = browser.page(address(server))
    until(page, server.get_clients)
    yield server, page
    page.close()
    close_server(server)


def picture(server: Any) -> np.ndarray:
    """(h, w, 4) What the page shows of the scene, from where a page begins; transparent where there is nothing."""
    client = next(iter(server.get_clients().values()))
    camera = server.initial_camera
    client.camera.position, client.camera.look_at = camera.position, camera.look_at
    client.camera.near, client.camera.far = camera.near, camera.far
    return np.asarray(client.get_render(240, 360, transport_format="png", timeout=60.0))


def test_the_slider_moves_the_bodies_to_where_the_log_has_them(shown: tuple[Replay, Page], log: cd.Log) -> None:
    replay, page = shown
    for i in (3, 17):
        replay.go(float(log.t[i]))
        until(page, is_at(page, replay.scenery, "tool", away(log, "tool", i)))
    # a hand on the slider: to its left end
    page.run("document.querySelector('[role=slider]').focus()")
    page.press("Home")
    until(page, is_at(page, replay.scenery, "tool", away(log, "tool", 0)))
    assert replay.timeline.now == 0.0
    assert page.errors == []
    assert page.requests == [f"{replay.address}/"]  # nothing comes from elsewhere


def test_every_switch_and_every_camera_can_be_used(shown: tuple[Replay, Page]) -> None:
    replay, page = shown
    for overlay in replay.scenery.overlays:
        overlay.show(True)
    for camera in (*replay.scenery.cameras()[::-1],):
        replay.scenery.look("target", camera, replay.timeline.now)
        replay.timeline.redraw()
        assert replay.timeline.settle()
    replay.scenery.look("hub", replay.scenery.cameras()[0], 0.0)
    until(page, lambda: position(page, "/scene/trails") is not None)
    assert page.errors == []


def test_two_pages_show_one_run_and_one_may_close_in_the_middle(
    browser: Browser, shown: tuple[Replay, Page], log: cd.Log
) -> None:
    replay, page = shown
    other = browser.page(replay.address)
    until(other, lambda: len(replay.server.get_clients()) == 2)
    replay.timeline.play()
    other.close()
    replay.go(0.3)
    until(page, is_at(page, replay.scenery, "boom", away(log, "boom", 3)))
    assert page.errors == []


def test_seven_thousand_kilometres_from_the_origin_nothing_jitters(stage: tuple[Any, Page], log: cd.Log) -> None:
    """The same picture as of the same vehicle beside the origin; in single precision it would be half a metre off."""
    server, page = stage
    fields = []
    for field in log.fields():
        values = field.values - log["hub.motion"].r_BN_N[10] if field.name == "r_BN_N" else field.values
        fields.append(FieldLog(field.path, field.t, values, field.unit, field.frame))
    pictures = []
    for run in (log, Log(log.t, fields, log.about)):
        server.scene.reset()
        scenery = Scenery(server, Recording(run), "hub")
        scenery.draw(1.0)
        until(page, is_at(page, scenery, "tool", away(log, "tool", 10)))
        pictures.append(picture(server).astype(int))
    far, near = pictures
    assert (far[..., 3] > 0).mean() > 0.01
    # colours and outlines; only the edges of what is drawn may fall to the other side of a dot
    assert (np.abs(far - near).max(axis=2) > 2).mean() < 0.002


@pytest.mark.parametrize("name", DRAWN)
def test_every_mission_is_in_view_at_three_times(stage: tuple[Any, Page], name: str) -> None:
    server, page = stage
    mission = MISSIONS[name]
    sim = cd.Simulation(mission.build(), dynamics=mission.service(), integrator=mission.integrator_for())
    every = mission.record.every or 1.0
    log = sim.run(until=min(mission.until, max(20.0, 2.0 * every)), record=mission.record)
    server.scene.reset()
    scenery = Scenery(server, Recording(log), None)
    for share in (0.0, 0.5, 1.0):
        frame = scenery.draw(share * float(log.t[-1]))
        until(page, is_at(page, scenery, scenery.source.drawing.bodies[-1], frame.r[-1]))
        is_seen = picture(server)[..., 3] > 0
        # the vehicle is in the middle, and there is room around it
        assert is_seen[80:160, 120:240].any() and 0.004 < is_seen.mean() < 0.95
    assert page.errors == []


def test_an_exported_file_plays_without_a_network(browser: Browser, log: cd.Log, tmp_path: Path) -> None:
    path = log.save_html(tmp_path / "run.html", speed=1.0)
    page = browser.page(path.as_uri(), offline=True)
    name = "/scene/bodies/3 tool"
    first = until(page, lambda: position(page, name))
    until(page, lambda: not np.allclose(position(page, name), first))  # it plays by itself
    r = np.stack([away(log, "tool", i) for i in range(len(log.t))])
    found = np.array(position(page, name))
    assert np.linalg.norm(r - found, axis=1).min() < 0.05  # between two samples of the log
    assert page.errors == []
    assert page.requests == [path.as_uri()]
    page.close()


def test_a_live_run_goes_on_in_the_page_and_refuses_wrong_values(browser: Browser) -> None:
    mission = MISSIONS["thruster-arms"]
    sim = cd.Simulation(mission.build(), dynamics=mission.service(), integrator=mission.integrator_for())
    with Live(sim, pace=5.0, port=0) as live:
        page = browser.page(live.address)
        until(page, live.server.get_clients)
        thread = threading.Thread(target=live.run, args=(1000.0,), daemon=True)
        thread.start()
        name = node_name(live.scenery.source.drawing, live.scenery.source.drawing.body("arm_1_tip"))
        first = until(page, lambda: position(page, name))
        until(page, lambda: not np.allclose(position(page, name), first, rtol=0.0, atol=1e-4))
        live.set({"position.max_force": -1.0})
        until(page, lambda: "Not changed" in page.run("document.body.innerText"))
        assert page.errors == []
        page.close()
    thread.join(20.0)  # a page that is closed by the script ends the run
    assert not thread.is_alive() and live.hand.log().t[-1] > 0.0
