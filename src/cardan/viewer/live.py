"""`Live`: a run that pages can watch and change as it goes."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cardan.errors import CardanError, SettingError, shown
from cardan.scenario import nanoseconds
from cardan.simulation import Log, Record, Simulation
from cardan.viewer.by_hand import NANO, Hand
from cardan.viewer.controls import Controls, refuse
from cardan.viewer.epoch import epoch_of, utc
from cardan.viewer.fault_buttons import FaultButtons, faults_of
from cardan.viewer.frame import start_of
from cardan.viewer.motion import RecordedMotion
from cardan.viewer.page import Page, announce, close_server, open_server
from cardan.viewer.panel import camera_panel, switches
from cardan.viewer.plots import Plots
from cardan.viewer.present import Present
from cardan.viewer.scenery import Scenery
from cardan.viewer.trace import thinned_trace
from cardan.viewer.volumes import Volume

FASTEST = 1.0e6  # simulated seconds per second
_PIECE = 0.05  # [s] wall time of a piece: how long a page waits for an answer
_ADAPTIVE_UNIT = 10_000_000  # [ns] of pieces where neither a step nor a task says one
_PICTURE = 0.05  # [s] between two pictures


class Live(Page):
    """A simulation in a page: it runs at a set pace and can be paused, stepped, reset and changed by hand.

    Args:
        simulation: What to run, from its current state.
        pace: Simulated seconds per second of wall time; None for as fast as possible.
        record: What is recorded.
        host: The address to listen at; other machines reach any but that of this machine alone, 127.0.0.1.
        port: Where to listen; by default the first free one from 8080 on.
        follow: The body at the origin of the scene.
        volumes: Volumes to mark.
        is_paused: Whether to wait for a page to start it.
    """

    def __init__(
        self,
        simulation: Simulation,
        *,
        pace: float | None = 1.0,
        record: Record | None = None,
        host: str = "127.0.0.1",
        port: int | None = None,
        follow: str | None = None,
        volumes: Sequence[Volume] = (),
        is_paused: bool = False,
    ) -> None:
        self._pace = check_pace(pace)
        source = Present(simulation)
        start_of(source.drawing, follow)
        self._source = source
        self.hand = Hand(simulation, record)
        self._unit = unit_of(simulation)
        self._asked: queue.Queue[tuple[Callable[[], None], Any]] = queue.Queue()
        self._lock = threading.RLock()
        self.is_paused = is_paused
        self._steps = 0  # that pages have asked for while it is paused
        self._sliding: dict[str, Any] = {}  # values of sliders that wait for the end of a piece
        self._drawn = 0.0
        self._is_closed = False
        self.server = open_server(f"Cardan: {source.drawing.title}, live", host, port)
        try:
            self.scenery = Scenery(self.server, source, follow, volumes=volumes)
            self._panel(simulation)
        except BaseException:
            close_server(self.server)
            raise
        self.server.on_client_connect(lambda _: self._ask(self._look_back))
        self._draw()

    @property
    def simulation(self) -> Simulation:
        """The simulation as it is now, with the parameters that were changed."""
        return self.hand.now

    # ---- running -------------------------------------------------------------------------------------------------

    def run(self, until: float) -> Log:
        """Go on to `until` [s], as pages let it; Ctrl-C ends it sooner.

        Returns:
            What was recorded since the start or the last reset. `log.about["by_hand"]` has all that was changed, and
            `cardan.viewer.repeat` does it again.
        """
        end = nanoseconds(until, "`until`")
        try:
            self._advance(end)
        except KeyboardInterrupt:
            pass
        finally:
            self.hand.close()
        self._draw()
        return self.hand.log()

    def _advance(self, end: int) -> None:
        behind = time.perf_counter()  # when the present time was due
        while round(self.hand.t * NANO) < end and not self._is_closed:
            self._answer()
            is_step = self._take_step()
            if self.is_paused and not is_step:
                time.sleep(0.01)
                behind = time.perf_counter()
                continue
            length = self._unit if is_step else self._length()
            length = min(length, end - round(self.hand.t * NANO))
            began = time.perf_counter()
            self.hand.run(length)
            self._measure(length, time.perf_counter() - began)
            self._draw_sometimes()
            if self._pace is not None and not self.is_paused:
                behind = max(behind + length / NANO / self._pace, time.perf_counter() - 0.5)
                self._sleep_until(behind)
            else:
                behind = time.perf_counter()
        self._answer()

    def _take_step(self) -> bool:
        """Whether a page has asked for a single step, which is now taken."""
        with self._lock:
            is_step = self.is_paused and self._steps > 0
            self._steps -= is_step
            return is_step

    def _length(self) -> int:
        """[ns] Of the next piece: a whole number of units, and about so much wall time."""
        wanted = self._fast if self._pace is None else self._pace * _PIECE * NANO
        return max(1, round(wanted / self._unit)) * self._unit

    _fast = 1.0e8  # [ns] of a piece where it goes as fast as possible; measured

    def _measure(self, length: int, took: float) -> None:
        self._fast = float(np.clip(length * _PIECE / max(took, 1.0e-6), self._unit, 2.0 * length + self._unit))

    def _sleep_until(self, wall: float) -> None:
        while (ahead := wall - time.perf_counter()) > 0.0:
            time.sleep(min(ahead, 0.02))
            if not self._asked.empty() or self.is_paused:
                return

    # ---- asked for by pages --------------------------------------------------------------------------------------

    def pause(self, is_paused: bool = True) -> None:
        """Stop after the piece that is under way, or go on."""
        with self._lock:
            self.is_paused, self._steps = is_paused, 0
        self._button.label = "go on" if is_paused else "pause"

    def step(self) -> None:
        """One unit of time further, where it is paused."""
        if not self.is_paused:
            self.pause()
        with self._lock:
            self._steps += 1

    def set(self, parameters: dict[str, Any], client: Any = None) -> None:
        """Change parameters after the piece that is under way; what is wrong with them is said in the page."""
        self._ask(lambda: self._change(parameters), client)

    def slide(self, path: str, value: Any, client: Any = None) -> None:
        """Change a parameter as a slider moves: of several values that come during a piece, the last one."""
        with self._lock:
            is_waiting = path in self._sliding
            self._sliding[path] = value
        if not is_waiting:
            self._ask(lambda: self._change({path: self._taken(path)}), client)

    def _taken(self, path: str) -> Any:
        with self._lock:
            return self._sliding.pop(path)

    def _change(self, parameters: dict[str, Any]) -> None:
        try:
            self.hand.set(parameters)
        except CardanError:
            for path in parameters:
                self.controls.restore(path)
            raise
        self._source.simulation = self.hand.now
        for path in parameters.keys() - self._sliding.keys():  # a slider that has moved on stays where it is
            self.controls.applied(path, parameters[path])

    def give(self, name: str, fields: dict[str, Any], client: Any = None) -> None:
        """Give a message to an input after the piece that is under way."""
        self._ask(lambda: self.hand.give(name, fields), client)

    def reset(self) -> None:
        """Back to time zero, with the parameters as they are."""
        self._ask(self.hand.reset)

    def _ask(self, action: Callable[[], None], client: Any = None) -> None:
        self._asked.put((action, client))

    def _answer(self) -> None:
        """Do what pages have asked for."""
        while True:
            try:
                action, client = self._asked.get_nowait()
            except queue.Empty:
                return
            try:
                action()
                self._draw()
            except CardanError as error:
                self._told.content = f"Not changed at {self.hand.t:.3f} s: {error}"
                for page in [client] if client is not None else self.server.get_clients().values():
                    refuse(page, str(error))

    # ---- drawn -----------------------------------------------------------------------------------------------------

    def _draw_sometimes(self) -> None:
        """Where a page is open, and not more often than it can show."""
        if time.perf_counter() - self._drawn >= _PICTURE and self.server.get_clients():
            self._draw()

    def _look_back(self) -> None:
        """Give trails of what was recorded before there was a page."""
        with contextlib.suppress(CardanError):  # nothing yet, or not the motion
            motion = RecordedMotion(self.hand.log())
            self._source.trace = thinned_trace(motion)

    def _draw(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._drawn = time.perf_counter()
            self.scenery.draw(self.hand.t)
            epoch = epoch_of(self._source.about)
            date = "" if epoch is None else f"  \n{utc(epoch, self.hand.t)}"
            self._clock.content = f"**t = {self.hand.t:.3f} s**{date}"
            self._plots.update(self.hand.t)

    def _panel(self, simulation: Simulation) -> None:
        gui = self.server.gui
        tabs = gui.add_tab_group()
        with tabs.add_tab("Run"):
            self._clock = gui.add_markdown("")
            self._button = gui.add_button("go on" if self.is_paused else "pause")
            self._button.on_click(lambda _: self.pause(not self.is_paused))
            gui.add_button("single step").on_click(lambda _: self.step())
            gui.add_button("reset").on_click(lambda _: self.reset())
            self._paces = gui.add_number(
                "pace", 0.0 if self._pace is None else self._pace, min=0.0, max=FASTEST,
                hint="simulated seconds per second; 0 for as fast as possible",
            )  # fmt: skip
            self._paces.on_update(lambda _: self._new_pace())
            camera_panel(gui, self.scenery, lambda: self.hand.t, lambda: self._ask(lambda: None))
            self._told = gui.add_markdown("")
        with tabs.add_tab("Controls"):
            self.controls = Controls(gui, simulation, self.set, self.give, self.slide)
        if faults_of(simulation):
            with tabs.add_tab("Faults"):
                self.faults = FaultButtons(gui, simulation, self.set, lambda: self.hand.t)
        with tabs.add_tab("Plots"):
            self._plots = Plots(self.server, self.hand.log, is_growing=True)
        with tabs.add_tab("Show"):
            switches(gui, self.scenery.overlays, lambda: self._ask(lambda: None))

    def close(self) -> None:
        """End the page, and a run that another thread is in: nobody is left to let it go on."""
        with self._lock:  # a picture that is being drawn is sent first, and none after it
            self._is_closed = True
        super().close()

    def _new_pace(self) -> None:
        value = float(self._paces.value)
        self._pace = None if value <= 0.0 else min(value, FASTEST)

    def __repr__(self) -> str:
        return f"<live viewer of {self._source.drawing.title} at {self.address}>"


def view_simulation(simulation: Simulation, *, browser: bool = True, **options: Any) -> Live:
    """Open a page for a run of a simulation and print its address.

    Args:
        simulation: What will run.
        browser: Whether to open a browser, where there is a screen.
        options: As `Live` takes them.
    """
    live = Live(simulation, **options)
    announce(live.server, browser)
    return live


def unit_of(simulation: Simulation) -> int:
    """[ns] What pieces of a run are whole numbers of: the fixed step, or the shortest period of a task."""
    step = getattr(simulation.integrator, "step", None)
    if step is not None:
        return int(nanoseconds(step, "The step"))
    periods = [placed.period for placed in simulation.scenario.parts.values() if placed.is_task]
    return min(periods, default=_ADAPTIVE_UNIT)


def check_pace(pace: Any) -> float | None:
    """Refuse what is no pace."""
    is_number = isinstance(pace, int | float) and not isinstance(pace, bool)
    if pace is not None and not (is_number and 0.0 < pace <= FASTEST):
        raise SettingError(f"pace = {shown(pace)}.\n  Use simulated seconds per second, e.g. 1.0, or None.")
    return None if pace is None else float(pace)
