"""How far tables and whole steps let a gimbal miss; derived in docs/theory/gimbal_tables.md."""

from typing import NamedTuple

import numpy as np

from cardan.gimbals.geometry import CrankGimbal


class PointingBound(NamedTuple):
    """Largest angle between the commanded axis and the one that is reached.

    Attributes:
        inside: [rad] Where no needed corner of a cell of the gimbal-to-motor tables is blank.
        beside_blank: [rad] Where one of four corners is blank, and the plane through the others is taken.
        at_edge: [rad] In the other cells at the edge of the diamond.
    """

    inside: float
    beside_blank: float
    at_edge: float


def pointing_bound(
    gimbal: CrankGimbal,
    *,
    step_angle: float,
    gimbal_spacing: float = np.deg2rad(0.5),
    motor_spacing: float = np.deg2rad(0.5),
) -> PointingBound:
    """The bound of Eqs. (6) to (10) for tables that `make_gimbal_tables` makes with these spacings.

    Args:
        gimbal: The geometry.
        step_angle: [rad] Of one step of a motor.
        gimbal_spacing: [rad] Of the gimbal-to-motor tables.
        motor_spacing: [rad] Of the motor-to-gimbal tables.
    """
    tip, tilt, stop, arc = gimbal
    half = 0.5 * arc

    # largest derivatives of the lift over the motor angle, Eq. (1): in the middle and at the ends
    slope = arc / (2.0 * stop * np.sin(half))
    bend = arc**2 / (2.0 * stop**2)

    # largest second derivative of the motor angle over the lift, up to a cell beyond the diamond, Eq. (6)
    beyond = 0.5 * gimbal_spacing * (1.0 / tip + 1.0 / tilt)
    sine = min((1.0 + 2.0 * beyond) * np.sin(half), 1.0 - 1.0e-12)
    back = 4.0 * stop * sine * np.sin(half) ** 2 / (arc * (1.0 - sine**2) ** 1.5)

    # Eqs. (7) to (10)
    motor = gimbal_spacing**2 * back * (1.0 / tip**2 + 1.0 / tilt**2) / 32.0 + 0.5 * step_angle
    blank = gimbal_spacing**2 * back / (4.0 * tip * tilt)
    along = 2.0 * max(tip, tilt) * slope
    inside = along * motor + np.hypot(tip, tilt) * bend * motor_spacing**2 / 4.0
    beside_blank = inside + along * blank
    at_edge = beside_blank + np.sqrt(2.0) * gimbal_spacing
    return PointingBound(float(inside), float(beside_blank), float(at_edge))
