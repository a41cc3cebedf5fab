from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardan.maths import (
    bilinear,
    choose,
    dcm_from_quaternion,
    gimbal_angles,
    gimbal_axis,
    gimbal_quaternion,
    grid_cell,
    pulse_count,
    quaternion_from_turn,
    turn_from_quaternion,
)

ANGLES = st.floats(-1.4, 1.4)


def elementary(axis: int, angle: float) -> np.ndarray:
    """C_axis(angle) of Schaub and Junkins."""
    c, s = np.cos(angle), np.sin(angle)
    a, b = axis % 3, (axis + 1) % 3
    dcm = np.eye(3)
    dcm[a, a] = dcm[b, b] = c
    dcm[a, b], dcm[b, a] = s, -s
    return dcm


@given(tip=ANGLES, tilt=ANGLES, order=st.sampled_from(list(permutations((1, 2, 3)))))
def test_the_pointing_axis_is_its_row_of_the_two_turns(tip, tilt, order):
    i, j, k = order
    dcm_GM = elementary(k, tilt) @ elementary(j, tip)
    assert gimbal_axis(tip, tilt, i, j, k) == pytest.approx(dcm_GM[i - 1], abs=1e-15)
    assert dcm_from_quaternion(gimbal_quaternion(tip, tilt, j, k)) == pytest.approx(dcm_GM, abs=1e-15)


@given(tip=ANGLES, tilt=ANGLES, order=st.sampled_from(list(permutations((1, 2, 3)))))
def test_gimbal_angles_are_found_again_from_the_axis(tip, tilt, order):
    # asin loses half of the digits near 90 deg; 1.4 rad keeps most
    assert gimbal_angles(gimbal_axis(tip, tilt, *order), *order) == pytest.approx((tip, tilt), abs=1e-13)


def test_the_usual_order_is_the_paper_s_equation_12():
    tip, tilt = 0.2, -0.3
    expected = [np.sin(tilt), -np.cos(tilt) * np.sin(tip), np.cos(tilt) * np.cos(tip)]
    assert gimbal_axis(tip, tilt, 3, 1, 2) == pytest.approx(expected)


@given(angle=st.floats(1e-6, np.pi - 1e-6), x=st.floats(-1, 1), y=st.floats(-1, 1))
def test_axis_and_angle_are_found_again_from_the_quaternion(angle, x, y):
    axis = np.array([x, y, 1.0]) / np.linalg.norm([x, y, 1.0])
    found, size = turn_from_quaternion(quaternion_from_turn(axis, angle))
    assert size == pytest.approx(angle, abs=1e-15) and found == pytest.approx(axis, abs=1e-9)


def test_no_turn_has_an_axis_all_the_same():
    axis, angle = turn_from_quaternion(np.array([1.0, 0.0, 0.0, 0.0]))
    assert axis.tolist() == [1.0, 0.0, 0.0] and angle == 0.0


def test_a_value_on_a_grid_line_lies_on_it_whatever_its_rounding():
    axis = np.deg2rad(np.arange(-18.5, 19.0, 0.5))
    for i, value in enumerate(axis[:-1]):
        assert grid_cell(axis, value) == (i, 0.0)
    assert grid_cell(axis, axis[-1]) == (len(axis) - 2, 1.0)


def test_outside_the_grid_the_place_in_the_cell_says_so():
    axis = np.array([0.0, 1.0, 2.0])
    assert grid_cell(axis, -0.5) == (0, -0.5) and grid_cell(axis, 2.25) == (1, 1.25)


def test_a_bilinear_function_is_interpolated_exactly():
    rows, columns = np.arange(4.0), np.arange(3.0)
    table = 1.0 + 2.0 * rows[:, None] - 3.0 * columns + 0.5 * rows[:, None] * columns
    row, y = grid_cell(rows, 1.3)
    column, x = grid_cell(columns, 0.6)
    assert bilinear(table, row, y, column, x) == pytest.approx(1.0 + 2.0 * 1.3 - 3.0 * 0.6 + 0.5 * 1.3 * 0.6)


def test_pulses_are_counted_whatever_the_rounding_of_seconds():
    late = 604800.0
    for k in (0, 1, 7, 124, 125):
        assert pulse_count(late + k * 0.008, 0.008) == (75_600_000 + k, True)
    assert pulse_count(0.0041, 0.008) == (0, False)


def test_a_choice_between_numbers_is_a_number():
    assert choose(True, 3, 4) == 3 and np.ndim(choose(False, 1.0, 2.0)) == 0
