"""Axis, gimbal angles, motor angles, steps, gimbal, axis: what comes back is what went in, to steps and tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardan.drivers import GimbalDriver
from cardan.drivers.gimbal_driver import attitude
from cardan.fsw import AxisToGimbalAngles, GimbalToMotorAngles, StepperController
from cardan.fsw.gimbal.stepper_controller import StepperControllerMemory
from cardan.gimbals import CrankGimbal, make_gimbal_tables, pointing_bound
from cardan.maths import dcm_from_quaternion, gimbal_axis, grid_cell
from cardan.messages import ThrustAxis

DEG = np.deg2rad(1.0)
STEP = 0.008 * DEG
GIMBALS = [CrankGimbal(), CrankGimbal(crank_arc=20 * DEG), CrankGimbal(crank_arc=130 * DEG)]
CHAINS = {}


def chain(gimbal):
    if gimbal not in CHAINS:
        tables = make_gimbal_tables(gimbal)
        CHAINS[gimbal] = (
            AxisToGimbalAngles(tip_limit=gimbal.tip_max, tilt_limit=gimbal.tilt_max),
            GimbalToMotorAngles(*tables.to_motors),
            StepperController(step_angle=STEP, step_time=0.008, max_steps=round(gimbal.motor_max / STEP)),
            GimbalDriver(*tables.to_gimbal, motor_step=STEP, step_time=0.008),
        )
    return CHAINS[gimbal]


def miss(gimbal, tip, tilt):
    """[rad] The angle between the axis that is commanded and the one that is reached."""
    to_angles, to_motors, controller, driver = chain(gimbal)
    axis_M = gimbal_axis(tip, tilt, 3, 1, 2)
    motors = to_motors.step(to_angles.step(ThrustAxis(axis_M)).angles)
    reached = []
    for target in motors:
        _, sent = controller.step(0.0, StepperControllerMemory(), target)
        reached.append(sent.command.steps * STEP)
    dcm_GM = dcm_from_quaternion(attitude(driver, *reached))
    return float(np.linalg.norm(np.cross(dcm_GM[2], axis_M)))


def blanks(gimbal, tip, tilt):
    """How many of the corners that are needed are blank, and how many are needed."""
    table = make_gimbal_tables(gimbal).to_motors if gimbal not in CHAINS else chain(gimbal)[1]
    column, x = grid_cell(table.tip, tip)
    row, y = grid_cell(table.tilt, tilt)
    needed = np.outer([1 - y, y], [1 - x, x]) > 0.0
    known = table.is_reached[row : row + 2, column : column + 2] > 0.0
    return int(np.sum(needed & ~known)), int(np.sum(needed))


def allowed(gimbal, tip, tilt):
    bound = pointing_bound(gimbal, step_angle=STEP)
    blank, needed = blanks(gimbal, tip, tilt)
    if blank == 0:
        return bound.inside
    return bound.beside_blank if (blank, needed) == (1, 4) else bound.at_edge


def place(gimbal, across, along):
    """A point of the diamond from two numbers between 0 and 1."""
    return gimbal.tip_max * (1 - across - along), gimbal.tilt_max * (across - along)


@given(gimbal=st.sampled_from(GIMBALS), across=st.floats(0.0, 1.0), along=st.floats(0.0, 1.0))
def test_every_axis_of_the_diamond_is_reached_to_half_a_step_and_the_tables_error(gimbal, across, along):
    tip, tilt = place(gimbal, across, along)
    assert miss(gimbal, tip, tilt) <= allowed(gimbal, tip, tilt)


def test_a_dense_grid_over_the_diamond_stays_within_the_bound_which_is_not_idle():
    gimbal = GIMBALS[0]
    bound = pointing_bound(gimbal, step_angle=STEP)
    worst = dict.fromkeys(bound, 0.0)
    for across in np.linspace(0.0, 1.0, 53):
        for along in np.linspace(0.0, 1.0, 53):
            tip, tilt = place(gimbal, across, along)
            limit = allowed(gimbal, tip, tilt)
            found = miss(gimbal, tip, tilt)
            assert found <= limit, (tip / DEG, tilt / DEG)
            worst[limit] = max(worst[limit], found)
    used = [worst[limit] / limit for limit in bound]
    assert min(used) > 0.2


def test_finer_tables_bring_the_miss_down_to_half_a_step():
    gimbal = GIMBALS[0]
    fine = pointing_bound(gimbal, step_angle=STEP, gimbal_spacing=0.005 * DEG, motor_spacing=0.005 * DEG)
    # 2 max(tip, tilt) slope step / 2, and nothing else worth a part in two hundred
    slope = gimbal.crank_arc / (2 * gimbal.motor_max * np.sin(gimbal.crank_arc / 2))
    assert fine.inside == pytest.approx(gimbal.tilt_max * slope * STEP, rel=0.005)
