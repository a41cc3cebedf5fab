"""`Overlay`: something beside the bodies that can be switched on and off."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from cardan.viewer.frame import Frame, Source
from cardan.viewer.scene import ROOT


class Overlay(ABC):
    """Made when it is first switched on, then kept up to date while it is on.

    Args:
        scene: Of the page.
        source: Where poses and messages come from.
        size: [m] About as far as a vehicle reaches.
    """

    label = ""

    def __init__(self, scene: Any, source: Source, size: float) -> None:
        self._scene, self._source, self._size = scene, source, size
        self._nodes: list[Any] | None = None
        self.is_on = False

    @classmethod
    def is_offered(cls, source: Source) -> bool:
        """Whether the run has what this draws."""
        return True

    def show(self, is_on: bool) -> None:
        """Switch it on or off."""
        self.is_on = is_on
        if is_on and self._nodes is None:
            self._nodes = self._make()
        for node in self._nodes or ():
            node.visible = is_on

    def update(self, frame: Frame) -> None:
        """Draw it as it is at another moment, if it is on."""
        if self.is_on and self._nodes is not None:
            self._update(frame)

    @abstractmethod
    def _make(self) -> list[Any]:
        """Its nodes."""

    def _update(self, frame: Frame) -> None:  # noqa: B027
        """Nothing where the nodes are fixed to bodies, and go with them."""


class Arrows(Overlay):
    """Arrows of which each moment has as many as it likes."""

    color = (255, 200, 60)

    def _make(self) -> list[Any]:
        size = self._size
        return [
            self._scene.add_arrows(
                f"{ROOT}/{self.label}", np.zeros((1, 2, 3)), self.color, shaft_radius=0.008 * size,
                head_radius=0.024 * size, head_length=0.06 * size,
            )
        ]  # fmt: skip

    def _draw(self, arrows: list[tuple[np.ndarray, np.ndarray]]) -> None:
        """Arrows by start and vector [m]; those without a length are left out."""
        assert self._nodes is not None
        drawn = [(start, start + vector) for start, vector in arrows if np.linalg.norm(vector) > 1.0e-4 * self._size]
        self._nodes[0].visible = bool(drawn) and self.is_on
        if drawn:
            self._nodes[0].points = np.array(drawn, np.float32)

    def _scaled(self, vector: np.ndarray, largest: float) -> np.ndarray:
        """[m] An arrow as long as a vehicle reaches for the largest that is known."""
        return vector * (self._size / largest if largest > 0.0 else 0.0)


class Lines(Overlay):
    """Lines through points."""

    color = (120, 200, 255)
    thickness = 0.004

    def _make(self) -> list[Any]:
        segments = np.zeros((1, 2, 3), np.float32)
        return [
            self._scene.add_line_segments(
                f"{ROOT}/{self.label}", segments, self.color, thickness=self.thickness * self._size
            )
        ]

    def _draw(self, lines: list[np.ndarray]) -> None:
        """Lines, each (n, 3) [m]."""
        assert self._nodes is not None
        segments = [np.stack([line[:-1], line[1:]], axis=1) for line in lines if len(line) > 1]
        self._nodes[0].visible = bool(segments) and self.is_on
        if segments:
            self._nodes[0].points = np.concatenate(segments).astype(np.float32)
