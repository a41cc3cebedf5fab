"""A log as one file that plays in any browser, without a network and without Cardan.

The file keeps 30 pictures for each second of playing, from the first sample to the last; each picture has the bodies
that have moved, since they were last written, by more than 1/4000 of a vehicle's reach or by more than 0.05 deg. If
that gives more than 150,000 poses, every second picture is dropped until it does not. Everything else that is drawn is
kept ten times per second of playing; trails are drawn once, as a whole.
"""

import contextlib
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from cardan.errors import LogFileError, SettingError, UnknownName, did_you_mean
from cardan.files import check_writable, not_written, written_whole
from cardan.simulation import Log
from cardan.viewer.drawing import WORLD
from cardan.viewer.epoch import epoch_of, utc
from cardan.viewer.frame import Recording, frame_at
from cardan.viewer.kinematics import Poses
from cardan.viewer.motion import poses_about
from cardan.viewer.overlays import ON_AT_FIRST
from cardan.viewer.overlays.paths import Trails
from cardan.viewer.page import close_server, open_server
from cardan.viewer.scene import put
from cardan.viewer.scenery import Scenery
from cardan.viewer.timeline import check_speed, usual_speed
from cardan.viewer.volumes import Volume

PICTURES = 30.0  # for each second of playing
MOST_POSES = 150_000
MOVED = 1.0 / 4000.0  # of the reach of a vehicle
TURNED = np.deg2rad(0.05)  # [rad]
_BESIDE = 3  # pictures between two updates of what is drawn beside the bodies


def save_html(
    log: Log,
    path: str | Path,
    *,
    follow: str | None = None,
    speed: float | None = None,
    show: Collection[str] | None = None,
    ghost: Log | None = None,
    volumes: Sequence[Volume] = (),
) -> Path:
    """Write a file that plays a log offline.

    Args:
        log: What was recorded.
        path: Of the file, `.html`.
        follow: The body at the origin of the scene; by default the first vehicle's.
        speed: Simulated seconds per second of playing; by default 1, and more for runs of more than a minute.
        show: What is drawn beside the bodies, by the names of the page's switches; its usual ones if left out.
        ghost: A second log to compare with, drawn half transparent.
        volumes: Volumes to mark.
    """
    path = Path(path)
    check_html_path(path)
    source = Recording(log)
    first, last = float(source.t[0]), float(source.t[-1])
    pace = usual_speed(last - first) if speed is None else speed
    check_speed(pace)
    other = None if ghost is None else Recording(ghost)
    with contextlib.closing(_Hidden(source, follow, show, other, volumes)) as page:
        text = page.film(first, last, pace)
    try:
        with written_whole(path) as unfinished:
            unfinished.write_text(text, encoding="utf-8")
    except OSError as error:
        raise LogFileError(not_written("The page", path, error, len(text))) from error
    return path


def check_html_path(path: str | Path) -> None:
    """Refuse a name that says something else, or that cannot be written to, before there is a log."""
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm"):
        raise SettingError(f"A page cannot be written to {path}.\n  Use a name that ends in `.html`.")
    try:
        check_writable(path)
    except OSError as error:
        raise LogFileError(not_written("The page", path, error)) from error


class _Hidden:
    """A page that nobody looks at."""

    def __init__(
        self,
        source: Recording,
        follow: str | None,
        show: Collection[str] | None,
        ghost: Recording | None,
        volumes: Sequence[Volume],
    ) -> None:
        self._server = open_server(source.drawing.title, port=0)
        try:
            self._scenery = Scenery(self._server, source, follow, ghost, volumes)
            self._switch(show)
        except BaseException:
            close_server(self._server)
            raise
        self._clock = self._server.scene.add_label("/time", "", position=(0.0, 0.0, 1.1 * self._scenery.size))

    def _switch(self, show: Collection[str] | None) -> None:
        overlays = {overlay.label: overlay for overlay in self._scenery.overlays}
        for name in show or ():
            if name not in overlays:
                raise UnknownName(
                    f"There is nothing called `{name}` to show.{did_you_mean(name, overlays)}\n"
                    f"  There are: {', '.join(overlays)}."
                )
        for label, overlay in overlays.items():
            overlay.show(isinstance(overlay, ON_AT_FIRST) if show is None else label in show)

    def film(self, first: float, last: float, speed: float) -> str:
        """All pictures, as the text of the file."""
        scenery, source = self._scenery, self._scenery.source
        t, poses, is_kept = thinned(source, scenery.view.follow, first, last, speed, scenery.size)
        epoch, nodes = epoch_of(source.about), scenery.vehicles.nodes
        scenery.draw(last)  # with whole trails
        film = self._server.get_scene_serializer()
        beside = [overlay for overlay in scenery.overlays if not isinstance(overlay, Trails)]
        has_beside = scenery.has_ghost or any(overlay.is_on for overlay in beside)
        for k, now in enumerate(t):
            for i in np.flatnonzero(is_kept[k]):
                put(nodes[i], poses.r[k, i], poses.q[k, i])
            if k % _BESIDE == 0 or k == len(t) - 1:
                date = "" if epoch is None else f"   {utc(epoch, now)}"
                self._clock.text = f"t = {now:.2f} s   x{speed:g}{date}"
                if has_beside:
                    frame = frame_at(source, float(now), scenery.view)
                    for overlay in beside:
                        overlay.update(frame)
                    scenery.draw_ghost(frame)
            film.insert_sleep(float(t[k + 1] - now) / speed if k + 1 < len(t) else 1.0 / PICTURES)
        return str(film.as_html(dark_mode=True))

    def close(self) -> None:
        close_server(self._server)


def thinned(
    source: Recording, follow: int, first: float, last: float, speed: float, size: float
) -> tuple[np.ndarray, Poses, np.ndarray]:
    """Times (n,) [s], poses at them, and which bodies (n, bodies) are written at each; the rule is that of the file."""
    count = max(2, int(np.ceil((last - first) / speed * PICTURES)) + 1)
    count = min(count, 1_000_000)
    while True:
        t = np.linspace(first, last, count) if last > first else np.array([first])
        poses = poses_about(source.drawing, source.coordinates(t), follow)
        is_kept = _moved(poses, MOVED * size)
        if not any(shape.body == WORLD for shape in source.drawing.shapes):
            is_kept[1:, WORLD] = False  # it flies past at kilometres per second, and nobody sees it
        if is_kept.sum() <= MOST_POSES or count <= 3:
            return t, poses, is_kept
        count = count // 2 + 1


def _moved(poses: Poses, most: float) -> np.ndarray:
    """(n, bodies) Whether a body has moved so far [m], or turned, since it was last kept."""
    is_kept = np.zeros(poses.r.shape[:2], bool)
    is_kept[0] = is_kept[-1] = True
    r, q = poses.r[0].copy(), poses.q[0].copy()
    for k in range(1, len(is_kept)):
        moved = np.linalg.norm(poses.r[k] - r, axis=1) > most
        same = np.abs(np.sum(poses.q[k] * q, axis=1)) > np.cos(0.5 * TURNED)
        is_kept[k] |= moved | ~same
        r[is_kept[k]], q[is_kept[k]] = poses.r[k, is_kept[k]], poses.q[k, is_kept[k]]
    return is_kept
