import numpy as np
import pytest

import cardan as cd
from cardan.drivers import StepperDriver, StepperDriverMemory
from cardan.messages import AngleArc, StepCommand
from cardan.models import StepperMotor
from gimbal_chain import Script

ANGLE, TIME = 0.1, 0.08  # large steps, so that numbers are easy to read
PART = StepperDriver(step_angle=ANGLE, step_time=TIME, max_steps=50)


def run(script, until=4.0, every=0.01, period=0.04, place=0):
    """The motor's motion, sampled every `every`, under a script of (time, steps)."""
    times, steps = np.array(script, dtype=float).T
    scn = cd.Scenario()
    commands = scn.add(Script(times, steps, steps), name="script", every=period)
    start = StepperDriverMemory(place=place)
    drive = scn.add(PART, name="drive", every=period, command=commands.steps, initial=start)
    scn.add(StepperMotor(), name="motor", arc=drive.arc)
    sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.005), jit=False)
    return sim.run(until=until, record=cd.Record(every=every, ports=["motor.motion", "drive.motor"]))


def bang_bang(t, t0, theta0, sign):
    """One step by the paper's Eqs. (17), (19) and (20), with the sign of the second half as continuity needs it."""
    tf, ts = t0 + TIME, t0 + TIME / 2
    if t < ts:
        return theta0 + sign * ANGLE / 2 * (t - t0) ** 2 / (ts - t0) ** 2, sign * 4 * ANGLE / TIME**2 * (t - t0)
    return theta0 + sign * ANGLE * (1 - 0.5 * (t - tf) ** 2 / (ts - tf) ** 2), -sign * 4 * ANGLE / TIME**2 * (t - tf)


@pytest.mark.parametrize("sign", [1, -1])
def test_every_step_is_accelerated_and_braked(sign):
    log = run([(0.0, 3 * sign)], until=0.24, every=0.01, place=10)
    motion = log["motor.motion"]
    for t, angle, rate in zip(log.t[1:], motion.angle[1:], motion.rate[1:], strict=True):
        k = min(int((t - 1e-9) // TIME), 2)
        expected = bang_bang(t, k * TIME, (10 + sign * k) * ANGLE, sign)
        assert (angle, rate) == pytest.approx(expected, abs=1e-12)
    assert motion.angle[-1] == pytest.approx((10 + 3 * sign) * ANGLE) and abs(motion.rate[-1]) < 1e-12


def test_a_motor_at_rest_asks_for_no_ticks():
    scn = cd.Scenario()
    scn.add(PART, name="drive", every=1.0, command=StepCommand(0, 0))
    assert cd.Simulation(scn, jit=False).run(until=3.0).t.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_motor_that_moves_asks_for_two_ticks_per_step():
    scn = cd.Scenario()
    scn.add(PART, name="drive", every=1.0, command=StepCommand(3, 1))
    log = cd.Simulation(scn, jit=False).run(until=1.0)
    assert log.t == pytest.approx([0.0, 0.04, 0.08, 0.12, 0.16, 0.20, 0.24, 1.0], abs=1e-12)


def test_the_same_command_is_obeyed_once():
    log = run([(0.0, 3)], until=4.0)
    assert log["drive.motor"].angle[-1] == pytest.approx(3 * ANGLE)


def test_a_new_command_during_a_sequence_replaces_what_was_left():
    # 0.16 s: two of ten steps are complete, and a pulse falls here
    log = run([(0.0, 10), (0.16, -1)])
    assert log["drive.motor"].angle[-1] == pytest.approx(1 * ANGLE)
    assert np.max(log["motor.motion"].angle) == pytest.approx(2 * ANGLE)
    assert log["drive.motor"].sequence[-1] == 2


def test_a_new_command_in_the_middle_of_a_step_waits_for_its_end():
    # 0.2 s: the third step is half done
    log = run([(0.0, 10), (0.2, -1)])
    motion = log["motor.motion"]
    assert np.max(motion.angle) == pytest.approx(3 * ANGLE)
    assert log["drive.motor"].angle[-1] == pytest.approx(2 * ANGLE)
    # the rate is continuous throughout: no jump is larger than the acceleration allows
    assert np.max(np.abs(np.diff(motion.rate))) <= 4 * ANGLE / TIME**2 * 0.01 * (1 + 1e-9)


def test_a_command_of_zero_stops_at_the_end_of_the_step():
    assert run([(0.0, 10), (0.2, 0)])["drive.motor"].angle[-1] == pytest.approx(3 * ANGLE)


def test_a_command_between_pulses_waits_for_the_next_pulse():
    motion = run([(0.0, 0), (0.12, 2)], until=0.4)["motor.motion"]
    assert np.all(motion.angle[motion.t < 0.16 + 1e-9] == 0.0) and motion.angle[-1] == pytest.approx(2 * ANGLE)


def test_steps_beyond_the_hard_stops_are_lost_and_counted():
    up = run([(0.0, 60)], until=5.0)
    assert up["drive.motor"].angle[-1] == pytest.approx(50 * ANGLE) and up["drive.motor"].lost[-1] == 10
    assert np.max(up["motor.motion"].angle) <= 50 * ANGLE + 1e-12
    down = run([(0.0, -7)], place=3)
    assert down["drive.motor"].angle[-1] == 0.0 and down["drive.motor"].lost[-1] == 4


def test_a_motor_that_is_far_in_time_still_steps_on_its_pulses():
    memory, sent = PART.step(604800.0, StepperDriverMemory(), StepCommand(2, 1))
    assert memory.direction == 1 and sent.wake_up.after == pytest.approx(TIME / 2, abs=1e-9)
    assert sent.arc == AngleArc(604800.0, 0.0, 0.0, pytest.approx(4 * ANGLE / TIME**2))
