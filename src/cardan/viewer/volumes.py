"""Volumes that are marked in the scene, such as those to keep out of."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import SettingError
from cardan.viewer.drawing import WORLD, Drawing
from cardan.viewer.frame import Frame
from cardan.viewer.meshes import ball, box
from cardan.viewer.scene import ROOT, put


class Volume(NamedTuple):
    """An ellipsoid or a box, half transparent.

    Attributes:
        half_sizes: [m] Three half axes or half sizes; one number for a ball.
        r_VB_B: [m] Its centre, in the body's frame.
        body: The body that it is fixed to; "world" for the inertial frame.
        is_box: Whether it is a box.
        color: Red, green and blue, each from 0 to 1.
    """

    half_sizes: float | Sequence[float]
    r_VB_B: Sequence[float] = (0.0, 0.0, 0.0)
    body: str = "world"
    is_box: bool = False
    color: tuple[float, float, float] = (1.0, 0.25, 0.2)


class VolumesInScene:
    """Volumes that go with their bodies."""

    def __init__(self, scene: Any, drawing: Drawing, volumes: Sequence[Volume]) -> None:
        self._nodes = []
        for i, volume in enumerate(volumes):
            half = np.broadcast_to(np.asarray(volume.half_sizes, float), (3,))
            centre = np.asarray(volume.r_VB_B, float)
            if not (half > 0.0).all() or not np.isfinite(half).all() or centre.shape != (3,):
                raise SettingError(f"{volume} has no size or no place.\n  Give half sizes [m] that are positive.")
            body = WORLD if volume.body == "world" else drawing.body(volume.body)
            mesh = box(half) if volume.is_box else ball(half)
            frame = scene.add_frame(f"{ROOT}/volume {i}", show_axes=False)
            scene.add_mesh_simple(
                f"{ROOT}/volume {i}/surface", mesh.vertices, mesh.faces,
                color=tuple(int(255 * part) for part in volume.color), opacity=0.2, position=centre, side="double",
                cast_shadow=False, receive_shadow=False,
            )  # fmt: skip
            self._nodes.append((frame, body))

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._nodes)

    def place(self, frame: Frame) -> None:
        """Put all where they are."""
        for node, body in self._nodes:
            put(node, frame.r[body], frame.q[body])
