"""Two-axis gimbals: from tip and tilt to attitude and pointing, and back.

A gimbal turns its platform G relative to its mount M by the tip about axis j of the mount, then by the tilt about axis
k of the platform; axis i of the platform is the one that points. i, j and k are the numbers 1, 2 and 3 in any order.
Angles are those of Schaub and Junkins: dcm_GM = C_k(tilt) C_j(tip). From plain Python all functions take stacks.
"""

from typing import Any

import numpy as np

from cardan.maths.arrays import Scalar, Vec3, Vec4
from cardan.maths.choosing import choose
from cardan.maths.elementary import arcsin, arctan2, sin_cos
from cardan.maths.rotations import quaternion_product
from cardan.maths.stacks import on_stacks
from cardan.maths.vectors import dot


@on_stacks("(),(),(),(),()->(3)")
def gimbal_axis(tip: Scalar, tilt: Scalar, pointing: Any, first: Any, second: Any) -> Vec3:
    """[-] The axis that points, in components of the mount; the row i of dcm_GM.

    Args:
        tip: [rad] First turn.
        tilt: [rad] Second turn.
        pointing: i, the number of the axis that points.
        first: j, the number of the axis of the tip.
        second: k, the number of the axis of the tilt.
    """
    sign = _handedness(first, second)
    sin_tip, cos_tip = sin_cos(tip)
    sin_tilt, cos_tilt = sin_cos(tilt)
    along_first = sign * sin_tilt
    along_second = -sign * cos_tilt * sin_tip
    along_pointing = cos_tilt * cos_tip
    axis_M: Vec3 = (
        along_first * _coordinate_axis(first)
        + along_second * _coordinate_axis(second)
        + along_pointing * _coordinate_axis(pointing)
    )
    return axis_M


@on_stacks("(3),(),(),()->(),()")
def gimbal_angles(axis_M: Vec3, pointing: Any, first: Any, second: Any) -> tuple[Scalar, Scalar]:
    """[rad] Tip and tilt at which the pointing axis is `axis_M`, a unit vector in components of the mount."""
    sign = _handedness(first, second)
    along_first = dot(axis_M, _coordinate_axis(first))
    along_second = dot(axis_M, _coordinate_axis(second))
    along_pointing = dot(axis_M, _coordinate_axis(pointing))
    tip = arctan2(-sign * along_second, along_pointing)
    tilt = arcsin(np.minimum(np.maximum(sign * along_first, -1.0), 1.0))
    return tip, tilt


@on_stacks("(),(),(),()->(4)")
def gimbal_quaternion(tip: Scalar, tilt: Scalar, first: Any, second: Any) -> Vec4:
    """[-] q_GM of a platform that was turned by the tip about axis j and by the tilt about axis k."""
    q_tip = quaternion_from_turn(_coordinate_axis(first), tip)
    q_tilt = quaternion_from_turn(_coordinate_axis(second), tilt)
    return quaternion_product(q_tilt, q_tip)


@on_stacks("(3),()->(4)")
def quaternion_from_turn(axis_B: Vec3, angle: Scalar) -> Vec4:
    """[-] The unit quaternion of a turn by `angle` [rad] about the unit vector `axis_B`."""
    s, c = sin_cos(0.5 * angle)
    return np.array([c, s * axis_B[0], s * axis_B[1], s * axis_B[2]])


@on_stacks("(4)->(3),()")
def turn_from_quaternion(q: Vec4) -> tuple[Vec3, Scalar]:
    """The principal axis and the principal angle [rad], from 0 to pi; no turn is one by 0 about the first axis."""
    sign = choose(q[0] < 0.0, -1.0, 1.0)
    size = np.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    is_turned = size > 0.0
    scale = choose(is_turned, sign, 0.0) / choose(is_turned, size, 1.0)
    axis_B = np.array([choose(is_turned, q[1] * scale, 1.0), q[2] * scale, q[3] * scale])
    return axis_B, 2.0 * arctan2(size, np.abs(q[0]))


def _handedness(first: Any, second: Any) -> Scalar:
    """1 if the axes j, k, i are in cyclic order, else -1."""
    return choose((second - first) % 3 == 1, 1.0, -1.0)


def _coordinate_axis(number: Any) -> Vec3:
    return np.array([choose(number == 1, 1.0, 0.0), choose(number == 2, 1.0, 0.0), choose(number == 3, 1.0, 0.0)])
