"""A run in pieces is the whole run: its steps, its samples, its snapshots, to the last bit."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import cardan as cd
from cardan.maths import Vec, choose
from cardan.messages import WakeUp
from parts import Count, Lag, LagState, Noise, Number, Ramp, Relay, plain


class WakerOutputs(NamedTuple):
    again: WakeUp
    time: Number


@cd.task
class Waker(NamedTuple):
    """Asks for a tick between its regular ones, off any grid."""

    def step(self, t: float) -> WakerOutputs:
        return WakerOutputs(WakeUp(0.123456789), Number(t))


@cd.model
class Switched(NamedTuple):
    """Follows its input from `on` on, which it announces."""

    on: Annotated[float, "s"]

    def breaks(self) -> Vec:
        return np.array([self.on])

    def derivatives(self, t: float, x: LagState, source: Number) -> LagState:
        return LagState(choose(t >= self.on, source.value - x.value, 0.0))

    @cd.output
    def signal(self, x: LagState) -> Number:
        return Number(x.value)


END = 3.0  # [s]
TICK = 0.2  # [s] of the fastest task, and the time between samples


def busy(integrator: Any, jit: bool = False) -> cd.Simulation:
    """All that has a clock: noise, delays from a task and from a model, a break, outputs of time alone."""
    scn = cd.Scenario("busy", seed=7)
    ramp = scn.add(Ramp(), name="ramp")
    scn.add(Noise(deviations=[1.0, 2.0]), name="noise", every=2 * TICK)
    count = scn.add(Count(), name="count", every=TICK)
    switched = scn.add(Switched(on=1.1), name="switched", source=count.signal.delayed(3))
    scn.add(Relay(), name="relay", every=3 * TICK, source=switched.signal.delayed(2))
    scn.add(Lag(time_constant=0.5), name="lag", source=ramp.signal)
    return cd.Simulation(scn, integrator=integrator, jit=jit)


def woken(integrator: Any) -> cd.Simulation:
    scn = cd.Scenario("woken")
    waker = scn.add(Waker(), name="waker", every=TICK)
    scn.add(Lag(), name="lag", source=waker.time)
    return plain(scn, integrator)


def coasting(integrator: Any) -> cd.Simulation:
    """No task: with nothing to make the rates jump, the last stage of a step is the first of the next."""
    scn = cd.Scenario("coasting")
    ramp = scn.add(Ramp(), name="ramp")
    scn.add(Lag(time_constant=0.5), name="lag", source=ramp.signal)
    return plain(scn, integrator)


FIXED = [cd.ExplicitEuler(TICK / 2), cd.SemiImplicitEuler(TICK), cd.Heun(TICK), cd.Rk4(TICK / 2)]
ADAPTIVE = [cd.BogackiShampine32(rtol=1e-4), cd.DormandPrince54(), cd.Rkf45(), cd.Rkf78(), cd.Dop853(rtol=1e-10)]
RECORDS = [cd.Record(), cd.Record(every="step"), cd.Record(every=TICK), cd.Record(every=2 * TICK, ports=["*"])]
# [ticks] where runs meet: in order, some of them twice, which is a run of no length
SEAMS = st.lists(st.integers(0, round(END / TICK)), max_size=6).map(sorted)


def check_pieces(build: Any, integrator: Any, record: cd.Record, seams: list[int]) -> None:
    whole, cut, restored = build(integrator), build(integrator), build(integrator)
    expected = whole.run(until=END, record=record)
    logs = []
    for ticks in [*seams, round(END / TICK)]:
        logs.append(cut.run(until=round(ticks * TICK, 9), record=record))
        # a simulation that knows nothing but the snapshot of the piece before
        fresh = build(integrator)
        fresh.restore(restored.snapshot())
        fresh.run(until=round(ticks * TICK, 9), record=record)
        restored = fresh
    for sim in (cut, restored):
        assert sim.steps == whole.steps
        assert sim.snapshot() == whole.snapshot()
    assert np.array_equal(np.concatenate([log.t for log in logs]), expected.t)
    for field in expected.fields():
        pieces = np.concatenate([log.fields(field.path)[0].values for log in logs])
        assert np.array_equal(pieces, field.values), field.path


@settings(max_examples=25)
@given(st.sampled_from(FIXED + ADAPTIVE), st.sampled_from(RECORDS), SEAMS)
@example(cd.Rk4(TICK / 2), cd.Record(every=TICK), [5])
@example(cd.DormandPrince54(), cd.Record(every=TICK), [5, 5, 10])
def test_pieces_that_meet_at_ticks_are_the_whole(integrator, record, seams):
    check_pieces(busy, integrator, record, seams)


@settings(max_examples=10)
@given(st.sampled_from(ADAPTIVE), st.sampled_from(RECORDS[:3]), SEAMS)
def test_so_are_they_where_tasks_ask_for_ticks(integrator, record, seams):
    check_pieces(woken, integrator, record, seams)


@settings(max_examples=10)
@given(st.sampled_from(FIXED), st.sampled_from(RECORDS[:3]), SEAMS)
def test_steps_of_fixed_length_need_no_ticks(integrator, record, seams):
    check_pieces(coasting, integrator, record, seams)


@settings(max_examples=10)
@given(st.sampled_from(ADAPTIVE), SEAMS)
def test_adaptive_steps_need_samples_where_there_are_no_ticks(integrator, seams):
    check_pieces(coasting, integrator, cd.Record(every=TICK), seams)


def test_pieces_are_the_whole_in_native_code_too():
    whole, cut = busy(cd.DormandPrince54(), jit=True), busy(cd.DormandPrince54(), jit=True)
    record = cd.Record(every=TICK, ports=["*"])
    expected = whole.run(until=END, record=record)
    logs = [cut.run(until=until, record=record) for until in (0.0, 1.0, 1.0, 2.2, END)]
    assert cut.snapshot() == whole.snapshot()
    assert np.array_equal(np.concatenate([log["lag.state"].value for log in logs]), expected["lag.state"].value)


@pytest.mark.parametrize("integrator", FIXED + ADAPTIVE, ids=lambda integrator: type(integrator).__name__)
def test_a_run_of_no_length_changes_nothing(integrator):
    sim = busy(integrator)
    for until in (0.0, 1.0):
        sim.run(until=until)
        there, steps = sim.snapshot(), sim.steps
        for record in RECORDS:
            assert len(sim.run(until=until, record=record).t) == 0
        assert sim.snapshot() == there
        assert sim.steps == steps
        assert sim.advance(there, there.t) == there


def test_a_snapshot_looks_the_same_from_a_simulation_with_another_integrator():
    sim, other = busy(cd.DormandPrince54()), busy(cd.Rk4(0.1))
    sim.run(until=1.0)
    assert other.advance(sim.snapshot(), 1.0) == sim.snapshot()


def test_the_samples_of_a_run_begin_after_its_first_tick_if_that_is_done():
    """It belongs to the run that has done it, also if that one recorded something else, or nothing."""
    sim = busy(cd.Rk4(0.1))
    sim.run(until=1.0, record=cd.Record(ports=[]))
    assert sim.run(until=2.0, record=cd.Record(every=0.5)).t.tolist() == [1.5, 2.0]


class TestOtherParameters:
    """A snapshot that goes on with other parameters is as good as a run that began with them there."""

    @staticmethod
    def lagging(time_constant: float, integrator: Any, slope: float = 0.0) -> cd.Simulation:
        scn = cd.Scenario("lagging")
        ramp = scn.add(Ramp(slope=slope), name="ramp")
        scn.add(Lag(time_constant=time_constant), name="lag", source=ramp.signal, initial=LagState(1.0))
        return plain(scn, integrator)

    @pytest.mark.parametrize("kind", [cd.BogackiShampine32, cd.DormandPrince54, cd.Dop853])
    def test_no_rate_of_the_old_ones_is_used(self, kind):
        """Error control does not find a wrong first stage: its weight in the estimate is far below that in the step."""
        integrator = kind(rtol=1e-3, atol=1e-3)
        first, second = self.lagging(1.0, integrator), self.lagging(0.1, integrator)
        first.run(until=1.0)
        second.restore(first.snapshot())
        second.run(until=1.05)
        expected = first["lag.state"].value * np.exp(-0.5)
        # one or two steps, each within its tolerance; the rates of the old parameters cost up to 9e-3
        assert second["lag.state"].value == pytest.approx(expected, abs=2e-3)

    def test_no_output_of_the_old_ones_is_used(self):
        """A ramp depends on time alone, and the first stage of a step is at the time of the last stage before."""
        first, second = self.lagging(1.0, cd.Heun(0.1)), self.lagging(1.0, cd.Heun(0.1), slope=10.0)
        first.run(until=1.0)
        second.restore(first.snapshot())
        second.run(until=1.1)
        x = first["lag.state"].value
        k1 = 10.0 - x
        k2 = 11.0 - (x + 0.1 * k1)
        assert second["lag.state"].value == pytest.approx(x + 0.05 * (k1 + k2), rel=1e-14)
