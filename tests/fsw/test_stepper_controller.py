import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cardan as cd
from cardan.drivers import StepperDriver
from cardan.fsw import StepperController
from cardan.fsw.gimbal.stepper_controller import StepperControllerMemory
from cardan.messages import MotorAngle
from gimbal_chain import STEP, Script

PART = StepperController(step_angle=0.01, step_time=0.1, max_steps=500)


def command(angle, memory=StepperControllerMemory(), t=0.0):
    memory, sent = PART.step(t, memory, MotorAngle(angle))
    return memory, sent


@given(st.floats(0.0, 5.0))
def test_the_number_of_steps_is_the_paper_s_equation_15(angle):
    exact = angle / 0.01
    low, high = math.floor(exact), math.ceil(exact)
    steps = command(angle)[1].command.steps
    if abs(high - exact - (exact - low)) > 1e-8:  # ties have a test of their own
        assert steps == (low if high - exact > exact - low else high)


def test_half_a_step_is_not_taken_in_either_direction():
    assert command(0.005)[1].command.steps == 0
    assert command(0.025)[1].command.steps == 2
    at_hundred = StepperControllerMemory(begin=100)
    assert command(0.995, at_hundred)[1].command.steps == 0
    assert command(0.985, at_hundred)[1].command.steps == -1


def test_the_target_stays_between_the_hard_stops():
    _, sent = command(7.0)
    assert sent.command.steps == 500 and sent.motor.is_limited
    _, sent = command(-0.3, StepperControllerMemory(begin=20))
    assert sent.command.steps == -20 and sent.motor.is_limited
    assert not command(5.0)[1].motor.is_limited


def test_a_target_that_never_changes_is_commanded_once():
    memory, sent = command(0.30)
    for t in (0.05, 0.1, 1.0, 2.95, 3.0, 50.0):
        memory, sent = command(0.30, memory, t)
        assert sent.command.number == 1 and sent.command.steps == 30
    assert sent.motor.steps == 30 and sent.motor.remaining == 0


def test_steps_are_counted_as_they_are_completed():
    memory, _ = command(0.30)
    for t, done in [(0.0, 0), (0.09, 0), (0.1, 1), (0.25, 2), (2.9, 29), (3.0, 30), (9.0, 30)]:
        _, sent = command(0.30, memory, t)
        assert (sent.motor.steps, sent.motor.remaining) == (done, 30 - done), t
        assert sent.motor.angle == pytest.approx(0.01 * done)


def test_a_new_target_in_the_middle_of_a_step_counts_from_its_end():
    memory, _ = command(0.30)
    memory, sent = command(0.0, memory, t=0.25)
    # the third step is completed, then three steps lead back
    assert sent.command == (-3, 2) and memory.begin == 3 and memory.pulse == 3
    assert command(0.0, memory, t=0.45)[1].motor.steps == 2
    assert command(0.0, memory, t=0.6)[1].motor.steps == 0


def test_a_target_between_pulses_of_a_motor_at_rest_waits_for_the_next():
    memory, sent = command(0.05, t=0.04)
    assert memory.pulse == 1 and sent.command.steps == 5
    assert command(0.05, memory, t=0.11)[1].motor.steps == 0
    assert command(0.05, memory, t=0.21)[1].motor.steps == 1


@settings(max_examples=25)
@given(
    targets=st.lists(st.tuples(st.integers(1, 40), st.floats(-1.0, 21.0)), min_size=1, max_size=6),
    period=st.sampled_from([0.008, 0.01, 0.1]),
)
def test_flight_software_and_motor_count_the_same_whatever_is_commanded_when(targets, period):
    """Also in the middle of steps and sequences, backwards, and beyond the hard stops."""
    times = np.cumsum([0, *(gap for gap, _ in targets[:-1])]) * period
    step = STEP | {"max_steps": 20}
    scn = cd.Scenario()
    values = np.array([value * STEP["step_angle"] for _, value in targets])
    script = scn.add(Script(times, values, values), name="script", every=period)
    control = scn.add(StepperController(**step), name="ctl", every=period, target=script.motor)
    scn.add(StepperDriver(**step), name="drive", every=period, command=control.command)
    sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.001), jit=False)
    record = cd.Record(every=period, ports=["ctl.motor", "drive.motor"])
    log = sim.run(until=float(np.round(times[-1] + 60 * period, 9)), record=record)
    assert log["ctl.motor"].angle == pytest.approx(log["drive.motor"].angle, abs=1e-15)
    assert np.array_equal(log["ctl.motor"].remaining, log["drive.motor"].remaining + log["drive.motor"].direction)
    assert log["drive.motor"].lost[-1] == 0
