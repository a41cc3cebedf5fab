"""What goes wrong during a run, in native code and in plain Python, and what is left afterwards."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.errors import CompileError, NotFinite, SettingError, ShapeError, SnapshotError, UnknownName
from errors.conftest import refused
from errors.faulty import (
    HUGE,
    IN_DERIVATIVES,
    IN_MEMORY,
    IN_OUTPUT,
    IN_PROJECT,
    INF,
    LONGER,
    NAN,
    RAISES,
    Forgetful,
    Pump,
    Replacing,
    Runaway,
    Tank,
    Whole,
    station,
)
from parts import Bank, Count, Lag, LagState, Noise, Number, Numbers, Relay, RelayOutputs, plain

BOTH = pytest.mark.parametrize("jit", [pytest.param(True, id="native"), pytest.param(False, id="plain")])
ADVICE = "\n  Run with jit=False to stop inside it."  # which is of no use to a run that is plain already


def simulation(jit: bool, integrator: Any = None, **parts: Any) -> cd.Simulation:
    return cd.Simulation(station(**parts), integrator=integrator or cd.Rk4(step=0.1), jit=jit)


class TestExceptions:
    """An exception of a part comes out of `run` as itself, with a note that says where and when."""

    @BOTH
    @pytest.mark.parametrize(
        ("tank", "pump", "note"),
        [
            (
                Tank(fault=RAISES, place=IN_DERIVATIVES),
                Pump(),
                "in `tank.derivatives` at t = 0.25 s (stage 2 of Rk4, step from 0.2 s)",
            ),
            (Tank(fault=RAISES, place=IN_OUTPUT), Pump(), "in `tank.gauge` at t = 0.3 s"),
            (Tank(fault=RAISES, place=IN_PROJECT), Pump(), "in `tank.project` at t = 0.3 s"),
            (Tank(), Pump(fault=RAISES, place=IN_MEMORY), "in `pump.step` at t = 0.3 s"),
        ],
    )
    def test_an_exception_keeps_its_type_and_says_where_it_was_raised(self, jit, tank, pump, note):
        sim = simulation(jit, tank=tank, pump=pump)
        with refused(ValueError, "the level is too high", note=note):
            sim.run(until=1.0)
        assert sim.log.t == pytest.approx([0.0, 0.1, 0.2])

    @BOTH
    def test_an_exception_in_the_trial_for_the_first_step_is_found(self, jit):
        sim = simulation(jit, cd.Dop853(), tank=Tank(limit=0.0, fault=RAISES, place=IN_DERIVATIVES))
        with refused(
            ValueError,
            "the level is too high",
            note="in `tank.derivatives` at t = 1e-06 s (stage 2 of Dop853, step from 0 s)",
        ):
            sim.run(until=1.0)
        assert sim.now == 0.0

    def test_a_part_that_stays_python_raises_from_a_native_schedule(self):
        @cd.task(jit=False)
        class Fails(NamedTuple):
            def step(self, t: float, source: Number) -> RelayOutputs:
                if t > 0.15:
                    raise FileNotFoundError("no map")
                return RelayOutputs(source)

        scn = cd.Scenario()
        scn.add(Lag(), name="lag", source=Number(0.0))
        scn.add(Fails(), name="fails", every=0.1, source=Number(1.0))
        with refused(FileNotFoundError, "no map", note="in `fails.step` at t = 0.2 s"):
            cd.Simulation(scn).run(until=1.0)

    def test_messages_that_do_not_fit_each_other_raise_what_numpy_says(self):
        scn = cd.Scenario()
        scn.add(Bank(time_constants=[1.0, 2.0]), name="bank", source=Numbers([1.0, 2.0, 3.0]))
        with refused(
            ValueError,
            "operands could not be broadcast together with shapes (3,) (2,)",
            end=" ",
            note="in `bank.derivatives` at t = 0 s (stage 1 of Rk4, step from 0 s)",
        ):
            plain(scn).run(until=1.0)


class TestNotFinite:
    @BOTH
    @pytest.mark.parametrize(("fault", "shown"), [(NAN, "nan"), (INF, "inf")])
    def test_a_rate_that_is_not_finite_ends_the_run(self, jit, fault, shown):
        sim = simulation(jit, tank=Tank(fault=fault, place=IN_DERIVATIVES))
        with refused(
            NotFinite,
            f"""
            `tank.derivatives` returned {shown} in `levels` at t = 0.25 s (stage 2 of Rk4, step from 0.2 s).
              x: levels = [0.25, 0.25] m
            """,
            end=ADVICE * jit,
        ):
            sim.run(until=1.0)

    @BOTH
    def test_an_output_of_a_model_that_is_not_finite_ends_the_run(self, jit):
        sim = simulation(jit, tank=Tank(fault=NAN, place=IN_OUTPUT))
        with refused(
            NotFinite,
            """
            `tank.gauge` returned nan in `levels` at t = 0.3 s.
              x: levels = [0.3, 0.3] m
            """,
            end=ADVICE * jit,
        ):
            sim.run(until=1.0)

    @BOTH
    def test_an_output_of_a_task_that_is_not_finite_ends_the_run(self, jit):
        sim = simulation(jit, pump=Pump(fault=INF, place=IN_OUTPUT))
        with refused(
            NotFinite,
            """
            `pump.step` returned inf in `command.levels` at t = 0.3 s.
              x: seen = [0.2, 0.2] m, ticks = 3 -
              gauge: levels = [0.3, 0.3] m
            """,
            end=ADVICE * jit,
        ):
            sim.run(until=1.0)

    @BOTH
    def test_a_memory_that_is_not_finite_ends_the_run_and_is_not_taken(self, jit):
        sim = simulation(jit, pump=Pump(fault=NAN, place=IN_MEMORY))
        with refused(
            NotFinite,
            """
            `pump.step` returned nan in `memory.seen` at t = 0.3 s.
              x: seen = [0.2, 0.2] m, ticks = 3 -
              gauge: levels = [0.3, 0.3] m
            """,
            end=ADVICE * jit,
        ):
            sim.run(until=1.0)
        # the memory is the one that the task was given
        assert sim["pump.memory"].seen == pytest.approx([0.2, 0.2])
        assert sim["pump.memory"].ticks == 3

    @BOTH
    def test_a_projection_that_is_not_finite_ends_the_run(self, jit):
        sim = simulation(jit, tank=Tank(fault=NAN, place=IN_PROJECT))
        with refused(
            NotFinite,
            """
            `tank.project` returned nan in `levels` at t = 0.3 s.
              x: levels = [0.3, 0.3] m
            """,
            end=ADVICE * jit,
        ):
            sim.run(until=1.0)
        assert sim["tank.state"].levels == pytest.approx([0.2, 0.2])

    def test_a_state_that_leaves_the_range_of_numbers_ends_the_run(self):
        scn = cd.Scenario()
        scn.add(Lag(), name="lag")
        scn.add(Runaway(), name="runaway")
        sim = plain(scn, cd.Rk4(step=10.0))
        with refused(
            NotFinite,
            """
            The state `runaway.value` [-] is no longer finite after the step from t = 0 s.
              Its rate is finite but too large: check the units of what drives it, or use a smaller step.
            """,
        ):
            sim.run(until=100.0)
        assert sim.now == 0.0
        assert sim["runaway.state"].value == 0.0

    def test_an_adaptive_step_is_shortened_before_it_is_given_up(self):
        sim = simulation(False, cd.DormandPrince54(min_step=1e-3), tank=Tank(fault=NAN, place=IN_DERIVATIVES))
        with pytest.raises(NotFinite) as caught:
            sim.run(until=1.0)
        assert str(caught.value).startswith("`tank.derivatives` returned nan in `levels` at t = 0.22")
        assert sim.steps["rejected"] > 0
        assert 0.21 < sim.now < 0.22
        assert sim["tank.state"].levels == pytest.approx([sim.now, sim.now])

    def test_the_first_stage_cannot_be_shortened(self):
        sim = simulation(False, cd.Dop853(), tank=Tank(limit=-1.0, fault=NAN, place=IN_DERIVATIVES))
        with refused(
            NotFinite,
            """
            `tank.derivatives` returned nan in `levels` at t = 0 s (stage 1 of Dop853, step from 0 s).
              x: levels = [0., 0.] m
            """,
        ):
            sim.run(until=1.0)


class TestShapes:
    @BOTH
    @pytest.mark.parametrize(
        ("tank", "pump", "what", "where"),
        [
            (
                Tank(fault=LONGER, place=IN_DERIVATIVES),
                Pump(),
                "Tank.derivatives -> derivatives.levels",
                "tank.derivatives` at t = 0.25 s (stage 2 of Rk4, step from 0.2 s)",
            ),
            (Tank(fault=LONGER, place=IN_OUTPUT), Pump(), "Tank.gauge -> gauge.levels", "tank.gauge` at t = 0.3 s"),
            (Tank(), Pump(fault=LONGER, place=IN_OUTPUT), "Pump.step -> command.levels", "pump.step` at t = 0.3 s"),
            (Tank(), Pump(fault=LONGER, place=IN_MEMORY), "Pump.step -> memory.seen", "pump.step` at t = 0.3 s"),
        ],
    )
    def test_a_size_stays_what_it_is(self, jit, tank, pump, what, where):
        sim = simulation(jit, tank=tank, pump=pump)
        with refused(
            ShapeError,
            f"""
            `{what}` has the wrong shape.
              expected (2,)
              got      (3,)
              in `{where}
            """,
        ):
            sim.run(until=1.0)
        assert sim["pump.memory"].ticks == 3

    def test_a_number_is_not_an_array(self):
        @cd.model
        class Part(NamedTuple):
            @cd.output
            def signal(self, source: Numbers) -> Number:
                return Number(source.values)

        scn = cd.Scenario()
        scn.add(Part(), name="part", source=Numbers([1.0]))
        with refused(
            ShapeError,
            """
            `Part.signal -> signal.value` has the wrong shape.
              expected ()
              got      (1,)
              in `part.signal` at t = 0 s
            """,
        ):
            plain(scn).run(until=1.0, record=cd.Record(ports=["part.signal"]))

    def test_a_part_without_a_return_says_so(self):
        scn = cd.Scenario()
        scn.add(Forgetful(), name="forgetful", source=Numbers([1.0]))
        with refused(
            ShapeError,
            """
            `Forgetful.signal -> signal` is of the wrong class.
              expected Number
              got      NoneType
              in `forgetful.signal` at t = 0 s
            """,
        ):
            plain(scn).run(until=1.0, record=cd.Record(ports=["forgetful.signal"]))

    @pytest.mark.parametrize(
        ("returned", "result", "expected", "shown"),
        [
            (None, "memory", "Memory", "NoneType"),
            (RelayOutputs(Number(1.0)), "memory", "Memory", "Number"),
            ((Number(1.0), RelayOutputs(Number(1.0))), "memory", "Memory", "Number"),
        ],
    )
    def test_a_task_without_its_memory_says_so(self, returned, result, expected, shown):
        class Memory(NamedTuple):
            value: Annotated[float, "-"] = 0.0

        @cd.task
        class Part(NamedTuple):
            def step(self, x: Memory) -> tuple[Memory, RelayOutputs]:
                return returned

        scn = cd.Scenario()
        scn.add(Part(), name="part", every=0.1)
        with refused(
            ShapeError,
            f"""
            `Part.step -> {result}` is of the wrong class.
              expected {expected}
              got      {shown}
              in `part.step` at t = 0 s
            """,
        ):
            plain(scn).run(until=1.0)


class TestNativeCode:
    def test_a_part_that_cannot_be_compiled_stops_the_run_before_it_begins(self):
        scn = cd.Scenario()
        scn.add(Replacing(), name="part", source=Number(1.0))
        sim = cd.Simulation(scn)
        with pytest.raises(CompileError, match=r"`Replacing\.signal` cannot be compiled to native code"):
            sim.run(until=1.0, record=cd.Record(ports=["part.signal"]))
        assert not sim.has_log

    def test_compiling_before_the_run_says_the_same(self):
        scn = cd.Scenario()
        scn.add(Replacing(), name="part", source=Number(1.0))
        with pytest.raises(CompileError, match=r"`Replacing\.signal` cannot be compiled to native code"):
            cd.Simulation(scn).compile(cd.Record(ports=["part.signal"]))

    def test_the_same_part_runs_in_plain_python(self):
        scn = cd.Scenario()
        scn.add(Replacing(), name="part", source=Number(5.0))
        sim = plain(scn)
        sim.run(until=1.0, record=cd.Record(ports=["part.signal"]))
        assert sim["part.signal"].value == 1.0

    def test_a_part_that_fails_only_in_native_code_says_so(self):
        scn = cd.Scenario()
        scn.add(Whole(is_strict=True), name="part", source=HUGE)
        with refused(
            CompileError,
            """
            `part.signal` failed in native code at t = 0 s, but not in plain Python.
              A whole number to a negative whole power does this: write 3.0 ** n, not 3 ** n.
              Else check it with `cardan.check_model` or `cardan.check_task`, or run it with jit=False.
            """,
        ):
            cd.Simulation(scn).run(until=1.0, record=cd.Record(ports=["part.signal"]))


class TestWhatIsLeft:
    """A failed run leaves its log, and a simulation that stands at its last accepted step."""

    def test_before_the_first_run_there_is_no_log(self):
        with refused(
            UnknownName,
            """
            Nothing was recorded yet.
              Call `run(until=...)` first.
            """,
        ):
            simulation(False).log  # noqa: B018

    @BOTH
    @pytest.mark.parametrize(
        ("tank", "pump", "now"),
        [
            (Tank(fault=NAN, place=IN_DERIVATIVES), Pump(), 0.2),
            (Tank(fault=RAISES, place=IN_PROJECT), Pump(), 0.2),
            (Tank(fault=NAN, place=IN_OUTPUT), Pump(), 0.3),
            (Tank(), Pump(fault=LONGER, place=IN_MEMORY), 0.3),
        ],
    )
    def test_it_stands_at_its_last_accepted_step(self, jit, tank, pump, now):
        sim, sound = simulation(jit, tank=tank, pump=pump), simulation(jit)
        with pytest.raises((NotFinite, ShapeError, ValueError)):
            sim.run(until=1.0)
        assert sim.now == now
        assert sim["tank.state"].levels == pytest.approx([now, now])
        expected = sound.run(until=0.2)
        for ours, theirs in zip(sim.log.fields(), expected.fields(), strict=True):
            assert np.array_equal(ours.values, theirs.values)

        # a snapshot of it goes on where the fault is mended
        taken = sim.snapshot()
        assert taken.t == now
        sound.restore(taken)
        sound.run(until=1.0)
        assert sound["pump.memory"].seen == pytest.approx([1.0, 1.0])
        assert sound["pump.memory"].ticks == 11

        # and it fails again at the same place, or begins again
        with pytest.raises((NotFinite, ShapeError, ValueError)):
            sim.run(until=1.0)
        assert sim.now == now
        assert sim.snapshot().t == now
        sim.reset()
        assert (sim.now, sim.has_log) == (0.0, False)
        sim.run(until=0.2)
        assert sim["tank.state"].levels == pytest.approx([0.2, 0.2])

    def test_a_run_goes_on_to_the_same_bits_after_a_task_has_failed(self):
        """Random numbers, delays and the tasks of the same tick that had run already are as if nothing had been."""

        @cd.task(jit=False)
        class Unplugged(NamedTuple):
            unplugged: Any

            def step(self, t: float, rng: cd.RandomKey, source: Number) -> RelayOutputs:
                if t > 0.45 and self.unplugged:
                    self.unplugged.clear()
                    raise ConnectionError("no answer")
                return RelayOutputs(Number(source.value + rng.tick))

        def build(unplugged: list[bool]) -> cd.Simulation:
            scn = cd.Scenario(seed=5)
            count = scn.add(Count(), name="count", every=0.1)
            scn.add(Noise(deviations=[1.0]), name="noise", every=0.1)
            link = scn.add(Unplugged(unplugged), name="link", every=0.1, source=count.signal)
            relay = scn.add(Relay(), name="relay", every=0.1, source=link.signal.delayed(2))
            scn.add(Lag(), name="lag", source=relay.signal)
            return plain(scn)

        whole, cut = build([]), build([True])
        expected = whole.run(until=1.0)
        with refused(ConnectionError, "no answer", note="in `link.step` at t = 0.5 s"):
            cut.run(until=1.0)
        assert cut.now == 0.5
        rest = cut.run(until=1.0)
        assert cut.snapshot() == whole.snapshot()
        for path in expected:
            assert np.array_equal(rest.fields(path)[0].values, expected.fields(path)[0].values[5:]), path

    def test_a_failed_advance_leaves_the_simulation_alone(self):
        sim = simulation(False, tank=Tank(fault=NAN, place=IN_DERIVATIVES))
        sim.run(until=0.1)
        start, log = sim.snapshot(), sim.log
        with pytest.raises(NotFinite):
            sim.advance(start, until=1.0)
        assert sim.snapshot() == start
        assert sim.log is log

    @pytest.mark.parametrize("states", [5, [LagState(1.0)], "lag"])
    def test_other_states_are_given_by_part(self, states):
        with refused(
            SettingError,
            f"""
            reset({states!r}).
              Use a dictionary, e.g. `{{plant: PlantState(...)}}`.
            """,
        ):
            simulation(False).reset(states)

    def test_what_is_no_path_has_no_value(self):
        sim = simulation(False)
        with pytest.raises(UnknownName, match="There is no `5`"):
            sim[5]
        with pytest.raises(UnknownName, match="`5` has no state to reset"):
            sim.reset({5: LagState(1.0)})

    @pytest.mark.parametrize("snapshot", ["run.npz", None])
    def test_only_a_snapshot_is_restored(self, snapshot):
        sim = simulation(False)
        text = f"""
            {snapshot!r} is not a snapshot.
              Read a file with `cardan.load_snapshot(path)`.
            """
        with refused(SnapshotError, text):
            sim.restore(snapshot)
        with refused(SnapshotError, text):
            sim.advance(snapshot, until=1.0)
