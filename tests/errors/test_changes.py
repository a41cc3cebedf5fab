"""Parameters that cannot change during a run, or not so."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.contracts import Positive
from cardan.errors import (
    AlgebraicLoopError,
    FrozenScenario,
    ImpossibleValue,
    MessageTypeError,
    PeriodError,
    SettingError,
    ShapeError,
    UnitError,
    UnknownName,
    WiringError,
)
from errors.conftest import refused
from parts import Bank, Count, Gain, Noise, Number, Numbers, Ramp, Relay, Wide


@cd.model
class Positively(NamedTuple):
    factor: Annotated[float, "-", Positive] = 1.0

    @cd.output
    def signal(self, t: float) -> Number:
        return Number(self.factor)


@cd.model
class Steps(NamedTuple):
    when: Annotated[float, "s"] = 0.5

    @cd.output
    def signal(self, t: float) -> Number:
        return Number(1.0 if t > self.when else 0.0)

    def breaks(self):
        return np.array([self.when])


@cd.message
class Two(NamedTuple):
    first: Annotated[float, "-"]
    second: Annotated[float, "-"]


@cd.message
class Whole(NamedTuple):
    count: Annotated[int, "-"]


@cd.message
class Seconds(NamedTuple):
    value: Annotated[float, "s"]


@cd.model(jit=False)
class Calls(NamedTuple):
    function: Any

    @cd.output
    def signal(self, t: float) -> Number:
        return Number(self.function(t))


@pytest.fixture
def scn() -> cd.Scenario:
    scn = cd.Scenario("test")
    scn.add(Gain(), name="gain", source=Number(1.0))
    scn.add(Positively(), name="positive")
    scn.add(Bank([1.0, 2.0]), name="bank", source=Numbers([0.0, 0.0]))
    scn.add(Steps(), name="steps")
    return scn


class TestPaths:
    def test_a_part_and_a_parameter_that_exist(self, scn):
        with refused(
            UnknownName,
            """
            `gian.factor`: there is no part `gian`. Did you mean `gain`?
              parts: gain, positive, bank, steps
            """,
        ):
            scn.change("gian.factor", 1.0, at=1.0)
        with refused(
            UnknownName,
            """
            `gain` (Gain) has no parameter `facto`. Did you mean `factor`?
              parameters: factor
            """,
        ):
            scn.change("gain.facto", 1.0, at=1.0)

    def test_a_mechanism_changes_by_its_inputs(self):
        mechanism = cd.Mechanism("sat")
        mechanism.add_body("bus", joint=cd.Free(), mass=10.0, inertia_B=np.eye(3))
        with refused(
            SettingError,
            """
            `bus.mass` is of the mechanism, and only parameters of parts change so.
              Connect an output to an input of the element instead, e.g. `bus.mass_properties`.
            """,
        ):
            cd.Scenario(mechanism=mechanism).change("bus.mass", 9.0, at=1.0)

    def test_objects_do_not_change(self, scn):
        scn.add(Calls(lambda t: t), name="calls")
        with refused(SettingError, "`calls.function` is no number, so it cannot change during a run."):
            scn.change("calls.function", abs, at=1.0)

    def test_nothing_changes_once_there_is_a_simulation(self, scn):
        cd.Simulation(scn, jit=False)
        with refused(
            FrozenScenario,
            """
            Cannot change `gain.factor`: a simulation of scenario `test` exists already.
              Change the scenario before making a Simulation of it, or build another one.
            """,
        ):
            scn.change("gain.factor", 1.0, at=1.0)

    @pytest.mark.parametrize(
        "how", [{}, {"value": 1.0}, {"at": 1.0}, {"value": 1.0, "by": "x"}, {"at": 1.0, "by": "x"}]
    )
    def test_it_is_said_how_a_parameter_changes(self, scn, how):
        with refused(
            SettingError,
            """
            It is not clear how `gain.factor` changes.
              Say a value and when, `scn.change("gain.factor", value, at=120.0)`, or `by=` which output.
            """,
        ):
            scn.change("gain.factor", **how)


class TestAtATime:
    def test_a_value_is_what_its_constraints_say(self, scn):
        with refused(ImpossibleValue, "`positive.factor` must be positive.\n  got -1.0"):
            scn.change("positive.factor", -1.0, at=1.0)

    def test_a_value_is_a_number(self, scn):
        with refused(ShapeError, "`gain.factor` expects a number [-], got 'much'."):
            scn.change("gain.factor", "much", at=1.0)

    def test_a_value_keeps_its_size(self, scn):
        with refused(
            ShapeError,
            """
            `bank.time_constants` keeps its size during a run.
              expected (2,)
              got      (3,)
            """,
        ):
            scn.change("bank.time_constants", [1.0, 2.0, 3.0], at=1.0)

    def test_a_time_is_not_negative(self, scn):
        with refused(
            PeriodError,
            """
            `gain.factor` changes at -1.0 s.
              A run begins at 0: use a time that is not negative.
            """,
        ):
            scn.change("gain.factor", 1.0, at=-1.0)

    def test_a_time_is_a_time(self, scn):
        with refused(
            PeriodError,
            """
            The time at which `gain.factor` changes is 'noon' s, which is not a time.
              Use a finite number of seconds (up to 146 years).
            """,
        ):
            scn.change("gain.factor", 1.0, at="noon")

    def test_there_is_one_value_for_one_time(self, scn):
        scn.change("gain.factor", 1.0, at=1.0)
        with refused(
            WiringError,
            """
            `gain.factor` changes twice at 1 s.
              Say one value for one time.
            """,
        ):
            scn.change("gain.factor", 2.0, at=1.0)

    def test_when_a_part_is_not_smooth_does_not_change(self, scn):
        with refused(
            SettingError,
            """
            `steps.when` cannot change during a run: `steps` says once, before it, when it is not smooth (`breaks`).
              Let an input of the part carry what changes.
            """,
        ):
            scn.change("steps.when", 1.0, at=1.0)

    def test_sizes_do_not_change(self, scn):
        wide = scn.add(Wide(2), name="wide", every=0.1)
        scn.connect(wide.signal, scn.add(Bank([1.0, 2.0]), name="other").source)
        scn.change("wide.size", 3, at=1.0)
        with refused(SettingError, SIZES):
            cd.Simulation(scn, jit=False)


SIZES = """
`wide.size` cannot change during a run: sizes of states or messages depend on it, and memory is laid out once.
  Make a simulation for each value.
"""


class TestByMessage:
    def test_the_source_is_an_output(self, scn):
        with refused(
            WiringError,
            """
            `gain.factor` cannot change by gain.source.
              Give an output of a task, or an input from outside: `scn.input(...)`.
            """,
        ):
            scn.change("gain.factor", by=scn["gain"].source)

    def test_the_source_is_held(self, scn):
        ramp = scn.add(Ramp(), name="ramp")
        with refused(
            WiringError,
            """
            `gain.factor` cannot change by `ramp.signal`, which changes at every stage of the integrator.
              Give an output of a task, or an input from outside; what varies continuously is an input of the model.
            """,
        ):
            scn.change("gain.factor", by=ramp.signal)

    def test_the_source_is_of_this_scenario(self, scn):
        count = cd.Scenario("other").add(Count(), name="count", every=0.1)
        with refused(WiringError, "`count.signal` belongs to another scenario than `gain`."):
            scn.change("gain.factor", by=count.signal)

    def test_a_task_does_not_change_itself(self, scn):
        noise = scn.add(Noise([1.0]), name="noise", every=0.1)
        with refused(
            WiringError,
            """
            `noise.deviations` cannot change by `noise.signal`, which is sent by `noise` itself.
              What a task makes of its own outputs, it keeps in its memory.
            """,
        ):
            scn.change("noise.deviations", by=noise.signal)

    def test_a_parameter_changes_in_one_way(self, scn):
        count = scn.add(Count(), name="count", every=0.1)
        scn.change("gain.factor", 1.0, at=1.0)
        with refused(
            WiringError,
            """
            `gain.factor` changes already: 1.0 at 1 s.
              A parameter changes at given times, or by the messages of one output.
            """,
        ):
            scn.change("gain.factor", by=count.signal)
        scn.change("positive.factor", by=count.signal)
        with refused(
            WiringError,
            """
            `positive.factor` changes already: by count.signal.
              A parameter changes at given times, or by the messages of one output.
            """,
        ):
            scn.change("positive.factor", 2.0, at=1.0)

    def test_when_a_part_is_not_smooth_does_not_change(self, scn):
        with refused(
            SettingError,
            """
            `steps.when` cannot change during a run: `steps` says once, before it, when it is not smooth (`breaks`).
              Let an input of the part carry what changes.
            """,
        ):
            scn.change("steps.when", by=scn.input("given", Seconds(1.0)))

    def test_the_message_has_one_field(self, scn):
        with refused(
            MessageTypeError,
            """
            `gain.factor` cannot change by `two.given`: a Two has 2 fields.
              Send a message with one field, the new value.
            """,
        ):
            scn.change("gain.factor", by=scn.input("two", Two(1.0, 2.0)))

    def test_the_units_agree(self, scn):
        with refused(
            UnitError,
            """
            `gain.factor` cannot change by `time.given`: their units differ.
              `gain.factor` is in -
              `Seconds.value` is in s
            """,
        ):
            scn.change("gain.factor", by=scn.input("time", Seconds(1.0)))

    def test_kinds_and_shapes_agree(self, scn):
        for message, got in ((Whole(1), "int of shape ()"), (Numbers([1.0]), "float of shape (None,)")):
            name = f"as{type(message).__name__}"
            with refused(
                MessageTypeError,
                f"""
                `gain.factor` cannot change by `{name}.given`: `{type(message).__name__}.{message._fields[0]}` is another kind of value.
                  expected float of shape ()
                  got      {got}
                """,  # noqa: E501
            ):
                scn.change("gain.factor", by=scn.input(name, message))

    def test_sizes_agree(self):
        scn = cd.Scenario()
        scn.add(Noise([1.0, 2.0]), name="noise", every=0.1)
        other = scn.add(Noise([1.0, 2.0, 3.0]), name="other", every=0.1)
        scn.change("noise.deviations", by=other.signal)
        with refused(
            ShapeError,
            """
            `other.signal.values` does not fit `noise.deviations`.
              expected (2,)
              got      (3,)
            """,
        ):
            cd.Simulation(scn, jit=False)

    def test_sizes_do_not_change(self):
        scn = cd.Scenario()
        scn.add(Wide(2), name="wide", every=0.1)
        scn.change("wide.size", by=scn.input("size", Whole(2)))
        with refused(SettingError, SIZES):
            cd.Simulation(scn, jit=False)

    def test_tasks_that_need_each_other_are_a_loop(self, scn):
        scaled = scn.add(Scaled(), name="scaled", every=0.1, source=Number(1.0))
        relay = scn.add(Relay(), name="relay", every=0.1, source=scaled.signal)
        scn.change("scaled.factor", by=relay.signal)
        with refused(
            AlgebraicLoopError,
            """
            These tasks need each other at the same tick:
              scaled  needs  relay
              relay   needs  scaled
              Break the loop: give one of these connections a delay, e.g. `scn.connect(source, target, delay=1)`.
            """,
        ):
            scn.check()


class ScaledOutputs(NamedTuple):
    signal: Number


@cd.task
class Scaled(NamedTuple):
    factor: Annotated[float, "-"] = 1.0

    def step(self, source: Number) -> ScaledOutputs:
        return ScaledOutputs(Number(self.factor * source.value))
