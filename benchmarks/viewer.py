"""Viewer: the first picture, scrubbing, and what a live run loses to its page

With Chromium, times are until the page itself has drawn; without it, until the server has sent what it draws. A browser
that renders by software is slow for reasons of its own: what it takes for an empty page with a WebGL canvas stands
beside the rest, as the share of the first picture that only the browser can save.
"""

import contextlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import cardan as cd
from benchmarks.goal import Goal
from cardan.missions import find_mission
from cardan.viewer import Live, Replay

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # the browser that the tests drive

from viewer.browser import CHROMIUM, Browser, Page, position

NODE = "/scene/bodies/4 rw3"
PACE, SPAN = 100.0, 300.0
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"  # a picture, shown


def measure() -> Iterator[Goal]:
    sim = simulation()
    log = sim.run(until=600.0)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        saved = log.save(Path(folder) / "run.nc")
        browser = None if CHROMIUM is None else stack.enter_context(contextlib.closing(Browser()))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command_to_server, command_to_page = first_picture(saved, browser)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        yield Goal("`cardan view` of ten minutes: processor time of the command", processor, "s", 3.0)
        yield Goal(
            "`cardan view` of ten minutes: from the prompt to the address of the page", command_to_server, "s", 3.0
        )
        if command_to_page is not None:
            yield Goal("the same, to the first picture in a browser by software", command_to_page, "s", 3.0)
            assert browser is not None
            yield Goal("of it, what the browser takes for an empty WebGL page", empty_page(browser), "s", 3.0)
        yield from scrubbing(log, browser)
        page = log.save_html(Path(folder) / "run.html", speed=1.0)
        yield Goal("ten minutes of reaction-wheels as a page that plays offline", page.stat().st_size / 1e6, "MB", 10.0)
    yield Goal("ten minutes of 21 bodies as a page that plays offline", arrays_page(), "MB", 10.0)
    yield from live_speed()


def simulation() -> cd.Simulation:
    mission = find_mission("reaction-wheels")
    return cd.Simulation(mission.build(), dynamics=mission.service(), integrator=mission.integrator_for())


def first_picture(saved: Path, browser: Browser | None) -> tuple[float, float | None]:
    """[s] From the start of a process to the address of its page, and to the first picture of it."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "cardan.cli", "view", str(saved)], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        address = process.stderr.readline().split()[-1]
        ready = time.perf_counter() - began
        if browser is None:
            return ready, None
        page = browser.page(address)
        wait(page, lambda: position(page, NODE) not in (None, [0.0, 0.0, 0.0]))
        page.run(DRAWN)
        seen = time.perf_counter() - began
        page.close()
        return ready, seen
    finally:
        process.terminate()
        process.wait(10.0)


def empty_page(browser: Browser) -> float:
    """[s] From a new tab to a first picture of a WebGL canvas with nothing on it."""
    began = time.perf_counter()
    page = browser.page("data:text/html,<canvas></canvas>")
    wait(page, lambda: page.run("!!document.querySelector('canvas')"))
    page.run("document.querySelector('canvas').getContext('webgl2').clear(16384)")
    page.run(DRAWN)
    page.close()
    return time.perf_counter() - began


def scrubbing(log: cd.Log, browser: Browser | None) -> Iterator[Goal]:
    with Replay(log, port=0) as replay:
        times = np.random.default_rng(1).uniform(0.0, 600.0, 20)
        took = [spent(lambda t=t: replay.go(float(t))) for t in times]  # type: ignore[misc]
        yield Goal("scrubbing: until the server has sent the poses, the longest of 20", max(took), "s", 0.1)
        if browser is not None:
            page = browser.page(replay.address)
            wait(page, lambda: position(page, NODE))
            page.run(DRAWN)
            found = []
            for t in times:
                expected = replay.go(float(t)).r[4]
                found.append(spent(lambda r=expected: wait(page, lambda: is_there(page, r))))  # type: ignore[misc]
            yield Goal(
                "scrubbing: until a browser by software has them, the median of 20", float(np.median(found)), "s", 0.1
            )
            page.close()


def is_there(page: Page, r: np.ndarray) -> bool:
    return float(np.abs(np.array(position(page, NODE)) - r).max()) < 1.0e-6


def arrays_page() -> float:
    """[MB] A file with 21 bodies that move for ten minutes."""
    mission = find_mission("solar-array-deployment")
    sim = cd.Simulation(mission.build(), dynamics=mission.service(), integrator=mission.integrator_for())
    log = sim.run(until=600.0, record=cd.Record(every=0.5))
    with tempfile.TemporaryDirectory() as folder:
        return log.save_html(Path(folder) / "run.html", speed=1.0).stat().st_size / 1e6


def live_speed() -> Iterator[Goal]:
    with Live(simulation(), pace=PACE, port=0) as live:
        live.run(until=10.0)
        alone = SPAN / PACE / spent(lambda: live.run(until=10.0 + SPAN))
        yield Goal("live at 100 times real time: speed that is lost without a page", 1.0 - alone, "-", 0.01)
        if CHROMIUM is None:
            return
        with contextlib.closing(Browser()) as browser:
            page = browser.page(live.address)
            wait(page, lambda: bool(live.server.get_clients()))
            watched = SPAN / PACE / spent(lambda: live.run(until=10.0 + 2.0 * SPAN))
            page.close()
        yield Goal("live at 100 times real time: speed that is lost to a page", 1.0 - watched, "-", 0.05)


def spent(action: Callable[[], Any]) -> float:
    """[s] Wall time."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def wait(page: Page, is_so: Callable[[], Any], seconds: float = 120.0) -> None:
    limit = time.perf_counter() + seconds
    while not is_so():
        if time.perf_counter() > limit:
            raise TimeoutError("the page does not come to it")
        page.run("1")
