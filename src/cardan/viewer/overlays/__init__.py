"""What can be drawn beside the bodies, each on a switch; offered where a run has what it needs."""

from collections.abc import Sequence
from typing import Any

from cardan.viewer.frame import Source
from cardan.viewer.overlays.contacts import ContactForces
from cardan.viewer.overlays.frames import BodyFrames, CentreOfMass, CollisionShapes, Names, SiteFrames
from cardan.viewer.overlays.keep_out import KeepOutVolumes
from cardan.viewer.overlays.orbit import CentralBody, HillFrame, Orbit
from cardan.viewer.overlays.overlay import Overlay as Overlay
from cardan.viewer.overlays.paths import Horizons, PlannedPaths, Trails
from cardan.viewer.overlays.vectors import Forces, JointTorques, Momentum, Plumes, Rates, Reactions
from cardan.viewer.volumes import Volume

OVERLAYS: tuple[type[Overlay], ...] = (
    CollisionShapes, BodyFrames, SiteFrames, Names, CentreOfMass, Trails, PlannedPaths, Horizons, Orbit, CentralBody,
    HillFrame, Forces, ContactForces, Plumes, JointTorques, Reactions, Momentum, Rates,
)  # fmt: skip
ON_AT_FIRST = (Trails, PlannedPaths, Plumes, ContactForces, KeepOutVolumes)


def offered(scene: Any, source: Source, size: float, volumes: Sequence[Volume] = ()) -> list[Overlay]:
    """The overlays that a run has something for, and one for volumes."""
    marked = KeepOutVolumes(scene, source, size, volumes)
    found = [overlay(scene, source, size) for overlay in OVERLAYS if overlay.is_offered(source)]
    return [*found, marked] if marked.volumes else found
