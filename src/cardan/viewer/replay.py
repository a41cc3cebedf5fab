"""`Replay`: a log in a page."""

from collections.abc import Callable, Sequence
from typing import Any

from cardan.simulation import Log
from cardan.viewer.epoch import epoch_of
from cardan.viewer.frame import Frame, Recording, frame_at, start_of
from cardan.viewer.page import Page, announce, close_server, open_server
from cardan.viewer.panel import camera_panel, switches
from cardan.viewer.plots import Plots
from cardan.viewer.scenery import Scenery
from cardan.viewer.timeline import Timeline, check_speed, usual_speed
from cardan.viewer.volumes import Volume


class Replay(Page):
    """A log in a page: play, scrub, look around, plot.

    Args:
        log: What was recorded.
        host: The address to listen at; other machines reach any but that of this machine alone, 127.0.0.1.
        port: Where to listen; by default the first free one from 8080 on.
        follow: The body at the origin of the scene; by default the first vehicle's.
        speed: Simulated seconds per second to begin with; by default 1, and more for runs of more than a minute.
        ghost: A second log to compare with, drawn half transparent.
        volumes: Volumes to mark, such as those to keep out of.
        plots: Paths of fields to plot at first.
        opened: Is given the server once its page answers; what it shows is made while a browser loads the page.
    """

    def __init__(
        self,
        log: Log,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        follow: str | None = None,
        speed: float | None = None,
        ghost: Log | None = None,
        volumes: Sequence[Volume] = (),
        plots: Sequence[str] = (),
        opened: Callable[[Any], None] | None = None,
    ) -> None:
        source = Recording(log)
        other = None if ghost is None else Recording(ghost)
        pace = usual_speed(float(source.t[-1] - source.t[0])) if speed is None else speed
        check_speed(pace)
        start_of(source.drawing, follow)  # what is wrong with logs and bodies is said before there is a page
        self.server = open_server(f"Cardan: {source.drawing.title}", host, port)
        try:
            if opened is not None:
                opened(self.server)
            self.scenery = Scenery(self.server, source, follow, other, volumes)
            self.timeline = self._panel(log, pace, tuple(plots))
        except BaseException:
            close_server(self.server)
            raise

    def go(self, t: float) -> Frame:
        """Show a time [s], and return when it is drawn."""
        self.timeline.go(t)
        self.timeline.settle()
        return frame_at(self.scenery.source, self.timeline.now, self.scenery.view)

    def close(self) -> None:
        """End the page."""
        self.timeline.close()
        super().close()

    def __repr__(self) -> str:
        return f"<viewer of {self.scenery.source.drawing.title} at {self.address}>"

    def _panel(self, log: Log, speed: float, plots: tuple[str, ...]) -> Timeline:
        gui, scenery = self.server.gui, self.scenery
        self._plots: Plots | None = None
        tabs = gui.add_tab_group()
        with tabs.add_tab("Run"):
            source = scenery.source
            timeline = Timeline(self.server, source.t, epoch_of(source.about), self._draw, speed)
            camera_panel(gui, scenery, lambda: timeline.now, timeline.redraw)
            if scenery.troubles:
                gui.add_markdown(scenery.troubles)
        with tabs.add_tab("Show"):
            switches(gui, scenery.overlays, timeline.redraw)
        with tabs.add_tab("Plots"):
            self._plots = Plots(self.server, lambda: log, plots)
        return timeline

    def _draw(self, t: float) -> None:
        self.scenery.draw(t)
        if self._plots is not None:
            self._plots.update(t)


def view_log(log: Log, *, browser: bool = True, **options: Any) -> Replay:
    """Show a log in a page and print its address.

    Args:
        log: What was recorded.
        browser: Whether to open a browser, where there is a screen.
        options: As `Replay` takes them.
    """
    return Replay(log, opened=lambda server: announce(server, browser), **options)
