"""Interpolation with every pattern of blanks, as the paper's Figure 8 has it."""

import numpy as np
import pytest

import cardan as cd
from cardan.fsw import GimbalToMotorAngles
from cardan.messages import GimbalAngles

TIP, TILT = np.arange(3.0), np.arange(2.0)
# the cell in question is the first; its corners are 1, 4, 10, 20 (row, column: 00, 01, 10, 11)
MOTOR1 = np.array([[1.0, 4.0, 0.0], [10.0, 20.0, 0.0]])


def motor1(tip, tilt, blanks=(), **options):
    is_reached = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    for row, column in blanks:
        is_reached[row, column] = 0.0
    part = GimbalToMotorAngles(TIP, TILT, MOTOR1, 2.0 * MOTOR1, is_reached, **options)
    sent = part.step(GimbalAngles(tip, tilt, False))
    assert sent.motor2.angle == pytest.approx(2.0 * sent.motor1.angle)
    return sent.motor1.angle


def test_on_a_grid_point_the_table_s_value_is_taken():
    assert motor1(0.0, 1.0) == 10.0
    # whatever surrounds it
    assert motor1(0.0, 1.0, blanks=[(0, 0), (0, 1), (1, 1)]) == 10.0


def test_on_a_grid_line_the_value_is_linear():
    assert motor1(0.25, 0.0) == pytest.approx(0.75 * 1.0 + 0.25 * 4.0)
    assert motor1(1.0, 0.25) == pytest.approx(0.75 * 4.0 + 0.25 * 20.0)
    # corners that are not needed may be blank
    assert motor1(0.25, 0.0, blanks=[(1, 0), (1, 1)]) == pytest.approx(1.75)


def test_inside_a_cell_the_value_is_bilinear():
    expected = 0.75 * (0.5 * 1.0 + 0.5 * 4.0) + 0.25 * (0.5 * 10.0 + 0.5 * 20.0)
    assert motor1(0.5, 0.25) == pytest.approx(expected)


def test_of_two_needed_corners_one_blank_leaves_the_other():
    assert motor1(0.25, 0.0, blanks=[(0, 0)]) == 4.0
    assert motor1(0.0, 0.75, blanks=[(1, 0)]) == 1.0


@pytest.mark.parametrize("blank", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_one_blank_corner_leaves_the_plane_through_the_others(blank):
    corners = {(0, 0), (0, 1), (1, 0), (1, 1)} - {blank}
    for tip, tilt in [(0.1, 0.2), (0.5, 0.5), (0.9, 0.7)]:
        rows = np.array([[1.0, column, row] for row, column in corners])
        values = np.array([MOTOR1[row, column] for row, column in corners])
        plane = np.linalg.solve(rows, values)
        assert motor1(tip, tilt, blanks=[blank]) == pytest.approx(plane @ [1.0, tip, tilt])


def test_one_blank_corner_may_leave_the_mean_of_the_others_as_in_the_paper():
    for tip, tilt in [(0.1, 0.2), (0.9, 0.7)]:
        found = motor1(tip, tilt, blanks=[(1, 1)], takes_mean_of_three=True)
        assert found == pytest.approx((1.0 + 4.0 + 10.0) / 3.0)


def test_two_blank_corners_leave_the_line_between_the_others():
    assert motor1(0.3, 0.6, blanks=[(1, 0), (1, 1)]) == pytest.approx(0.7 * 1.0 + 0.3 * 4.0)
    assert motor1(0.3, 0.6, blanks=[(0, 1), (1, 1)]) == pytest.approx(0.4 * 1.0 + 0.6 * 10.0)
    # opposite corners: halfway it is their mean, and near one it is that one
    assert motor1(0.5, 0.5, blanks=[(0, 1), (1, 0)]) == pytest.approx(0.5 * (1.0 + 20.0))
    assert motor1(1e-6, 1e-6, blanks=[(0, 1), (1, 0)]) == pytest.approx(1.0)


def test_three_blank_corners_leave_the_one_value():
    assert motor1(0.3, 0.6, blanks=[(0, 0), (0, 1), (1, 0)]) == 20.0


@pytest.mark.parametrize(
    ("tip", "tilt", "blanks"),
    [
        (0.3, 0.6, [(0, 0), (0, 1), (1, 0), (1, 1)]),  # four
        (0.3, 0.0, [(0, 0), (0, 1)]),  # both of the two that are needed
        (2.0, 1.0, []),  # the one that is needed
        (2.5, 0.5, []),  # beyond the grid
        (0.5, -0.1, []),
    ],
)
def test_where_nothing_is_known_there_is_an_error(tip, tilt, blanks):
    with pytest.raises(ValueError, match="The gimbal does not reach these angles: the tables are blank there"):
        motor1(tip, tilt, blanks=blanks)


def test_the_error_names_the_task_and_the_time():
    scn = cd.Scenario()
    part = GimbalToMotorAngles(TIP, TILT, MOTOR1, MOTOR1, np.ones((2, 3)))
    scn.add(part, name="motors", every=1.0, angles=GimbalAngles(5.0, 0.0, False))
    with pytest.raises(ValueError, match="or give AxisToGimbalAngles the limits of the gimbal") as error:
        cd.Simulation(scn).run(until=1.0)
    assert error.value.__notes__[0].startswith("in `motors.step` at t = 0 s")
