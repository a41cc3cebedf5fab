"""Times that the clock cannot keep."""

from math import inf, nan

import pytest

import cardan as cd
from cardan.errors import IntegratorError, PeriodError, SettingError
from errors.conftest import refused
from parts import Count, Lag, plain


@pytest.fixture
def scn() -> cd.Scenario:
    return cd.Scenario("test")


@pytest.fixture
def sim(scn) -> cd.Simulation:
    scn.add(Lag(), name="lag")
    return plain(scn)


class TestTasks:
    def test_a_task_needs_a_period(self, scn):
        with refused(
            PeriodError,
            """
            `count` (Count) is a task and needs a period.
              Add e.g. `every=0.1` [s].
            """,
        ):
            scn.add(Count(), name="count")

    @pytest.mark.parametrize("every", [0.0, -0.1, -1])
    def test_a_period_is_positive(self, scn, every):
        with refused(
            PeriodError,
            f"""
            `count` runs every {every!r} s.
              Use a positive period.
            """,
        ):
            scn.add(Count(), name="count", every=every)

    def test_an_offset_is_not_negative(self, scn):
        with refused(
            PeriodError,
            """
            `count` has its first tick at -0.1 s.
              Use an offset that is not negative.
            """,
        ):
            scn.add(Count(), name="count", every=0.1, offset=-0.1)

    @pytest.mark.parametrize("value", [nan, inf, -inf, 1e10, "0.1", [0.1], None])
    def test_a_period_and_an_offset_are_times(self, scn, value):
        text = """
            The {} of `count` is {!r} s, which is not a time.
              Use a finite number of seconds (up to 146 years).
            """
        with refused(PeriodError, text.format("offset", value)):
            scn.add(Count(), name="count", every=0.1, offset=value)
        if value is not None:
            with refused(PeriodError, text.format("period", value)):
                scn.add(Count(), name="count", every=value)

    @pytest.mark.parametrize(
        ("every", "nearest"),
        [
            (1.0 / 3.0, "0.333333333"),
            (1.5e-9, "2e-09"),
            (1e-10, "1e-09"),
            (1e-13, "1e-09"),
            (-1e-10, "-1e-09"),
            (1234.5678901234, "1234.567890123"),
        ],
    )
    def test_a_period_is_a_whole_number_of_nanoseconds(self, scn, every, nearest):
        with refused(
            PeriodError,
            f"""
            The period of `count` is {every!r} s, which is not a whole number of nanoseconds.
              Use {nearest} s, which is the nearest.
            """,
        ):
            scn.add(Count(), name="count", every=every)

    @pytest.mark.parametrize("options", [{"every": 0.1}, {"offset": 0.1}])
    def test_a_model_has_no_period(self, scn, options):
        with refused(
            PeriodError,
            """
            `lag` (Lag) is a model: it is evaluated at every stage and has no period.
              Remove `every` and `offset`, or declare the class with `@task`.
            """,
        ):
            scn.add(Lag(), name="lag", **options)

    @pytest.mark.parametrize(
        ("every", "step", "advice"),
        [
            (0.15, 0.1, "Use 0.1 or 0.2, or give the integrator a step of 0.05 s."),
            (0.05, 0.1, "Use 0.1, or give the integrator a step of 0.05 s."),
            (1.0, 0.3, "Use 0.9 or 1.2, or give the integrator a step of 0.1 s."),
        ],
    )
    def test_a_period_is_a_multiple_of_the_step(self, scn, every, step, advice):
        scn.add(Count(), name="count", every=every)
        with refused(
            PeriodError,
            f"""
            `count` runs every {every:g} s, which is not a whole number of base ticks ({step:g} s).
              {advice}
            """,
        ):
            plain(scn, cd.Rk4(step=step))

    def test_an_offset_is_a_multiple_of_the_step(self, scn):
        scn.add(Count(), name="count", every=0.2, offset=0.05)
        with refused(
            PeriodError,
            """
            `count` has its first tick at 0.05 s, which is not a whole number of base ticks (0.1 s).
              Use 0.1, or give the integrator a step of 0.05 s.
            """,
        ):
            plain(scn)

    def test_an_adaptive_integrator_keeps_any_whole_nanosecond(self, scn):
        scn.add(Count(), name="count", every=0.123456789)
        assert plain(scn, cd.Dop853()).run(until=0.2).t.tolist() == [0.0, 0.123456789]


class TestSteps:
    @pytest.mark.parametrize("step", [0.0, -0.1])
    def test_a_step_is_positive(self, step):
        with refused(
            IntegratorError,
            f"""
            Rk4(step={step!r}): the step must be positive, got {step!r} s.
              Use e.g. step=0.1.
            """,
        ):
            cd.Rk4(step=step)

    @pytest.mark.parametrize("step", [nan, inf, "0.1", None])
    def test_a_step_is_a_time(self, step):
        with refused(
            PeriodError,
            f"""
            ExplicitEuler(step={step!r}): the step is {step!r} s, which is not a time.
              Use a finite number of seconds (up to 146 years).
            """,
        ):
            cd.ExplicitEuler(step=step)

    @pytest.mark.parametrize(("step", "nearest"), [(1.0 / 3.0, "0.333333333"), (1e-13, "1e-09")])
    def test_a_step_is_a_whole_number_of_nanoseconds(self, step, nearest):
        with refused(
            PeriodError,
            f"""
            Heun(step={step!r}): the step is {step!r} s, which is not a whole number of nanoseconds.
              Use {nearest} s, which is the nearest.
            """,
        ):
            cd.Heun(step=step)


class TestRuns:
    def test_a_run_does_not_go_back(self, sim):
        sim.run(until=1.0)
        with refused(
            PeriodError,
            """
            until = 0.5 s lies before now, 1 s.
              Run to a later time, or `reset()` or `restore()` first.
            """,
        ):
            sim.run(until=0.5)
        assert sim.now == 1.0
        assert len(sim.log.t) == 11

    def test_neither_does_a_snapshot(self, sim):
        sim.run(until=1.0)
        later = sim.snapshot()
        sim.reset()
        with refused(
            PeriodError,
            """
            until = 0.5 s lies before now, 1 s.
              Run to a later time, or `reset()` or `restore()` first.
            """,
        ):
            sim.advance(later, until=0.5)
        assert sim.now == 0.0

    @pytest.mark.parametrize("until", [nan, inf, -inf, 5e9, "10", None])
    def test_the_end_of_a_run_is_a_time(self, sim, until):
        with refused(
            PeriodError,
            f"""
            `until` is {until!r} s, which is not a time.
              Use a finite number of seconds (up to 146 years).
            """,
        ):
            sim.run(until=until)

    @pytest.mark.parametrize(
        ("until", "shown"),
        [(10**400, f"1{'0' * 59}... (401 characters)"), (-(10**400), f"-1{'0' * 58}... (402 characters)")],
    )
    def test_the_end_of_a_run_lies_within_the_clock(self, sim, until, shown):
        with refused(
            PeriodError,
            f"""
            `until` is {shown} s, which is not a time.
              Use a finite number of seconds (up to 146 years).
            """,
        ):
            sim.run(until=until)

    def test_a_number_that_python_does_not_write_out_is_refused_too(self, sim):
        with pytest.raises(PeriodError, match="`until` is <int> s, which is not a time"):
            sim.run(until=10**5000)
        with pytest.raises(PeriodError, match=r"Rk4\(step=<int>\): the step is <int> s, which is not a time"):
            cd.Rk4(step=10**5000)

    def test_the_end_of_a_run_is_a_whole_number_of_nanoseconds(self, sim):
        with refused(
            PeriodError,
            """
            `until` is 0.6666666666666666 s, which is not a whole number of nanoseconds.
              Use 0.666666667 s, which is the nearest.
            """,
        ):
            sim.run(until=2.0 / 3.0)

    @pytest.mark.parametrize("realtime", [0.0, -1.0, nan, inf, "fast", 1e300, 10**60])
    def test_real_time_is_positive(self, sim, realtime):
        with refused(
            SettingError,
            f"""
            realtime = {realtime!r}.
              Use simulated seconds per second, e.g. 1.0, or None.
            """,
        ):
            sim.run(until=1.0, realtime=realtime)
        assert sim.now == 0.0


class TestRecord:
    @pytest.mark.parametrize("every", ["steps", ["lag.state"], ("lag.state",)])
    def test_the_time_between_samples_is_a_number(self, sim, every):
        with refused(
            PeriodError,
            f"""
            Record(every={every!r}).
              Use a number of seconds, "step" or None.
            """,
        ):
            sim.run(until=1.0, record=cd.Record(every=every))

    @pytest.mark.parametrize("every", [0.0, -0.1])
    def test_the_time_between_samples_is_positive(self, sim, every):
        with refused(PeriodError, f"Record(every={every!r}): the time between samples must be positive."):
            sim.run(until=1.0, record=cd.Record(every=every))

    def test_the_time_between_samples_is_finite(self, sim):
        with refused(
            PeriodError,
            """
            The time between samples is nan s, which is not a time.
              Use a finite number of seconds (up to 146 years).
            """,
        ):
            sim.run(until=1.0, record=cd.Record(every=nan))

    def test_the_time_between_samples_is_a_whole_number_of_nanoseconds(self, sim):
        with refused(
            PeriodError,
            """
            The time between samples is 0.3333333333333333 s, which is not a whole number of nanoseconds.
              Use 0.333333333 s, which is the nearest.
            """,
        ):
            sim.run(until=1.0, record=cd.Record(every=1.0 / 3.0))

    def test_the_time_between_samples_is_a_multiple_of_the_step(self, sim):
        with refused(
            PeriodError,
            """
            The recorder samples every 0.25 s, which is not a whole number of base ticks (0.1 s).
              Use 0.2 or 0.3, or give the integrator a step of 0.05 s.
            """,
        ):
            sim.run(until=1.0, record=cd.Record(every=0.25))

    @pytest.mark.parametrize("periods", [5, ["lag.state"], {5: 0.1}])
    def test_periods_are_by_path(self, sim, periods):
        with refused(
            SettingError,
            f"""
            Record(periods={periods!r}).
              Use the time between samples by path, e.g. `{{"nav.attitude": 0.1}}`.
            """,
        ):
            sim.run(until=1.0, record=cd.Record(periods=periods))

    def test_a_period_of_a_port_is_a_time_that_is_positive(self, sim):
        with refused(PeriodError, "Record(periods={'lag.*': 0.0}): the time between samples must be positive."):
            sim.run(until=1.0, record=cd.Record(periods={"lag.*": 0.0}))
        with refused(
            PeriodError,
            """
            Record(periods={'lag.*': 'often'}).
              Use a number of seconds, "step" or None.
            """,
        ):
            sim.run(until=1.0, record=cd.Record(periods={"lag.*": "often"}))

    def test_there_are_as_many_periods_as_bits(self, sim, monkeypatch):
        monkeypatch.setattr("cardan.simulation.core.MOST_GROUPS", 1)
        with refused(
            SettingError,
            """
            Record(periods=...) asks for 2 different times between samples.
              There may be 1 at the most.
            """,
        ):
            sim.run(until=1.0, record=cd.Record(ports=["lag.state"], periods={"lag.signal": 0.3}))

    @pytest.mark.parametrize("ports", [5, [5], [None, "lag.state"]])
    def test_ports_are_paths(self, sim, ports):
        with refused(
            SettingError,
            f"""
            Record(ports={ports!r}).
              Use a list of paths, e.g. `["plant.state"]`.
            """,
        ):
            sim.run(until=1.0, record=cd.Record(ports=ports))

    @pytest.mark.parametrize("record", [["lag.state"], "lag.state", 0.1])
    def test_what_to_record_is_given_as_a_record(self, sim, record):
        with refused(
            SettingError,
            f"""
            record = {record!r}.
              Use e.g. `record=cardan.Record(ports=["plant.state"])`.
            """,
        ):
            sim.run(until=1.0, record=record)
