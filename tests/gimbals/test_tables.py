import numpy as np
import pytest

from cardan.errors import SettingError
from cardan.gimbals import CrankGimbal, GimbalTables, make_gimbal_tables
from cardan.gimbals.tables import checked

DEG = np.deg2rad(1.0)
GIMBAL = CrankGimbal(tip_max=6 * DEG, tilt_max=9 * DEG, motor_max=80 * DEG, crank_arc=60 * DEG)


def tables() -> GimbalTables:
    return make_gimbal_tables(GIMBAL, gimbal_spacing=1 * DEG, motor_spacing=5 * DEG)


def with_motor1(change) -> GimbalTables:
    """The tables with one thing changed in a copy of the gimbal-to-motor part."""
    made = tables()
    copied = made.to_motors._make(np.array(values) for values in made.to_motors)
    return GimbalTables(change(copied) or copied, made.to_gimbal)


def test_the_corners_of_the_diamond_are_the_hard_stops():
    stop = GIMBAL.motor_max
    assert GIMBAL.gimbal_angles(0.0, 0.0) == pytest.approx((GIMBAL.tip_max, 0.0))
    assert GIMBAL.gimbal_angles(stop, 0.0) == pytest.approx((0.0, GIMBAL.tilt_max))
    assert GIMBAL.gimbal_angles(0.0, stop) == pytest.approx((0.0, -GIMBAL.tilt_max))
    assert GIMBAL.gimbal_angles(stop, stop) == pytest.approx((-GIMBAL.tip_max, 0.0))


def test_one_motor_alone_moves_along_an_edge_of_the_diamond():
    tip, tilt = GIMBAL.gimbal_angles(np.linspace(0.0, GIMBAL.motor_max, 9), 0.0)
    assert tip / GIMBAL.tip_max + tilt / GIMBAL.tilt_max == pytest.approx(np.ones(9))


def test_motor_angles_and_gimbal_angles_are_inverse_to_each_other():
    motor1, motor2 = np.meshgrid(np.linspace(0.0, GIMBAL.motor_max, 20), np.linspace(0.0, GIMBAL.motor_max, 20))
    again = GIMBAL.motor_angles(*GIMBAL.gimbal_angles(motor1, motor2))
    # rounding, enlarged by the slope at the ends of the crank
    assert again[0] == pytest.approx(motor1, abs=1e-12) and again[1] == pytest.approx(motor2, abs=1e-12)


def test_outside_the_diamond_there_are_no_motor_angles():
    assert np.isnan(GIMBAL.motor_angles(GIMBAL.tip_max, 0.1 * GIMBAL.tilt_max)).any()


def test_the_tables_are_blank_exactly_outside_the_diamond():
    table = tables().to_motors
    tip, tilt = np.meshgrid(table.tip, table.tilt)
    inside = np.abs(tip) / GIMBAL.tip_max + np.abs(tilt) / GIMBAL.tilt_max <= 1.0 + 1e-12
    assert np.array_equal(table.is_reached > 0.0, inside)


def test_the_paper_s_grids_have_the_paper_s_sizes():
    made = make_gimbal_tables()
    assert made.to_motors.motor1.shape == (111, 75) and made.to_gimbal.tip.shape == (321, 321)


def test_a_spacing_that_does_not_divide_the_range_is_refused():
    with pytest.raises(SettingError) as error:
        make_gimbal_tables(GIMBAL, gimbal_spacing=0.7 * DEG)
    assert str(error.value) == (
        "gimbal_spacing = 0.7 deg does not divide the range of the tip, 12 deg.\n"
        "  Use a spacing that fits a whole number of times."
    )
    with pytest.raises(SettingError, match="motor_spacing = 0 deg does not divide the range of the motors, 80 deg"):
        make_gimbal_tables(GIMBAL, gimbal_spacing=1 * DEG, motor_spacing=0.0)


def test_an_axis_must_ascend():
    with pytest.raises(SettingError) as error:
        checked(with_motor1(lambda t: t._replace(tip=t.tip[::-1])), "mine")
    assert str(error.value) == (
        "mine: the tips of the gimbal-to-motor tables must ascend, two or more of them.\n"
        "  got [ 6.,  5., ..., -5., -6.] deg"
    )


def test_an_axis_must_be_even():
    def change(table):
        table.tilt[3] += 0.25 * DEG

    with pytest.raises(SettingError) as error:
        checked(with_motor1(change), "mine")
    assert str(error.value) == (
        "mine: the tilts of the gimbal-to-motor tables must be evenly spaced.\n"
        "  The spacing is 1 deg, but between -7 and -5.75 deg it is 1.25 deg."
    )


def test_a_hole_in_the_middle_is_refused():
    def change(table):
        table.is_reached[8, 6] = 0.0

    with pytest.raises(SettingError) as error:
        checked(with_motor1(change), "mine")
    assert str(error.value) == (
        "mine: the gimbal-to-motor tables have a hole at tilt -1 deg, tip 0 deg.\n"
        "  Blanks belong outside the reach of the gimbal; fill in the motor angles there."
    )


def test_tables_that_are_blank_throughout_are_refused():
    with pytest.raises(SettingError) as error:
        checked(with_motor1(lambda t: t._replace(is_reached=0.0 * t.is_reached)), "mine")
    assert str(error.value) == "mine: the gimbal-to-motor tables are blank throughout.\n  Fill in the motor angles."


def test_negative_motor_angles_are_refused():
    with pytest.raises(SettingError) as error:
        checked(with_motor1(lambda t: t._replace(motor2=t.motor2 - 2 * DEG)), "mine")
    assert str(error.value) == (
        "mine: the second motor has an angle of -2 deg.\n"
        "  Motor angles are counted from the hard stop, and are not negative."
    )


def test_motor_angles_beyond_the_other_table_are_refused():
    with pytest.raises(SettingError) as error:
        checked(with_motor1(lambda t: t._replace(motor1=t.motor1 + 2 * DEG)), "mine")
    assert str(error.value) == (
        "mine: the first motor goes from 2 to 82 deg in the gimbal-to-motor tables, but from 0 to 80 deg in the "
        "motor-to-gimbal tables.\n  Let the second cover the first."
    )


def test_two_directions_that_contradict_each_other_are_refused():
    with pytest.raises(SettingError) as error:
        checked(with_motor1(lambda t: t._replace(motor1=t.motor2, motor2=t.motor1)), "mine")
    assert str(error.value) == (
        "mine: the two directions contradict each other.\n"
        "  For tip 0 deg and tilt -9 deg the motors are told to go to 80 and 0 deg, where the gimbal has tip 0 deg and "
        "tilt 9 deg.\n  Take both from the same gimbal; rows of the motor-to-gimbal tables are the second motor."
    )
