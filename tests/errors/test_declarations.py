"""Messages, models and tasks that are not declared as their contracts ask, and values that do not fit."""

from math import inf, nan
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.contracts.message import message_declaration
from cardan.errors import DeclarationError, FrameNameError, NotFinite, ShapeError, UnitError
from cardan.messages import Attitude, WakeUp
from errors.conftest import refused
from parts import Gain, Lag, LagState, Number, Numbers, Relay, RelayOutputs

GRAMMAR = "Write units as factors with blanks between them, e.g. `N m s/rad` or `m/s/Hz^0.5`; `-` is a pure number."


class State(NamedTuple):
    value: Annotated[float, "-"] = 0.0


class OtherState(NamedTuple):
    value: Annotated[float, "-"] = 0.0


def message_with(name: str, hint: Any) -> Any:
    return cd.message(NamedTuple("Signal", [(name, hint)]))  # type: ignore[misc]


class TestMessages:
    def test_a_message_is_a_named_tuple(self):
        with refused(
            DeclarationError,
            """
            `Signal` is not a NamedTuple.
              Write `class Signal(NamedTuple): ...`.
            """,
        ):

            @cd.message
            class Signal:
                value: Annotated[float, "-"]

    def test_a_message_has_a_field(self):
        with refused(
            DeclarationError,
            """
            `Empty` has no fields, so it says nothing.
              Give the message a field.
            """,
        ):

            @cd.message
            class Empty(NamedTuple):
                pass

    @pytest.mark.parametrize(
        ("hint", "shown"),
        [
            (str, "str"),
            (Annotated[str, "-"], "str"),
            (Annotated[list[float], "-"], "list"),
            (Annotated[np.ndarray, "-"], "ndarray"),
            (Annotated[float | None, "-"], "float | None"),
            (Annotated[complex, "-"], "complex"),
        ],
    )
    def test_a_field_is_a_number_or_an_array(self, hint, shown):
        with refused(
            DeclarationError,
            f"""
            `Signal.value` is declared as {shown}, which is neither a number nor an array.
              Use float, int, bool or an array of cardan (Vec, Vec3, Mat3, ...), e.g. `Annotated[float, "s"]`.
            """,
        ):
            message_with("value", hint)

    @pytest.mark.parametrize(("name", "kind"), [("r", cd.Vec3), ("q", cd.Vec4), ("sigma_bn", cd.Vec3)])
    def test_a_vector_without_a_frame_is_refused(self, name, kind):
        with refused(
            FrameNameError,
            f"""
            `Signal.{name}` is a vector, but its name does not say its frame.
              End the name with the frame the components are in, e.g. `{name}_B` or `{name}_BN_N`.
            """,
        ):
            message_with(name, Annotated[kind, "m"])

    @pytest.mark.parametrize("kind", [cd.Mat3, cd.Mat6, cd.Rows3])
    def test_a_matrix_without_a_frame_is_refused(self, kind):
        with refused(
            FrameNameError,
            """
            `Signal.inertia` is a matrix, but its name does not say its frame.
              End the name with the frame the components are in, e.g. `inertia_B` or `inertia_BN_N`.
            """,
        ):
            message_with("inertia", Annotated[kind, "kg m^2"])

    @pytest.mark.parametrize("name", ["bias", "bias_deg", "bias_B", "bias_deg_B", "bias_deg_per_s_B", "bias_B_deg"])
    def test_frame_and_unit_have_one_order_in_a_name(self, name):
        with refused(
            UnitError,
            f"""
            `Signal.{name}` has the unit `deg/s`, which is not SI, and its name does not say so.
              Use SI, or call it `bias_B_deg_per_s`.
            """,
        ):
            message_with(name, Annotated[cd.Vec3, "deg/s"])
        declared = message_declaration(message_with("bias_B_deg_per_s", Annotated[cd.Vec3, "deg/s"]))
        assert declared.fields[0].frame == "B"

    def test_a_vector_in_another_unit_says_its_frame_before_it(self):
        with refused(
            FrameNameError,
            """
            `Signal.bias_deg_per_s` is a vector, but its name does not say its frame.
              Put the frame the components are in before the unit, e.g. `bias_B_deg_per_s` or `bias_BN_N_deg_per_s`.
            """,
        ):
            message_with("bias_deg_per_s", Annotated[cd.Vec3, "deg/s"])

    def test_a_unit_at_the_end_of_a_name_is_no_frame(self):
        declared = message_declaration(message_with("carrier_MHz", Annotated[float, "MHz"]))
        assert declared.fields[0].frame == ""

    def test_an_annotation_that_names_nothing_is_refused(self):
        with refused(
            DeclarationError,
            """
            The annotations of `TestMessages.test_an_annotation_that_names_nothing_is_refused.<locals>.Signal` \
cannot be read: name 'Missing' is not defined.
              Define or import the name at module level, above the class.
            """,
        ):

            @cd.message
            class Signal(NamedTuple):
                value: "Missing"  # type: ignore[name-defined] # noqa: F821

    def test_an_annotation_that_is_no_python_is_refused(self):
        with refused(
            DeclarationError,
            """
            The annotations of `Signal` cannot be read: module 'cardan' has no attribute 'Vector'.
              Define or import the name at module level, above the class.
            """,
        ):
            message_with("value", "cd.Vector")


class TestUnits:
    @pytest.mark.parametrize("hint", [float, int, bool, cd.Vec, Annotated[float, cd.Position]])
    def test_a_field_without_a_unit_is_refused(self, hint):
        with refused(
            UnitError,
            """
            `Signal.value` has no unit.
              Declare one: `value: Annotated[..., "m"]`; a pure number has the unit "-".
            """,
        ):
            message_with("value", hint)

    def test_a_field_with_two_units_is_refused(self):
        with refused(
            UnitError,
            """
            `Signal.value` has more than one unit: 'm', 's'.
              Declare one.
            """,
        ):
            message_with("value", Annotated[float, "m", "s"])

    @pytest.mark.parametrize(
        ("unit", "factor", "advice"),
        [
            ("Nm", "Nm", " Did you mean `N m`?"),
            ("kg m^2/Rad", "Rad", " Did you mean `rad`?"),
            ("kgs", "kgs", " Did you mean `kg s`?"),
            ("m^", "m^", " Did you mean `m`?"),
            ("rad/(kg s)", "(kg", " Did you mean `kg`?"),
            ("m^.5", "m^.5", ""),
            ("m^0.5.1", "m^0.5.1", ""),
            ("furlong", "furlong", ""),
            ("--", "--", ""),
        ],
    )
    def test_an_unknown_unit_is_refused(self, unit, factor, advice):
        with refused(
            UnitError,
            f"""
            `Signal.value` has the unit `{unit}`, in which `{factor}` is not known.{advice}
              {GRAMMAR}
            """,
        ):
            message_with("value", Annotated[float, unit])

    @pytest.mark.parametrize("unit", ["", " ", "/", "m/", "/s", "m//s"])
    def test_an_incomplete_unit_is_refused(self, unit):
        with refused(
            UnitError,
            f"""
            `Signal.value` has the unit `{unit}`, which is incomplete.
              {GRAMMAR}
            """,
        ):
            message_with("value", Annotated[float, unit])

    @pytest.mark.parametrize(
        ("unit", "suffix"),
        [
            ("deg", "deg"),
            ("km/s", "km_per_s"),
            ("N m/rpm", "N_m_per_rpm"),
            ("km^2", "km2"),
            ("1/h", "per_h"),
            ("h^-1", "per_h"),
            ("h^11", "h11"),
            ("deg/h", "deg_per_h"),
            ("deg/h^0.5", "deg_per_sqrt_h"),
            ("deg/s/h^1.5", "deg_per_s_per_h1_5"),
        ],
    )
    def test_a_unit_outside_si_is_refused_unless_the_name_says_it(self, unit, suffix):
        with refused(
            UnitError,
            f"""
            `Signal.value` has the unit `{unit}`, which is not SI, and its name does not say so.
              Use SI, or call it `value_{suffix}`.
            """,
        ):
            message_with("value", Annotated[float, unit])
        message_with(f"value_{suffix}", Annotated[float, unit])

    @pytest.mark.parametrize("unit", ["m^0.5", "rad/s^1.5", "V/Hz^0.5"])
    def test_a_power_may_be_a_fraction(self, unit):
        message_with("value", Annotated[float, unit])


class TestModels:
    @pytest.mark.parametrize("decorator", [cd.model, cd.task])
    def test_a_part_is_a_named_tuple(self, decorator):
        with refused(
            DeclarationError,
            """
            `Part` is not a NamedTuple.
              Write `class Part(NamedTuple): ...`; its fields are the parameters.
            """,
        ):

            @decorator
            class Part:
                pass

    def test_a_function_is_no_part(self):
        with refused(
            DeclarationError,
            """
            `part` is not a NamedTuple.
              Write `class part(NamedTuple): ...`; its fields are the parameters.
            """,
        ):

            @cd.model
            def part(): ...

    def test_a_native_part_has_numbers_for_parameters(self):
        with refused(
            DeclarationError,
            """
            `Part.solver` is declared as Any, which is neither a number nor an array.
              Use float, int, bool or an array of cardan (Vec, Vec3, Mat3, ...), e.g. `Annotated[float, "s"]`.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                solver: Any

    def test_a_model_that_does_nothing_is_refused(self):
        with refused(
            DeclarationError,
            """
            `Part` does nothing: it has neither `derivatives` nor an `@output`.
              Add `def derivatives(self, x: State, ...) -> State`, or mark an output with `@output`.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                def signal(self, t: float) -> Number:
                    return Number(t)

    def test_a_state_needs_derivatives(self):
        with refused(
            DeclarationError,
            """
            `Part` has a state `x` but no `derivatives`.
              Add `def derivatives(self, x: State, ...) -> State`.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                @cd.output
                def signal(self, x: State) -> Number:
                    return Number(x.value)

    def test_derivatives_take_the_state(self):
        with refused(
            DeclarationError,
            """
            `Part.derivatives` must take `x` and return State, field for field.
              Write `def derivatives(self, x: State, ...) -> State`.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                def derivatives(self, t: float) -> OtherState:
                    return OtherState(t)

    def test_derivatives_return_the_state(self):
        with refused(
            DeclarationError,
            """
            `Part.derivatives` must take `x` and return State, field for field.
              Write `def derivatives(self, x: State, ...) -> State`.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                def derivatives(self, x: State) -> OtherState:
                    return OtherState(x.value)

    def test_a_projection_returns_the_state(self):
        with refused(
            DeclarationError,
            """
            `Part.project` must take `x` and return State, field for field.
              Write `def project(self, x: State, ...) -> State`.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                def derivatives(self, x: State) -> State:
                    return x

                def project(self, x: State):
                    return x

    def test_a_projection_takes_the_state_alone(self):
        with refused(
            DeclarationError,
            """
            `Part.project` takes the state alone.
              Write `def project(self, x)`.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                def derivatives(self, x: State) -> State:
                    return x

                def project(self, x: State, source: Number) -> State:
                    return x

    def test_one_model_has_one_state(self):
        with refused(
            DeclarationError,
            """
            `Part` has two different states `x`: OtherState in `signal` and State in `derivatives`.
              Annotate `x` alike everywhere.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                def derivatives(self, x: State) -> State:
                    return x

                @cd.output
                def signal(self, x: OtherState) -> Number:
                    return Number(x.value)

    @pytest.mark.parametrize("hint", [float, dict, None])
    def test_a_state_is_a_named_tuple(self, hint):
        with refused(
            DeclarationError,
            """
            `Part.derivatives` has an `x` that is not annotated with a NamedTuple.
              Declare the state as `class MyState(NamedTuple)` with a unit on every field, and annotate `x: MyState`.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                def derivatives(self, x: hint) -> hint:
                    return x

    @pytest.mark.parametrize("kind", [int, bool])
    def test_a_state_consists_of_floats(self, kind):
        class Counted(NamedTuple):
            ticks: Annotated[kind, "-"]

        with refused(
            DeclarationError,
            f"""
            `Counted.ticks` is {kind.__name__}, but a state is integrated.
              Declare it as float, or keep it in the memory of a task.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                def derivatives(self, x: Counted) -> Counted:
                    return x

    def test_a_method_is_a_plain_method(self):
        with refused(
            DeclarationError,
            """
            `Part.derivatives` is not a plain method.
              Write `def derivatives(self, ...): ...`.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                @staticmethod
                def derivatives(x: State) -> State:
                    return x

    def test_a_method_takes_self(self):
        with refused(
            DeclarationError,
            """
            `Part.derivatives` does not take `self` first.
              Write `def derivatives(self, ...): ...`.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                def derivatives(x: State) -> State:  # noqa: N805
                    return x

    def test_each_argument_is_one_port(self):
        with refused(
            DeclarationError, "`Part.signal` has `*sources: parts.Number`: each argument is one port, by its own name."
        ):

            @cd.model
            class Part(NamedTuple):
                @cd.output
                def signal(self, *sources: Number) -> Number:
                    return sources[0]

    def test_an_output_says_which_message_it_sends(self):
        with refused(
            DeclarationError,
            """
            `Part.signal()` is not annotated.
              Annotate it with a class decorated with `@message`.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                @cd.output
                def signal(self, t: float):
                    return Number(t)

    @pytest.mark.parametrize(("hint", "shown"), [(float, "float"), (State, "State"), (None, "NoneType")])
    def test_an_input_carries_a_message(self, hint, shown):
        with refused(
            DeclarationError,
            f"""
            `Part.signal(source)` is annotated with `{shown}`, which is no message.
              Annotate it with a class decorated with `@message`.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                @cd.output
                def signal(self, source: hint) -> Number:
                    return Number(source)

    def test_one_name_is_one_port(self):
        with refused(
            DeclarationError,
            """
            `Part.signal(source)` carries Number, elsewhere in the class it carries Numbers.
              One name is one port: give the two different names.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                @cd.output
                def sum(self, source: Numbers) -> Number:
                    return Number(source.values.sum())

                @cd.output
                def signal(self, source: Number) -> Number:
                    return source

    def test_an_input_is_optional_everywhere_or_nowhere(self):
        with refused(
            DeclarationError,
            """
            `Part.twice(source)` is optional in one method and required in another.
              Give it a default in both.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                @cd.output
                def signal(self, source: Number = Number(0.0)) -> Number:
                    return source

                @cd.output
                def twice(self, source: Number) -> Number:
                    return source

    @pytest.mark.parametrize(("hint", "default"), [(Number, Number(2.0)), (Number | None, None)])
    def test_an_input_has_one_default(self, hint, default):
        with refused(
            DeclarationError,
            """
            `Part.twice(source)` has another default than elsewhere in the class.
              Give it the same default in both.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                @cd.output
                def signal(self, source: hint = default) -> Number:
                    return source

                @cd.output
                def twice(self, source: Number = Number(1.0)) -> Number:
                    return source

    def test_a_default_is_a_message(self):
        with refused(
            ShapeError,
            """
            `Part.signal(source)` expects a Number, got float.
              Write Number(value=...).
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                @cd.output
                def signal(self, source: Number = 3.0) -> Number:
                    return source

    def test_a_default_is_finite(self):
        with refused(
            NotFinite,
            """
            `Part.signal(source).value` is not finite: nan.
              Give a finite value [-].
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                @cd.output
                def signal(self, source: Number = Number(nan)) -> Number:
                    return source

    def test_a_port_is_either_an_input_or_an_output(self):
        with refused(
            DeclarationError,
            """
            `Part.signal` is both an input and an output.
              Give the two ports different names.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                @cd.output
                def signal(self, signal: Number) -> Number:
                    return signal

    @pytest.mark.parametrize(
        ("name", "reason"),
        [
            ("state", "in paths it means the part's own state"),
            ("memory", "in paths it means the task's memory"),
            ("name", "it is an argument of `Scenario.add`"),
            ("every", "it is an argument of `Scenario.add`"),
            ("_hidden", "it is private"),
        ],
    )
    def test_some_names_of_ports_are_taken(self, name, reason):
        def method(self: Any) -> Number:
            return Number(1.0)

        Part = type(NamedTuple("Part", []))("Part", (NamedTuple("Part", []),), {name: cd.output(method)})
        with refused(
            DeclarationError,
            f"""
            `Part.{name}` cannot be the name of a port: {reason}.
              Choose another name.
            """,
        ):
            cd.model(Part)

    @pytest.mark.parametrize("decorator", [cd.model, cd.task])
    def test_an_initial_state_needs_a_state(self, decorator):
        with refused(
            DeclarationError,
            """
            `Part.initial` gives a state, but no other method takes `x`.
              Remove it, or take `x` where the state is needed.
            """,
        ):

            @decorator
            class Part(NamedTuple):
                def initial(self) -> State:
                    return State(1.0)

                @cd.output
                def signal(self, t: float) -> Number:
                    return Number(t)

                def step(self, t: float) -> RelayOutputs:
                    return RelayOutputs(Number(t))

    def test_an_initial_state_does_not_follow_from_itself(self):
        with refused(
            DeclarationError,
            """
            `Part.initial` takes `x`, which is not there before the run.
              It may take inputs, whose messages say how large they are.
            """,
        ):

            @cd.model
            class Part(NamedTuple):
                def initial(self, x: State) -> State:
                    return x

                def derivatives(self, x: State) -> State:
                    return x

    def test_an_initial_memory_is_not_drawn_at_random(self):
        with refused(
            DeclarationError,
            """
            `Part.initial` takes `rng`, which is not there before the run.
              It may take inputs, whose messages say how large they are.
            """,
        ):

            @cd.task
            class Part(NamedTuple):
                def initial(self, rng: cd.RandomKey) -> State:
                    return State(1.0)

                def step(self, x: State) -> tuple[State, RelayOutputs]:
                    return x, RelayOutputs(Number(x.value))


class TestTasks:
    def test_a_task_has_a_step(self):
        with refused(
            DeclarationError,
            """
            `Part` has no `step`.
              Write `def step(self, dt: float, x: Memory, ...) -> tuple[Memory, Outputs]`.
            """,
        ):

            @cd.task
            class Part(NamedTuple):
                def derivatives(self, x: State) -> State:
                    return x

    @pytest.mark.parametrize("hint", [int, np.random.Generator])
    def test_random_numbers_come_from_a_key(self, hint):
        with refused(
            DeclarationError,
            """
            `Part.step` takes `rng` as something else.
              Annotate it `rng: cardan.RandomKey`.
            """,
        ):

            @cd.task
            class Part(NamedTuple):
                def step(self, rng: hint) -> RelayOutputs:
                    return RelayOutputs(Number(1.0))

    def test_a_memory_is_a_named_tuple(self):
        with refused(
            DeclarationError,
            """
            `Part.step` has an `x` that is not annotated with a NamedTuple.
              Declare the state as `class MyState(NamedTuple)` with a unit on every field, and annotate `x: MyState`.
            """,
        ):

            @cd.task
            class Part(NamedTuple):
                def step(self, x: float) -> tuple[float, RelayOutputs]:
                    return x, RelayOutputs(Number(x))

    @pytest.mark.parametrize(
        "hint", [RelayOutputs, tuple[RelayOutputs, State], tuple[OtherState, RelayOutputs], tuple[State], None]
    )
    def test_a_task_with_a_memory_returns_it_first(self, hint):
        with refused(
            DeclarationError,
            """
            `Part.step` must return its memory and its outputs.
              Annotate it `-> tuple[State, Outputs]`, with a NamedTuple `Outputs` whose fields are messages.
            """,
        ):

            @cd.task
            class Part(NamedTuple):
                def step(self, x: State) -> hint: ...

    @pytest.mark.parametrize("hint", [float, tuple[Number, Number], None])
    def test_a_task_returns_a_named_tuple_of_messages(self, hint):
        with refused(
            DeclarationError,
            """
            `Part.step` must return a NamedTuple of messages; each of its fields is an output port.
              Write `class Outputs(NamedTuple): torque: BodyTorque` and annotate the result with it.
            """,
        ):

            @cd.task
            class Part(NamedTuple):
                def step(self, source: Number) -> hint: ...

    def test_a_task_asks_for_one_next_tick(self):
        class Outputs(NamedTuple):
            soon: WakeUp
            later: WakeUp

        with refused(
            DeclarationError,
            """
            `Part.step` sends 2 messages of class WakeUp: soon, later.
              A task has one next tick: send the earliest.
            """,
        ):

            @cd.task
            class Part(NamedTuple):
                def step(self) -> Outputs: ...

    def test_each_output_of_a_task_is_a_message(self):
        class Outputs(NamedTuple):
            torque: float

        with refused(
            DeclarationError,
            """
            `Outputs.torque` is annotated with `float`, which is no message.
              Annotate it with a class decorated with `@message`.
            """,
        ):

            @cd.task
            class Part(NamedTuple):
                def step(self, source: Number) -> Outputs: ...


class TestParts:
    @pytest.mark.parametrize(("thing", "shown"), [(5.0, "float"), (LagState(1.0), "LagState"), (object, "object")])
    def test_a_scenario_takes_models_and_tasks(self, thing, shown):
        with refused(
            DeclarationError,
            f"""
            `{shown}` is neither a model nor a task.
              Decorate its class with `@model` (continuous) or `@task` (runs at a fixed rate).
            """,
        ):
            cd.Scenario().add(thing)

    def test_a_subclass_of_a_part_is_declared_itself(self):
        class Slow(Lag):
            def derivatives(self, x: LagState, source: Number = Number(0.0)) -> LagState:
                return LagState(0.0)

        with refused(
            DeclarationError,
            """
            `Slow` is neither a model nor a task.
              Decorate its class with `@model` (continuous) or `@task` (runs at a fixed rate).
            """,
        ):
            cd.Scenario().add(Slow(time_constant=2.0))


@cd.model
class Everything(NamedTuple):
    """A parameter of every kind."""

    number: Annotated[float, "m"] = 0.0
    count: Annotated[int, "-"] = 0
    is_on: Annotated[bool, "-"] = False
    r_B: Annotated[cd.Vec3, "m"] = np.zeros(3)
    inertia_B: Annotated[cd.Mat3, "kg m^2"] = np.eye(3)
    gains: Annotated[cd.Vec, "N m"] = np.zeros(2)
    table: Annotated[cd.Mat, "-"] = np.zeros((2, 2))
    axes_B: Annotated[cd.Rows3, "-"] = np.zeros((4, 3))

    @cd.output
    def signal(self, t: float) -> Number:
        return Number(t)


class TestParameters:
    @pytest.mark.parametrize(
        ("field", "value", "text"),
        [
            ("number", [1.0], "expects a number [m], got shape (1,): [1.0]"),
            ("number", "1.0", "expects a number [m], got '1.0'"),
            ("number", None, "expects a number [m], got None"),
            ("number", 1j, "expects a number [m], got 1j"),
            ("number", {}, "expects a number [m], got {}"),
            ("count", 1.5, "expects a whole number [-], got 1.5"),
            ("count", "1", "expects a whole number [-], got '1'"),
            ("count", 1.7, "expects a whole number [-], got 1.7"),
            ("count", 1e300, "expects a whole number of 64 bits [-], got 1e+300"),
            ("count", -1e300, "expects a whole number of 64 bits [-], got -1e+300"),
            ("count", 2.0**63, "expects a whole number of 64 bits [-], got 9.223372036854776e+18"),
            ("count", 2**63, "expects a whole number of 64 bits [-], got 9223372036854775808"),
            ("is_on", 0.5, "expects True or False [-], got 0.5"),
            ("is_on", "no", "expects True or False [-], got 'no'"),
            ("is_on", 2, "expects True or False [-], got 2"),
            ("is_on", None, "expects True or False [-], got None"),
            ("r_B", [1.0, 2.0], "expects an array of shape (3,) [m], got shape (2,): [1.0, 2.0]"),
            ("r_B", 5.0, "expects an array of shape (3,) [m], got shape (): 5.0"),
            ("r_B", [[1, 2, 3]], "expects an array of shape (3,) [m], got shape (1, 3): [[1, 2, 3]]"),
            ("r_B", [1, [2], 3], "expects an array of shape (3,) [m], got [1, [2], 3]"),
            ("r_B", ["x", "y", "z"], "expects an array of shape (3,) [m], got ['x', 'y', 'z']"),
            ("r_B", [1.0, None, 2.0], "expects an array of shape (3,) [m], got [1.0, None, 2.0]"),
            ("inertia_B", [3, 2, 1], "expects an array of shape (3, 3) [kg m^2], got shape (3,): [3, 2, 1]"),
            ("gains", 1.0, "expects an array of shape (n,) [N m], got shape (): 1.0"),
            ("table", [1.0], "expects an array of shape (n, n) [-], got shape (1,): [1.0]"),
            ("axes_B", [[1, 2]], "expects an array of shape (n, 3) [-], got shape (1, 2): [[1, 2]]"),
        ],
    )
    def test_a_value_of_another_kind_or_shape_is_refused(self, field, value, text):
        with refused(ShapeError, f"`Everything.{field}` {text}."):
            Everything(**{field: value})

    def test_a_number_too_large_for_a_float_is_refused(self):
        with refused(ShapeError, f"`Everything.number` expects a number [m], got {10**400}."):
            Everything(number=10**400)
        assert Everything(number=10**24).number == 1e24

    @pytest.mark.parametrize(
        ("field", "value", "unit"),
        [
            ("number", nan, "m"),
            ("number", -inf, "m"),
            ("count", nan, "-"),
            ("count", inf, "-"),
            ("is_on", nan, "-"),
            ("r_B", [0.0, nan, 0.0], "m"),
            ("gains", [inf], "N m"),
        ],
    )
    def test_a_value_that_is_not_finite_is_refused(self, field, value, unit):
        with refused(
            NotFinite,
            f"""
            `Everything.{field}` is not finite: {value!r}.
              Give a finite value [{unit}].
            """,
        ):
            Everything(**{field: value})

    def test_a_parameter_set_later_is_checked_too(self):
        scn = cd.Scenario()
        scn.add(Lag(), name="lag")
        with refused(ShapeError, "`lag.time_constant` expects a number [s], got [1, 'a']."):
            scn.set("lag.time_constant", [1, "a"])

    def test_a_parameter_replaced_in_a_part_is_checked_at_once(self):
        with refused(
            NotFinite,
            """
            `Gain.factor` is not finite: nan.
              Give a finite value [-].
            """,
        ):
            Gain()._replace(factor=nan)


class TestValues:
    @pytest.mark.parametrize(("value", "shown"), [(1.0, "float"), (Number(1.0), "Number"), (None, "NoneType")])
    def test_a_state_is_given_as_its_class(self, value, shown):
        scn = cd.Scenario()
        scn.add(Lag(), name="lag")
        sim = cd.Simulation(scn, jit=False)
        with refused(
            ShapeError,
            f"""
            `lag.state` expects a LagState, got {shown}.
              Write LagState(value=...).
            """,
        ):
            sim.reset({"lag": value})

    def test_the_article_follows_the_name(self):
        @cd.model
        class Mirror(NamedTuple):
            @cd.output
            def signal(self, source: Attitude) -> Number:
                return Number(1.0)

        with refused(
            ShapeError,
            """
            `source` expects an Attitude, got Number.
              Write Attitude(sigma_BN=..., omega_BN_B=...).
            """,
        ):
            cd.check_model(Mirror(), inputs={"source": Number(1.0)})

    def test_an_initial_state_is_finite(self):
        with refused(
            NotFinite,
            """
            `lag.initial.value` is not finite: inf.
              Give a finite value [-].
            """,
        ):
            cd.Scenario().add(Lag(), name="lag", initial=LagState(inf))

    def test_a_constant_message_is_finite(self):
        scn = cd.Scenario()
        with refused(
            NotFinite,
            """
            `relay.source (constant).value` is not finite: nan.
              Give a finite value [-].
            """,
        ):
            scn.add(Relay(), name="relay", every=0.1, source=Number(nan))
        assert len(scn) == 0

    def test_the_default_of_a_message_fits_its_declaration(self):
        @cd.message
        class Field(NamedTuple):
            b_N: Annotated[cd.Vec3, "T"] = np.zeros(2)

        @cd.model
        class Magnet(NamedTuple):
            @cd.output
            def field(self, t: float) -> Field:
                return Field(np.zeros(3))

        scn = cd.Scenario()
        scn.add(Magnet(), name="magnet")
        with refused(
            ShapeError, "`magnet.field.b_N` expects an array of shape (3,) [T], got shape (2,): array([0., 0.])."
        ):
            cd.Simulation(scn, jit=False)

    def test_an_initial_method_returns_the_state(self):
        @cd.model
        class Part(NamedTuple):
            def initial(self) -> State:
                return OtherState(1.0)

            def derivatives(self, x: State) -> State:
                return x

        scn = cd.Scenario()
        scn.add(Part(), name="part")
        with refused(
            ShapeError,
            """
            `part.state` expects a State, got OtherState.
              Write State(value=...).
            """,
        ):
            cd.Simulation(scn, jit=False)
