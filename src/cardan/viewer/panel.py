"""Controls that replays and live runs share: the camera, and a switch for each overlay."""

from collections.abc import Callable, Sequence
from typing import Any

from cardan.viewer.overlays import Overlay
from cardan.viewer.scenery import INERTIAL, Scenery


def camera_panel(gui: Any, scenery: Scenery, now: Callable[[], float], redraw: Callable[[], None]) -> None:
    """Which body is followed, and how."""
    bodies = scenery.source.drawing.bodies
    follow = gui.add_dropdown("follow", bodies[1:], initial_value=bodies[scenery.view.follow])
    camera = gui.add_dropdown("camera", scenery.cameras(), initial_value=INERTIAL)

    def look(_: Any) -> None:
        scenery.look(follow.value, camera.value, now())
        redraw()

    follow.on_update(look)
    camera.on_update(look)


def switches(gui: Any, overlays: Sequence[Overlay], redraw: Callable[[], None]) -> None:
    """A switch for each overlay."""
    for overlay in overlays:
        box = gui.add_checkbox(overlay.label, overlay.is_on)

        def switch(_: Any, overlay: Overlay = overlay, box: Any = box) -> None:
            overlay.show(bool(box.value))
            redraw()

        box.on_update(switch)
