"""The path of the platform: segments, their ends by the tables, and no jump in attitude or rate anywhere."""

import numpy as np
import pytest

import cardan as cd
from cardan.drivers import GimbalDriver, StepperDriver, StepperDriverMemory
from cardan.drivers.gimbal_driver import attitude
from cardan.maths import dcm_from_mrp, dcm_from_quaternion, gimbal_quaternion, mrp_rate
from cardan.models import TwoAxisGimbal
from gimbal_chain import DEG, GIMBAL, STEP, Script, tables

TABLES = tables()
TIME = STEP["step_time"]
DRIVER = GimbalDriver(*TABLES.to_gimbal, motor_step=STEP["step_angle"], step_time=TIME)


def run(first, second, until, every=TIME / 4, places=(9000, 11000), period=TIME / 2):
    """The platform under scripts of (time, steps) for its two motors."""
    scn = cd.Scenario()
    drives = []
    for i, (script, place) in enumerate(zip((first, second), places, strict=True)):
        times, steps = np.array(script, dtype=float).T
        commands = scn.add(Script(times, steps, steps), name=f"script{i}", every=period)
        start = StepperDriverMemory(place=place)
        drives.append(
            scn.add(StepperDriver(**STEP), name=f"drive{i}", every=period, command=commands.steps, initial=start)
        )
    path = scn.add(DRIVER, name="path", every=period, first=drives[0].motor, second=drives[1].motor)
    scn.add(TwoAxisGimbal(), name="gimbal", arc=path.arc)
    sim = cd.Simulation(scn, integrator=cd.DormandPrince54(), jit=False)
    record = cd.Record(every=every, ports=["gimbal.motion", "path.memory", "drive0.motor", "drive1.motor"])
    log = sim.run(until=until, record=record)
    # the sample at time zero is from before the first tick
    return log, log["gimbal.motion"]


def table_attitude(place1, place2):
    return dcm_from_quaternion(attitude(DRIVER, place1 * STEP["step_angle"], place2 * STEP["step_angle"]))


def test_the_platform_starts_where_the_motors_are():
    _, motion = run([(0.0, 0)], [(0.0, 0)], until=0.1)
    expected = GIMBAL.gimbal_angles(9000 * STEP["step_angle"], 11000 * STEP["step_angle"])
    # tables of 0.5 deg: their interpolation error
    assert (motion.tip[-1], motion.tilt[-1]) == pytest.approx(expected, abs=1e-4)


def test_equal_step_counts_make_one_segment():
    log, motion = run([(0.0, 6)], [(0.0, -6)], until=8 * TIME)
    assert set(log["path.memory"].steps[1:].tolist()) == {6, 0}
    assert dcm_from_mrp(motion.sigma_GM[-1]) == pytest.approx(table_attitude(9006, 10994), abs=1e-14)


def test_unequal_step_counts_make_two_segments():
    log, motion = run([(0.0, 2)], [(0.0, 5)], until=7 * TIME)
    assert sorted(set(log["path.memory"].steps[1:].tolist())) == [0, 2, 3]
    # at the end of the first segment both motors have taken two steps, at the end of the second all are done
    middle = np.argmin(np.abs(log.t - 2 * TIME))
    assert dcm_from_mrp(motion.sigma_GM[middle]) == pytest.approx(table_attitude(9002, 11002), abs=1e-14)
    assert dcm_from_mrp(motion.sigma_GM[-1]) == pytest.approx(table_attitude(9002, 11005), abs=1e-14)


def test_one_motor_alone_makes_one_segment():
    log, motion = run([(0.0, -4)], [(0.0, 0)], until=6 * TIME)
    assert set(log["path.memory"].steps[1:].tolist()) == {4, 0}
    assert dcm_from_mrp(motion.sigma_GM[-1]) == pytest.approx(table_attitude(8996, 11000), abs=1e-14)


def test_the_path_of_a_segment_is_a_turn_about_one_axis():
    _, motion = run([(0.0, 100)], [(0.0, 100)], until=100 * TIME, every=TIME)
    start = table_attitude(9000, 11000)
    turns = np.array([dcm_from_mrp(sigma) @ start.T for sigma in motion.sigma_GM[1:]])
    vectors = np.stack([turns[:, 1, 2] - turns[:, 2, 1], turns[:, 2, 0] - turns[:, 0, 2]], axis=1)
    ratio = vectors[10:, 0] / vectors[10:, 1]
    assert ratio == pytest.approx(np.full(len(ratio), ratio[-1]), rel=1e-9)
    # and its steps are equal: the angle grows linearly from pulse to pulse
    angles = np.arccos(np.clip((np.trace(turns, axis1=1, axis2=2) - 1) / 2, -1, 1))
    assert np.diff(angles[10:]) == pytest.approx(np.full(len(angles) - 11, angles[-1] / 100), rel=1e-6)


INTERRUPTED = {
    "during a sequence": ([(0.0, 9), (3 * TIME, -4)], [(0.0, 5), (3 * TIME, 2)]),
    "in the middle of a step": ([(0.0, 9), (3.5 * TIME, -4)], [(0.0, 5), (3.5 * TIME, 2)]),
    "one motor only": ([(0.0, 9), (3.5 * TIME, -4)], [(0.0, 5)]),
    "one motor at rest": ([(0.0, 2), (3.5 * TIME, 3)], [(0.0, 8), (3.5 * TIME, -1)]),
    "with the same steps": ([(0.0, 9), (2 * TIME, 7)], [(0.0, 5), (2 * TIME, 3)]),
}


@pytest.mark.parametrize("case", INTERRUPTED)
def test_attitude_and_rate_are_continuous_and_belong_together_whatever_interrupts(case):
    # between samples a sixteenth of a step apart
    h = TIME / 16
    log, motion = run(*INTERRUPTED[case], until=16 * TIME, every=h)
    sigma, omega = motion.sigma_GM[1:], motion.omega_GM_G[1:]
    largest = np.max(np.linalg.norm(motion.omega_dot_GM_G, axis=1))
    # the rate has no jump: between samples it changes by acceleration times time at the most
    assert np.max(np.linalg.norm(np.diff(omega, axis=0), axis=1)) <= largest * h * (1 + 1e-6)
    # the attitude is the integral of the rate: trapezoids are exact on parabolas, up to the turn of the axes
    rates = np.array([mrp_rate(s, w) for s, w in zip(sigma, omega, strict=True)])
    integrated = sigma[0] + np.cumsum(0.5 * h * (rates[1:] + rates[:-1]), axis=0)
    assert integrated == pytest.approx(sigma[1:], abs=1e-9)
    assert np.ptp(sigma, axis=0).max() > 1e-5
    # and the end is where the tables put the motors
    ends = [round(log[f"drive{i}.motor"].angle[-1] / STEP["step_angle"]) for i in (0, 1)]
    assert dcm_from_mrp(sigma[-1]) == pytest.approx(table_attitude(*ends), abs=1e-14)
    assert np.all(omega[-1] == 0.0)


def test_at_rest_it_asks_for_no_ticks():
    log, _ = run([(0.0, 0)], [(0.0, 0)], until=3.0, every=1.0, period=1.0)
    assert log.t.tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(("tip_axis", "tilt_axis"), [(1, 2), (2, 1), (2, 3), (3, 1)])
def test_any_two_axes_can_tip_and_tilt(tip_axis, tilt_axis):
    driver = DRIVER._replace(tip_axis=tip_axis, tilt_axis=tilt_axis)
    motors = 40 * DEG, 90 * DEG  # on the grid of the tables, so that they are exact
    expected = gimbal_quaternion(*GIMBAL.gimbal_angles(*motors), tip_axis, tilt_axis)
    assert attitude(driver, *motors) == pytest.approx(expected, abs=1e-15)
