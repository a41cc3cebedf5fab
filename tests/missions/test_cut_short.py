"""What missions say of runs that end early, late or at once: nothing that is not so."""

import json
import sys
from collections.abc import Callable

import numpy as np
import pytest

import cardan as cd
from cardan.cli import main
from cardan.missions import MISSIONS, Mission, hello, mass_spring_damper
from cardan.missions.explorer import angle_between
from cardan.missions.servicer_arm import tip_way
from cardan.plots import chart, draw_panels, plot_log
from cardan.simulation.log import FieldLog, Log

OVERTIME = 1.02  # the logs are of runs a little longer than the missions
# the week of thrust in nine hours: the other thruster takes over after four; a revolution of a day, a month of a year
BRIEF = {
    "sep-point": ({"swap": 4.0}, 9.0 * 3600.0),
    "low-orbit-day": ({}, 6000.0),
    "geostationary-year": ({}, 30.0 * 86400.0),
}


def fly(mission: Mission, until: float, options: dict[str, object] | None = None) -> Log:
    sim = cd.Simulation(
        mission.scenario(options), dynamics=mission.service(), integrator=mission.integrator_for(options)
    )
    return sim.run(until=until, record=mission.record, progress=False)


def cut(log: Log, samples: int) -> Log:
    """The log of a run that ended at its sample of this number."""
    t = log.t[:samples]
    return Log(t, [FieldLog(f.path, t, f.values[:samples], f.unit, f.frame) for f in log.fields()], log.about)


def cuts(log: Log) -> list[Log]:
    n = len(log.t)
    return [cut(log, samples) for samples in (1, 2, 3, n // 20, n // 10, n // 4, n // 2, 3 * n // 4, n)]


@pytest.fixture(scope="module", params=MISSIONS)
def flown(request) -> tuple[Mission, Log]:
    mission = MISSIONS[request.param]
    options, until = BRIEF.get(mission.name, ({}, OVERTIME * mission.until))
    return mission, fly(mission, until, options)


def test_every_result_is_a_number_or_says_why_there_is_none(flown):
    mission, log = flown
    names = [result.name for result in mission.results(log)]
    assert len(set(names)) == len(names)
    for shorter in cuts(log):
        results = mission.results(shorter)
        assert [result.name for result in results] == names
        for result in results:
            if result.value is None:
                assert result.note, result
                assert str(result) == f"{result.name}: {result.note}"
            else:
                assert type(result.value) is float and np.isfinite(result.value), result
    assert all(result.value is not None for result in mission.results(log))


def test_what_is_largest_never_becomes_smaller(flown):
    mission, log = flown
    before: dict[str, float] = {}
    for shorter in cuts(log):
        for name, value, unit, _ in mission.results(shorter):
            is_largest = "largest" in name and "at the end" not in name and "relative" not in name
            if is_largest and unit != "of the largest" and value is not None:
                assert value >= before.get(name, 0.0)
                before[name] = value


def test_what_is_at_the_start_does_not_depend_on_the_end(flown):
    mission, log = flown
    at_start = [
        [result for result in mission.results(shorter) if result.name.endswith("at the start")] for shorter in cuts(log)
    ]
    assert all(results == at_start[0] for results in at_start)


def test_the_curve_can_be_drawn_at_any_length(flown):
    mission, log = flown
    for shorter in cuts(log):
        curve = mission.curve(shorter)
        assert len(curve.t) == len(curve.values)
        assert chart(curve.t, curve.values)


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_figures_can_be_drawn_at_any_length(flown, share, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")
    import matplotlib.pyplot as plt

    mission, log = flown
    shorter = cut(log, max(1, int(share * len(log.t))))
    for drawn in mission.figures.values():
        title = mission.title
        figure = draw_panels(drawn(shorter), title) if callable(drawn) else plot_log(shorter, *drawn, title=title)
        figure.draw_without_rendering()
        plt.close(figure)


# ---- the command line ------------------------------------------------------------------------------------------------


@pytest.fixture
def run(monkeypatch, capsys) -> Callable[..., str]:
    def call(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["cardan", "run", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        shown = capsys.readouterr()
        assert not ended.value.code, shown.err
        return shown.out

    return call


@pytest.mark.parametrize("until", ["0", "0.000001", "0.013"])
@pytest.mark.parametrize("name", MISSIONS)
def test_any_mission_can_end_at_once_or_within_its_first_tick(run, name, until):
    told = json.loads(run(name, "--until", until, "--json"))
    assert told["until_s"] == float(until)
    assert told["recorded_until_s"] <= float(until)
    for result in told["results"].values():
        assert (result["value"] is None) == ("note" in result) or result["note"].startswith("until the end")


def test_a_body_that_is_not_at_rest_is_not_called_so(run):
    shown = run("hello", "--until", "50")
    assert "within 0.1 deg after          not within 0.1 deg by 50 s: 10.9 deg" in shown
    told = json.loads(run("hello", "--until", "50", "--json"))["results"]
    assert told["within 0.1 deg after"] == {
        "value": None, "unit": "s", "note": "not within 0.1 deg by 50 s: 10.9 deg",
    }  # fmt: skip
    assert "within 0.1 deg after          310          s (until the end, at 600 s)\n" in run("hello")


def test_thrust_that_has_not_begun_has_no_error(run):
    shown = run("sep-point", "--until", "100")
    assert "gimbal 1: error at the end                   known from the second sample on\n" in shown
    assert "thrust off its target, largest               no thrust by 0 s\n" in shown
    assert "momentum less what torques gave, largest     no torque from outside by 0 s\n" in shown
    assert "the last sample is at 0 s; results are of what was recorded until then\n" in shown


def test_a_result_at_the_end_is_not_called_the_last_sample_s_where_that_is_the_end(run):
    assert "last sample" not in run("hello", "--until", "2")
    assert "the last sample is at 2 s" in run("hello", "--until", "2.3")


# ---- what single results mean ----------------------------------------------------------------------------------------


class TestHello:
    @pytest.mark.parametrize(
        ("error", "value"),
        [
            ([5.0, 0.2, 0.05, 0.04], 2.0),
            ([5.0, 0.05, 0.2, 0.04], 3.0),  # it went out again
            ([0.05, 0.05, 0.05, 0.05], 0.0),
            ([5.0, 0.05, 0.05, 0.2], None),
            ([5.0], None),
            ([0.1], 0.0),
        ],
    )
    def test_it_is_settled_since_the_first_sample_after_the_last_that_was_not(self, error, value):
        assert hello.settled(np.arange(float(len(error))), np.array(error), hello.SETTLED).value == value


class TestMassSpringDamper:
    def test_a_mass_that_has_not_passed_its_target_has_no_overshoot(self):
        t, position = np.array([0.0, 0.1]), np.array([0.0, 0.25])
        result = mass_spring_damper.overshoot(t, position)
        assert (result.value, result.note) == (None, "not beyond 1 m by 0.1 s: 0.25 m")

    def test_overshoot_is_relative_to_the_move(self):
        t = np.arange(3.0)
        assert mass_spring_damper.overshoot(t, np.array([0.0, 1.25, 1.0])).value == 25.0
        assert mass_spring_damper.overshoot(t, np.array([0.5, 1.25, 1.0])).value == 50.0


def test_panels_are_deployed_when_all_have_latched():
    mission = MISSIONS["branching-panels"]
    result = {r.name: r for r in mission.results(fly(mission, 100.0))}["panels deployed to within"]
    assert (result.value, result.note) == (None, "not all deployed by 100 s: 180 deg to go")


def test_energy_is_left_when_the_motion_is_over():
    mission = MISSIONS["prescribed-verification"]
    name = "rotational energy: left at the end, of its largest"
    log = fly(mission, mission.until)
    notes = [{r.name: r for r in mission.results(cut(log, n))}[name].note for n in (1, 100, len(log.t))]
    assert notes[0] == "nothing has moved by 0 s"
    assert notes[1].startswith("the body still moves at 4.95 s: ")
    assert notes[2] == ""


def test_the_way_of_a_tip_is_the_length_of_its_path():
    """Around a corner, not across it."""
    t = np.arange(3.0)
    corner = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    assert tip_way(Log(t, [FieldLog("tip.motion.r_BN_N", t, corner, "m", "N")], {})) == 2.0


def test_the_base_s_distance_from_its_reference_is_an_angle_at_any_size():
    """A base that stays while its reference turns by 10 deg; 4 |sigma| would be 10.006."""
    mission = MISSIONS["desired-reaction"]
    log = fly(mission, mission.until)
    still = [
        FieldLog(f.path, f.t, 0.0 * f.values if f.path == "bus.motion.sigma_BN" else f.values, f.unit, f.frame)
        for f in log.fields()
    ]
    results = {r.name: r.value for r in mission.results(Log(log.t, still, log.about))}
    assert results["largest distance of the base from its reference"] == pytest.approx(10.0, abs=1e-9)


def test_angles_between_directions_are_angles():
    """Not their sine, which returns to zero beyond a right angle."""
    for angle in (1e-9, 0.3, 1.5, 2.0, np.pi):
        turned = np.array([np.cos(angle), np.sin(angle), 0.0])
        assert angle_between(np.array([2.0, 0.0, 0.0]), turned) == pytest.approx(angle, rel=1e-12)


def test_a_bound_is_given_only_for_the_tables_it_is_of():
    mission = MISSIONS["gimbal-command"]
    scn = mission.scenario()
    scn.set("gimbal1_drive1.step_angle", 2e-4)
    sim = cd.Simulation(scn, dynamics=mission.service(), integrator=mission.integrator_for())
    log = sim.run(until=0.0, record=mission.record)
    bound = {r.name: r for r in mission.results(log)}["bound by steps and tables"]
    assert (bound.value, bound.note) == (None, "not known for other tables or motors")


def test_a_bound_at_the_edge_is_that_of_the_edge():
    mission = MISSIONS["gimbal-command"]
    inside, edge = (
        {r.name: r for r in mission.results(fly(mission, 0.2, {"axis": axis}))}["bound by steps and tables"]
        for axis in ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    )
    assert (inside.note, edge.note) == ("", "at the edge of what the gimbal reaches")
    assert edge.value > 10.0 * inside.value


def test_the_energy_of_an_orbit_is_that_of_the_run_s_planet():
    """Three quarters of the Earth's pull: still conserved, which it would not be with the Earth's own."""
    mission = MISSIONS["prescribed-verification"]
    scn = mission.scenario()
    scn.set("earth.mu", 3.0e14)
    sim = cd.Simulation(scn, dynamics=mission.service(), integrator=mission.integrator_for())
    log = sim.run(until=mission.until, record=mission.record)
    assert {r.name: r.value for r in mission.results(log)}["orbital energy: largest change, relative"] < 1e-13


def test_one_sample_is_one_dot():
    lines = chart(np.array([3.0]), np.array([7.0]))
    assert sum(0x2800 < ord(letter) < 0x2900 for letter in "".join(lines)) == 1
    assert chart(np.zeros(0), np.zeros(0)) == ["nothing to draw yet"]
