"""`BatchReplay`: all members of a batch in one page, each shape drawn once for all of them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import SettingError, shown
from cardan.simulation import Log
from cardan.viewer.drawing import Drawing, Joint, Mesh, read_drawing
from cardan.viewer.epoch import epoch_of
from cardan.viewer.frame import start_of
from cardan.viewer.kinematics import Poses, between, body_poses, fixed_poses
from cardan.viewer.meshes import mesh_of, reach, stand_in
from cardan.viewer.motion import FIELDS, origin_of
from cardan.viewer.page import Page, announce, close_server, open_server
from cardan.viewer.scene import Stage, color_of
from cardan.viewer.timeline import Timeline, check_speed, usual_speed

_PICKED = (255, 150, 40)


class BatchMotion:
    """Where the bodies of all members are at any recorded time.

    Args:
        logs: Those of the members: `batch.run(...)`. They share their times.
    """

    def __init__(self, logs: Sequence[Log]) -> None:
        if not len(logs):
            raise SettingError("The batch has no members, so there is nothing to see.")
        self.logs = logs
        self.drawing = read_drawing(logs[0].about)
        self._tracks: list[tuple[Joint, np.ndarray, np.ndarray]] = []  # times (n,), coordinates (N, n, size)
        for joint in self.drawing.joints:
            port = f"{self.drawing.bodies[joint.body]}.motion" if joint.kind == "free" else f"{joint.name}.state"
            if port not in logs[0]:
                raise SettingError(
                    f"The batch of `{self.drawing.title}` has not recorded `{port}`.\n"
                    "  Leave out `ports`, or add it to them."
                )
            self._tracks.append((joint, *_samples(logs, port, joint)))
        if not self._tracks:
            raise SettingError(f"Nothing moves in `{self.drawing.title}`, so there is nothing to see.")
        self.t = max((t for _, t, _ in self._tracks), key=len)

    def coordinates(self, t: float) -> np.ndarray:
        """(N, nq) At a time [s]; nan for a member that had failed by then."""
        found = np.tile(self.drawing.reference, (len(self.logs), 1))
        for joint, times, values in self._tracks:
            after = int(np.clip(np.searchsorted(times, t, side="right"), 1, max(1, len(times) - 1)))
            before, after = after - 1, min(after, len(times) - 1)
            span = times[after] - times[before]
            share = float(np.clip((t - times[before]) / span, 0.0, 1.0)) if span > 0.0 else 0.0
            first, second = values[:, before], values[:, after]
            line = first + share * (second - first) if share else first
            turn = {"free": slice(3, 7), "ball": slice(0, 4)}.get(joint.kind)
            if turn is not None and share:
                line[:, turn] = between(first[:, turn], second[:, turn], np.full(len(first), share))
            found[:, joint.at : joint.at + joint.size] = line
        return found


def _samples(logs: Sequence[Log], port: str, joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """Times (n,) and coordinates (N, n, size) of a joint; nan where a member has recorded less."""
    times = max((log[port].t for log in logs), key=len)
    values = np.full((len(logs), len(times), joint.size), np.nan)
    for row, log in zip(values, logs, strict=True):
        said = log[port]
        if joint.kind == "free":
            row[: len(said.t), :3] = said.r_BN_N
            row[: len(said.t), 3:] = _quaternions(said.sigma_BN)
        else:
            row[: len(said.t)] = np.reshape(getattr(said, FIELDS[joint.kind]), (len(said.t), joint.size))
    return times, values


def _quaternions(sigma: np.ndarray) -> np.ndarray:
    """(n, 4) Unit quaternions of modified Rodrigues parameters."""
    square = np.sum(sigma * sigma, axis=1, keepdims=True)
    return np.asarray(np.concatenate([1.0 - square, 2.0 * sigma], axis=1) / (1.0 + square))


class _Instances(NamedTuple):
    """A shape of a body, drawn for all members."""

    node: Any
    body: int
    pos: np.ndarray
    quat: np.ndarray
    color: np.ndarray


class BatchReplay(Page):
    """All members of a batch in a page, with a picker.

    Args:
        logs: Those of the members.
        host: The address to listen at; other machines reach any but that of this machine alone, 127.0.0.1.
        port: Where to listen; by default the first free one from 8080 on.
        follow: The body that the scene is about; that of the first vehicle if left out.
        speed: Simulated seconds per second to begin with.
        member: Which one is picked at first: its body is the origin of the scene.
        spread: [m] How far members are drawn apart; 0 for where they are.
    """

    def __init__(
        self,
        logs: Sequence[Log],
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        follow: str | None = None,
        speed: float | None = None,
        member: int = 0,
        spread: float = 0.0,
    ) -> None:
        self.motion = BatchMotion(logs)
        t = self.motion.t
        pace = usual_speed(float(t[-1] - t[0])) if speed is None else speed
        check_speed(pace)
        if not isinstance(member, int) or not 0 <= member < len(logs):
            raise SettingError(f"member = {shown(member)}.\n  Members are numbered from 0 to {len(logs) - 1}.")
        self._follow = start_of(self.motion.drawing, follow).follow
        self.member, self.spread = member, spread
        self.server = open_server(f"Cardan: {len(logs)} x {self.motion.drawing.title}", host, port)
        try:
            self._size = reach(self.motion.drawing, self._follow)
            Stage(self.server, self._size)
            self._instances = self._make()
            self._panel(pace)
        except BaseException:
            close_server(self.server)
            raise

    def pick(self, member: int) -> None:
        """Look at another member."""
        self.member = int(np.clip(member, 0, len(self.motion.logs) - 1))
        self._picker.value = self.member
        self._picked.content = f"member {self.member} of {len(self.motion.logs)}"
        self.timeline.redraw()

    def go(self, t: float) -> None:
        """Show a time [s], and return when it is drawn."""
        self.timeline.go(t)
        self.timeline.settle()

    def poses(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """(N, bodies, 3) [m] and (N, bodies, 4) Of all members relative to the followed body of the picked one."""
        drawing = self.motion.drawing
        q = self.motion.coordinates(t)
        origin = origin_of(drawing, q, self._follow)[self.member]
        poses = body_poses(drawing, q, np.tile(origin, (len(q), 1)))
        r = poses.r - poses.r[self.member, self._follow]
        return r + self._places()[:, np.newaxis], poses.q

    def _places(self) -> np.ndarray:
        """(N, 3) [m] Where members are drawn beside where they are: on a square grid, around the picked one."""
        count = len(self.motion.logs)
        side = int(np.ceil(np.sqrt(count)))
        grid = np.stack([np.arange(count) % side, np.arange(count) // side, np.zeros(count)], axis=1)
        return np.asarray((grid - grid[self.member]) * self.spread)

    def _make(self) -> list[_Instances]:
        drawing, count = self.motion.drawing, len(self.motion.logs)
        found: list[_Instances] = []
        for i, (body, mesh, pos, quat, rgb) in enumerate(_shapes(drawing)):
            color = np.array(color_of(rgb), np.uint8)
            node = self.server.scene.add_batched_meshes_simple(
                f"/members/shape {i} of {drawing.bodies[body].replace('/', ':')}", np.asarray(mesh.vertices),
                np.asarray(mesh.faces), np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), np.zeros((count, 3)),
                batched_scales=np.ones(count), batched_colors=np.tile(color, (count, 1)), cast_shadow=False,
                receive_shadow=False, lod="off",
            )  # fmt: skip
            node.on_click(lambda event: self.pick(event.instance_index) if event.instance_index is not None else None)
            found.append(_Instances(node, body, pos, quat, color))
        return found

    def _panel(self, speed: float) -> None:
        gui, count = self.server.gui, len(self.motion.logs)
        self._picked = gui.add_markdown(f"member {self.member} of {count}")
        self._picker = gui.add_slider("member", 0, max(1, count - 1), 1, self.member)
        self._spread = gui.add_number("apart [m]", float(self.spread), min=0.0, step=0.1)
        self.timeline = Timeline(self.server, self.motion.t, epoch_of(self.motion.logs[0].about), self._draw, speed)
        self._picker.on_update(lambda event: self.pick(self._picker.value) if event.client is not None else None)
        self._spread.on_update(lambda _: self._set_spread())

    def _set_spread(self) -> None:
        self.spread = float(self._spread.value)
        self.timeline.redraw()

    def _draw(self, t: float) -> None:
        r, q = self.poses(t)
        is_known = np.isfinite(r).all(axis=(1, 2)) & np.isfinite(q).all(axis=(1, 2))
        r[~is_known], q[~is_known] = 0.0, (1.0, 0.0, 0.0, 0.0)  # not seen: their scale is zero
        with self.server.atomic():
            for shape in self._instances:
                count = len(r)
                placed = fixed_poses(Poses(r, q), np.array([shape.body]), shape.pos[np.newaxis], shape.quat[np.newaxis])
                colors = np.tile(shape.color, (count, 1))
                colors[self.member] = _PICKED
                shape.node.batched_positions = placed.r[:, 0].astype(np.float32)
                shape.node.batched_wxyzs = placed.q[:, 0].astype(np.float32)
                shape.node.batched_scales = is_known.astype(np.float32)
                shape.node.batched_colors = colors

    def close(self) -> None:
        """End the page."""
        self.timeline.close()
        super().close()

    def __repr__(self) -> str:
        return f"<viewer of {len(self.motion.logs)} members of {self.motion.drawing.title} at {self.address}>"


def _shapes(drawing: Drawing) -> list[tuple[int, Mesh, np.ndarray, np.ndarray, np.ndarray]]:
    """What is drawn of each member: body, triangles, place in the body, attitude, colour."""
    found = []
    for shape in drawing.shapes:
        mesh = mesh_of(drawing, shape)
        if shape.body and mesh is not None and not shape.is_for_collisions:
            found.append((shape.body, mesh, shape.pos, shape.quat, shape.rgba[:3]))
    for body in set(range(1, len(drawing.bodies))) - {shape[0] for shape in found}:
        made = stand_in(drawing, body)
        if made is not None:
            found.append((body, *made, np.array([0.55, 0.6, 0.68])))
    return found


def view_batch(logs: Sequence[Log], *, browser: bool = True, **options: Any) -> BatchReplay:
    """Show the members of a batch in a page and print its address; options as for `BatchReplay`."""
    replay = BatchReplay(logs, **options)
    announce(replay.server, browser)
    return replay
