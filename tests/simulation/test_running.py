"""Interrupting, pacing, resetting, snapshots."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import cardan as cd
from cardan.missions import hello
from parts import Count, Lag, LagState, Noise, plain


def noisy() -> cd.Scenario:
    scn = cd.Scenario("noisy", seed=3)
    scn.add(Noise(deviations=[1.0, 2.0]), name="noise", every=0.1)
    count = scn.add(Count(), name="count", every=0.3)
    scn.add(Lag(), name="lag", source=count.signal.delayed(2))
    return scn


def test_ctrl_c_stops_native_code_cleanly_and_the_run_can_go_on():
    # a shell that starts tests in the background lets them ignore Ctrl-C
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sim = cd.Simulation(hello.build(), integrator=cd.Rk4(step=0.001))
    sim.compile()
    threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            sim.run(until=1e7, progress=False)
    finally:
        signal.signal(signal.SIGINT, before)
    stopped = sim.now
    assert 0.0 < stopped < 1e7
    assert sim.log.t[-1] <= stopped
    whole = cd.Simulation(hello.build(), integrator=cd.Rk4(step=0.001))
    sim.run(until=np.ceil(stopped) + 1.0)
    whole.run(until=np.ceil(stopped) + 1.0)
    assert sim.snapshot() == whole.snapshot()


def test_the_gil_is_free_while_native_code_runs():
    sim = cd.Simulation(hello.build(), integrator=cd.Rk4(step=0.01))
    sim.compile()
    worker = threading.Thread(target=sim.run, args=(20_000.0,), kwargs={"progress": False})
    worker.start()
    count = 0
    while worker.is_alive():
        count += 1
        time.sleep(0.0)
    worker.join()
    # with the GIL held for slices of 0.1 s, a run of a second would let this loop turn ten times
    assert count > 1000


@pytest.mark.parametrize("integrator", [cd.Rk4(step=0.1), cd.DormandPrince54(), cd.Dop853()])
def test_a_snapshot_goes_on_to_the_same_bits(integrator, tmp_path):
    sim = plain(noisy(), integrator)
    sim.run(until=1.3)
    taken = sim.snapshot()
    sim.run(until=4.0)
    after = sim.snapshot()

    sim.restore(taken)
    assert sim.now == 1.3
    sim.run(until=4.0)
    assert sim.snapshot() == after

    other = plain(noisy(), integrator)
    other.restore(cd.load_snapshot(taken.save(tmp_path / "run.npz")))
    other.run(until=4.0)
    assert other.snapshot() == after


def test_a_snapshot_goes_on_to_the_same_bits_in_another_process(tmp_path):
    sim = cd.Simulation(hello.build(), integrator=cd.Dop853())
    sim.run(until=7.25)
    sim.snapshot().save(tmp_path / "before.npz")
    sim.run(until=30.0)
    script = f"""
import cardan as cd
from cardan.missions import hello
sim = cd.Simulation(hello.build(), integrator=cd.Dop853())
sim.restore(cd.load_snapshot({str(tmp_path / "before.npz")!r}))
sim.run(until=30.0)
sim.snapshot().save({str(tmp_path / "after.npz")!r})
"""
    subprocess.run([sys.executable, "-c", script], check=True)
    assert cd.load_snapshot(tmp_path / "after.npz") == sim.snapshot()


def test_advance_is_a_pure_function_of_a_snapshot():
    sim = plain(noisy())
    sim.run(until=1.0)
    start = sim.snapshot()
    log = sim.log
    later = sim.advance(start, until=3.0)
    assert (sim.now, later.t) == (1.0, 3.0)
    assert sim.snapshot() == start
    assert sim.log is log
    assert sim.advance(start, until=3.0) == later
    sim.run(until=3.0)
    assert sim.snapshot() == later


def test_a_snapshot_taken_with_one_integrator_can_go_on_with_another():
    first = plain(noisy(), cd.Dop853())
    first.run(until=1.0)
    second = plain(noisy(), cd.Rk4(step=0.1))
    second.restore(first.snapshot())
    second.run(until=2.0)
    first.run(until=2.0)
    assert second["lag.state"].value == pytest.approx(first["lag.state"].value, rel=1e-5)


def test_reset_begins_again_and_takes_other_states():
    scn = cd.Scenario()
    lag = scn.add(Lag(), name="lag", initial=LagState(1.0))
    sim = plain(scn)
    sim.run(until=1.0)
    first = sim["lag.state"].value
    sim.reset({lag: LagState(2.0)})
    assert sim.now == 0.0
    sim.run(until=1.0)
    assert sim["lag.state"].value == 2.0 * first
    sim.reset()
    sim.run(until=1.0)
    assert sim["lag.state"].value == first


def test_realtime_pacing_follows_the_wall_clock_and_changes_no_bit():
    fast, paced = plain(noisy()), plain(noisy())
    fast.run(until=1.0)
    began = time.perf_counter()
    paced.run(until=1.0, realtime=2.0)
    took = time.perf_counter() - began
    assert 0.45 < took < 1.5
    assert paced.snapshot() == fast.snapshot()


def test_a_long_run_shows_its_progress_and_a_short_one_does_not(monkeypatch):
    shown = []

    class Display:
        def update(self, text, completed, total):
            shown.append((text, completed, total))

        def close(self, took, *, is_done):
            shown.append("closed")

    monkeypatch.setattr("cardan.simulation.progress._new_display", lambda in_log: Display())
    plain(noisy()).run(until=1.0)
    assert shown == []
    monkeypatch.setattr("cardan.simulation.progress.SHOW_AFTER", 0.0)
    plain(noisy()).run(until=1.0, progress=False)
    assert shown == []
    plain(noisy()).run(until=1.0)
    assert shown[-2:] == [("noisy", 1.0, 1.0), "closed"]


class TestRandomNumbers:
    def test_they_follow_from_the_seed(self):
        def draws(seed: int) -> np.ndarray:
            scn = noisy()
            scn.seed = seed
            return plain(scn).run(until=2.0)["noise.signal"].values

        assert np.array_equal(draws(3), draws(3))
        assert not np.any(draws(3) == draws(4))

    def test_they_do_not_depend_on_the_other_parts_of_a_scenario(self):
        scn = cd.Scenario(seed=3)
        scn.add(Noise(deviations=[1.0, 2.0]), name="other", every=0.1)
        scn.add(Noise(deviations=[1.0, 2.0]), name="noise", every=0.1)
        log = plain(scn).run(until=2.0)
        assert np.array_equal(log["noise.signal"].values, plain(noisy()).run(until=2.0)["noise.signal"].values)
        assert not np.any(log["noise.signal"].values == log["other.signal"].values)

    def test_plain_and_native_draw_the_same(self):
        logs = [cd.Simulation(noisy(), jit=jit).run(until=5.0)["noise.signal"].values for jit in (True, False)]
        # logarithm and cosine of NumPy and of the C library may differ in the last place
        assert logs[0] == pytest.approx(logs[1], rel=1e-13)
