"""Axes and names of bodies and sites, and the centre of mass."""

from typing import Any

import numpy as np

from cardan.viewer.drawing import WORLD
from cardan.viewer.frame import Frame, Source
from cardan.viewer.kinematics import turned
from cardan.viewer.overlays.overlay import Overlay
from cardan.viewer.scene import ROOT, node_name


class BodyFrames(Overlay):
    """Axes of all bodies."""

    label = "body frames"

    def _make(self) -> list[Any]:
        drawing, length = self._source.drawing, 0.15 * self._size
        return [
            self._scene.add_frame(f"{node_name(drawing, i)}/axes", axes_length=length, axes_radius=0.03 * length)
            for i in range(1, len(drawing.bodies))
        ]


class SiteFrames(Overlay):
    """Axes of all sites."""

    label = "site frames"

    @classmethod
    def is_offered(cls, source: Source) -> bool:
        return bool(source.drawing.sites)

    def _make(self) -> list[Any]:
        drawing, length = self._source.drawing, 0.12 * self._size
        return [
            self._scene.add_frame(
                f"{node_name(drawing, site.body)}/axes of site {i}", axes_length=length, axes_radius=0.03 * length,
                position=site.pos, wxyz=site.quat,
            )
            for i, site in enumerate(drawing.sites)
        ]  # fmt: skip


class Names(Overlay):
    """Names of bodies and sites."""

    label = "names"

    def _make(self) -> list[Any]:
        drawing = self._source.drawing
        nodes = [
            self._scene.add_label(f"{node_name(drawing, i)}/name", drawing.bodies[i])
            for i in range(1, len(drawing.bodies))
        ]
        return nodes + [
            self._scene.add_label(f"{node_name(drawing, site.body)}/name of site {i}", site.name, position=site.pos)
            for i, site in enumerate(drawing.sites)
        ]


class CollisionShapes(Overlay):
    """Shapes of the groups from 3 on, which by convention are for collisions."""

    label = "collision shapes"

    @classmethod
    def is_offered(cls, source: Source) -> bool:
        return any(shape.is_for_collisions for shape in source.drawing.shapes)

    def show(self, is_on: bool) -> None:
        self.is_on = is_on
        drawing = self._source.drawing
        for i, shape in enumerate(drawing.shapes):
            node = self._scene.get_handle_by_name(f"{node_name(drawing, shape.body)}/shape {i}")
            if shape.is_for_collisions and node is not None:
                node.visible = is_on

    def _make(self) -> list[Any]:
        return []


class CentreOfMass(Overlay):
    """The centre of mass of each vehicle: as it was recorded with its momentum, else from the masses of the file."""

    label = "centre of mass"

    def _make(self) -> list[Any]:
        return [
            self._scene.add_icosphere(
                f"{ROOT}/centre of mass {root}", radius=0.03 * self._size, color=(255, 220, 0), cast_shadow=False,
                receive_shadow=False,
            )
            for root in self._source.drawing.vehicles
        ]  # fmt: skip

    def _update(self, frame: Frame) -> None:
        assert self._nodes is not None
        drawing = self._source.drawing
        for node, root in zip(self._nodes, drawing.vehicles, strict=True):
            node.position = centre_of_mass(frame, root)


def centre_of_mass(frame: Frame, root: int) -> np.ndarray:
    """[m] (3,) Of a vehicle, relative to the origin of the scene."""
    drawing = frame.source.drawing
    recorded = frame.place(f"{drawing.bodies[root]}.momentum.r_CN_N")
    if recorded is not None:
        return recorded
    own = (drawing.roots == root) & (np.arange(len(drawing.bodies)) != WORLD)
    mass = drawing.mass[own]
    if mass.sum() <= 0.0:
        return np.asarray(frame.r[root])
    centres = frame.r[own] + turned(frame.q[own], drawing.com[own])
    return np.asarray((mass[:, np.newaxis] * centres).sum(axis=0) / mass.sum())
