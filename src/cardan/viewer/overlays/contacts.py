"""Contact forces."""

import numpy as np

from cardan.viewer.frame import Frame, Source
from cardan.viewer.overlays.overlay import Arrows

ARROW = 2.5  # times the reach of a vehicle for the largest: it comes out of the body that it pushes


class ContactForces(Arrows):
    """What the first of each pair feels of the second, where they touch."""

    label = "contact forces"
    color = (255, 60, 200)

    @classmethod
    def is_offered(cls, source: Source) -> bool:
        return bool(_pairs(source))

    def _update(self, frame: Frame) -> None:
        self._draw(contact_arrows(frame, ARROW * self._size))


def contact_arrows(frame: Frame, size: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each pair that touches: where [m], and its force as an arrow [m], which is `size` long for the largest."""
    source, arrows = frame.source, []
    known = _pairs(source)
    largest = max((source.largest(f"{port}.force_N") for port in known), default=0.0)
    for port in known:
        force = frame.value(f"{port}.force_N")
        if force is not None and np.any(force):
            place = frame.place(f"{port}.r_PN_N")
            assert place is not None
            arrows.append((place, force * (size / largest)))
    return arrows


def _pairs(source: Source) -> list[str]:
    """Outputs of the pairs whose contact is known."""
    ports = [f"{pair}.contact" for pair in source.about.get("mechanism", {}).get("contact_pairs", ())]
    return [port for port in ports if source.has(f"{port}.force_N") and source.has(f"{port}.r_PN_N")]
