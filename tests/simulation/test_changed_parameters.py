"""Parameters that change during a run: at a time, and by message."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.contracts import Positive
from cardan.errors import SnapshotError
from parts import Bank, BankState, Count, Gain, Lag, LagState, Number, Numbers, Ramp, Relay

JIT = pytest.mark.parametrize("jit", [True, False], ids=["native", "plain"])


@cd.message
class Seconds(NamedTuple):
    value: Annotated[float, "s"]


class SwitchOutputs(NamedTuple):
    time_constant: Seconds


@cd.task
class Switch(NamedTuple):
    """Another time constant from a time on."""

    after: Annotated[float, "s"] = 1.0

    def step(self, t: float) -> SwitchOutputs:
        return SwitchOutputs(Seconds(1.0 if t < self.after else 0.25))


class ScaledOutputs(NamedTuple):
    signal: Number


@cd.task
class Scaled(NamedTuple):
    """A number times a factor, which is positive."""

    factor: Annotated[float, "-", Positive] = 1.0

    def step(self, source: Number) -> ScaledOutputs:
        return ScaledOutputs(Number(self.factor * source.value))


def decay(integrator: Any = None, *, jit: bool = False, changes: Any = ((0.25, 1.0),)) -> cd.Simulation:
    """X' = -x / time_constant from 1, with other time constants from given times on."""
    scn = cd.Scenario("decay")
    scn.add(Lag(), name="lag", initial=LagState(1.0))
    for value, at in changes:
        scn.change("lag.time_constant", value, at=at)
    return cd.Simulation(scn, integrator=integrator or cd.Rk4(step=0.1), jit=jit)


class TestAtATime:
    @JIT
    @pytest.mark.parametrize("integrator", [cd.Rk4(step=0.01), cd.DormandPrince54(rtol=1e-10, atol=1e-12)])
    def test_a_model_follows_the_old_value_before_and_the_new_one_after(self, integrator, jit):
        sim = decay(integrator, jit=jit)
        sim.run(until=1.0)
        # the last digits are the integrator's: RK4 with steps of 0.01, and a tolerance of 1e-10
        assert np.isclose(sim["lag.state"].value, np.exp(-1.0), rtol=1e-9)
        sim.run(until=1.5)
        assert np.isclose(sim["lag.state"].value, np.exp(-1.0 - 2.0), rtol=1e-8)

    def test_native_and_plain_give_the_same_bits(self):
        ends = []
        for jit in (True, False):
            sim = decay(cd.DormandPrince54(), jit=jit, changes=((0.25, 0.333), (3.0, 0.777)))
            sim.run(until=2.0)
            ends.append(sim.snapshot())
        assert ends[0] == ends[1]

    def test_an_integrator_lands_there_and_is_told_of_the_jump(self):
        # a change to the same value costs the evaluation of the first stage, which was known, and nothing else
        whole = decay(cd.DormandPrince54(max_step=0.5), changes=())
        cut = decay(cd.DormandPrince54(max_step=0.5), changes=((1.0, 0.3),))
        for sim in (whole, cut):
            sim.run(until=0.3)
            sim.run(until=2.0)
        assert whole["lag.state"].value == cut["lag.state"].value
        assert whole.steps["accepted"] == cut.steps["accepted"]
        assert cut.steps["evaluations"] == whole.steps["evaluations"] + 1

    def test_a_fixed_step_is_cut_there(self):
        sim = decay(changes=((0.25, 0.123),))
        assert sim.run(until=0.3, record=cd.Record(every="step")).t.tolist() == [0.0, 0.1, 0.123, 0.2, 0.3]

    @JIT
    def test_a_task_has_it_at_that_very_tick_and_the_recorder_sees_outputs_of_models_before_it(self, jit):
        scn = cd.Scenario()
        count = scn.add(Count(), name="count", every=0.1)
        scn.add(Scaled(), name="task", every=0.1, source=count.signal)
        scn.add(Gain(1.0), name="model", source=count.signal)
        scn.change("task.factor", 10.0, at=0.2)
        scn.change("model.factor", 10.0, at=0.2)
        log = cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=jit).run(
            until=0.4, record=cd.Record(ports=["task.signal", "model.signal", "*.parameters"])
        )
        assert log["task.signal"].value.tolist() == [1.0, 2.0, 30.0, 40.0, 50.0]
        assert log["model.signal"].value.tolist() == [0.0, 1.0, 2.0, 30.0, 40.0]
        assert log["model.parameters"].factor.tolist() == [1.0, 1.0, 10.0, 10.0, 10.0]

    def test_outputs_that_depend_on_time_alone_change_too(self):
        scn = cd.Scenario()
        scn.add(Lag(1e6), name="lag", source=scn.add(Ramp(1.0), name="ramp").signal)
        scn.change("ramp.slope", 3.0, at=0.5)
        sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=False)
        sim.run(until=1.0)
        # the integral of the ramp, over a time constant that is all but infinite: 0.5^2 / 2 + 3 (1 - 0.5^2) / 2
        assert np.isclose(sim["lag.state"].value * 1e6, 0.125 + 3.0 * 0.375, rtol=1e-5)

    def test_several_changes_act_in_the_order_of_their_times(self):
        scn = cd.Scenario()
        scn.add(Scaled(), name="task", every=0.1, source=Number(1.0))
        for value, at in ((4.0, 0.3), (2.0, 0.0), (3.0, 0.15)):
            scn.change("task.factor", value, at=at)
        log = cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=False).run(until=0.4)
        assert log["task.signal"].value.tolist() == [2.0, 2.0, 3.0, 4.0, 4.0]

    def test_an_array_changes_as_a_whole(self):
        scn = cd.Scenario()
        scn.add(Bank([1.0, 1.0]), name="bank", initial=BankState([1.0, 1.0]), source=Numbers([0.0, 0.0]))
        scn.change("bank.time_constants", [0.5, 1.0], at=1.0)
        sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.01), jit=False)
        sim.run(until=2.0)
        assert np.allclose(sim["bank.state"].values, np.exp([-3.0, -2.0]), rtol=1e-8)

    def test_the_log_says_what_changes(self):
        sim = decay(changes=((0.25, 1.0),))
        assert sim.run(until=0.1).about["changes"] == [
            {"parameter": "lag.time_constant", "unit": "s", "at_s": 1.0, "value": 0.25}
        ]
        assert "lag.time_constant  <-  0.25 at 1 s" in str(sim.scenario)

    def test_a_part_that_is_not_smooth_may_change_where_that_stays_the_same(self):
        scn = cd.Scenario()
        scn.add(Steps(), name="steps")
        scn.change("steps.height", 2.0, at=1.0)
        assert cd.Simulation(scn, jit=False)["steps.parameters"].height == 1.0


@cd.model
class Steps(NamedTuple):
    """A step at a time."""

    height: Annotated[float, "-"] = 1.0
    when: Annotated[float, "s"] = 0.5

    @cd.output
    def signal(self, t: float) -> Number:
        return Number(self.height if t > self.when else 0.0)

    def breaks(self):
        return np.array([self.when])


class TestWhatHoldsThem:
    def test_a_snapshot_goes_on_with_the_changed_value(self):
        whole, other = decay(changes=((0.25, 0.5), (2.0, 1.5))), decay(changes=((0.25, 0.5), (2.0, 1.5)))
        whole.run(until=1.0)
        other.restore(whole.snapshot())
        assert other["lag.parameters"].time_constant == 0.25
        for sim in (whole, other):
            sim.run(until=2.0)
        assert whole.snapshot() == other.snapshot()
        assert whole["lag.parameters"].time_constant == 2.0

    def test_advance_is_pure(self):
        sim = decay()
        start = sim.snapshot()
        later = sim.advance(start, until=2.0)
        assert sim["lag.parameters"].time_constant == 1.0
        sim.run(until=2.0)
        assert later == sim.snapshot()

    def test_reset_begins_with_the_first_value_again(self):
        sim = decay()
        sim.run(until=2.0)
        end = sim.snapshot()
        sim.reset()
        assert sim["lag.parameters"].time_constant == 1.0
        sim.run(until=2.0)
        assert sim.snapshot() == end

    def test_runs_in_pieces_give_the_same_bits(self):
        whole, cut = decay(), decay()
        whole.run(until=2.0)
        for until in (0.5, 1.0, 1.0, 1.5, 2.0):
            cut.run(until=until)
        assert whole.snapshot() == cut.snapshot()

    def test_a_variant_begins_with_another_value_and_changes_as_well(self):
        sim = decay().variant({"lag.time_constant": 4.0})
        sim.run(until=0.9)
        assert sim["lag.parameters"].time_constant == 4.0
        sim.run(until=1.0)
        assert sim["lag.parameters"].time_constant == 0.25

    def test_a_snapshot_of_a_scenario_without_changes_does_not_fit(self):
        with pytest.raises(SnapshotError):
            decay().restore(decay(changes=()).snapshot())

    def test_members_of_a_batch_have_their_own(self):
        scn = decay().scenario
        batch = cd.Batch(scn, 3, integrator=cd.Rk4(step=0.1), varies=["lag.time_constant"], threads=1, jit=False)
        first = [1.0, 2.0, 3.0]
        batch.set({"lag.time_constant": first})
        for _ in range(2):
            batch.advance(0.5)
            assert batch["lag.parameters"].time_constant.tolist() == first
            batch.advance(1.0)
            assert batch["lag.parameters"].time_constant.tolist() == [0.25, 0.25, 0.25]
            for i, value in enumerate(first):
                alone = decay().variant({"lag.time_constant": value})
                alone.run(until=1.5)
                assert batch["lag.state"].value[i] == alone["lag.state"].value
                assert batch.simulation(i)["lag.parameters"].time_constant == 0.25
            batch.reset()


class TestByMessage:
    def scenario(self) -> cd.Scenario:
        scn = cd.Scenario()
        scn.add(Lag(), name="lag", initial=LagState(1.0))
        switch = scn.add(Switch(after=1.0), name="switch", every=0.5)
        scn.change("lag.time_constant", by=switch.time_constant)
        return scn

    def test_the_message_of_a_task_changes_a_model(self):
        ends = []
        for jit in (True, False):
            sim = cd.Simulation(self.scenario(), integrator=cd.Rk4(step=0.1), jit=jit)
            sim.run(until=1.5)
            ends.append(sim.snapshot())
        assert ends[0] == ends[1]
        # the same bits as the change at the time of that tick
        alone = decay(changes=((0.25, 1.0),))
        alone.run(until=1.5)
        assert sim["lag.state"].value == alone["lag.state"].value

    def test_before_its_first_tick_a_task_changes_nothing(self):
        scn = cd.Scenario()
        scn.add(Lag(7.0), name="lag", initial=LagState(1.0))
        switch = scn.add(Switch(), name="switch", every=0.5, offset=0.5)
        scn.change("lag.time_constant", by=switch.time_constant)
        sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=False)
        sim.run(until=0.4)
        assert sim["lag.parameters"].time_constant == 7.0
        sim.run(until=0.5)
        assert sim["lag.parameters"].time_constant == 1.0

    def test_a_task_has_the_message_of_the_same_tick(self):
        scn = cd.Scenario()
        # added before the one that it depends on
        scn.add(Scaled(), name="task", every=0.1, source=Number(1.0))
        count = scn.add(Count(), name="count", every=0.1)
        scn.change("task.factor", by=count.signal)
        log = cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=False).run(until=0.3)
        assert log["task.signal"].value.tolist() == [1.0, 2.0, 3.0, 4.0]
        assert "task.factor" in str(scn) and log.about["changes"] == [
            {"parameter": "task.factor", "unit": "-", "by": "count.signal"}
        ]

    def test_an_output_that_only_changes_a_parameter_is_no_loose_end(self, recwarn):
        scn = cd.Scenario()
        scn.add(Scaled(), name="task", every=0.1, source=Number(1.0))
        scn.add(Lag(), name="lag")
        relay = scn.add(Relay(), name="relay", every=0.1, source=Number(2.0))
        scn.leave_open(scn["task"].signal)
        scn.change("task.factor", by=relay.signal)
        cd.Simulation(scn, jit=False)
        assert not recwarn.list

    def test_what_is_given_from_outside_acts_from_there_on(self):
        scn = cd.Scenario()
        gain = scn.input("gain", Number(2.0))
        scn.add(Scaled(), name="task", every=0.1, source=Number(1.0))
        scn.add(Gain(), name="model", source=Number(1.0))
        scn.change("task.factor", by=gain)
        scn.change("model.factor", by=gain)
        sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=False)
        assert sim["model.signal"].value == 2.0
        sim.advance_to(0.1)
        sim.give(gain=Number(5.0))
        assert sim["model.signal"].value == 5.0
        assert sim["task.signal"].value == 2.0  # of the tick of 0 s
        sim.advance_to(0.15)
        assert sim["task.signal"].value == 5.0  # of the tick of 0.1 s

    def test_members_of_a_batch_are_given_their_own(self):
        scn = cd.Scenario()
        scn.add(Lag(), name="lag", initial=LagState(1.0))
        scn.change("lag.time_constant", by=scn.input("given", Seconds(1.0)))
        batch = cd.Batch(scn, 2, integrator=cd.Rk4(step=0.1), outputs=["lag.signal"], threads=1, jit=False)
        batch["given"].value[:] = [1.0, 0.25]
        batch.advance(1.0)
        ends = [decay(changes=changes) for changes in ((), ((0.25, 0.0),))]
        for sim in ends:
            sim.run(until=1.0)
        assert batch["lag.signal"].value.tolist() == [sim["lag.state"].value for sim in ends]
        out = batch.rollout({"given": [[0.25, 0.5], [1.0, 2.0]]}, dt=0.1)
        assert out["lag.signal"].value.shape == (2, 2)
        assert batch["lag.parameters"].time_constant.tolist() == [0.5, 2.0]
