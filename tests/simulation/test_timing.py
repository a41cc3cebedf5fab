"""The meaning of a tick, as docs/concepts/timing.md states it."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.messages import WakeUp
from parts import Count, Gain, Lag, LagState, Number, Ramp, Relay, plain


def test_a_task_runs_at_its_period_from_its_offset_on():
    scn = cd.Scenario()
    scn.add(Count(), name="slow", every=0.4, offset=0.2)
    scn.add(Count(), name="fast", every=0.1)
    log = plain(scn).run(until=1.0)
    assert log.t == pytest.approx(np.arange(11) * 0.1)
    assert log["fast.signal"].value.tolist() == list(range(1, 12))
    assert log["slow.signal"].value.tolist() == [0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3]
    assert log["slow.time"].value[[2, 6, 10]] == pytest.approx([0.2, 0.6, 1.0])


def test_a_task_sees_what_tasks_before_it_wrote_at_the_same_tick():
    scn = cd.Scenario()
    relay = scn.add(Relay(), name="relay", every=0.1)  # added first, runs second: order comes from connections
    count = scn.add(Count(), name="count", every=0.1)
    scn.connect(count.signal, relay.source)
    log = plain(scn).run(until=0.5)
    assert np.array_equal(log["relay.signal"].value, log["count.signal"].value)


def test_a_task_sees_model_outputs_of_the_present_state():
    scn = cd.Scenario()
    ramp = scn.add(Ramp(slope=3.0), name="ramp")
    scn.add(Relay(), name="relay", every=0.2, source=ramp.signal)
    log = plain(scn).run(until=1.0)
    assert log["relay.signal"].value == pytest.approx(3.0 * log.t)


def test_the_recorder_writes_model_outputs_as_the_tasks_saw_them_and_task_outputs_as_just_written():
    scn = cd.Scenario()
    count = scn.add(Count(), name="count", every=0.1)
    scn.add(Gain(factor=10.0), name="gain", source=count.signal)
    log = plain(scn).run(until=0.3, record=cd.Record(ports=["count.signal", "gain.signal"]))
    assert log["count.signal"].value.tolist() == [1, 2, 3, 4]
    # evaluated in step 1 of the tick, from what was held since the tick before
    assert log["gain.signal"].value.tolist() == [0, 10, 20, 30]


def test_task_outputs_are_held_between_ticks():
    """A lag driven by a task that samples every second sees a staircase: the closed form is exact."""
    scn = cd.Scenario()
    count = scn.add(Count(), name="count", every=1.0)
    scn.add(Lag(time_constant=0.5), name="lag", source=count.signal)
    log = plain(scn, cd.Dop853(rtol=1e-12, atol=1e-14)).run(until=3.0)
    x, expected = 0.0, [0.0]
    for held in (1.0, 2.0, 3.0):
        x = held + (x - held) * np.exp(-1.0 / 0.5)
        expected.append(x)
    assert log["lag.state"].value == pytest.approx(expected, rel=1e-11)


def test_two_runs_are_one_run_to_the_same_bits():
    def build() -> cd.Simulation:
        scn = cd.Scenario()
        count = scn.add(Count(), name="count", every=0.3)
        scn.add(Lag(), name="lag", source=count.signal)
        return plain(scn, cd.DormandPrince54())

    whole, parts = build(), build()
    whole.run(until=2.0)
    parts.run(until=0.6)
    parts.run(until=0.6)  # nothing left to do: the tick at 0.6 s is not run again
    parts.run(until=2.0)
    assert parts.snapshot() == whole.snapshot()


def test_the_log_of_a_continued_run_begins_after_the_last_sample_before_it():
    scn = cd.Scenario()
    scn.add(Count(), name="count", every=0.5)
    sim = plain(scn)
    first, second = sim.run(until=1.0), sim.run(until=2.0)
    assert first["count.signal"].value.tolist() == [1, 2, 3]
    assert second["count.signal"].value.tolist() == [4, 5]
    assert second.t == pytest.approx([1.5, 2.0])


def test_the_end_of_a_run_need_not_lie_on_the_grid_of_steps():
    scn = cd.Scenario()
    scn.add(Lag(), name="lag", initial=LagState(1.0))
    sim = plain(scn, cd.Rk4(step=0.1))
    sim.run(until=0.25)
    assert sim.now == 0.25
    sim.run(until=1.0)
    assert sim["lag.state"].value == pytest.approx(np.exp(-1.0), rel=1e-6)


class TestDelays:
    def test_a_delay_counts_ticks_of_the_writer_when_that_is_a_task(self):
        scn = cd.Scenario()
        count = scn.add(Count(), name="count", every=0.1)
        scn.add(Relay(), name="relay", every=0.1, source=count.signal.delayed(2, initial=Number(-1.0)))
        log = plain(scn).run(until=0.5)
        assert log["relay.signal"].value.tolist() == [-1, -1, 1, 2, 3, 4]

    def test_a_delay_means_the_same_whichever_task_runs_first(self):
        scn = cd.Scenario()
        relay = scn.add(Relay(), name="a_relay", every=0.1)
        count = scn.add(Count(), name="count", every=0.1)
        scn.connect(count.signal, relay.source, delay=1)
        log = plain(scn).run(until=0.3)
        assert log["a_relay.signal"].value.tolist() == [0, 1, 2, 3]

    def test_a_slow_reader_of_a_fast_writer_sees_it_ticks_of_the_writer_late(self):
        scn = cd.Scenario()
        count = scn.add(Count(), name="count", every=0.1)
        scn.add(Relay(), name="relay", every=0.4, source=count.signal.delayed(1))
        log = plain(scn).run(until=0.8)
        # at 0.4 s the writer has made its fifth tick; one tick earlier it said 4
        assert log["relay.signal"].value[[0, 4, 8]].tolist() == [0, 4, 8]

    def test_a_delay_counts_ticks_of_the_reader_when_the_writer_is_a_model(self):
        scn = cd.Scenario()
        ramp = scn.add(Ramp(), name="ramp")
        scn.add(Relay(), name="relay", every=0.2, source=ramp.signal.delayed(2, initial=Number(-5.0)))
        log = plain(scn).run(until=1.0)
        assert log["relay.signal"].value == pytest.approx([-5.0, -5.0, 0.0, 0.2, 0.4, 0.6])

    def test_a_model_may_read_a_task_late(self):
        scn = cd.Scenario()
        count = scn.add(Count(), name="count", every=0.1)
        scn.add(Gain(factor=1.0), name="gain", source=count.signal.delayed(1))
        log = plain(scn).run(until=0.4, record=cd.Record(ports=["gain.signal", "count.signal"]))
        assert log["gain.signal"].value.tolist() == [0, 0, 1, 2, 3]

    @pytest.mark.parametrize("jit", [True, False])
    @pytest.mark.parametrize("delay", [1, 2, 3, 7, 19])
    def test_a_delay_of_any_length_passes_everything_on_in_order(self, delay, jit):
        scn = cd.Scenario()
        count = scn.add(Count(), name="count", every=0.1)
        scn.add(Relay(), name="relay", every=0.1, source=count.signal.delayed(delay, initial=Number(-1.0)))
        log = cd.Simulation(scn, jit=jit).run(until=5.0)
        assert log["relay.signal"].value.tolist() == [-1.0] * delay + [*range(1, 52 - delay)]

    def test_a_delay_of_ten_million_ticks_costs_memory_and_no_time(self):
        """A tick moves one message; it would take a thousand runs of this length to move all of them once."""
        scn = cd.Scenario()
        count = scn.add(Count(), name="count", every=0.1)
        scn.add(Relay(), name="relay", every=0.1, source=count.signal.delayed(10**7, initial=Number(-1.0)))
        sim = plain(scn)
        assert set(sim.run(until=100.0)["relay.signal"].value) == {-1.0}
        assert sim.snapshot().t == 100.0

    def test_a_task_may_read_itself_one_tick_late(self):
        scn = cd.Scenario()
        relay = scn.add(Relay(), name="relay", every=0.1)
        scn.connect(relay.signal, relay.source, delay=1, initial=Number(7.0))
        log = plain(scn).run(until=0.2)
        assert log["relay.signal"].value.tolist() == [7, 7, 7]


def test_an_adaptive_integrator_keeps_its_step_across_ticks():
    """Ticks cut steps short; the step that was proposed before is taken up again at once, without rejections."""
    scn = cd.Scenario()
    count = scn.add(Count(), name="count", every=0.05)
    scn.add(Lag(time_constant=5.0), name="lag", source=count.signal)
    sim = plain(scn, cd.DormandPrince54(rtol=1e-6, atol=1e-9))
    sim.run(until=5.0)
    assert sim.steps["rejected"] == 0
    assert sim.steps["accepted"] <= 100 + 5  # one step a tick, and a few to find the step at the start


def test_a_scenario_without_continuous_states_only_ticks():
    scn = cd.Scenario()
    scn.add(Count(), name="count", every=0.25)
    sim = plain(scn, cd.Dop853())
    sim.run(until=10.0)
    assert sim.steps["accepted"] == 40


class IntegralState(NamedTuple):
    value: Annotated[float, "s"] = 0.0


@cd.model
class Integral(NamedTuple):
    """dx/dt = source"""

    def derivatives(self, x: IntegralState, source: Number) -> IntegralState:
        return IntegralState(source.value)


class BounceMemory(NamedTuple):
    number: Annotated[int, "-"] = 0


class BounceOutputs(NamedTuple):
    rate: Number
    wake_up: WakeUp


@cd.task
class Bounce(NamedTuple):
    """Sends +1 and -1 in turn, `count` times, `after` apart; then it rests until its next regular tick."""

    after: Annotated[float, "s"]
    count: Annotated[int, "-"]

    def step(self, t: float, x: BounceMemory) -> tuple[BounceMemory, BounceOutputs]:
        is_resting = x.number == self.count
        number = 0 if is_resting else x.number + 1
        sign = 0.0 if is_resting else 1.0 - 2.0 * (x.number % 2)
        return BounceMemory(number), BounceOutputs(Number(sign), WakeUp(0.0 if is_resting else self.after))


def test_a_task_that_asks_to_be_woken_runs_then_too_and_keeps_its_period():
    scn = cd.Scenario()
    scn.add(Bounce(after=0.004, count=3), name="bounce", every=1.0, offset=0.5)
    log = plain(scn).run(until=2.0)
    woken = [0.5, 0.504, 0.508, 0.512, 1.5, 1.504, 1.508, 1.512]
    assert log.t == pytest.approx(woken, abs=1e-12)
    assert log["bounce.rate"].value.tolist() == [1, -1, 1, 0] * 2


def test_a_wish_beyond_the_next_regular_tick_changes_nothing():
    scn = cd.Scenario()
    scn.add(Bounce(after=5.0, count=3), name="bounce", every=1.0)
    assert plain(scn).run(until=3.0).t == pytest.approx([0.0, 1.0, 2.0, 3.0])


@pytest.mark.parametrize("integrator", [cd.Rk4(step=0.1), cd.DormandPrince54(), cd.ExplicitEuler(step=0.25)], ids=str)
def test_integrators_land_on_the_ticks_that_a_task_asks_for(integrator):
    """The integral of a square wave with edges every 7 ms is exact only if no step crosses an edge."""
    scn = cd.Scenario()
    bounce = scn.add(Bounce(after=0.007, count=99), name="bounce", every=1.0)
    scn.add(Integral(), name="integral", source=bounce.rate)
    log = plain(scn, integrator).run(until=1.0, record=cd.Record(every="step"))
    inside = log.t < 99 * 0.007
    edges = np.floor(log.t[inside] / 0.007 + 1e-9)
    expected = np.where(edges % 2 == 0, log.t[inside] - edges * 0.007, (edges + 1) * 0.007 - log.t[inside])
    assert log["integral.state"].value[inside] == pytest.approx(expected, abs=1e-14)
    # at rest nothing asks for a stop, and steps are long again
    assert np.diff(log.t[log.t >= 99 * 0.007 - 1e-9]).max() > 0.09


def test_a_run_that_is_cut_between_woken_ticks_goes_on_to_the_same_bits():
    def square() -> cd.Simulation:
        scn = cd.Scenario()
        bounce = scn.add(Bounce(after=0.007, count=99), name="bounce", every=1.0)
        scn.add(Integral(), name="integral", source=bounce.rate)
        return plain(scn, cd.DormandPrince54())

    whole, cut = square(), square()
    whole.run(until=0.21)
    cut.run(until=0.14)
    cut.run(until=0.21)
    assert whole.snapshot() == cut.snapshot()
