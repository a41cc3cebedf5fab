"""Gimbal tables as files: four tables of comma-separated values in one folder, in degrees.

`motor1.csv` and `motor2.csv` have motor angles, with the tip along the first row and the tilt along the first column;
a cell that the gimbal does not reach is empty. `tip.csv` and `tilt.csv` have gimbal angles, with the angle of the first
motor along the first row and that of the second along the first column. docs/how-to/replace-gimbal-tables.md.
"""

import csv
from contextlib import ExitStack
from pathlib import Path

import numpy as np

from cardan.errors import SettingError
from cardan.files import not_written, written_whole
from cardan.gimbals.tables import GimbalTables, GimbalToMotorTable, MotorToGimbalTable, checked

FILES = ("motor1.csv", "motor2.csv", "tip.csv", "tilt.csv")


def load_gimbal_tables(folder: str | Path) -> GimbalTables:
    """The tables in a folder, checked."""
    missing = [name for name in FILES if not (Path(folder) / name).is_file()]
    if missing:
        raise SettingError(
            f"`{folder}` has no {' and no '.join(f'`{name}`' for name in missing)}.\n"
            f"  Gimbal tables are the files {', '.join(FILES)} of one folder; `save_gimbal_tables` writes such a set."
        )
    (tip, tilt, motor1), (tip2, tilt2, motor2) = (_read(Path(folder) / name) for name in FILES[:2])
    (first, second, tips), (first2, second2, tilts) = (_read(Path(folder) / name) for name in FILES[2:])
    _check_same_grid(folder, FILES[:2], (tip, tilt), (tip2, tilt2))
    _check_same_grid(folder, FILES[2:], (first, second), (first2, second2))
    is_reached = np.isfinite(motor1)
    if not np.array_equal(is_reached, np.isfinite(motor2)):
        row, column = np.argwhere(is_reached != np.isfinite(motor2))[0]
        raise SettingError(
            f"`{folder}`: motor1.csv and motor2.csv are not blank at the same places.\n"
            f"  They differ at tilt {np.rad2deg(tilt[row]):g} deg, tip {np.rad2deg(tip[column]):g} deg."
        )
    for name, values in zip(FILES[2:], (tips, tilts), strict=True):
        if not np.isfinite(values).all():
            row, column = np.argwhere(~np.isfinite(values))[0]
            raise SettingError(
                f"`{Path(folder) / name}` is blank at motor 1 {np.rad2deg(first[column]):g} deg, "
                f"motor 2 {np.rad2deg(second[row]):g} deg.\n  The motors reach every pair of angles; fill it in."
            )
    to_motors = GimbalToMotorTable(
        tip, tilt, np.where(is_reached, motor1, 0.0), np.where(is_reached, motor2, 0.0), is_reached.astype(float)
    )
    return checked(GimbalTables(to_motors, MotorToGimbalTable(first, second, tips, tilts)), f"`{folder}`")


def save_gimbal_tables(tables: GimbalTables, folder: str | Path) -> list[Path]:
    """Write the four files into a folder, which is made if it is not there; all of them, or none."""
    to_motors, to_gimbal = tables
    reached = to_motors.is_reached > 0.0
    contents = (
        (to_motors.tip, to_motors.tilt, np.where(reached, to_motors.motor1, np.nan)),
        (to_motors.tip, to_motors.tilt, np.where(reached, to_motors.motor2, np.nan)),
        (to_gimbal.motor1, to_gimbal.motor2, to_gimbal.tip),
        (to_gimbal.motor1, to_gimbal.motor2, to_gimbal.tilt),
    )
    paths = [Path(folder) / name for name in FILES]
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with ExitStack() as files:
            for path, (columns, rows, values) in zip(paths, contents, strict=True):
                corner = "tilt \\ tip [deg]" if path.name in FILES[:2] else "motor 2 \\ motor 1 [deg]"
                with files.enter_context(written_whole(path)).open("w", newline="", encoding="utf-8") as file:
                    writer = csv.writer(file)
                    writer.writerow([corner, *map(_text, columns)])
                    writer.writerows([_text(row), *map(_text, line)] for row, line in zip(rows, values, strict=True))
    except OSError as error:
        raise SettingError(not_written("The gimbal tables", Path(folder), error)) from error
    return paths


def _text(angle: float) -> str:
    """An angle [rad] in degrees; a blank for nan. Ten decimals: far below a step of a motor."""
    return "" if np.isnan(angle) else np.format_float_positional(round(np.rad2deg(angle), 10) + 0.0, trim="-")


def _read(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """[rad] Columns, rows and values of a file; nan where it is blank."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = [line for line in csv.reader(file) if any(cell.strip() for cell in line)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SettingError(f"`{path}` cannot be read: {error}.\n  Expected comma-separated values.") from error
    if len(lines) < 3 or len(lines[0]) < 3:
        raise SettingError(
            f"`{path}` is not a table.\n"
            "  Expected a first row and a first column of angles, two or more of each, and values between them."
        )
    for number, line in enumerate(lines, 1):
        if len(line) != len(lines[0]):
            raise SettingError(
                f"`{path}`: row {number} has {len(line)} cells.\n  expected {len(lines[0])}, as in the first row"
            )
    cells = [[_number(path, cell, i, j) for j, cell in enumerate(line)] for i, line in enumerate(lines)]
    numbers = np.deg2rad(np.array(cells))
    columns, rows = numbers[0, 1:], numbers[1:, 0]
    if not (np.isfinite(columns).all() and np.isfinite(rows).all()):
        raise SettingError(f"`{path}` has a blank in its first row or first column.\n  Give every line its angle.")
    return columns, rows, numbers[1:, 1:]


def _number(path: Path, cell: str, row: int, column: int) -> float:
    if not cell.strip() or (row == 0 and column == 0):
        return np.nan
    try:
        value = float(cell)
    except ValueError:
        value = np.inf
    if not np.isfinite(value):
        raise SettingError(
            f"`{path}`: row {row + 1}, column {column + 1} is `{cell}`.\n"
            "  Write an angle in degrees, or leave it empty."
        )
    return value


def _check_same_grid(
    folder: str | Path, names: tuple[str, ...], first: tuple[np.ndarray, ...], second: tuple[np.ndarray, ...]
) -> None:
    for a, b in zip(first, second, strict=True):
        if a.shape != b.shape or not np.allclose(a, b, rtol=0.0, atol=1.0e-9):
            raise SettingError(
                f"`{folder}`: {names[0]} and {names[1]} have different grids.\n"
                "  Their first rows, and their first columns, must be the same."
            )
