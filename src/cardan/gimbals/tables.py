"""The tables of a gimbal: motor angles over gimbal angles for flight software, and back for the simulated hardware."""

from typing import NamedTuple

import numpy as np

from cardan.errors import SettingError
from cardan.gimbals.geometry import CrankGimbal

_EVEN = 1.0e-6  # [-] how much grid spacings may differ, as a part of the mean: files have few digits


class GimbalToMotorTable(NamedTuple):
    """Motor angles over an even grid of gimbal angles, blank where no motor angles reach.

    Attributes:
        tip: [rad] (n,) Along the columns, ascending.
        tilt: [rad] (m,) Along the rows, ascending.
        motor1: [rad] (m, n) Angle of the first motor; 0 where blank.
        motor2: [rad] (m, n) Angle of the second motor; 0 where blank.
        is_reached: [-] (m, n) 1 where there are motor angles, 0 where the tables are blank.
    """

    tip: np.ndarray
    tilt: np.ndarray
    motor1: np.ndarray
    motor2: np.ndarray
    is_reached: np.ndarray


class MotorToGimbalTable(NamedTuple):
    """Gimbal angles over an even grid of motor angles, without blanks.

    Attributes:
        motor1: [rad] (n,) Along the columns, ascending.
        motor2: [rad] (m,) Along the rows, ascending.
        tip: [rad] (m, n)
        tilt: [rad] (m, n)
    """

    motor1: np.ndarray
    motor2: np.ndarray
    tip: np.ndarray
    tilt: np.ndarray


class GimbalTables(NamedTuple):
    """Both directions of one gimbal.

    Attributes:
        to_motors: What flight software looks up.
        to_gimbal: What the hardware does.
    """

    to_motors: GimbalToMotorTable
    to_gimbal: MotorToGimbalTable


def make_gimbal_tables(
    gimbal: CrankGimbal | None = None,
    *,
    gimbal_spacing: float = np.deg2rad(0.5),
    motor_spacing: float = np.deg2rad(0.5),
) -> GimbalTables:
    """A consistent pair of tables from a gimbal's geometry.

    Args:
        gimbal: The geometry.
        gimbal_spacing: [rad] Between the lines of the gimbal-to-motor tables; must divide both ranges.
        motor_spacing: [rad] Between the lines of the motor-to-gimbal tables; must divide the range of the motors.
    """
    gimbal = gimbal or CrankGimbal()
    tip = _axis(-gimbal.tip_max, gimbal.tip_max, gimbal_spacing, "gimbal_spacing", "the range of the tip")
    tilt = _axis(-gimbal.tilt_max, gimbal.tilt_max, gimbal_spacing, "gimbal_spacing", "the range of the tilt")
    motor = _axis(0.0, gimbal.motor_max, motor_spacing, "motor_spacing", "the range of the motors")
    motor1, motor2 = gimbal.motor_angles(tip[np.newaxis, :], tilt[:, np.newaxis])
    is_reached = np.isfinite(motor1) & np.isfinite(motor2)
    to_motors = GimbalToMotorTable(
        tip, tilt, np.where(is_reached, motor1, 0.0), np.where(is_reached, motor2, 0.0), is_reached.astype(float)
    )
    to_gimbal = MotorToGimbalTable(motor, motor, *gimbal.gimbal_angles(motor[np.newaxis, :], motor[:, np.newaxis]))
    return checked(GimbalTables(to_motors, to_gimbal), "make_gimbal_tables")


def checked(tables: GimbalTables, where: str) -> GimbalTables:
    """The tables, or an error that says which of them is wrong, and where.

    Args:
        tables: What was made or read.
        where: How an error calls its source.
    """
    to_motors, to_gimbal = tables
    _check_axis(to_motors.tip, f"{where}: the tips of the gimbal-to-motor tables")
    _check_axis(to_motors.tilt, f"{where}: the tilts of the gimbal-to-motor tables")
    _check_axis(to_gimbal.motor1, f"{where}: the first motor's angles of the motor-to-gimbal tables")
    _check_axis(to_gimbal.motor2, f"{where}: the second motor's angles of the motor-to-gimbal tables")
    _check_reach(to_motors, where)
    _check_agreement(tables, where)
    return tables


def _axis(low: float, high: float, spacing: float, name: str, what: str) -> np.ndarray:
    cells = (high - low) / spacing if spacing > 0.0 else 0.0
    if cells < 0.5 or abs(cells - round(cells)) > _EVEN * cells:
        raise SettingError(
            f"{name} = {np.rad2deg(spacing):g} deg does not divide {what}, {np.rad2deg(high - low):g} deg.\n"
            "  Use a spacing that fits a whole number of times."
        )
    return np.linspace(low, high, round(cells) + 1)


def _check_axis(axis: np.ndarray, what: str) -> None:
    if axis.ndim != 1 or len(axis) < 2 or not np.all(np.diff(axis) > 0.0):
        raise SettingError(f"{what} must ascend, two or more of them.\n  got {_degrees(axis)} deg")
    spacing = np.diff(axis)
    if np.ptp(spacing) > _EVEN * spacing.mean() + 1.0e-12:
        at = int(np.argmax(np.abs(spacing - np.median(spacing))))
        raise SettingError(
            f"{what} must be evenly spaced.\n"
            f"  The spacing is {np.rad2deg(np.median(spacing)):g} deg, "
            f"but between {np.rad2deg(axis[at]):g} and {np.rad2deg(axis[at + 1]):g} deg it is "
            f"{np.rad2deg(spacing[at]):g} deg."
        )


def _check_reach(table: GimbalToMotorTable, where: str) -> None:
    """Blanks belong outside: in every row and in every column, what is reached is one piece."""
    reached = table.is_reached > 0.0
    if not reached.any():
        raise SettingError(f"{where}: the gimbal-to-motor tables are blank throughout.\n  Fill in the motor angles.")
    for lines, across, name in ((reached, table.tip, "tilt"), (reached.T, table.tilt, "tip")):
        along = table.tilt if name == "tilt" else table.tip
        for i, line in enumerate(lines):
            found = np.flatnonzero(line)
            if len(found) and len(found) != found[-1] - found[0] + 1:
                hole = int(found[0] + np.argmin(line[found[0] :]))
                other = "tip" if name == "tilt" else "tilt"
                raise SettingError(
                    f"{where}: the gimbal-to-motor tables have a hole at {name} {np.rad2deg(along[i]):g} deg, "
                    f"{other} {np.rad2deg(across[hole]):g} deg.\n"
                    "  Blanks belong outside the reach of the gimbal; fill in the motor angles there."
                )
    for name, values in (("first", table.motor1), ("second", table.motor2)):
        if values[reached].min() < -1.0e-9:
            raise SettingError(
                f"{where}: the {name} motor has an angle of {np.rad2deg(values[reached].min()):g} deg.\n"
                "  Motor angles are counted from the hard stop, and are not negative."
            )


def _check_agreement(tables: GimbalTables, where: str) -> None:
    """Every gimbal angle of one direction is found again by the other, to the coarser of the two grids."""
    to_motors, to_gimbal = tables
    reached = to_motors.is_reached > 0.0
    motors = (to_motors.motor1[reached], to_motors.motor2[reached])
    for name, values, axis in zip(("first", "second"), motors, to_gimbal[:2], strict=True):
        if values.max() > axis[-1] + 1.0e-9 or values.min() < axis[0] - 1.0e-9:
            raise SettingError(
                f"{where}: the {name} motor goes from {np.rad2deg(values.min()):g} to {np.rad2deg(values.max()):g} deg "
                f"in the gimbal-to-motor tables, but from {np.rad2deg(axis[0]):g} to {np.rad2deg(axis[-1]):g} deg in "
                "the motor-to-gimbal tables.\n  Let the second cover the first."
            )
    tip = _looked_up(to_gimbal.tip, to_gimbal, *motors)
    tilt = _looked_up(to_gimbal.tilt, to_gimbal, *motors)
    rows, columns = np.nonzero(reached)
    off = np.maximum(np.abs(tip - to_motors.tip[columns]), np.abs(tilt - to_motors.tilt[rows]))
    coarse = max(to_motors.tip[1] - to_motors.tip[0], to_motors.tilt[1] - to_motors.tilt[0])
    worst = int(np.argmax(off))
    if off[worst] > coarse:
        raise SettingError(
            f"{where}: the two directions contradict each other.\n"
            f"  For tip {np.rad2deg(to_motors.tip[columns[worst]]):g} deg and "
            f"tilt {np.rad2deg(to_motors.tilt[rows[worst]]):g} deg the motors are told to go to "
            f"{np.rad2deg(motors[0][worst]):g} and {np.rad2deg(motors[1][worst]):g} deg, "
            f"where the gimbal has tip {np.rad2deg(tip[worst]):g} deg and tilt {np.rad2deg(tilt[worst]):g} deg.\n"
            "  Take both from the same gimbal; rows of the motor-to-gimbal tables are the second motor."
        )


def _looked_up(table: np.ndarray, axes: MotorToGimbalTable, motor1: np.ndarray, motor2: np.ndarray) -> np.ndarray:
    """The table at many places at once."""
    column, across_columns = _cells(axes.motor1, motor1)
    row, across_rows = _cells(axes.motor2, motor2)
    low = (1.0 - across_columns) * table[row, column] + across_columns * table[row, column + 1]
    high = (1.0 - across_columns) * table[row + 1, column] + across_columns * table[row + 1, column + 1]
    found: np.ndarray = (1.0 - across_rows) * low + across_rows * high
    return found


def _cells(axis: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    place = (values - axis[0]) / (axis[-1] - axis[0]) * (len(axis) - 1)
    index = np.clip(np.floor(place), 0, len(axis) - 2).astype(int)
    return index, place - index


def _degrees(axis: np.ndarray) -> str:
    return np.array2string(np.rad2deg(axis), precision=6, separator=", ", threshold=8, edgeitems=2)
