"""Motor angles of a gimbal by look-up table."""

from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts import EvenlySpaced, OneOf, OnePer, task
from cardan.maths import Mat, Scalar, Vec, choose, grid_cell, total
from cardan.messages import GimbalAngles, MotorAngle


class GimbalToMotorAnglesOutputs(NamedTuple):
    motor1: MotorAngle
    motor2: MotorAngle


@task
class GimbalToMotorAngles(NamedTuple):
    """Motor angles for a tip and a tilt, from tables that are blank where the gimbal does not reach.

    On a grid point the value of the table is taken, on a grid line it is interpolated linearly, elsewhere bilinearly.
    Where corners of the cell are blank: of two that are needed, the other; of four, with one blank, the plane through
    the other three (or their mean); with two blank, linear interpolation between the others; with three blank, the one
    that is left. Where all that are needed are blank, or outside the grid, an error.

    Attributes:
        tip: [rad] Along the columns of the tables, ascending and evenly spaced.
        tilt: [rad] Along their rows, ascending and evenly spaced.
        motor1: [rad] Angle of the first motor.
        motor2: [rad] Angle of the second motor.
        is_reached: [-] 1 where the tables have a value, 0 where they are blank.
        takes_mean_of_three: [-] Whether to take the mean of three corners where the fourth is blank.
    """

    tip: Annotated[Vec, "rad", EvenlySpaced]
    tilt: Annotated[Vec, "rad", EvenlySpaced]
    motor1: Annotated[Mat, "rad", OnePer("tilt", "tip")]
    motor2: Annotated[Mat, "rad", OnePer("tilt", "tip")]
    is_reached: Annotated[Mat, "-", OneOf(0, 1), OnePer("tilt", "tip")]
    takes_mean_of_three: Annotated[bool, "-"] = False

    def step(self, angles: GimbalAngles) -> GimbalToMotorAnglesOutputs:
        column, x = grid_cell(self.tip, angles.tip)
        row, y = grid_cell(self.tilt, angles.tilt)
        weights = cell_weights(self.is_reached, row, y, column, x, self.takes_mean_of_three)
        if not is_on_grid(x, y) or np.all(weights == 0.0):
            raise ValueError(
                "The gimbal does not reach these angles: the tables are blank there. Command angles inside their "
                "reach, or give AxisToGimbalAngles the limits of the gimbal."
            )
        motor1 = weighted(self.motor1, weights, row, column)
        motor2 = weighted(self.motor2, weights, row, column)
        return GimbalToMotorAnglesOutputs(MotorAngle(motor1), MotorAngle(motor2))


def is_on_grid(x: Scalar, y: Scalar) -> Any:
    return (x >= 0.0) & (x <= 1.0) & (y >= 0.0) & (y <= 1.0)


def cell_weights(is_reached: Mat, row: Any, y: Scalar, column: Any, x: Scalar, takes_mean: Any) -> Vec:
    """Weights of the corners 00, 01, 10, 11 (row, column) of a cell; all zero where none that is needed is known."""
    known = np.array(
        [
            is_reached[row, column],
            is_reached[row, column + 1],
            is_reached[row + 1, column],
            is_reached[row + 1, column + 1],
        ]
    )
    # Eq. (1): bilinear weights; on a grid line those of the other line vanish
    plain = np.array([(1.0 - y) * (1.0 - x), (1.0 - y) * x, y * (1.0 - x), y * x])
    found = plain * known
    sum_found = total(found)
    is_inside = np.all(plain > 0.0)
    count = total(known)

    # Eq. (2): the known corners share the weights of the blank ones
    shared = found / choose(sum_found > 0.0, sum_found, 1.0)

    # Eq. (3): one blank corner of four is what makes a parallelogram of the four, so that they span a plane
    spare = plain * (1.0 - known)
    plane = known * np.array(
        [
            plain[0] + spare[1] + spare[2] - spare[3],
            plain[1] + spare[0] + spare[3] - spare[2],
            plain[2] + spare[0] + spare[3] - spare[1],
            plain[3] + spare[1] + spare[2] - spare[0],
        ]
    )
    of_three = np.where(takes_mean, known / 3.0, plane)
    return np.where(is_inside & (count == 3.0), of_three, shared)


def weighted(table: Mat, weights: Vec, row: Any, column: Any) -> Scalar:
    """The sum of a cell's corners with these weights."""
    return (
        weights[0] * table[row, column]
        + weights[1] * table[row, column + 1]
        + weights[2] * table[row + 1, column]
        + weights[3] * table[row + 1, column + 1]
    )
