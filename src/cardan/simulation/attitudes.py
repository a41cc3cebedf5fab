"""Recorded attitudes as quaternions, and as near to each other as their kinds allow."""

import numpy as np

from cardan.maths import quaternion_from_mrp
from cardan.simulation.log import FieldLog


def quaternions(field: FieldLog) -> np.ndarray:
    """[-] (n, 4) Unit quaternions of an attitude, each with the sign that is nearer to the one before."""
    values = field.values
    if field.is_mrp:
        values = quaternion_from_mrp(values)
    return continuous(values)


def continuous(q: np.ndarray) -> np.ndarray:
    """The same attitudes with signs that do not jump; the first scalar part is not negative."""
    if not len(q):
        return q
    turns = np.sum(q[1:] * q[:-1], axis=1) < 0.0
    first = 1.0 if q[0, 0] >= 0.0 else -1.0
    signs = first * np.concatenate([[1.0], np.where(np.cumsum(turns) % 2 == 1, -1.0, 1.0)])
    return np.asarray(signs[:, None] * q)


def nearest_quaternions(q: np.ndarray, to: np.ndarray) -> np.ndarray:
    """`q` with the signs that are nearer to `to`: both signs are one attitude."""
    return np.asarray(np.where(np.sum(q * to, axis=1) < 0.0, -1.0, 1.0)[:, None] * q)


def nearest_mrps(sigma: np.ndarray, to: np.ndarray) -> np.ndarray:
    """`sigma`, or its shadow set where that is nearer to `to`: both are one attitude."""
    square = np.sum(sigma**2, axis=1)[:, None]
    shadow = -sigma / np.where(square > 0.0, square, 1.0)
    is_nearer = np.sum((shadow - to) ** 2, axis=1) < np.sum((sigma - to) ** 2, axis=1)
    return np.where(is_nearer[:, None] & (square > 0.0), shadow, sigma)
