"""`Scenery`: everything that is drawn of a run."""

from collections.abc import Sequence
from typing import Any

from cardan.viewer.frame import Frame, Recording, View, frame_at, start_of
from cardan.viewer.meshes import reach
from cardan.viewer.overlays import ON_AT_FIRST, offered
from cardan.viewer.scene import Stage, VehiclesInScene
from cardan.viewer.volumes import Volume

_GHOST = (0.95, 0.75, 0.3)
BEHIND = "stays behind"
INERTIAL = "follows, axes inertial"
_RIDES = "rides on "


class Scenery:
    """Everything that is drawn of a source: vehicles, overlays, volumes, a ghost.

    Args:
        server: Of the page.
        source: What is drawn.
        follow: The body at the origin of the scene.
        ghost: A second recording, drawn half transparent.
        volumes: Volumes to keep out of, or whatever else is to be marked.

    Attributes:
        size: [m] About as far as the vehicle reaches that is followed at first; arrows and the camera go by it.
    """

    def __init__(
        self,
        server: Any,
        source: Any,
        follow: str | None,
        ghost: Recording | None = None,
        volumes: Sequence[Volume] = (),
    ) -> None:
        self.source = source
        self.view = start_of(source.drawing, follow)
        self.size = reach(source.drawing, self.view.follow)
        self.vehicles = VehiclesInScene(server.scene, source.drawing)
        self.stage = Stage(server, self.size)
        self.overlays = offered(server.scene, source, self.size, volumes)
        for overlay in self.overlays:
            overlay.show(isinstance(overlay, ON_AT_FIRST))
        self._ghost = ghost
        self._ghost_vehicles = None if ghost is None else VehiclesInScene(server.scene, ghost.drawing, "ghost", _GHOST)
        self._server = server

    @property
    def troubles(self) -> str:
        """What cannot be drawn, in words; "" if all is."""
        lines = [f"Not drawn, the shape or its mesh is not known: {name}." for name in self.vehicles.undrawn]
        missing = getattr(getattr(self.source, "motion", None), "missing", ())
        lines += [f"Not recorded: {port}. It stays as its file draws it." for port in missing]
        return "\n".join(lines)

    def draw(self, t: float) -> Frame:
        """Draw a time [s]."""
        frame = frame_at(self.source, t, self.view)
        with self._server.atomic():
            self.stage.place(frame)
            self.vehicles.place(frame)
            for overlay in self.overlays:
                overlay.update(frame)
            self.draw_ghost(frame)
        return frame

    @property
    def has_ghost(self) -> bool:
        """Whether there is a ghost."""
        return self._ghost is not None

    def draw_ghost(self, frame: Frame) -> None:
        """Draw the ghost at the moment of a frame."""
        if self._ghost is not None and self._ghost_vehicles is not None:
            # the same moment of the other log, in the scene of this one
            self._ghost_vehicles.place(frame_at(self._ghost, frame.t, View(0, pinned=frame.origin_N)))

    def cameras(self) -> tuple[str, ...]:
        """The names of all ways to look."""
        drawing = self.source.drawing
        riders = [*drawing.bodies[1:], *(site.name for site in drawing.sites)]
        return (INERTIAL, BEHIND, *dict.fromkeys(f"{_RIDES}{name}" for name in riders))

    def look(self, follow: str, camera: str, t: float) -> None:
        """Look at a body in one of these ways."""
        drawing = self.source.drawing
        body = drawing.body(follow)
        if camera == BEHIND:
            here = frame_at(self.source, t, View(body)).origin_N
            self.view = View(body, pinned=here)
        elif camera.startswith(_RIDES):
            name = camera.removeprefix(_RIDES)
            sites = [site.name for site in drawing.sites]
            self.view = View(body, ride=drawing.body(name) if name in drawing.bodies else -1 - sites.index(name))
        else:
            self.view = View(body)
