"""`check_model` and `check_task`: parts that do not do what their contract promises."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.errors import ContractViolation, DeclarationError, SettingError, ShapeError
from errors.conftest import refused
from errors.faulty import HUGE, Replacing, Whole
from parts import Bank, Gain, Lag, Number, Numbers, Ramp, Relay, RelayOutputs


class Memory(NamedTuple):
    value: Annotated[float, "-"] = 0.0


class TestWhatIsChecked:
    def test_a_class_is_not_a_part(self):
        with refused(
            DeclarationError,
            """
            `Lag` is a class.
              Make a part of it: `Lag(...)`.
            """,
        ):
            cd.check_model(Lag)

    def test_a_number_is_not_a_part(self):
        with refused(
            DeclarationError,
            """
            `float` is neither a model nor a task.
              Decorate its class with `@model` (continuous) or `@task` (runs at a fixed rate).
            """,
        ):
            cd.check_task(1.0)

    def test_a_model_is_not_a_task(self):
        with refused(
            DeclarationError,
            """
            `Lag` is a model.
              Check it with `check_model`.
            """,
        ):
            cd.check_task(Lag())

    def test_a_task_is_not_a_model(self):
        with refused(
            DeclarationError,
            """
            `Relay` is a task.
              Check it with `check_task`.
            """,
        ):
            cd.check_model(Relay())

    @pytest.mark.parametrize("trials", [0, -1])
    def test_something_is_tried(self, trials):
        with refused(
            SettingError,
            f"""
            trials = {trials}.
              Use at least 1.
            """,
        ):
            cd.check_model(Lag(), trials=trials)

    @pytest.mark.parametrize(("part", "inputs"), [(Gain(), "source"), (Ramp(), "none")])
    def test_a_message_is_for_an_input(self, part, inputs):
        with refused(
            DeclarationError,
            f"""
            `{type(part).__name__}` has no input `drive`.
              It has: {inputs}
            """,
        ):
            cd.check_model(part, inputs={"drive": Number(1.0)})

    def test_a_message_for_an_input_is_of_its_class(self):
        with refused(
            ShapeError,
            """
            `source` expects a Numbers, got Number.
              Write Numbers(values=...).
            """,
        ):
            cd.check_model(Bank(time_constants=[1.0]), inputs={"source": Number(1.0)})


class TestArguments:
    @pytest.mark.parametrize("write", [lambda a: a.__setitem__(0, 1.0), lambda a: a.__iadd__(1.0), lambda a: a.sort()])
    def test_a_part_does_not_write_into_its_arguments(self, write):
        @cd.model(jit=False)
        class Part(NamedTuple):
            @cd.output
            def signal(self, source: Numbers) -> Numbers:
                write(source.values)
                return source

        with refused(
            ContractViolation,
            """
            `Part.signal` writes into one of its arguments.
              Compute a new array instead: inputs belong to other parts.
            """,
        ):
            cd.check_model(Part())

    def test_a_part_does_not_change_its_own_objects(self):
        @cd.task(jit=False)
        class Part(NamedTuple):
            heard: Any

            def step(self, source: Number) -> RelayOutputs:
                self.heard.append(float(source.value))
                return RelayOutputs(source)

        with refused(
            ContractViolation,
            """
            `Part.step` changes its arguments.
              Everything that changes is returned.
            """,
        ):
            cd.check_task(Part([]))

    def test_an_exception_of_the_part_itself_goes_through(self):
        @cd.model(jit=False)
        class Part(NamedTuple):
            @cd.output
            def signal(self, source: Number) -> Number:
                raise ValueError("no data")

        with refused(ValueError, "no data"):
            cd.check_model(Part())


class TestResults:
    def test_a_model_returns_the_class_it_declares(self):
        @cd.model(jit=False)
        class Part(NamedTuple):
            @cd.output
            def signal(self, source: Number) -> Number:
                return float(source.value)

        with refused(
            ContractViolation,
            """
            `Part.signal` returned float as `signal`.
              expected Number
            """,
        ):
            cd.check_model(Part())

    @pytest.mark.parametrize(
        ("returned", "text"),
        [
            (None, "returned NoneType as `memory`.\n  expected Memory"),
            (RelayOutputs(Number(1.0)), "returned Number as `memory`.\n  expected Memory"),
            ((Memory(1.0), Number(1.0)), "returned float as `signal`.\n  expected Number"),
            ((Memory(1.0), None), "returned NoneType as `signal`.\n  expected Number"),
        ],
    )
    def test_a_task_returns_its_memory_and_its_outputs(self, returned, text):
        @cd.task(jit=False)
        class Part(NamedTuple):
            def step(self, x: Memory) -> tuple[Memory, RelayOutputs]:
                return returned

        with refused(ContractViolation, f"`Part.step` {text}"):
            cd.check_task(Part())

    @pytest.mark.parametrize(
        ("value", "got", "expected"),
        [
            (np.zeros(2), "(2,)", "(3,)"),
            (np.zeros((1, 3)), "(1, 3)", "(3,)"),
            (0.0, "()", "(3,)"),
        ],
    )
    def test_a_result_has_its_shape(self, value, got, expected):
        @cd.message
        class Field(NamedTuple):
            b_N: Annotated[cd.Vec3, "T"]

        @cd.model(jit=False)
        class Part(NamedTuple):
            @cd.output
            def field(self, t: float) -> Field:
                return Field(value)

        with refused(
            ContractViolation,
            f"""
            `Part.field` -> `field.b_N` has shape {got}.
              expected {expected}
            """,
        ):
            cd.check_model(Part())

    def test_a_result_follows_from_the_arguments_alone(self):
        draws = np.random.default_rng(0)

        @cd.model(jit=False)
        class Part(NamedTuple):
            @cd.output
            def signal(self, t: float) -> Number:
                return Number(draws.normal())

        with refused(
            ContractViolation,
            """
            `Part.signal` -> `signal.value` differs between two calls with the same arguments.
              A part is a function of its arguments: use `rng` for noise, and `x` for what is remembered.
            """,
        ):
            cd.check_model(Part())

    def test_a_result_is_finite(self):
        @cd.model(jit=False)
        class Part(NamedTuple):
            @cd.output
            def quotient(self, source: Number, drive: Number) -> Number:
                with np.errstate(divide="ignore"):
                    return Number(source.value / drive.value)

        with refused(
            ContractViolation,
            """
            `Part.quotient` -> `quotient.value` is not finite for these arguments:
              source = Number(value=np.float64(2.0))
              drive = Number(value=np.float64(0.0))
            """,
        ):
            cd.check_model(Part(), inputs={"source": Number(2.0), "drive": Number(0.0)})


class TestNativeForm:
    def test_a_part_has_a_native_form(self):
        with pytest.raises(ContractViolation) as caught:
            cd.check_model(Replacing())
        lines = str(caught.value).splitlines()
        assert lines[:3] == [
            "`Replacing` has no native form.",
            "`Replacing.signal` cannot be compiled to native code.",
            "  faulty.py, line 119: return source._replace(value=1.0)",
        ]
        assert lines[-1] == "  Or mark the part `jit=False` to run it as plain Python."

    def test_a_part_gives_the_same_numbers_in_native_code(self):
        with refused(
            ContractViolation,
            """
            `Whole` gives other numbers as native code than in plain Python.
              The largest relative difference is 1; rounding may make 1e-13.
              Look for code whose meaning depends on the type of a number, or on something outside its arguments.
            """,
        ):
            cd.check_model(Whole(), inputs={"source": HUGE})

    def test_a_part_that_raises_only_in_native_code_is_found(self):
        with refused(ContractViolation, "`Whole.signal` failed as native code (RAISED) but not in Python."):
            cd.check_model(Whole(is_strict=True), inputs={"source": HUGE})
