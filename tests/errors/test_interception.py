"""Parts that cannot be put between an output and its readers, and parts that pass on no message."""

from typing import Annotated, NamedTuple, TypeVar

import pytest

import cardan as cd
from cardan import AnyMessage
from cardan.errors import DeclarationError, FrozenScenario, MessageTypeError, WiringError
from cardan.messages import Force
from errors.conftest import refused
from generic_parts import Freeze, Passed, PassOn, Sample, Switch
from parts import Count, Gain, Lag, Noise, Number, Ramp, Relay, RelayOutputs


@pytest.fixture
def scn() -> cd.Scenario:
    """A ramp that a lag reads."""
    scn = cd.Scenario("test")
    scn.add(Lag(), name="lag", source=scn.add(Ramp(), name="ramp").signal)
    return scn


class TestInterception:
    def test_an_input_is_not_intercepted(self, scn):
        with refused(
            WiringError,
            """
            Cannot intercept `lag.source`, which is an input.
              Intercept an output, e.g. `ctl.torque` or `bus.motion`.
            """,
        ):
            scn.intercept(scn["lag"].source, PassOn())

    def test_a_part_is_not_intercepted(self, scn):
        with refused(
            WiringError,
            """
            Cannot intercept <model ramp (Ramp)>.
              Intercept an output, e.g. `ctl.torque` or `bus.motion`.
            """,
        ):
            scn.intercept(scn["ramp"], PassOn())

    def test_an_output_of_another_scenario_is_not_intercepted(self, scn):
        other = cd.Scenario("other").add(Ramp(), name="ramp")
        with refused(WiringError, "`ramp.signal` belongs to another scenario than `test`."):
            scn.intercept(other.signal, PassOn())

    def test_an_output_without_readers_is_not_intercepted(self, scn):
        with refused(
            WiringError,
            """
            Nobody reads `lag.signal` yet, so there is nothing to intercept.
              Intercept it when its readers are connected.
            """,
        ):
            scn.intercept(scn["lag"].signal, PassOn())

    def test_a_frozen_scenario_is_not_rewired(self, scn):
        cd.Simulation(scn, jit=False)
        with refused(
            FrozenScenario,
            """
            Cannot intercept `ramp.signal`: a simulation of scenario `test` exists already.
              Change the scenario before making a Simulation of it, or build another one.
            """,
        ):
            scn.intercept(scn["ramp"].signal, PassOn())

    def test_a_part_that_does_not_take_the_message_is_refused(self, scn):
        with refused(
            MessageTypeError,
            """
            Count cannot intercept a Number: it has no input that takes one.
              inputs: none
              Use a part that takes this message and sends it, or one that passes on any message.
            """,
        ):
            scn.intercept(scn["ramp"].signal, Count(), every=0.1)

    def test_a_part_that_does_not_send_the_message_is_refused(self):
        class Listens(NamedTuple):
            @cd.output
            def heard(self, source: Number) -> Force:
                return Force(source.value)

        scn = cd.Scenario()
        scn.add(Lag(), name="lag", source=scn.add(Ramp(), name="ramp").signal)
        with refused(
            MessageTypeError,
            """
            Listens cannot intercept a Number: it has no output that sends one.
              outputs: heard
              Use a part that takes this message and sends it, or one that passes on any message.
            """,
        ):
            scn.intercept(scn["ramp"].signal, cd.model(Listens)())

    def test_where_several_inputs_take_the_message_one_is_named(self, scn):
        with refused(
            MessageTypeError,
            """
            Switch[Number] has several inputs that take a Number: message, other.
              Say which: `input="message"`.
            """,
        ):
            scn.intercept(scn["ramp"].signal, Switch(after=1.0))

    def test_where_several_outputs_send_the_message_one_is_named(self, scn):
        class Both(NamedTuple):
            @cd.output
            def first(self, source: Number) -> Number:
                return source

            @cd.output
            def second(self, source: Number) -> Number:
                return source

        with refused(
            MessageTypeError,
            """
            Both has several outputs that send a Number: first, second.
              Say which: `output="first"`.
            """,
        ):
            scn.intercept(scn["ramp"].signal, cd.model(Both)())

    def test_a_named_port_must_carry_the_message(self, scn):
        with refused(
            MessageTypeError,
            """
            Gain cannot intercept a Number by its input `signal`.
              These take one: source
            """,
        ):
            scn.intercept(scn["ramp"].signal, Gain(), input="signal")
        with refused(
            MessageTypeError,
            """
            Noise cannot intercept a Number by its input `signal`.
              No input of it takes one; it has: none
            """,
        ):
            scn.intercept(scn["ramp"].signal, Noise([1.0]), every=0.1, input="signal")

    def test_a_reader_must_read_the_port(self, scn):
        scn.add(Relay(), name="relay", every=0.1, source=scn["lag"].signal)
        with refused(
            WiringError,
            """
            `relay.source` does not read `ramp.signal`.
              These read `ramp.signal`: lag.source
            """,
        ):
            scn.intercept(scn["ramp"].signal, PassOn(), readers=scn["relay"].source)

    def test_readers_are_ports(self, scn):
        with refused(
            WiringError,
            """
            'lag.source' is no port.
              Give inputs as `readers`, e.g. `readers=motor.command`.
            """,
        ):
            scn.intercept(scn["ramp"].signal, PassOn(), readers=["lag.source"])

    def test_somebody_must_read_the_part(self, scn):
        with refused(
            WiringError,
            """
            `readers` names no input.
              These read `ramp.signal`: lag.source
            """,
        ):
            scn.intercept(scn["ramp"].signal, PassOn(), readers=[])

    def test_readers_that_read_different_parts_by_now_are_told_apart(self, scn):
        ramp = scn["ramp"].signal
        scn.add(Lag(), name="other", source=ramp)
        scn.intercept(ramp, PassOn(), name="first", readers=scn["lag"].source)
        with refused(
            WiringError,
            """
            Readers of `ramp.signal` read different outputs by now: `lag.source` reads `first.passed`, `other.source` reads `ramp.signal`.
              Intercept them one after the other, with `readers=...`.
            """,  # noqa: E501
        ):
            scn.intercept(ramp, PassOn(), name="second")


class TestGenericParts:
    def test_a_scenario_must_be_told_what_is_passed_on(self, scn):
        with refused(
            WiringError,
            """
            `sample` (Sample) passes on any message, and nothing says which.
              Give `message` a source, or the class of its messages: `scn.add(..., message=WheelTorques)`.
            """,
        ):
            scn.add(Sample(), every=0.1)

    def test_all_that_is_passed_on_is_of_one_class(self, scn):
        noise = scn.add(Noise([1.0]), name="noise", every=0.1)
        with refused(
            MessageTypeError,
            """
            Cannot connect `noise.signal` to `switch.other`.
              `noise.signal` sends   Numbers
              `switch.other` accepts Number
            """,
        ):
            scn.add(Switch(after=1.0), name="switch", message=scn["ramp"].signal, other=noise.signal)

    def test_a_check_must_be_told_what_is_passed_on(self):
        for inputs in ({}, {"message": float}):
            with refused(
                DeclarationError,
                """
                `Freeze` passes on any message, so the check must be told which.
                  Give a class of messages, e.g. `inputs={"message": BodyTorque}`, or a message.
                """,
            ):
                cd.check_task(Freeze(after=1.0), inputs=inputs)

    def test_what_is_sent_is_taken(self):
        with refused(
            DeclarationError,
            """
            `Makes.passed` sends whatever message the part passes on, but no input takes one.
              Annotate an input with `AnyMessage` too: its source says which message that is.
            """,
        ):

            @cd.model
            class Makes(NamedTuple):
                @cd.output
                def passed(self, source: Number) -> AnyMessage:
                    return source

    def test_what_is_remembered_is_taken(self):
        with refused(
            DeclarationError,
            """
            The memory of `Remembers` is whatever message the part passes on, but no input takes one.
              Annotate an input with `AnyMessage` too: its source says which message that is.
            """,
        ):

            @cd.task
            class Remembers(NamedTuple):
                def step(self, x: AnyMessage, source: Number) -> tuple[AnyMessage, RelayOutputs]:
                    return x, RelayOutputs(source)

    def test_a_message_is_no_state(self):
        with refused(
            DeclarationError,
            """
            `Integrates` has a message as its state, but a state is integrated.
              Keep the message in the memory of a task.
            """,
        ):

            @cd.model
            class Integrates(NamedTuple):
                def derivatives(self, x: AnyMessage, message: AnyMessage) -> AnyMessage:
                    return message

    def test_a_memory_is_returned(self):
        with refused(
            DeclarationError,
            """
            `Forgets.step` must return its memory and its outputs.
              Annotate it `-> tuple[AnyMessage, Outputs]`, with a NamedTuple `Outputs` whose fields are messages.
            """,
        ):

            @cd.task
            class Forgets(NamedTuple):
                def step(self, x: AnyMessage, message: AnyMessage) -> Passed[AnyMessage]:
                    return Passed(x)

    def test_there_is_no_default_for_any_message(self):
        with refused(
            DeclarationError,
            """
            `Assumes.passed(message)` takes any message, so its default cannot be a Number.
              Let the default be None.
            """,
        ):

            @cd.model
            class Assumes(NamedTuple):
                @cd.output
                def passed(self, message: AnyMessage = Number(1.0)) -> AnyMessage:
                    return message

    def test_another_type_variable_is_refused(self):
        M = TypeVar("M")
        with refused(
            DeclarationError,
            """
            `Own.passed()` is annotated with `M`, which is no message.
              Annotate it with a class decorated with `@message`, or with `cardan.AnyMessage` for whatever is passed on.
            """,
        ):
            cd.model(own(M))


def own(variable: object) -> type:
    class Own(NamedTuple):
        factor: Annotated[float, "-"]

        def passed(self, message):
            return message

    Own.passed.__annotations__ = {"message": variable, "return": variable}
    cd.output(Own.passed)
    return Own
