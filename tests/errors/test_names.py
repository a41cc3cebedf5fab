"""Names that do not exist, and the ones that were probably meant."""

import sys

import pytest

import cardan as cd
from cardan.errors import MissingExtra, UnknownName, did_you_mean, with_article
from cardan.missions import MISSIONS, find_mission
from errors.conftest import refused
from parts import Count, Gain, Lag, LagState, Number, Ramp, plain


@pytest.fixture
def scn() -> cd.Scenario:
    scn = cd.Scenario("test")
    count = scn.add(Count(), name="count", every=0.2)
    gain = scn.add(Gain(factor=5.0), name="gain", source=count.signal)
    scn.add(Lag(), name="lag", source=gain.signal)
    return scn


@pytest.fixture
def sim(scn) -> cd.Simulation:
    return plain(scn)


class TestAdvice:
    @pytest.mark.parametrize(
        ("name", "options", "advice"),
        [
            ("signl", ["source", "signal"], " Did you mean `signal`?"),
            ("k", ["K", "P", "Ki"], " Did you mean `K`?"),
            ("KI", ["K", "P", "Ki"], " Did you mean `Ki`?"),
            ("thruster", ["K", "P", "Ki"], ""),
            ("anything", [], ""),
            (5, ["K"], ""),
        ],
    )
    def test_the_nearest_name_is_offered_if_there_is_one(self, name, options, advice):
        assert did_you_mean(name, options) == advice

    def test_the_article_follows_the_sound(self):
        assert [with_article(noun) for noun in ("Force", "Attitude")] == ["a Force", "an Attitude"]


class TestLogs:
    @pytest.mark.parametrize(
        ("path", "advice"),
        [
            ("count.signel", " Did you mean `count.signal`?"),
            ("lag.state.valeu", " Did you mean `lag.state.value`?"),
            ("Lag.State", " Did you mean `lag.state`?"),
            ("gain.signal", " Did you mean `count.signal`?"),
            ("x", ""),
            (0, ""),
        ],
    )
    def test_a_path_that_was_not_recorded_is_refused(self, sim, path, advice):
        log = sim.run(until=1.0)
        with refused(
            UnknownName,
            f"""
            Nothing called `{path}` was recorded.{advice}
              Recorded: count.signal, count.time, lag.state
            """,
        ):
            log[path]
        assert path not in log
        assert log.get(path) is None

    def test_a_log_of_nothing_says_so(self, sim):
        log = sim.run(until=1.0, record=cd.Record(ports=[]))
        with refused(
            UnknownName,
            """
            Nothing called `lag.state` was recorded.
              Recorded: nothing
            """,
        ):
            log["lag.state"]

    def test_a_field_that_a_port_does_not_have_is_refused(self, sim):
        port = sim.run(until=1.0)["lag.state"]
        with refused(
            AttributeError,
            """
            `lag.state` has no field `valeu`. Did you mean `value`?
              fields: value
            """,
        ):
            port.valeu  # noqa: B018

    def test_a_figure_of_nothing_is_refused(self, sim):
        log = sim.run(until=1.0)
        with refused(
            UnknownName,
            """
            Nothing recorded matches `lag.stat`. Did you mean `lag.state`?
              Recorded: count.signal, count.time, lag.state
            """,
        ):
            log.plot("lag.stat")

    def test_a_figure_of_an_empty_log_is_refused(self, sim):
        log = sim.run(until=1.0, record=cd.Record(ports=[]))
        with refused(
            UnknownName,
            """
            Nothing recorded matches `*`.
              Recorded: nothing
            """,
        ):
            log.plot()

    def test_a_figure_needs_matplotlib(self, sim, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
        log = sim.run(until=1.0)
        with refused(
            MissingExtra,
            """
            Plotting needs matplotlib.
              Install it with `pip install cardan[plots]`.
            """,
        ):
            log.plot()


class TestRecord:
    @pytest.mark.parametrize(
        ("pattern", "advice"),
        [
            ("lag.stat", " Did you mean `lag.state`?"),
            ("counter.*", " Did you mean `count.time`?"),
            ("lag.state.value", " Did you mean `lag.state`?"),
            ("q*", ""),
        ],
    )
    def test_a_pattern_that_matches_nothing_is_refused(self, sim, pattern, advice):
        with refused(
            UnknownName,
            f"""
            Nothing to record is called `{pattern}`.{advice}
              There are: count.signal, count.time, gain.signal, lag.signal, lag.state, count.memory, gain.source, \
lag.source
            """,
        ):
            sim.run(until=1.0, record=cd.Record(ports=["lag.state", pattern]))
        assert not sim.has_log

    def test_an_empty_scenario_has_nothing_to_record(self):
        with refused(
            UnknownName,
            """
            Nothing to record is called `*`.
              There are: none
            """,
        ):
            plain(cd.Scenario()).run(until=1.0, record=cd.Record(ports="*"))


class TestScenarios:
    def test_a_part_that_is_not_there_is_refused(self, scn):
        with refused(
            UnknownName,
            """
            `cuont`: there is no part `cuont`. Did you mean `count`?
              parts: count, gain, lag
            """,
        ):
            scn["cuont"]

    def test_an_empty_scenario_has_no_parts(self):
        with refused(
            UnknownName,
            """
            `lag`: there is no part `lag`.
              parts: none
            """,
        ):
            cd.Scenario()["lag"]

    def test_a_parameter_of_a_part_that_is_not_there_is_refused(self, scn):
        with refused(
            UnknownName,
            """
            `lga.time_constant`: there is no part `lga`. Did you mean `lag`?
              parts: count, gain, lag
            """,
        ):
            scn.set("lga.time_constant", 1.0)

    def test_a_parameter_that_is_not_there_is_refused(self, scn):
        with refused(
            UnknownName,
            """
            `lag` (Lag) has no parameter `tau`.
              parameters: time_constant
            """,
        ):
            scn.set("lag.tau", 1.0)
        with refused(
            UnknownName,
            """
            `gain` (Gain) has no parameter `Factor`. Did you mean `factor`?
              parameters: factor
            """,
        ):
            scn.set("gain.Factor", 1.0)

    def test_a_part_without_parameters_says_so(self, scn):
        with refused(
            UnknownName,
            """
            `count` (Count) has no parameter `start`.
              parameters: none
            """,
        ):
            scn.set("count.start", 5)

    @pytest.mark.parametrize("path", ["lag", "K", ""])
    def test_a_parameter_has_a_path(self, scn, path):
        with refused(
            UnknownName,
            f"""
            `{path}` is not the path of a parameter.
              Write `part.parameter`, e.g. `ctl.K`.
            """,
        ):
            scn.set(path, 1.0)


class TestSimulations:
    @pytest.mark.parametrize(
        ("path", "advice"),
        [
            ("lag.sate", " Did you mean `lag.state`?"),
            ("lag.state.value", " Did you mean `lag.state`?"),
            ("gain.state", " Did you mean `lag.state`?"),
            ("zzz", ""),
            (3, ""),
        ],
    )
    def test_a_value_that_is_not_there_is_refused(self, sim, path, advice):
        with refused(
            UnknownName,
            f"""
            There is no `{path}`.{advice}
              There are: count.signal, count.time, gain.signal, lag.signal, lag.state, count.memory, gain.source, \
lag.source
            """,
        ):
            sim[path]

    def test_an_empty_simulation_has_no_values(self):
        with refused(
            UnknownName,
            """
            There is no `lag.state`.
              There are: none
            """,
        ):
            plain(cd.Scenario())["lag.state"]

    def test_a_state_that_is_not_there_cannot_be_reset(self, sim):
        with refused(
            UnknownName,
            """
            `lagg` has no state to reset. Did you mean `lag`?
              These have one: lag, count
            """,
        ):
            sim.reset({"lagg": LagState(1.0)})

    def test_a_part_without_a_state_cannot_be_reset(self):
        scn = cd.Scenario()
        ramp = scn.add(Ramp(), name="ramp")
        with refused(
            UnknownName,
            """
            `ramp` has no state to reset.
              These have one: none
            """,
        ):
            plain(scn).reset({ramp: Number(1.0)})

    def test_a_refused_reset_changes_nothing(self, sim):
        sim.run(until=1.0)
        before, log = sim.snapshot(), sim.log
        with pytest.raises(UnknownName):
            sim.reset({"lag": LagState(1.0), "gain": LagState(1.0)})
        assert sim.snapshot() == before
        assert sim.log is log


class TestMissions:
    def test_a_mission_that_is_not_there_is_refused(self):
        with refused(
            UnknownName,
            f"""
            There is no mission `helo`. Did you mean `hello`?
              missions: {", ".join(MISSIONS)}
            """,
        ):
            find_mission("helo")
