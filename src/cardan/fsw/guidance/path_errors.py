"""How far a vehicle is from its reference and its path: what planners have in common."""

from typing import Any

import numpy as np

from cardan.maths import Rows3, Scalar, Vec3, clip, dot, mrp_relative, norm, rotation_angle
from cardan.messages import FlyerReference, FrameMotion, PathProgress


def distance_to_polyline(r_N: Vec3, corners_N: Rows3) -> Scalar:
    """[m] From a point to the nearest point of straight lines from corner to corner."""
    nearest = norm(r_N - corners_N[0])
    for k in range(len(corners_N) - 1):
        along = corners_N[k + 1] - corners_N[k]
        offset = r_N - corners_N[k]
        share = clip(dot(offset, along) / dot(along, along), 0.0, 1.0)
        nearest = np.minimum(nearest, norm(offset - share * along))
    return nearest


def attitude_error(motion: FrameMotion, reference: FlyerReference) -> Scalar:
    """[rad] The angle between a vehicle and its reference."""
    return rotation_angle(mrp_relative(motion.sigma_BN, reference.sigma_RN))


def progress_towards(
    motion: FrameMotion, reference: FlyerReference, number: Any, fraction: Scalar, lateral_error: Scalar
) -> PathProgress:
    """Where a vehicle is along its path, the errors of its pose included."""
    return PathProgress(
        number=number,
        fraction=fraction,
        distance=norm(motion.r_BN_N - reference.r_RN_N),
        lateral_error=lateral_error,
        attitude_error=attitude_error(motion, reference),
    )
