"""A part between an output and its readers."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.messages import BodyWrench, FrameMotion
from generic_parts import Freeze, PassOn, Sample, Switch
from parts import Bank, Count, Gain, Lag, Noise, Number, Ramp, Relay

JIT = pytest.mark.parametrize("jit", [True, False], ids=["native", "plain"])


def run(scn: cd.Scenario, *ports: str, until: float = 1.0, jit: bool = False, **settings: Any) -> cd.Log:
    sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=jit, **settings)
    return sim.run(until=until, record=cd.Record(every=0.1, ports=ports))


def sources(scn: cd.Scenario) -> dict[str, str]:
    """What feeds each input that has a source."""
    return {
        f"{placed.name}.{name}": connection.source.path
        for placed in scn.parts.values()
        for name, connection in placed.inputs.items()
    }


class TestWiring:
    def scenario(self) -> cd.Scenario:
        """A ramp with two readers."""
        scn = cd.Scenario()
        ramp = scn.add(Ramp(), name="ramp")
        scn.add(Lag(), name="one", source=ramp.signal)
        scn.add(Lag(), name="two", source=ramp.signal)
        return scn

    def test_all_readers_read_the_part_instead(self):
        scn = self.scenario()
        scn.intercept(scn["ramp"].signal, PassOn(), name="fault")
        assert sources(scn) == {
            "one.source": "fault.passed", "two.source": "fault.passed", "fault.message": "ramp.signal",
        }  # fmt: skip

    def test_one_reader_can_be_chosen(self):
        scn = self.scenario()
        scn.intercept(scn["ramp"].signal, Gain(), name="fault", readers=scn["one"].source)
        assert sources(scn) == {
            "one.source": "fault.signal", "two.source": "ramp.signal", "fault.source": "ramp.signal",
        }  # fmt: skip

    def test_messages_pass_several_parts_in_the_order_in_which_these_were_added(self):
        scn = self.scenario()
        for name in ("first", "second", "third"):
            scn.intercept(scn["ramp"].signal, PassOn(), name=name)
        assert sources(scn) == {
            "first.message": "ramp.signal", "second.message": "first.passed", "third.message": "second.passed",
            "one.source": "third.passed", "two.source": "third.passed",
        }  # fmt: skip

    def test_the_output_of_a_part_that_was_put_between_can_be_intercepted_itself(self):
        scn = self.scenario()
        first = scn.intercept(scn["ramp"].signal, PassOn(), name="first", readers=[scn["one"].source])
        scn.intercept(first.passed, PassOn(), name="second")
        scn.intercept(scn["ramp"].signal, PassOn(), name="third", readers=scn["one"].source)
        assert sources(scn) == {
            "first.message": "ramp.signal", "second.message": "first.passed", "third.message": "second.passed",
            "one.source": "third.passed", "two.source": "ramp.signal",
        }  # fmt: skip

    def test_readers_that_come_later_read_the_port_itself(self):
        scn = self.scenario()
        scn.intercept(scn["ramp"].signal, PassOn(), name="fault")
        scn.add(Lag(), name="truth", source=scn["ramp"].signal)
        assert sources(scn)["truth.source"] == "ramp.signal"

    def test_other_inputs_of_the_part_are_wired_as_in_add(self):
        scn = self.scenario()
        ramp = scn["ramp"].signal
        other = scn.add(Ramp(-1.0), name="other")
        scn.intercept(ramp, Switch(after=0.5), name="fault", input="message", other=other.signal)
        assert sources(scn)["fault.other"] == "other.signal"
        assert np.allclose(run(scn, "fault.passed")["fault.passed"].value[[2, 8]], [0.2, -0.8])

    def test_a_part_whose_wiring_is_refused_changes_nothing(self):
        scn = self.scenario()
        with pytest.raises(cd.CardanError):
            scn.intercept(scn["ramp"].signal, PassOn(), name="ramp")
        assert sources(scn) == {"one.source": "ramp.signal", "two.source": "ramp.signal"}

    def test_the_table_and_the_diagram_show_it_like_any_part(self, tmp_path):
        scn = self.scenario()
        scn.intercept(scn["ramp"].signal, PassOn(), name="fault")
        assert "fault  PassOn[Number]  every stage" in str(scn)
        assert "PassOn[Number]" in scn.draw(tmp_path / "diagram.svg").read_text()


class TestWhatReadersSee:
    """Times count in steps and ticks of 0.1 s."""

    def pair(self, fault: Any, reader: Any, reads_every: float | None = None, **settings: Any) -> tuple[Any, Any]:
        """What a reader of a count sends and has, without and with a part between."""
        found = []
        for part in (None, fault):
            scn = cd.Scenario()
            count = scn.add(Count(), name="count", every=0.1)
            scn.add(reader, name="reader", every=reads_every, source=count.signal)
            if part is not None:
                scn.intercept(count.signal, part, name="fault", **settings)
            found.append(run(scn, "reader.*"))
        return found[0], found[1]

    def test_a_model_behind_a_task_passes_on_to_models_at_once(self):
        before, after = self.pair(PassOn(), Lag())
        assert np.array_equal(before["reader.state"].value, after["reader.state"].value)

    def test_a_task_of_the_same_period_behind_a_task_passes_on_within_the_tick(self):
        for reader, every, port in ((Lag(), None, "reader.state"), (Relay(), 0.1, "reader.signal")):
            before, after = self.pair(Sample(), reader, every, every=0.1)
            assert np.array_equal(before[port].value, after[port].value)

    def test_a_model_between_two_tasks_passes_on_what_was_held_before_the_tick(self):
        before, after = self.pair(PassOn(), Relay(), 0.1)
        assert np.array_equal(before["reader.signal"].value, np.arange(1.0, 12.0))
        assert np.array_equal(after["reader.signal"].value, np.arange(0.0, 11.0))

    def test_a_task_behind_a_model_samples_and_holds(self):
        scn = cd.Scenario()
        ramp = scn.add(Ramp(), name="ramp")
        scn.add(Gain(1.0), name="reader", source=ramp.signal)
        scn.intercept(ramp.signal, Sample(), name="fault", every=0.2)
        # at a tick, outputs of models are evaluated before the task runs
        seen = run(scn, "reader.signal", until=0.6)["reader.signal"].value
        assert np.allclose(seen, [0.0, 0.0, 0.0, 0.2, 0.2, 0.4, 0.4])

    @JIT
    def test_a_task_can_hold_a_message_of_any_size(self, jit):
        scn = cd.Scenario()
        noise = scn.add(Noise([1.0, 2.0]), name="noise", every=0.1)
        scn.add(Bank([1.0, 1.0]), name="bank", source=noise.signal)
        scn.intercept(noise.signal, Freeze(after=0.35), name="stuck", every=0.1)
        log = run(scn, "noise.signal", "stuck.*", jit=jit)
        sent, seen = log["noise.signal"].values, log["stuck.passed"].values
        assert np.array_equal(seen[:4], sent[:4])
        assert np.array_equal(seen[4:], np.tile(sent[3], (7, 1)))
        assert np.array_equal(log["stuck.memory"].values, seen)

    def test_what_comes_from_outside_can_be_intercepted(self):
        scn = cd.Scenario()
        command = scn.input("command", Number(1.0))
        scn.add(Relay(), name="reader", every=0.1, source=command)
        scn.intercept(command, Sample(), name="fault", every=0.1)
        sim = cd.Simulation(scn, integrator=cd.Rk4(step=0.1), jit=False)
        sim.advance_to(0.1)
        sim.give(command=Number(5.0))
        sim.advance_to(0.2)
        assert sim["reader.signal"].value == 5.0  # given at 0.1 s, it reached the tick of 0.1 s


class TestDelays:
    """A part that only passes on, at the ticks of the writer or the reader, changes nothing."""

    @pytest.mark.parametrize("delay", [1, 2, 5])
    @pytest.mark.parametrize(("fault", "settings"), [(PassOn(), {}), (Sample(), {"every": 0.2})])
    @pytest.mark.parametrize("reader", ["task", "model", "the writer itself"])
    def test_a_delay_goes_on_counting_the_ticks_of_a_writing_task(self, fault, settings, reader, delay):
        found = []
        for is_intercepted in (False, True):
            scn = cd.Scenario()
            if reader == "the writer itself":
                source = scn.add(Relay(), name="reader", every=0.2)
                scn.connect(source.signal, source.source, delay=delay, initial=Number(3.0))
            else:
                source = scn.add(Count(), name="count", every=0.2)
                is_task = reader == "task"
                read = scn.add(Relay() if is_task else Lag(), name="reader", every=0.1 if is_task else None)
                scn.connect(source.signal, read.source, delay=delay, initial=Number(3.0))
            if is_intercepted:
                scn.intercept(source.signal, fault, name="fault", **settings)
            found.append(run(scn, "reader.*", until=2.0))
        before, after = found
        port = "reader.state" if reader == "model" else "reader.signal"
        assert np.array_equal(before[port].value, after[port].value)

    @pytest.mark.parametrize("delay", [1, 3])
    @pytest.mark.parametrize(("fault", "settings"), [(PassOn(), {}), (Sample(), {"every": 0.2})])
    def test_a_delay_goes_on_counting_the_ticks_of_a_reading_task(self, fault, settings, delay):
        found = []
        for is_intercepted in (False, True):
            scn = cd.Scenario()
            ramp = scn.add(Ramp(), name="ramp")
            read = scn.add(Relay(), name="reader", every=0.2)
            scn.connect(ramp.signal, read.source, delay=delay, initial=Number(3.0))
            if is_intercepted:
                scn.intercept(ramp.signal, fault, name="fault", **settings)
            found.append(run(scn, "reader.signal", until=2.0)["reader.signal"].value)
        assert np.array_equal(*found)

    def test_a_delay_still_breaks_a_loop(self):
        scn = cd.Scenario()
        count = scn.add(Count(), name="count", every=0.1)
        gain = scn.add(Gain(), name="gain", source=count.signal.delayed(1))
        scn.intercept(count.signal, Switch(after=0.25), name="fault", input="message", other=gain.signal)
        # from 0.3 s on, the gain doubles what it sent at the tick before
        seen = run(scn, "gain.signal", until=0.6)["gain.signal"].value
        assert seen.tolist() == [0.0, 0.0, 2.0, 4.0, 8.0, 16.0, 32.0]

    def test_the_part_may_read_the_port_late(self):
        scn = cd.Scenario()
        count = scn.add(Count(), name="count", every=0.1)
        scn.add(Relay(), name="reader", every=0.1, source=count.signal)
        scn.intercept(count.signal.delayed(2), Sample(), name="late", every=0.1)
        assert np.array_equal(run(scn, "reader.signal", until=0.4)["reader.signal"].value, [0.0, 0.0, 1.0, 2.0, 3.0])


class PushOutputs(NamedTuple):
    wrench: BodyWrench


@cd.task
class Push(NamedTuple):
    """Pushes back along the first axis."""

    gain: Annotated[float, "N/m"]

    def step(self, motion: FrameMotion) -> PushOutputs:
        return PushOutputs(BodyWrench(force_B=np.array([1.0 - self.gain * motion.r_BN_N[0], 0.0, 0.0])))


class TestMechanisms:
    def scenario(self) -> cd.Scenario:
        """A bus that two tasks push, by what they see of it."""
        m = cd.Mechanism("sat")
        bus = m.add_body("bus", joint=cd.Free(), mass=10.0, inertia_B=np.diag([3.0, 2.0, 1.0]))
        scn = cd.Scenario(mechanism=m)
        for name in ("left", "right"):
            push = scn.add(Push(0.5), name=name, every=0.1, motion=bus.motion)
            scn.connect(push.wrench, bus.wrench)
        return scn

    def motion(self, scn: cd.Scenario, jit: bool = False) -> np.ndarray:
        return run(scn, "bus.motion", until=2.0, dynamics=cd.RecursiveTree(), jit=jit)["bus.motion"].r_BN_N

    def test_an_output_and_an_input_of_a_mechanism_can_be_intercepted(self):
        scn = self.scenario()
        bus = scn.mechanism.bodies["bus"]
        scn.intercept(bus.motion, Freeze(after=1.05), name="blind", every=0.1, readers=scn["left"].motion)
        scn.intercept(scn["right"].wrench, Freeze(after=1.05), name="stuck", every=0.1, readers=bus.wrench)
        frozen, untouched = self.motion(scn), self.motion(self.scenario())
        assert np.array_equal(frozen, self.motion(scn, jit=True))
        # until its onset, a fault changes no bit
        assert np.array_equal(frozen[:12], untouched[:12])
        assert np.all(frozen[13:, 0] > untouched[13:, 0])

    def test_what_sums_goes_on_summing_in_its_order(self):
        scn = self.scenario()
        bus = scn.mechanism.bodies["bus"]
        scn.intercept(scn["left"].wrench, PassOn(), name="passed")
        assert [c.source.path for c in scn.mechanism_inputs["bus.wrench"].connections] == [
            "passed.passed", "right.wrench",
        ]  # fmt: skip
        scn.intercept(bus.motion, PassOn(), name="seen")
        assert np.array_equal(self.motion(scn), self.motion(self.scenario()))


def test_sizes_follow_through_the_part():
    scn = cd.Scenario()
    noise = scn.add(Noise([1.0, 2.0, 3.0]), name="noise", every=0.1)
    scn.add(Bank([1.0, 1.0, 1.0]), name="bank", source=noise.signal)
    scn.intercept(noise.signal, PassOn(), name="passed")
    sim = cd.Simulation(scn, jit=False)
    assert sim["passed.passed"].values.shape == (3,)
