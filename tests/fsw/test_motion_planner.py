from typing import NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import fsw, models
from cardan.messages import MotionReference


class WishOutputs(NamedTuple):
    reference: MotionReference


@cd.task
class Wishes(NamedTuple):
    """Changes its mind while the motion is under way, then stops it, then lets it go on."""

    def step(self, t: float) -> WishOutputs:
        value = 0.0 if t < 1.0 else 1.5 if t < 5.0 else -0.8
        return WishOutputs(reference=MotionReference(value=value, is_stopped=(t >= 9.0) & (t < 20.0)))


def planned() -> cd.Simulation:
    scn = cd.Scenario("servo")
    wishes = scn.add(Wishes(), name="wishes", every=0.5)
    planner = scn.add(
        fsw.MotionPlanner(start=0.0, max_acceleration=0.2, bang=1.0, smooth=0.5), name="planner", every=0.5
    )
    scn.connect(wishes.reference, planner.reference)
    nowhere = models.bang_bang(start=0.0, reference=0.0, max_acceleration=1.0)
    servo = scn.add(models.rotation_about([0.0, 0.0, 1.0], nowhere), name="servo")
    scn.connect(planner.plan, servo.plan)
    return cd.Simulation(scn, integrator=cd.Rk4(step=0.01))


def test_a_new_reference_while_moving_jumps_in_neither_rate_nor_acceleration():
    log = planned().run(until=60.0, record=cd.Record(every=0.01, ports=["servo.angle"]))
    angle = log["servo.angle"]
    # the acceleration never changes faster than its steepest ramp, 1.5 a / smooth, nor the rate than the acceleration
    assert np.abs(np.diff(angle.acceleration)).max() <= 1.5 * 0.2 / 0.5 * 0.01 * 1.01
    assert np.abs(np.diff(angle.rate)).max() <= 0.2 * 0.01 * 1.01
    assert np.abs(angle.acceleration).max() <= 0.2 + 1e-12
    # trapezoids of the acceleration and of the rate give rate and angle back, to the square of the step
    rate = np.cumsum(0.5 * (angle.acceleration[1:] + angle.acceleration[:-1])) * 0.01
    assert np.abs(rate - angle.rate[1:]).max() < 1e-5
    value = np.cumsum(0.5 * (angle.rate[1:] + angle.rate[:-1])) * 0.01
    assert np.abs(value - angle.angle[1:]).max() < 1e-5


def test_it_stops_when_told_to_and_goes_on_to_its_reference():
    log = planned().run(until=60.0, record=cd.Record(every=0.5, ports=["servo.angle"]))
    angle = log["servo.angle"]
    stopped = (angle.t > 13.0) & (angle.t <= 20.0)
    assert np.ptp(angle.angle[stopped]) == 0.0 and not np.any(angle.rate[stopped])
    assert angle.angle[stopped][0] not in (1.5, -0.8)
    assert angle.angle[-1] == -0.8 and angle.rate[-1] == 0.0


def test_without_a_new_reference_the_plan_stays():
    part = fsw.MotionPlanner(start=0.3, max_acceleration=0.2, bang=1.0, smooth=0.5)
    memory, outputs = part.step(0.0, part.initial(), MotionReference(0.3))
    assert outputs.plan.duration.sum() == 0.0
    memory, first = part.step(1.0, memory, MotionReference(1.0))
    memory, second = part.step(2.0, memory, MotionReference(1.0))
    assert first.plan.duration.sum() > 0.0
    assert all(np.array_equal(a, b) for a, b in zip(first.plan, second.plan, strict=True))


def test_a_move_too_short_for_its_bang_segments_is_made_gently():
    part = fsw.MotionPlanner(start=0.0, max_acceleration=0.2, bang=1.0, smooth=0.5)
    _, outputs = part.step(0.0, part.initial(), MotionReference(0.003))
    assert np.abs(outputs.plan.begin).max() == pytest.approx(0.003 / (1.5 * 2.0))
    assert outputs.plan.reference == 0.003
