"""Volumes that are marked in the scene: those to keep out of, and whatever else somebody wants to see."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from cardan.errors import SettingError
from cardan.viewer.drawing import WORLD
from cardan.viewer.frame import Frame, Source
from cardan.viewer.meshes import ball, box
from cardan.viewer.overlays.overlay import Overlay
from cardan.viewer.scene import ROOT, put
from cardan.viewer.volumes import Volume


class KeepOutVolumes(Overlay):
    """Half transparent volumes that go with their bodies: those that are given, and those that parts keep out of.

    Args:
        scene: Of the page.
        source: Where poses and parameters come from.
        size: [m] About as far as a vehicle reaches.
        given: Volumes besides those of parts.
    """

    label = "keep-out volumes"

    def __init__(self, scene: Any, source: Source, size: float, given: Sequence[Volume] = ()) -> None:
        super().__init__(scene, source, size)
        self.volumes = (*given, *volumes_of(source))
        self._bodies = [
            WORLD if volume.body == "world" else source.drawing.body(volume.body) for volume in self.volumes
        ]
        for volume in self.volumes:
            half = np.asarray(volume.half_sizes, float)
            if half.shape not in ((), (3,)) or not (half > 0.0).all() or not np.isfinite(half).all():
                raise SettingError(f"{volume} has no size.\n  Give half sizes [m] that are positive, one or three.")
            if np.shape(volume.r_VB_B) != (3,) or not np.isfinite(volume.r_VB_B).all():
                raise SettingError(f"{volume} has no place.\n  Give three numbers [m] as `r_VB_B`.")

    def _make(self) -> list[Any]:
        frames = []
        for i, volume in enumerate(self.volumes):
            half = np.broadcast_to(np.asarray(volume.half_sizes, float), (3,))
            mesh = box(half) if volume.is_box else ball(half)
            frames.append(self._scene.add_frame(f"{ROOT}/volume {i}", show_axes=False))
            self._scene.add_mesh_simple(
                f"{ROOT}/volume {i}/surface", mesh.vertices, mesh.faces,
                color=tuple(int(255 * part) for part in volume.color), opacity=0.2,
                position=np.asarray(volume.r_VB_B, float), side="double", cast_shadow=False, receive_shadow=False,
            )  # fmt: skip
        return frames

    def _update(self, frame: Frame) -> None:
        assert self._nodes is not None
        for node, body in zip(self._nodes, self._bodies, strict=True):
            put(node, frame.r[body], frame.q[body])


def volumes_of(source: Source) -> list[Volume]:
    """The balls that parts keep out of: parameters `keep_out_N` [m] and `keep_out_radius` [m]."""
    found = []
    for part in source.about.get("parts", {}).values():
        parameters = part.get("parameters", {})
        centres = np.asarray(parameters.get("keep_out_N", {}).get("value", ()), float).reshape(-1, 3)
        radii = np.ravel(parameters.get("keep_out_radius", {}).get("value", ()))
        found += [Volume(float(radius), tuple(place)) for place, radius in zip(centres.tolist(), radii, strict=False)]
    return list(dict.fromkeys(found))
