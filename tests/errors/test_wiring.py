"""Scenarios that are wired wrongly, or not at all."""

from math import nan
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan import fsw, models
from cardan.errors import (
    AlgebraicLoopError,
    DuplicateName,
    FrozenScenario,
    MessageTypeError,
    NotFinite,
    SettingError,
    ShapeError,
    UnknownPort,
    WiringError,
)
from cardan.missions import hello, mass_spring_damper
from errors.conftest import refused
from parts import (
    Bank,
    BankState,
    Count,
    Gain,
    Lag,
    LagState,
    Noise,
    NoiseOutputs,
    Number,
    Numbers,
    Ramp,
    Relay,
    RelayOutputs,
    Weights,
    plain,
)


@pytest.fixture
def scn() -> cd.Scenario:
    return cd.Scenario("test")


class TestPorts:
    def test_a_misspelt_output_is_refused(self, scn):
        count = scn.add(Count(), name="count", every=0.1)
        with refused(
            UnknownPort,
            """
            `count` (Count) has no port `signl`. Did you mean `signal`?
              outputs: signal, time
              inputs:  none
            """,
        ):
            count.signl  # noqa: B018

    def test_a_misspelt_input_is_refused(self, scn):
        ramp = scn.add(Ramp(), name="ramp")
        with refused(
            UnknownPort,
            """
            `gain` (Gain) has no port `sorce`. Did you mean `source`?
              outputs: signal
              inputs:  source
            """,
        ):
            scn.add(Gain(), name="gain", sorce=ramp.signal)

    def test_a_part_that_was_refused_is_not_in_the_scenario(self, scn):
        for wrong in ({"sorce": Number(1.0)}, {"source": Number(nan)}, {"source": Numbers([1.0])}):
            with pytest.raises(cd.CardanError):
                scn.add(Gain(), name="gain", **wrong)
        assert scn.add(Gain(), name="gain", source=Number(1.0)).name == "gain"

    def test_a_port_that_resembles_nothing_is_refused_without_advice(self, scn):
        with refused(
            UnknownPort,
            """
            `lag` (Lag) has no port `thruster`.
              outputs: signal
              inputs:  source
            """,
        ):
            scn.connect(Number(1.0), scn.add(Lag(), name="lag").thruster)

    def test_an_unknown_port_is_an_attribute_error_to_python(self, scn):
        assert not hasattr(scn.add(Lag(), name="lag"), "thruster")
        with pytest.raises(AttributeError, match="_private"):
            scn["lag"]._private  # noqa: B018

    def test_an_output_takes_no_message(self, scn):
        with refused(
            WiringError,
            """
            Cannot connect into `gain.signal`, which is an output.
              Connect into an input port, e.g. `motor.command`.
            """,
        ):
            scn.add(Gain(), name="gain", signal=Number(1.0))

    @pytest.mark.parametrize(
        ("target", "shown"), [("lag.source", "'lag.source'"), (None, "None"), ("part", "<model lag (Lag)>")]
    )
    def test_only_an_input_can_be_connected_into(self, scn, target, shown):
        lag = scn.add(Lag(), name="lag")
        with refused(
            WiringError,
            f"""
            Cannot connect into {shown}.
              Connect into an input port, e.g. `motor.command`.
            """,
        ):
            scn.connect(Number(1.0), lag if target == "part" else target)

    def test_an_input_sends_nothing(self, scn):
        gain, lag = scn.add(Gain(), name="gain"), scn.add(Lag(), name="lag")
        with refused(
            WiringError,
            """
            `lag.source` cannot be fed from `gain.source`, which is an input itself.
              Connect it to the output that feeds that input.
            """,
        ):
            scn.connect(gain.source, lag.source)

    def test_a_part_is_not_a_port(self, scn):
        count = scn.add(Count(), name="count", every=0.1)
        with refused(
            WiringError,
            """
            `lag.source` was given the part `count` instead of one of its ports.
              Use one of: count.signal, count.time
            """,
        ):
            scn.add(Lag(), name="lag", source=count)

    def test_a_part_that_sends_nothing_is_not_a_port_either(self, scn):
        @cd.model
        class Sink(NamedTuple):
            def derivatives(self, x: LagState) -> LagState:
                return x

        sink = scn.add(Sink(), name="sink")
        with refused(
            WiringError,
            """
            `lag.source` was given the part `sink` instead of one of its ports.
              Use one of: it has none
            """,
        ):
            scn.add(Lag(), name="lag", source=sink)

    def test_an_input_takes_one_source(self, scn):
        ramp = scn.add(Ramp(), name="ramp")
        gain = scn.add(Gain(), name="gain", source=ramp.signal)
        with refused(
            WiringError,
            """
            `gain.source` is fed already, by `ramp.signal`.
              An input takes one source.
            """,
        ):
            scn.connect(ramp.signal, gain.source)

    def test_an_input_with_a_constant_takes_no_other_source(self, scn):
        gain = scn.add(Gain(), name="gain", source=Number(1.0))
        with refused(
            WiringError,
            """
            `gain.source` is fed already, by a constant message.
              An input takes one source.
            """,
        ):
            scn.connect(Number(2.0), gain.source)

    def test_a_source_belongs_to_the_same_scenario(self, scn):
        ramp = cd.Scenario("other").add(Ramp(), name="ramp")
        with refused(WiringError, "`ramp.signal` belongs to another scenario than `gain.source`."):
            scn.add(Gain(), name="gain", source=ramp.signal)

    def test_a_target_belongs_to_the_scenario_that_connects_it(self, scn):
        other = cd.Scenario("other")
        ramp, gain = other.add(Ramp(), name="ramp"), other.add(Gain(), name="gain")
        scn.add(Gain(), name="gain")
        with refused(
            WiringError,
            """
            `gain.source` belongs to scenario `other`.
              Connect it there; this is scenario `test`.
            """,
        ):
            scn.connect(ramp.signal, gain.source)


class TestMessages:
    def test_two_ports_that_carry_different_messages_are_not_connected(self, scn):
        noise = scn.add(Noise(deviations=[1.0]), name="noise", every=0.1)
        with refused(
            MessageTypeError,
            """
            Cannot connect `noise.signal` to `lag.source`.
              `noise.signal` sends   Numbers
              `lag.source`   accepts Number
            """,
        ):
            scn.add(Lag(), name="lag", source=noise.signal)

    def test_a_constant_of_another_message_is_refused(self, scn):
        with refused(
            MessageTypeError,
            """
            Cannot feed `gain.source` with a constant Numbers.
              It accepts Number.
            """,
        ):
            scn.add(Gain(), name="gain", source=Numbers([1.0]))

    @pytest.mark.parametrize("value", [3.0, None, "ramp.signal", LagState(1.0), [Number(1.0)]])
    def test_what_is_no_message_is_refused(self, scn, value):
        with refused(
            WiringError,
            f"""
            `gain.source` cannot be fed from {value!r}.
              Give an output port that sends a Number, or a Number itself.
            """,
        ):
            scn.add(Gain(), name="gain", source=value)

    def test_the_article_follows_the_name_of_the_message(self):
        with refused(
            WiringError,
            """
            `ctl.error` cannot be fed from 0.0.
              Give an output port that sends an AttitudeError, or an AttitudeError itself.
            """,
        ):
            scn = cd.Scenario()
            scn.add(hello.build().parts["ctl"].part, name="ctl", every=0.5, error=0.0)


class TestMissingConnections:
    def test_all_of_them_are_listed_at_once(self, scn):
        scn.add(Count(), name="count", every=0.1)
        scn.add(Ramp(), name="ramp")
        scn.add(Gain(), name="gain")
        scn.add(Weights(weights=[[1.0]]), name="weights")
        scn.add(Lag(), name="lag")  # optional
        scn.add(Relay(), name="relay", every=0.1)
        with refused(
            WiringError,
            """
            `gain.source` needs a Number and nothing is connected to it.
              These send one: count.signal, count.time, ramp.signal, gain.signal, lag.signal, relay.signal
            `weights.source` needs a Numbers and nothing is connected to it.
              These send one: weights.signal
            `relay.source` needs a Number and nothing is connected to it.
              These send one: count.signal, count.time, ramp.signal, gain.signal, lag.signal, relay.signal
            """,
        ):
            plain(scn)

    def test_it_is_said_when_no_part_can_help(self, scn):
        scn.add(mass_spring_damper.build().parts["pid"].part, name="pid", every=0.1)
        with refused(
            WiringError,
            """
            `pid.motion` needs a LineMotion and nothing is connected to it.
              No part of this scenario sends one.
            `pid.reference` needs a LineMotion and nothing is connected to it.
              No part of this scenario sends one.
            """,
        ):
            scn.check()

    def test_outputs_of_the_mechanism_are_named_too(self):
        mechanism = cd.Mechanism("sat")
        mechanism.add_body("bus", joint=cd.Free(), mass=2.0, inertia_B=np.eye(3))
        scn = cd.Scenario("test", mechanism=mechanism)
        scn.add(models.PointMassGravity(), name="earth")
        scn.add(fsw.SimpleNavigation(), name="nav", every=1.0)
        with refused(
            WiringError,
            """
            `earth.positions` needs a FramePositions and nothing is connected to it.
              These send one: mechanism.group_of_bodies(...).positions
            `nav.truth` needs a FrameMotion and nothing is connected to it.
              These send one: nav.motion, bus.motion, bus.com.motion
            """,
        ):
            scn.check()

    def test_a_table_of_an_incomplete_scenario_says_what_is_missing(self, scn):
        scn.add(hello.build().parts["ctl"].part, name="ctl", every=0.5)
        text = str(scn)
        assert "ctl.error   <-  nothing" in text
        assert text.endswith(
            "not ready to run:\n"
            "`ctl.error` needs an AttitudeError and nothing is connected to it.\n"
            "  No part of this scenario sends one."
        )


class TestLoops:
    def test_outputs_that_need_each_other_are_refused(self, scn):
        first, second = scn.add(Gain(), name="first"), scn.add(Gain(), name="second")
        third = scn.add(Gain(), name="the_third", source=second.signal)
        scn.connect(first.signal, second.source)
        scn.connect(third.signal, first.source)
        with refused(
            AlgebraicLoopError,
            """
            These outputs need each other at the same instant:
              first.signal      needs  the_third.signal
              the_third.signal  needs  second.signal
              second.signal     needs  first.signal
              Break the loop: remove an input that one of these outputs does not use from its signature,
              give one a state, or run one as a Task (its output is then held between ticks).
            """,
        ):
            plain(scn)

    def test_an_output_that_needs_itself_is_refused(self, scn):
        gain = scn.add(Gain(), name="gain")
        scn.connect(gain.signal, gain.source)
        with refused(
            AlgebraicLoopError,
            """
            These outputs need each other at the same instant:
              gain.signal  needs  gain.signal
              Break the loop: remove an input that one of these outputs does not use from its signature,
              give one a state, or run one as a Task (its output is then held between ticks).
            """,
        ):
            scn.check()

    def test_tasks_that_need_each_other_are_refused(self, scn):
        first, second = scn.add(Relay(), name="first", every=0.1), scn.add(Relay(), name="second", every=0.2)
        scn.connect(first.signal, second.source)
        scn.connect(second.signal, first.source)
        with refused(
            AlgebraicLoopError,
            """
            These tasks need each other at the same tick:
              first   needs  second
              second  needs  first
              Break the loop: give one of these connections a delay, e.g. `scn.connect(source, target, delay=1)`.
            """,
        ):
            plain(scn)


class TestNames:
    def test_two_parts_have_two_names(self, scn):
        scn.add(Lag(), name="lag")
        with refused(
            DuplicateName,
            """
            There are two parts named `lag`: Lag and Gain.
              Name one otherwise.
            """,
        ):
            scn.add(Gain(), name="lag")

    def test_two_parts_of_one_class_need_names(self, scn):
        scn.add(Lag())
        with refused(
            DuplicateName,
            """
            There are two parts named `lag`: Lag and Lag.
              Name one otherwise. If this runs again, make the scenario again first.
            """,
        ):
            scn.add(Lag())

    @pytest.mark.parametrize("name", ["a.b", "2nd", "with blank", "_a", "é", "a\n", 5])
    def test_a_name_consists_of_letters_and_digits(self, scn, name):
        with pytest.raises(WiringError) as caught:
            scn.add(Lag(), name=name)
        advice = "\n  Use letters, digits, `_`, `-` and `/`, a letter first."
        assert str(caught.value) == f"`{name}` cannot be a part's name.{advice}"

    def test_a_class_is_not_a_part(self, scn):
        with refused(
            WiringError,
            """
            `Lag` is a class.
              Make a part of it: `Lag(...)`.
            """,
        ):
            scn.add(Lag, name="lag")

    @pytest.mark.parametrize("seed", [1.5, "1", None, True])
    def test_a_seed_is_a_whole_number(self, seed):
        text = f"""
            The seed of scenario `test` is {seed!r}.
              Use a whole number.
            """
        with refused(SettingError, text):
            cd.Scenario("test", seed=seed)
        scn = cd.Scenario("test")
        with refused(SettingError, text):
            scn.seed = seed


class TestInitialStates:
    def test_a_part_without_a_state_takes_none(self, scn):
        with refused(WiringError, "`gain` (Gain) has no state, so it takes no `initial`."):
            scn.add(Gain(), name="gain", initial=Number(1.0))

    def test_an_initial_state_is_given_as_its_class(self, scn):
        with refused(
            ShapeError,
            """
            `lag.initial` expects a LagState, got Number.
              Write LagState(value=...).
            """,
        ):
            scn.add(Lag(), name="lag", initial=Number(1.0))


class TestFrozenScenarios:
    @pytest.mark.parametrize(
        ("what", "change"),
        [
            ("add `second`", lambda scn: scn.add(Lag(), name="second")),
            ("add `Gain`", lambda scn: scn.add(Gain())),
            ("connect `lag.source`", lambda scn: scn.connect(Number(1.0), scn["lag"].source)),
            ("set `lag.time_constant`", lambda scn: scn.set("lag.time_constant", 2.0)),
            ("change the seed", lambda scn: setattr(scn, "seed", 3)),
        ],
    )
    def test_a_scenario_with_a_simulation_cannot_change(self, scn, what, change):
        scn.add(Lag(), name="lag")
        plain(scn)
        with refused(
            FrozenScenario,
            f"""
            Cannot {what}: a simulation of scenario `test` exists already.
              Change the scenario before making a Simulation of it, or build another one.
            """,
        ):
            change(scn)

    def test_a_simulation_that_was_refused_does_not_freeze(self, scn):
        scn.add(Lag(), name="lag")
        with pytest.raises(cd.CardanError):
            plain(scn, cd.Dop853(tolerances={"lag.speed": cd.Tolerance(1e-8, 1e-8)}))
        scn.set("lag.time_constant", 2.0)


class TestDelays:
    @pytest.fixture
    def ends(self, scn) -> tuple[Any, Any]:
        return scn.add(Count(), name="count", every=0.1).signal, scn.add(Relay(), name="relay", every=0.1).source

    @pytest.mark.parametrize(
        ("delay", "shown"),
        [(2 * 10**7, "20000000"), (10**400, f"1{'0' * 59}... (401 characters)"), (10**5000, "<int>")],
        ids=["long", "longer", "longest"],
    )
    def test_a_delay_can_be_kept_in_memory(self, scn, ends, delay, shown):
        scn.connect(*ends, delay=delay)
        with refused(
            WiringError,
            f"""
            The delay from `count.signal` to `relay.source` is {shown} ticks, which is too long to keep.
              Use at most 16777215 ticks, or a slower task.
            """,
        ):
            plain(scn)

    @pytest.mark.parametrize("delay", [-1, 0.5, "1", None])
    def test_a_delay_is_a_number_of_ticks(self, scn, ends, delay):
        for connect in (lambda: scn.connect(*ends, delay=delay), lambda: scn.connect(ends[0].delayed(delay), ends[1])):
            with refused(
                WiringError,
                f"""
                The delay from `count.signal` to `relay.source` is {delay!r}.
                  Use a whole number of ticks.
                """,
            ):
                connect()

    def test_a_delay_between_models_has_no_ticks(self, scn):
        ramp = scn.add(Ramp(), name="ramp")
        with refused(
            WiringError,
            """
            The connection from `ramp.signal` to `gain.source` has a delay, but no end ticks.
              A delay counts ticks: one end must be a task.
            """,
        ):
            scn.add(Gain(), name="gain", source=ramp.signal.delayed(1))

    @pytest.mark.parametrize("options", [{"delay": 1}, {"initial": Number(0.0)}])
    def test_a_constant_has_no_delay(self, scn, ends, options):
        with refused(
            WiringError,
            """
            `relay.source` is constant, so a delay has no meaning.
              Remove the delay.
            """,
        ):
            scn.connect(Number(1.0), ends[1], **options)

    def test_an_initial_message_needs_a_delay(self, scn, ends):
        with refused(
            WiringError,
            """
            The connection from `count.signal` to `relay.source` has an `initial` message, but no delay.
              Remove it, or give the connection a delay.
            """,
        ):
            scn.connect(*ends, initial=Number(1.0))

    @pytest.mark.parametrize("options", [{"delay": 2}, {"initial": Number(0.0)}])
    def test_a_delay_is_given_once(self, scn, ends, options):
        with refused(
            WiringError,
            """
            `relay.source` is given a delay twice.
              Use either `delayed(...)` or the arguments of `connect`.
            """,
        ):
            scn.connect(ends[0].delayed(1), ends[1], **options)

    def test_an_initial_message_is_of_the_same_class(self, scn, ends):
        with refused(
            ShapeError,
            """
            `relay.source (initial)` expects a Number, got Numbers.
              Write Number(value=...).
            """,
        ):
            scn.connect(*ends, delay=1, initial=Numbers([1.0]))

    def test_an_initial_message_is_finite(self, scn, ends):
        with refused(
            NotFinite,
            """
            `relay.source (initial).value` is not finite: nan.
              Give a finite value [-].
            """,
        ):
            scn.connect(*ends, delay=1, initial=Number(nan))

    def test_an_initial_message_is_as_large_as_the_later_ones(self, scn):
        noise = scn.add(Noise(deviations=[1.0, 2.0]), name="noise", every=0.1)
        scn.add(Bank(time_constants=[1.0, 2.0]), name="bank", source=noise.signal.delayed(1, Numbers([1.0, 2.0, 3.0])))
        with refused(
            ShapeError,
            """
            The initial message for `bank.source` does not fit `noise.signal`.
              `values` expected (2,), got (3,)
            """,
        ):
            plain(scn)


@cd.task
class Smooth(NamedTuple):
    """Remembers as many numbers as it receives."""

    def initial(self, source: Numbers) -> BankState:
        return BankState(0.0 * source.values)

    def step(self, x: BankState, source: Numbers) -> tuple[BankState, NoiseOutputs]:
        return BankState(source.values), NoiseOutputs(Numbers(0.5 * (x.values + source.values)))


class TestSizes:
    def test_a_state_of_unknown_size_is_refused(self, scn):
        @cd.model
        class Tanks(NamedTuple):
            def derivatives(self, x: BankState) -> BankState:
                return x

        scn.add(Tanks(), name="tanks")
        with refused(
            WiringError,
            """
            `tanks.state.values` has a size that each instance fixes, and nothing says which.
              Give Tanks a method `initial(self, ...) -> BankState`, or pass `initial=BankState(...)` to `scn.add`.
            """,
        ):
            plain(scn)

    def test_sizes_that_depend_on_each_other_are_refused(self, scn):
        mix = scn.add(Weights(weights=np.eye(2)), name="mix")
        smooth = scn.add(Smooth(), name="smooth", every=0.1, source=mix.signal)
        scn.connect(smooth.signal, mix.source)
        with refused(
            WiringError,
            """
            These have sizes that depend on each other, so none can be found:
              smooth (its state)
              mix.signal
              smooth.signal
              Give one of the parts an `initial` state, or one of their connections a delay with an `initial` message.
            """,
        ):
            plain(scn)

    def test_a_part_that_fails_while_its_size_is_found_says_so(self, scn):
        scn.add(Weights(weights=np.eye(2)), name="mix", source=Numbers([1.0]))
        with refused(
            IndexError,
            "index 1 is out of bounds for axis 0 with size 1",
            note="while finding the size of `mix.signal` from the initial messages",
        ):
            plain(scn)

    def test_an_initial_state_that_fails_says_so(self, scn):
        @cd.model
        class Part(NamedTuple):
            def initial(self) -> LagState:
                raise RuntimeError("no file")

            def derivatives(self, x: LagState) -> LagState:
                return x

        scn.add(Part(), name="part")
        with refused(
            RuntimeError, "no file", note="while finding the size of `part.initial` from the initial messages"
        ):
            plain(scn)

    def test_an_error_of_cardan_is_not_annotated_while_sizes_are_found(self, scn):
        @cd.model(jit=False)
        class Part(NamedTuple):
            @cd.output
            def signal(self, t: float) -> Numbers:
                return Numbers(Lag(time_constant=nan).time_constant)

        scn.add(Part(), name="part")
        with refused(
            NotFinite,
            """
            `Lag.time_constant` is not finite: nan.
              Give a finite value [s].
            """,
        ):
            plain(scn)

    def test_an_output_of_the_wrong_class_has_no_size(self, scn):
        @cd.model
        class Part(NamedTuple):
            @cd.output
            def signal(self, t: float) -> Numbers: ...

        scn.add(Part(), name="part")
        with refused(
            ShapeError,
            """
            `part.signal` is of the wrong class.
              expected Numbers
              got      NoneType
            """,
        ):
            plain(scn)

    @pytest.mark.parametrize(
        ("returned", "shown"),
        [
            (None, "NoneType"),
            (NoiseOutputs(Numbers(np.zeros(2))), "NoneType"),
            ((None, RelayOutputs(Number(1.0))), "Number"),
        ],
    )
    def test_a_task_that_returns_something_else_has_no_size(self, scn, returned, shown):
        class Memory(NamedTuple):
            value: Annotated[float, "-"] = 0.0

        @cd.task
        class Part(NamedTuple):
            def step(self, x: Memory) -> tuple[Memory, NoiseOutputs]:
                return returned

        scn.add(Part(), name="part", every=0.1)
        with refused(
            ShapeError,
            f"""
            `part.signal` is of the wrong class.
              expected Numbers
              got      {shown}
            """,
        ):
            plain(scn)

    def test_a_state_given_later_is_as_large_as_the_first_one(self, scn):
        bank = scn.add(Bank(time_constants=[1.0, 2.0]), name="bank", source=Numbers([1.0, 2.0]))
        sim = plain(scn)
        with refused(
            ShapeError,
            """
            `bank.state.values` has the wrong shape.
              expected (2,)
              got      (3,)
            """,
        ):
            sim.reset({bank: BankState(np.zeros(3))})
