"""Where bodies are at given coordinates, for many times at once.

Positions are relative to one point near the vehicles, which is subtracted from the coordinates of free bodies before
anything is added to them: a vehicle 7000 km from the origin keeps all its digits.
"""

from typing import NamedTuple

import numpy as np

from cardan.viewer.drawing import WORLD, Drawing, Joint


class Poses(NamedTuple):
    """Frames at some times.

    Attributes:
        r: (times, n, 3) [m] Origins, in inertial components.
        q: (times, n, 4) [-] Unit quaternions relative to the inertial frame, scalar first.
    """

    r: np.ndarray
    q: np.ndarray


def body_poses(drawing: Drawing, coordinates: np.ndarray, origin: np.ndarray | None = None) -> Poses:
    """Where all bodies are.

    Args:
        drawing: The mechanism.
        coordinates: (times, nq)
        origin: (times, 3) [m] What positions are relative to; the origin of the inertial frame if left out.
    """
    times = len(coordinates)
    r, q = np.zeros((times, len(drawing.bodies), 3)), np.zeros((times, len(drawing.bodies), 4))
    q[:, WORLD, 0] = 1.0
    if origin is not None:
        r[:, WORLD] = -origin
    joints: dict[int, list[Joint]] = {}
    for joint in drawing.joints:
        joints.setdefault(joint.body, []).append(joint)
    for i in range(1, len(drawing.bodies)):
        up = int(drawing.parent[i])
        position = r[:, up] + turned(q[:, up], drawing.pos[i])
        attitude = product(q[:, up], drawing.quat[i])
        for joint in joints.get(i, ()):
            value = coordinates[:, joint.at : joint.at + joint.size]
            if joint.kind == "free":
                position = value[:, :3] if origin is None else value[:, :3] - origin
                attitude = value[:, 3:]
            elif joint.kind == "slide":
                position = position + turned(attitude, joint.axis) * (value - joint.reference)
            else:
                anchor = position + turned(attitude, joint.pos)
                turn = value if joint.kind == "ball" else about_axis(joint.axis, value[:, 0] - joint.reference[0])
                attitude = product(attitude, turn)
                position = anchor - turned(attitude, joint.pos)
        r[:, i], q[:, i] = position, attitude / np.linalg.norm(attitude, axis=1, keepdims=True)
    return Poses(r, q)


def fixed_poses(poses: Poses, bodies: np.ndarray, pos: np.ndarray, quat: np.ndarray) -> Poses:
    """Frames that are fixed to bodies: at `pos` (n, 3) [m], turned by `quat` (n, 4)."""
    carrier = poses.q[:, bodies]
    return Poses(poses.r[:, bodies] + turned(carrier, pos), product(carrier, quat))


def turned(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(..., 3) Vectors `v`, turned by unit quaternions `q` (..., 4)."""
    w, u = q[..., :1], q[..., 1:]
    twice = 2.0 * np.cross(u, v)
    return np.asarray(v + w * twice + np.cross(u, twice))


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """(..., 4) The rotation `q` followed by `p`."""
    pw, pv, qw, qv = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    scalar = pw * qw - np.sum(pv * qv, axis=-1, keepdims=True)
    return np.concatenate([scalar, pw * qv + qw * pv + np.cross(pv, qv)], axis=-1)


def about_axis(axis: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """(times, 4) Rotations about a unit vector."""
    half = 0.5 * angle[:, np.newaxis]
    return np.concatenate([np.cos(half), np.sin(half) * axis], axis=1)


def between(p: np.ndarray, q: np.ndarray, share: np.ndarray) -> np.ndarray:
    """(n, 4) Attitudes on the shorter turn from `p` to `q`, after some share of it."""
    q = np.where(np.sum(p * q, axis=1, keepdims=True) < 0.0, -q, q)
    angle = np.arctan2(np.linalg.norm(q - p, axis=1), np.linalg.norm(q + p, axis=1))  # half of it, exact where small
    part = share * 2.0 * angle
    sine = np.sin(2.0 * angle)
    is_small = sine < 1.0e-9
    safe = np.where(is_small, 1.0, sine)
    first = np.where(is_small, 1.0 - share, np.sin(2.0 * angle - part) / safe)
    second = np.where(is_small, share, np.sin(part) / safe)
    mixed = first[:, np.newaxis] * p + second[:, np.newaxis] * q
    return np.asarray(mixed / np.linalg.norm(mixed, axis=1, keepdims=True))
