"""Runs that go on in a page, and a hand on their controls."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardan as cd
from cardan import faults
from cardan.errors import ImpossibleValue, SettingError, UnknownName
from cardan.fsw import AttitudeTracking, MrpFeedback, SimpleNavigation
from cardan.mechanism import Box, Free, Hinge, Mechanism
from cardan.messages import BodyWrench, HingeLock
from cardan.viewer import Live, repeat
from cardan.viewer.by_hand import Hand, read_value
from cardan.viewer.live import unit_of


def scenario() -> cd.Scenario:
    """A bus with a panel whose hinge can be locked from outside, under attitude control."""
    m = Mechanism("bus and panel")
    bus = m.add_body("bus", joint=Free(), mass=100.0, inertia_B=np.diag([90.0, 80.0, 60.0]))
    m.add_shape(bus, Box([0.5, 0.5, 0.6]))
    m.add_body(
        "panel",
        parent=bus,
        joints={"hinge": Hinge((0.0, 1.0, 0.0), stiffness=2.0, damping=0.5)},
        mass=5.0,
        inertia_B=np.diag([1.0, 1.0, 1.5]),
        r_CB_B=(0.8, 0.0, 0.0),
        r_BP_P=(0.5, 0.0, 0.0),
    )
    scn = cd.Scenario("panel", mechanism=m, seed=3)
    scn.connect(scn.input("push", BodyWrench()), bus.wrench)
    scn.connect(scn.input("latch", HingeLock()), m.joints["hinge"].lock)
    nav = scn.add(SimpleNavigation(), name="nav", every=0.1, truth=bus.com.motion)
    err = scn.add(AttitudeTracking(), name="err", every=0.1, attitude=nav.attitude)
    ctl = scn.add(
        MrpFeedback(K=3.5, P=30.0, inertia_B=np.diag([90.0, 80.0, 60.0])), name="ctl", every=0.1, error=err.error
    )
    scn.leave_open(ctl.torque)
    return scn


def simulation(integrator: Any = None) -> cd.Simulation:
    return cd.Simulation(scenario(), dynamics=cd.RecursiveTree(), integrator=integrator or cd.Rk4(step=0.05))


def at(live: Live, t: float, action: Callable[[], None]) -> threading.Thread:
    """Do something when a run has come so far."""

    def wait() -> None:
        limit = time.monotonic() + 30.0
        while live.hand.t < t and time.monotonic() < limit:
            time.sleep(0.005)
        action()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize(
    "integrator", [cd.Rk4(step=0.05), cd.DormandPrince54(rtol=1e-8, atol=1e-10)], ids=["fixed", "adaptive"]
)
def test_what_is_done_by_hand_is_in_the_log_and_can_be_repeated_to_the_bit(integrator: Any, tmp_path: Path) -> None:
    sim = simulation(integrator)
    with Live(sim, pace=200.0, port=0) as live:
        live.run(until=2.0)
        live.give("push", {"force_B": [0.0, 3.0, 0.0], "torque_B": [1.0, 0.0, 0.0]})
        live.run(until=4.0)
        live.set({"ctl.K": 7.0, "nav.attitude_noise": 0.01})
        # another one while it goes on, whenever that is
        latch = at(live, 6.0, lambda: live.give("latch", {"is_engaged": True, "angle": 0.0}))
        live.run(until=7.0)
        latch.join(30.0)
        log = live.run(until=10.0)
    told = log.about["by_hand"]
    assert [next(iter(set(change) - {"at_s", "value"})) for change in told["changes"]] == [
        "input", "parameter", "parameter", "input",
    ]  # fmt: skip
    assert told["changes"][1]["parameter"] == "ctl.K" and told["changes"][1]["value"] == 7.0
    assert log.t[0] == 0.0 and log.t[-1] == 10.0 and (np.diff(log.t) > 0.0).all()
    assert sim.now == 10.0  # the simulation that was given stands at the end
    loaded = cd.load_log(log.save(tmp_path / "live.nc"))
    again = repeat(simulation(integrator), loaded)
    for field in log.fields():
        assert np.array_equal(field.values, again[field.path].values), field.path
    # and it matters: without the hand, the run is another one
    assert not np.array_equal(simulation(integrator).run(until=10.0)["bus.motion"].r_BN_N, log["bus.motion"].r_BN_N)


def test_a_live_run_without_a_hand_has_the_bits_of_a_run() -> None:
    with Live(simulation(), pace=None, port=0) as live:
        log = live.run(until=5.0)
    assert live.hand.changes == []
    plain = simulation().run(until=5.0)
    assert all(np.array_equal(field.values, plain[field.path].values) for field in log.fields())


def test_pause_step_pace_and_reset() -> None:
    with Live(simulation(), pace=1000.0, port=0, is_paused=True) as live:
        done = threading.Thread(target=live.run, args=(3.0,), daemon=True)
        done.start()
        time.sleep(0.1)
        assert live.hand.t == 0.0
        for k in range(1, 4):
            live.step()
            limit = time.monotonic() + 10.0
            while live.hand.t < 0.05 * k - 1e-12 and time.monotonic() < limit:
                time.sleep(0.005)
            assert live.hand.t == pytest.approx(0.05 * k)
        live.reset()
        limit = time.monotonic() + 10.0
        while live.hand.t > 0.0 and time.monotonic() < limit:
            time.sleep(0.005)
        assert live.hand.t == 0.0
        live.pause(False)
        done.join(20.0)
        assert live.hand.t == 3.0 and live.hand.log().t[0] == 0.0


def test_a_run_keeps_its_pace() -> None:
    with Live(simulation(), pace=10.0, port=0) as live:
        live.run(until=1.0)  # compiles
        began = time.perf_counter()
        live.run(until=6.0)
        took = time.perf_counter() - began
    assert took > 0.45  # not faster than it was told


def test_a_wrong_value_is_told_and_changes_nothing() -> None:
    with Live(simulation(), pace=None, port=0) as live:
        before = live.hand.now
        for wrong in ({"ctl.K": float("nan")}, {"ctl.no": 1.0}, {"ctl.inertia_B": np.eye(2)}, {"ctl.K": "7"}):
            live.set(wrong)
            live._answer()
            assert live._told.content.startswith("Not changed at 0.000 s: ")
        live.give("push", {"force_B": [1.0, 0.0]})
        live.give("nothing", {})
        live.give("push", {"no_such_field": 1.0})
        live._answer()
        assert live.hand.changes == [] and live.hand.now is before
        assert live.run(until=1.0).about["by_hand"]["changes"] == []


def test_plots_grow_with_the_run() -> None:
    with Live(simulation(), pace=None, port=0) as live:
        live._plots.add("bus.motion")
        assert "Nothing that was recorded matches" in live._plots._told.content  # nothing yet
        live.run(until=1.0)
        live._plots.add("hinge.state.angle")
        (plot,) = live._plots._plots
        assert plot._t[-1] == 1.0
        live.run(until=2.0)
        live._plots._drawn = 0.0
        live._plots.update(2.0)
        assert plot._t[-1] == 2.0


def test_every_parameter_and_every_input_has_a_field() -> None:
    with Live(simulation(), port=0) as live:
        fields = live.controls.fields
        assert {"ctl.K", "ctl.inertia_B", "nav.attitude_noise", "push.force_B", "latch.is_engaged"} <= set(fields)
        assert fields["ctl.K"].label == "K [N m]" and fields["ctl.K"].value == "3.5"
        assert fields["latch.is_engaged"].value is False  # a lock is a box to tick
        # what somebody types, and applies
        fields["ctl.K"].value = "8"
        fields["ctl.P"].value = "[1"
        with pytest.raises(SettingError, match=r"`ctl.P` = '\[1' is not a number, true or false, or a list"):
            live.controls._apply_part("ctl")
        fields["ctl.P"].value = "30.0"
        live.controls._apply_part("ctl")
        fields["latch.is_engaged"].value = True
        live.controls._apply_input("latch")
        live._answer()
        assert [change.get("parameter", change.get("input")) for change in live.hand.changes] == ["ctl.K", "latch"]
        assert live.simulation["latch.given"].is_engaged


def test_every_fault_has_buttons_that_break_and_mend() -> None:
    scn = scenario()
    faults.offer(scn, "nav.attitude.sigma_BN[0]", faults.biased(0.1), name="tilted")
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05), jit=False)
    with Live(sim, pace=None, port=0) as live:
        assert set(live.faults.buttons) == {"tilted"}
        live.run(until=0.5)
        live.faults.strike("tilted")
        live.run(until=1.0)
        live.faults.mend("tilted")
        log = live.run(until=1.5)
    wanted = (log.t > 0.55) & (log.t < 1.05)
    assert np.array_equal(log["tilted.effect"].is_active, wanted)
    assert [change["parameter"] for change in log.about["by_hand"]["changes"]][:2] == ["tilted.onset", "tilted.end"]


@pytest.mark.parametrize(
    "text", ["__import__('os').system('true')", "1+1", "lambda: 0", "{}", '"7"', "[[1], [2, 3]]", "", "[" * 5000, "nul"]
)
def test_nothing_that_is_typed_is_evaluated(text: str) -> None:
    with pytest.raises(SettingError, match="is not a number, true or false, or a list of numbers"):
        read_value(text, "ctl.K")


def test_what_is_typed_is_read_as_numbers() -> None:
    assert read_value(" 7.5 ", "ctl.K") == 7.5 and read_value("True", "ctl.is") is True
    assert read_value("[[1, 0], [0, 2]]", "ctl.I").tolist() == [[1, 0], [0, 2]]


def test_a_failure_ends_the_run_and_keeps_what_was_recorded() -> None:
    scn = scenario()
    scn.change("ctl.K", 1.0, at=1.0)
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05))
    hand = Hand(sim)
    with pytest.raises(SettingError, match=r"`ctl.K` changes in the scenario itself, `scn.change\(...\)`."):
        hand.set({"ctl.K": 2.0})
    hand.run(500_000_000)
    with pytest.raises(UnknownName, match=r"`pusch` is not an input from outside. Did you mean `push`\?"):
        hand.give("pusch", {})
    with pytest.raises(ImpossibleValue):
        hand.set({"ctl.inertia_B": -np.eye(3)})
    assert hand.log().t[-1] == 0.5 and hand.changes == []


@pytest.mark.parametrize("pace", [0.0, -1.0, float("nan"), "fast", True])
def test_a_pace_that_is_none_is_refused(pace: Any) -> None:
    with pytest.raises(SettingError, match=r"Use simulated seconds per second, e.g. 1.0, or None."):
        Live(simulation(), pace=pace)


def test_only_what_was_done_by_hand_can_be_repeated() -> None:
    sim = simulation()
    with pytest.raises(SettingError, match="Nothing in this log was done by hand"):
        repeat(sim, sim.run(until=0.1))
    with Live(simulation(), pace=None, port=0) as live:
        log = live.run(until=0.1)
    with pytest.raises(SettingError, match=r"The log begins at 0 s.\n  `reset\(\)` or `restore\(\)`"):
        repeat(sim, log)


def test_pieces_are_whole_steps_or_periods() -> None:
    assert unit_of(simulation()) == 50_000_000
    assert unit_of(simulation(cd.DormandPrince54())) == 100_000_000


@pytest.mark.usefixtures("interrupted")
def test_a_mission_runs_live_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    from cardan.cli import main

    words = ["cardan", "run", "reaction-wheels", "--until", "5", "--json"]
    monkeypatch.setattr(sys, "argv", [*words, "--live", "--pace", "50", "--save", str(tmp_path / "a.nc")])
    with pytest.raises(SystemExit, match="0"):
        main()
    monkeypatch.setattr(sys, "argv", [*words, "--repeat", str(tmp_path / "a.nc"), "--save", str(tmp_path / "b.nc")])
    with pytest.raises(SystemExit, match="0"):
        main()
    first, second = (cd.load_log(tmp_path / name) for name in ("a.nc", "b.nc"))
    assert first.compare(second).agree() and first.t[-1] == 5.0
    monkeypatch.setattr(sys, "argv", [*words, "--live", "--repeat", str(tmp_path / "a.nc")])
    with pytest.raises(SystemExit):
        main()
    assert "`--live` goes neither with `--stream` nor with `--repeat`." in capsys.readouterr().err


def test_a_parameter_with_limits_is_a_slider_that_acts_as_it_moves() -> None:
    scn = scenario()
    faults.offer(scn, "nav.attitude.sigma_BN[0]", faults.biased(0.1), name="tilted")
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=0.05), jit=False)
    with Live(sim, pace=None, port=0) as live:
        slider = live.controls.fields["tilted.duty"]
        assert (slider.min, slider.max, slider.value, slider.label) == (0.0, 1.0, 1.0, "duty [-]")
        assert not hasattr(live.controls.fields["ctl.K"], "max")  # positive, without an upper limit: a field
        for value in (0.9, 0.5, 0.25):  # faster than the run can follow
            live.slide("tilted.duty", value)
        live.run(until=0.1)
        assert live.hand.changes == [{"at_s": 0.0, "parameter": "tilted.duty", "value": 0.25}]
        assert slider.value == 0.25
        live.slide("tilted.duty", 1.5)  # what no slider sends
        live.run(until=0.2)
        assert "`tilted.duty` must be within 0 and 1" in live._told.content
        assert slider.value == 0.25 and len(live.hand.changes) == 1
        # what else stands in the folder is applied by its button, with the slider where it is
        live.controls.fields["tilted.end"].value = "5.0"
        live.controls._apply_part("tilted")
        live.run(until=0.3)
        assert [change["parameter"] for change in live.hand.changes] == ["tilted.duty", "tilted.end"]
