"""References along straight lines between waypoints, advancing as the vehicle comes near."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts import Constraint, NotNegative, OfShape, OnePer, Positive, Unit, task
from cardan.contracts.constraints import require
from cardan.errors import SettingError
from cardan.fsw.guidance.path_errors import distance_to_polyline, progress_towards
from cardan.maths import ZERO3, Mat, Rows3, dot, mrp_from_quaternion, norm
from cardan.messages import FlyerReference, FrameMotion, PathProgress

_OneOrMore = Constraint("one reference or more", lambda points_N: len(points_N) >= 1)
TwoCorners = Constraint("two corners or more", lambda corners_N: len(corners_N) >= 2)
CornersApart = Constraint(
    "corners of which no two that follow each other are the same",
    lambda corners_N: bool(np.all(np.linalg.norm(np.diff(corners_N, axis=0), axis=1) > 0.0)),
)


class WaypointMissionMemory(NamedTuple):
    """Which reference is the present one."""

    number: Annotated[int, "-", NotNegative] = 0
    is_started: Annotated[bool, "-"] = False


class WaypointMissionOutputs(NamedTuple):
    reference: FlyerReference
    progress: PathProgress


@task
class WaypointMission(NamedTuple):
    """Points to fly to one after the other, at rest: the next when the vehicle is near the current one.

    It starts with the point that is nearest to the vehicle, and goes on by at most one at a tick, whenever the vehicle
    is closer than `clearance`. At the last point it stays, or begins again. `waypoint_mission` makes it from waypoints.

    Attributes:
        points_N: [m] Positions to fly to, in inertial components, a row each.
        q_RN: [-] Attitude at each, a unit quaternion relative to the inertial frame, a row each.
        corners_N: [m] Corners of the path, from which lateral errors are measured; the first again for a closed one.
        clearance: [m] How near the vehicle must be before the next one is its reference.
        is_repeated: [-] Whether the first point follows the last.
    """

    points_N: Annotated[Rows3, "m", _OneOrMore]
    q_RN: Annotated[Mat, "-", Unit, OnePer("points_N")]
    corners_N: Annotated[Rows3, "m", TwoCorners, CornersApart]
    clearance: Annotated[float, "m", Positive]
    is_repeated: Annotated[bool, "-"] = False

    def step(
        self, x: WaypointMissionMemory, motion: FrameMotion
    ) -> tuple[WaypointMissionMemory, WaypointMissionOutputs]:
        count = len(self.points_N)
        number = x.number if x.is_started else nearest_point(motion, self.points_N)
        # at most one at a tick
        if norm(motion.r_BN_N - self.points_N[number]) < self.clearance:
            number = (number + 1) % count if self.is_repeated else min(number + 1, count - 1)
        reference = FlyerReference(
            r_RN_N=self.points_N[number] + ZERO3,
            v_RN_N=ZERO3 + 0.0,
            a_RN_N=ZERO3 + 0.0,
            sigma_RN=mrp_from_quaternion(self.q_RN[number]),
            omega_RN_N=ZERO3 + 0.0,
            omega_dot_RN_N=ZERO3 + 0.0,
        )
        lateral = distance_to_polyline(motion.r_BN_N, self.corners_N)
        progress = progress_towards(motion, reference, number, number / count, lateral)
        return WaypointMissionMemory(number=number, is_started=True), WaypointMissionOutputs(reference, progress)


def nearest_point(motion: FrameMotion, points_N: Rows3) -> int:
    """The number of the point that is nearest to a vehicle, the first of several."""
    number, least = 0, dot(motion.r_BN_N - points_N[0], motion.r_BN_N - points_N[0])
    for k in range(1, len(points_N)):
        square = dot(motion.r_BN_N - points_N[k], motion.r_BN_N - points_N[k])
        if square < least:
            number, least = k, square
    return number


def waypoint_mission(
    waypoints_N: Any,
    q_RN: Any,
    *,
    spacing: float = 0.2,
    clearance: float = 0.1,
    is_closed: bool = False,
    is_repeated: bool = False,
) -> WaypointMission:
    """Straight lines between waypoints, cut into pieces, with attitudes that turn evenly along each (slerp).

    A line of length L has n = floor(L / spacing) pieces of length L / (n + 1e-5), at least one. Its references are its
    start and the ends of its pieces but the last, which is the next line's start.

    Args:
        waypoints_N: [m] (n, 3)
        q_RN: [-] (n, 4) Unit quaternions of the attitudes there; or (4,), one for all.
        spacing: [m] Of the references.
        clearance: [m] How near the vehicle must be before the next reference.
        is_closed: Whether a line leads from the last waypoint to the first.
        is_repeated: Whether it begins again at the end.
    """
    places, turns = path_of("waypoint_mission", waypoints_N, q_RN, is_closed)
    step = float(require("waypoint_mission.spacing", spacing, "m", OfShape(), Positive))
    lengths = np.linalg.norm(np.diff(places, axis=0), axis=1)
    points, attitudes = [], []
    for k, length in enumerate(lengths):
        pieces = max(1, int(np.floor(length / step)))
        for share in np.arange(pieces) / (pieces + 1e-5):
            points.append(places[k] + share * (places[k + 1] - places[k]))
            attitudes.append(slerp(turns[k], turns[k + 1], float(share)))
    if not is_closed:
        points.append(places[-1])
        attitudes.append(turns[-1])
    return WaypointMission(np.array(points), np.array(attitudes), places, clearance, is_repeated)


def path_of(maker: str, waypoints_N: Any, q_RN: Any, is_closed: bool) -> tuple[np.ndarray, np.ndarray]:
    """Corners [m] of a path and quaternions there, checked in the name of the function that is given them."""
    places = require(f"{maker}.waypoints_N", waypoints_N, "m")
    if places.ndim != 2 or places.shape[1] != 3 or len(places) < 2:
        raise SettingError(f"{maker}: two waypoints or more are needed, (n, 3); got shape {places.shape}.")
    turns = require(f"{maker}.q_RN", q_RN, "-", Unit)
    turns = np.tile(turns, (len(places), 1)) if turns.ndim == 1 else turns
    if turns.shape != (len(places), 4):
        raise SettingError(
            f"{maker}: a quaternion per waypoint is needed, ({len(places)}, 4); got shape {turns.shape}."
        )
    if is_closed:
        places, turns = np.vstack([places, places[:1]]), np.vstack([turns, turns[:1]])
    lengths = np.linalg.norm(np.diff(places, axis=0), axis=1)
    if not np.all(lengths > 0.0):
        k = int(np.argmin(lengths))
        raise SettingError(
            f"{maker}: waypoints {k} and {(k + 1) % (len(places) - is_closed)} are the same, "
            f"{places[k].tolist()}.\n  Leave one out."
        )
    return places, turns


def slerp(first: np.ndarray, second: np.ndarray, share: float) -> np.ndarray:
    """[-] The unit quaternion at a share of the short way from one attitude to another, at an even rate."""
    cosine = float(first @ second)
    second, cosine = (second, cosine) if cosine >= 0.0 else (-second, -cosine)
    angle = float(np.arctan2(np.linalg.norm(second - cosine * first), cosine))
    if angle < 1e-9:
        return np.asarray(first)
    mixed = (np.sin((1.0 - share) * angle) * first + np.sin(share * angle) * second) / np.sin(angle)
    return np.asarray(mixed / np.linalg.norm(mixed))
