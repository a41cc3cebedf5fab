"""The gradient of a series of solid spherical harmonics, without scratch arrays and without a singular pole."""

from typing import Any

import numpy as np

from cardan.maths.arrays import Mat, Scalar


def harmonic_gradient(rows: Mat, radius: Scalar, x: Scalar, y: Scalar, z: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """The gradient of a series at a place in its own frame, times the square of its reference radius.

    With q = R / r^2, fully normalised harmonics follow from each other,

        V_00 = R / r,   V_mm + i W_mm = f_m q (x + i y) (V + i W)_(m-1, m-1)                                      (1)
        V_nm = a q z V_(n-1, m) - b q R V_(n-2, m),   W alike                                                      (2)

    and each is added as soon as it is known.

    Args:
        rows: (k, 8) Of `cardan.ephemeris.gradient_rows`, order by order; it says how many there are of each.
        radius: [m] R.
        x: [m] Along the first axis of the frame of the series.
        y: [m] Along the second.
        z: [m] Along the third, the pole.
    """
    orders = _orders(len(rows))
    squared = x * x + y * y + z * z
    q = radius / squared
    qx, qy, qz, qR = q * x, q * y, q * z, q * radius
    V_mm, W_mm = radius / np.sqrt(squared), 0.0
    gx, gy, gz = 0.0 * x, 0.0 * x, 0.0 * x
    k = 0
    # two orders at a time: each waits for its own numbers before it, but not for those of the other
    for m in range(0, orders, 2):
        if m > 0:
            V_mm, W_mm = rows[k, 0] * (qx * V_mm - qy * W_mm), rows[k, 0] * (qx * W_mm + qy * V_mm)
        V, W, V_before, W_before = V_mm, W_mm, 0.0 * V_mm, 0.0 * V_mm
        row = rows[k]
        gx, gy, gz = gx + (row[2] * V + row[3] * W), gy + (row[4] * V + row[5] * W), gz + (row[6] * V + row[7] * W)
        length = orders - m
        j = k + length  # where the next order begins
        if length > 1:
            V_mm, W_mm = rows[j, 0] * (qx * V_mm - qy * W_mm), rows[j, 0] * (qx * W_mm + qy * V_mm)
        X, Y, X_before, Y_before = V_mm, W_mm, 0.0 * V_mm, 0.0 * V_mm
        for i in range(1, length):
            row, other = rows[k + i], rows[j + i - 1]
            a, b = row[0] * qz, row[1] * qR
            V, V_before = a * V - b * V_before, V
            W, W_before = a * W - b * W_before, W
            if i > 1:
                c, d = other[0] * qz, other[1] * qR
                X, X_before = c * X - d * X_before, X
                Y, Y_before = c * Y - d * Y_before, Y
            gx += (row[2] * V + row[3] * W) + (other[2] * X + other[3] * Y)
            gy += (row[4] * V + row[5] * W) + (other[4] * X + other[5] * Y)
            gz += (row[6] * V + row[7] * W) + (other[6] * X + other[7] * Y)
        k = j + length - 1
    return gx, gy, gz


def _orders(rows: int) -> Any:
    """How many orders a triangle of so many rows has."""
    orders = 0
    while rows > 0:
        orders += 1
        rows -= orders
    return orders
