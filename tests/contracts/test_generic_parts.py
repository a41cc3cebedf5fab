"""Parts that pass on any message."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import AnyMessage
from cardan.contracts.part import contract_of
from cardan.messages import BodyWrench, FrameMotion
from generic_parts import Freeze, Passed, PassOn, Sample, Switch
from parts import Noise, Number, Numbers, Ramp


class LosesOutputs(NamedTuple):  # without `Generic`, which only type checkers ask for
    passed: AnyMessage


@cd.task
class Loses(NamedTuple):
    """Loses messages at random, and sends the last one that arrived; begins with that of `first`."""

    chance: Annotated[float, "-"]

    def initial(self, first: AnyMessage) -> AnyMessage:
        return first

    def step(
        self, x: AnyMessage, rng: cd.RandomKey, message: AnyMessage, first: AnyMessage
    ) -> tuple[AnyMessage, LosesOutputs]:
        kept = x if fraction(rng) < self.chance else message
        return kept, LosesOutputs(kept)


def fraction(rng):
    return (rng.tick * 7 % 10) / 10.0


class TestPlain:
    def test_a_generic_part_can_be_called_as_it_is(self):
        assert PassOn().passed(Number(1.0)) == Number(1.0)
        assert Freeze(after=1.0).step(2.0, Number(1.0), Number(2.0)) == (Number(1.0), Passed(Number(1.0)))

    def test_each_message_gives_a_contract_of_its_own(self):
        contract = contract_of(Freeze)
        number, numbers = contract.of(Number), contract.of(Numbers)
        assert number is contract.of(Number)
        assert number.outputs == {"passed": Number} and numbers.outputs == {"passed": Numbers}
        assert number.inputs["message"].message is Number
        assert number.state.type is Number
        assert (contract.label, number.label) == ("Freeze", "Freeze[Number]")


class TestChecks:
    @pytest.mark.parametrize("message", [Number, Numbers, FrameMotion, BodyWrench])
    def test_a_class_of_messages_says_what_is_passed_on(self, message):
        assert cd.check_model(PassOn(), inputs={"message": message}, trials=3).targets["native"] == "the same bits"

    @pytest.mark.parametrize("part", [Sample(), Freeze(after=500.0), Loses(chance=0.5)])
    def test_a_message_says_it_too(self, part):
        report = cd.check_task(part, inputs={"message": Numbers([1.0, 2.0]), **_first(part)}, trials=5)
        assert report.part.endswith("[Numbers]")
        assert report.targets["native"] == "the same bits"

    def test_a_class_for_one_input_says_it_for_all(self):
        assert cd.check_model(Switch(after=500.0), inputs={"other": BodyWrench}, trials=3).targets["python"] == "yes"


def _first(part) -> dict:
    return {"first": Numbers([1.0, 2.0])} if isinstance(part, Loses) else {}


class TestScenarios:
    def test_the_source_says_what_is_passed_on(self):
        scn = cd.Scenario()
        noise = scn.add(Noise([1.0, 2.0]), name="noise", every=0.1)
        for i, source in enumerate((noise.signal, noise.signal.delayed(1), Numbers([1.0]))):
            assert scn.add(Sample(), name=f"sample{i}", every=0.1, message=source).passed.message is Numbers

    def test_a_class_says_it_where_the_source_is_not_ready(self):
        scn = cd.Scenario()
        sample = scn.add(Sample(), every=0.1, message=Number)
        assert sample.name == "sample"
        scn.connect(scn.add(Ramp()).signal, sample.message)
        assert cd.Simulation(scn, jit=False)["sample.passed"].value == 0.0

    def test_one_class_passes_on_different_messages_in_one_scenario(self):
        scn = cd.Scenario()
        noise = scn.add(Noise([1.0, 2.0]), name="noise", every=0.1)
        ramp = scn.add(Ramp(), name="ramp")
        scn.add(Freeze(after=0.25), name="numbers", every=0.1, message=noise.signal)
        scn.add(Freeze(after=0.25), name="number", every=0.1, message=ramp.signal)
        logs = [cd.Simulation(scn, jit=jit).run(until=0.5) for jit in (True, False)]
        native, plain = ([log["numbers.passed"].values, log["number.passed"].value] for log in logs)
        assert np.array_equal(native[0], plain[0]) and np.array_equal(native[1], plain[1])
        assert np.allclose(logs[0]["number.passed"].value, [0.0, 0.1, 0.2, 0.2, 0.2, 0.2])

    def test_a_memory_begins_as_the_message_before_the_run(self):
        scn = cd.Scenario()
        scn.add(Freeze(after=0.0), name="stuck", every=0.1, message=scn.input("given", Number(4.0)))
        sim = cd.Simulation(scn, jit=False)
        assert sim["stuck.memory"] == Number(4.0)
        sim.run(until=0.2)
        assert sim["stuck.passed"] == Number(4.0)

    def test_a_memory_can_be_reset_to_another_message(self):
        scn = cd.Scenario()
        stuck = scn.add(Freeze(after=0.0), name="stuck", every=0.1, initial=Number(7.0), message=Number(1.0))
        sim = cd.Simulation(scn, jit=False)
        assert sim["stuck.memory"] == Number(7.0)
        sim.reset({stuck: Number(8.0)})
        assert sim["stuck.memory"] == Number(8.0)

    def test_a_snapshot_holds_the_message(self):
        scn = cd.Scenario()
        scn.add(Freeze(after=0.25), name="stuck", every=0.1, message=scn.add(Ramp(), name="ramp").signal)
        sim = cd.Simulation(scn, jit=False)
        sim.run(until=0.5)
        other = cd.Simulation(scn, jit=False)
        other.restore(sim.snapshot())
        assert other["stuck.memory"] == sim["stuck.memory"] == Number(0.2)
