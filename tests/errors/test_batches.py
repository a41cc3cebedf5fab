"""What batches, variants and inputs from outside refuse, word for word."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.errors import (
    NotFinite,
    OutOfMemory,
    SettingError,
    ShapeError,
    UnknownName,
    WiringError,
)
from cardan.messages import FrameMotion, HingeState
from errors.conftest import refused
from parts import Bank, Count, Gain, Lag, LagState, Noise, Number, Numbers, Relay


def scenario() -> cd.Scenario:
    scn = cd.Scenario("many")
    command = scn.input("command", Number(0.0))
    relay = scn.add(Relay(), name="relay", every=0.1, source=command)
    lag = scn.add(Lag(), name="lag", source=relay.signal)
    gain = scn.add(Gain(), name="gain", source=lag.signal)
    scn.add(Lag(), name="after", source=gain.signal)
    return scn


def batch(members: Any = 3, **options: Any) -> cd.Batch:
    return cd.Batch(scenario(), members, jit=False, **options)


def craft(dynamics: Any = None, **options: Any) -> cd.Batch:
    m = cd.Mechanism("craft")
    bus = m.add_body("bus", joint=cd.Free(), mass=2.0, inertia_B=np.eye(3))
    m.add_body("arm", parent=bus, joint=cd.Hinge((0, 0, 1)), mass=1.0, inertia_B=np.eye(3))
    return cd.Batch(cd.Scenario(mechanism=m), 2, dynamics=dynamics or cd.RecursiveTree(jit=False), jit=False, **options)


class TestMakingABatch:
    @pytest.mark.parametrize("members", [0, -1, 2.5, True, "ten"])
    def test_the_number_of_members_is_whole_and_positive(self, members):
        with refused(SettingError, f"members = {members!r}.\n  Use a whole number, at least 1."):
            batch(members)

    def test_threads_are_counted(self):
        with refused(SettingError, "threads = 0.\n  Use a whole number, at least 1."):
            batch(threads=0)

    def test_more_members_than_memory(self):
        with refused(
            OutOfMemory,
            """
            There is no memory for a batch of 1000000000000 members, 192 TB.
              Make a smaller one.
            """,
        ):
            batch(10**12)

    def test_each_member_has_a_seed(self):
        with refused(SettingError, "seeds: a batch of 3 takes as many whole numbers, got 2 items."):
            batch(seeds=[1, 2])

    def test_outputs_exist(self):
        with refused(
            UnknownName,
            """
            There is no output `gain.signl`. Did you mean `gain.signal`?
              There are: command.given, relay.signal, lag.signal, gain.signal, after.signal, lag.state, after.state
            """,
        ):
            batch(outputs=["gain.signl"])

    def test_what_varies_is_a_parameter(self):
        with refused(
            UnknownName,
            """
            `gain` (Gain) has no parameter `facto`. Did you mean `factor`?
              parameters: factor
            """,
        ):
            batch(varies=["gain.facto"])

    def test_what_varies_is_a_list(self):
        with refused(
            SettingError,
            """
            varies='gain.factor'.
              Use a list of paths, e.g. `varies=['gain.factor']`.
            """,
        ):
            batch(varies="gain.factor")

    def test_a_parameter_that_breaks_depend_on(self):
        @cd.model
        class Jumps(NamedTuple):
            at: Annotated[float, "s"] = 1.0

            def breaks(self) -> np.ndarray:
                return np.array([self.at])

            @cd.output
            def signal(self, t: float) -> Number:
                return Number(1.0 if t > self.at else 0.0)

        scn = cd.Scenario()
        scn.add(Lag(), name="lag", source=scn.add(Jumps(), name="jumps").signal)
        with refused(
            SettingError,
            """
            `jumps.at` cannot vary within a batch: all members share what `jumps` says with `breaks`.
              Use `Simulation.variant` for each value.
            """,
        ):
            cd.Batch(scn, 2, varies=["jumps.at"], jit=False)


class TestReading:
    def test_a_name_that_is_not_there(self):
        with refused(
            UnknownName,
            """
            There is no `lag.stat`. Did you mean `lag.state`?
              There are: command.given, relay.signal, lag.signal, lag.state
            """,
        ):
            scn = cd.Scenario()
            relay = scn.add(Relay(), name="relay", every=0.1, source=scn.input("command", Number(0.0)))
            scn.add(Lag(), name="lag", source=relay.signal)
            cd.Batch(scn, 2, jit=False)["lag.stat"]

    def test_an_output_that_is_not_kept(self):
        with refused(
            UnknownName,
            """
            `gain.signal` is evaluated at every stage; a batch keeps it only where that is asked for.
              Make the batch with `outputs=['gain.signal']`.
            """,
        ):
            batch()["gain.signal"]

    def test_a_member_that_is_not_there(self):
        with refused(
            UnknownName,
            """
            There is no member 3.
              Members are numbered from 0 to 2.
            """,
        ):
            batch().simulation(3)


class TestChanging:
    def test_the_shape_of_a_state(self):
        with refused(
            ShapeError,
            """
            `lag.state.value` has the wrong shape.
              expected (), or (3,) for each member its own
              got      (2,)
            """,
        ):
            batch().reset({"lag": LagState(np.zeros(2))})

    def test_the_class_of_a_state(self):
        with refused(ShapeError, "`lag.state` expects a LagState of arrays, got Number."):
            batch().reset({"lag": Number(1.0)})

    def test_a_state_that_is_not_finite(self):
        with refused(NotFinite, "`lag.state.value` of member 1 is not finite: nan."):
            batch().reset({"lag": LagState(np.array([0.0, np.nan, 0.0]))})

    def test_a_state_that_is_not_there(self):
        with refused(
            UnknownName,
            """
            `gain` has no state to reset.
              These have one: lag, after
            """,
        ):
            batch().reset({"gain": LagState(1.0)})

    def test_an_element_starts_with_its_own_message(self):
        with refused(ShapeError, "`bus` starts with a FrameMotion, got HingeState."):
            craft().reset({"bus": HingeState(angle=np.zeros(2))})
        with refused(
            ShapeError,
            """
            `bus (start).r_BN_N` has the wrong shape.
              expected (3,), or (2, 3) for each member its own
              got      (2,)
            """,
        ):
            craft().reset({"bus": FrameMotion(r_BN_N=np.zeros(2))})

    def test_states_are_a_dictionary(self):
        with refused(
            SettingError,
            """
            reset([1]).
              Use a dictionary, e.g. `{plant: PlantState(...)}`.
            """,
        ):
            batch().reset([1])

    def test_a_mask(self):
        with refused(
            ShapeError,
            """
            `where` is a mask with a truth value for each of the 3 members.
              got      int64 of shape (2,)
            """,
        ):
            batch().reset(where=np.array([0, 1]))

    def test_a_parameter_that_was_not_declared(self):
        with refused(
            UnknownName,
            """
            `lag.time_constant` does not vary in this batch.
              Make the batch with `varies=[..., 'lag.time_constant']`; so far: gain.factor.
            """,
        ):
            batch(varies=["gain.factor"]).set({"lag.time_constant": 1.0})

    def test_the_shape_of_a_parameter(self):
        with refused(
            ShapeError,
            """
            `gain.factor` has the wrong shape.
              expected (), or (3,) for each member its own
              got      (4,)
            """,
        ):
            batch(varies=["gain.factor"]).set({"gain.factor": np.zeros(4)})

    def test_a_parameter_that_is_no_number(self):
        with refused(ShapeError, "`gain.factor` takes numbers, one for all or one for each member, got 'a'."):
            batch(varies=["gain.factor"]).set({"gain.factor": "a"})

    def test_time_goes_forward(self):
        with refused(
            SettingError,
            """
            dt = -0.1 s.
              Time goes forward: use a time that is not negative.
            """,
        ):
            batch().advance(-0.1)


class TestRollouts:
    def test_the_shape_of_what_is_given(self):
        with refused(
            ShapeError,
            """
            `command.value` of a rollout has the wrong shape.
              expected (3, steps)
              got      (2, 5)
            """,
        ):
            batch().rollout({"command": np.zeros((2, 5))}, 0.1)

    def test_an_input_that_is_not_there(self):
        with refused(
            UnknownName,
            """
            `comand` is not an input of scenario `many`. Did you mean `command`?
              inputs: command
            """,
        ):
            batch().rollout({"comand": np.zeros((3, 5))}, 0.1)

    def test_numbers_that_are_not_finite(self):
        with refused(ShapeError, "`command.value` of a rollout is not finite everywhere."):
            batch().rollout({"command": np.full((3, 5), np.inf)}, 0.1)

    def test_at_least_one_step(self):
        with refused(
            ShapeError,
            """
            A rollout is given messages for the same number of steps, at least one, for every input.
              got      none
            """,
        ):
            batch().rollout({}, 0.1)


class TestVariants:
    def test_a_parameter_keeps_its_size(self):
        scn = cd.Scenario()
        noise = scn.add(Noise(np.ones(2)), name="noise", every=0.1)
        scn.add(Bank(np.ones(2)), name="bank", source=noise.signal)
        sim = cd.Simulation(scn, jit=False)
        with refused(
            ShapeError,
            """
            `bank.time_constants` has the wrong shape.
              expected (2,)
              got      (3,)
            """,
        ):
            sim.variant({"bank.time_constants": np.ones(3)})

    def test_parameters_are_a_dictionary(self):
        with refused(
            SettingError,
            """
            variant('lag').
              Use a dictionary, e.g. `{"ctl.K": 7.0}`.
            """,
        ):
            cd.Simulation(scenario(), jit=False).variant("lag")

    def test_a_part_that_is_not_there(self):
        with refused(
            UnknownName,
            """
            `lg.time_constant`: there is no part `lg`. Did you mean `lag`?
              parts: command, relay, lag, gain, after
            """,
        ):
            cd.Simulation(scenario(), jit=False).variant({"lg.time_constant": 1.0})


class TestInputs:
    def test_a_message_of_another_class(self):
        with refused(
            ShapeError,
            """
            `command.given` expects a Number, got Numbers.
              Write Number(value=...).
            """,
        ):
            cd.Simulation(scenario(), jit=False).give(command=Numbers(np.zeros(1)))

    def test_a_message_of_another_shape(self):
        scn = cd.Scenario()
        numbers = scn.input("numbers", Numbers(np.zeros(2)))
        scn.add(Bank(np.ones(2)), name="bank", source=numbers)
        with refused(
            ShapeError,
            """
            `numbers.given.values` has the wrong shape.
              expected (2,)
              got      (3,)
            """,
        ):
            cd.Simulation(scn, jit=False).give(numbers=Numbers(np.zeros(3)))

    def test_an_input_that_is_not_there(self):
        with refused(
            UnknownName,
            """
            `lag` is not an input of scenario `many`.
              inputs: command
            """,
        ):
            cd.Simulation(scenario(), jit=False).give(lag=Number(1.0))

    def test_an_input_that_was_never_given(self):
        scn = cd.Scenario()
        command = scn.input("command", Number)
        scn.add(Lag(), name="lag", source=command)
        text = """
            Nothing was given to `command` yet, and the scenario says nothing to begin with.
              Call `give(...)` first, or make the input with a message: `scn.input(name, message)`.
            """
        sim = cd.Simulation(scn, jit=False)
        with refused(WiringError, text):
            sim.run(until=1.0)
        with refused(WiringError, text):
            sim.advance_to(1.0)
        sim.give({command: Number(1.0)})
        sim.advance_to(1.0)
        with refused(
            WiringError,
            """
            Nothing was given to `command` yet, and the scenario says nothing to begin with.
              Write to it, `batch[name].field[:] = ...`, or make it with a message: `scn.input(name, message)`.
            """,
        ):
            cd.Batch(scn, 2, jit=False).advance(0.1)

    def test_a_class_whose_size_is_not_known(self):
        with refused(
            WiringError,
            """
            The input `numbers` carries Numbers, whose size each instance fixes.
              Give a message instead of its class: `scn.input('numbers', Numbers(...))`.
            """,
        ):
            cd.Scenario().input("numbers", Numbers)

    def test_what_is_no_message(self):
        with refused(
            WiringError,
            """
            The input `command` cannot carry 3.0.
              Give the message that it begins with, e.g. `scn.input("command", WheelTorques(...))`, or its class.
            """,
        ):
            cd.Scenario().input("command", 3.0)

    def test_a_delay_needs_a_tick(self):
        scn = cd.Scenario()
        command = scn.input("command", Number(0.0))
        with refused(
            WiringError,
            """
            The connection from `command.given` to `lag.source` has a delay, but no end ticks.
              A delay counts ticks: one end must be a task.
            """,
        ):
            scn.add(Lag(), name="lag", source=command.delayed(1))


def test_evaluate_takes_coordinates_of_the_mechanism():
    scn = cd.Scenario()
    scn.add(Count(), name="count", every=0.1)
    scn.leave_open(scn["count"].signal, scn["count"].time)
    with refused(ShapeError, "evaluate(q=...): expected (0,), got (3,)."):
        cd.Simulation(scn, jit=False).evaluate(q=np.zeros(3))
