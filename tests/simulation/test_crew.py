"""Threads that share the members of a batch: nothing depends on how many there are, on who is late, or on Ctrl-C."""

import gc
import random
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import cardan as cd
from interrupted import PythonRelay, pressed
from parts import Gain, Lag, Noise, Number, Relay


def lags(relay: Any = Relay()) -> cd.Scenario:
    scn = cd.Scenario("lags", seed=1)
    command = scn.input("command", Number(0.0))
    relayed = scn.add(relay, name="relay", every=0.1, source=command)
    lag = scn.add(Lag(), name="lag", source=relayed.signal)
    scn.add(Gain(), name="gain", source=lag.signal)
    noise = scn.add(Noise(np.array([1.0, 2.0])), name="noise", every=0.2)
    scn.leave_open(noise.signal)
    return scn


def batch_of(members: int, threads: int, relay: Any = Relay(), **options: Any) -> cd.Batch:
    batch = cd.Batch(
        lags(relay), members, integrator=cd.Rk4(step=0.1), outputs=["gain.signal"], threads=threads, **options
    )
    batch["command"].value[:] = np.linspace(-1.0, 1.0, members)
    return batch


def words(batch: cd.Batch) -> np.ndarray:
    """All that tells the members apart."""
    return np.array([batch.snapshot(member).words for member in range(len(batch))]).view(np.int64)


def helpers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("cardan batch")]


@pytest.mark.parametrize("pause", [0.0, 0.01], ids=["awake", "asleep"])
@pytest.mark.parametrize("threads", [2, 3, 7])
def test_any_number_of_threads_gives_the_same_bits(threads, pause):
    """Helpers look out for work for some tens of microseconds, and sleep after a hundredth of a second for sure."""
    alone, together = batch_of(250, 1), batch_of(250, threads)
    for span in (0.0, 0.1, 0.3, 0.1):
        time.sleep(pause)
        alone.advance(span)
        together.advance(span)
    assert np.array_equal(words(alone), words(together))
    assert np.array_equal(alone["gain.signal"].value, together["gain.signal"].value)


def test_where_there_are_no_posix_threads_the_interpreter_calls_helpers(monkeypatch):
    monkeypatch.setattr("cardan.simulation.crew.posix_functions", lambda: None)
    before = set(helpers())
    alone, together = batch_of(250, 1), batch_of(250, 3)
    for span in (0.0, 0.1, 0.3):
        alone.advance(span)
        together.advance(span)
    called = set(helpers()) - before
    assert len(called) == 2
    assert np.array_equal(words(alone), words(together))
    del together
    gc.collect()
    for thread in called:
        thread.join(timeout=10.0)
        assert not thread.is_alive()


def test_helpers_begin_with_the_first_call_that_is_worth_it_and_end_with_the_batch():
    gc.collect()
    before = set(helpers())
    batch = batch_of(100, 3)
    assert set(helpers()) == before
    batch.advance(0.1)
    engaged = set(helpers()) - before
    assert len(engaged) == 2
    del batch
    gc.collect()
    for thread in engaged:
        thread.join(timeout=10.0)
        assert not thread.is_alive()


def test_small_batches_have_no_helpers():
    gc.collect()
    before = set(helpers())
    batch = batch_of(12, 4)
    batch.advance(0.1)
    assert set(helpers()) == before


def test_two_threads_with_a_batch_each_do_not_meet():
    ends: list[Any] = [None, None]

    def fly(number: int) -> None:
        batch = batch_of(130, 2)
        for _ in range(50):
            batch.advance(0.1)
        ends[number] = words(batch)

    threads = [threading.Thread(target=fly, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = batch_of(130, 1)
    for _ in range(50):
        alone.advance(0.1)
    assert np.array_equal(ends[0], ends[1]) and np.array_equal(ends[0], words(alone))


def test_members_that_fail_are_left_out_of_later_jobs():
    """Those that are left may be too few for helpers, who are then not called."""
    batch = batch_of(100, 3)
    batch.advance(0.1)
    batch["lag.state"].value[:97] = np.inf
    assert batch.advance(0.1).sum() == 97
    assert batch.advance(0.1).sum() == 97
    assert batch.t[:97].tolist() == [0.1] * 97 and batch.t[97:] == pytest.approx([0.3] * 3)
    assert batch.error(3) is not None and batch.error(98) is None


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C as at a terminal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="a process there is not sent Ctrl-C alone")
@pytest.mark.parametrize("relay", [Relay(), PythonRelay()], ids=["native", "in Python"])
@pytest.mark.parametrize("members", [3, 80])
@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_is_never_lost_in_a_batch_and_no_member_fails_by_it(members, relay):
    batch = batch_of(members, 2, relay)
    batch.advance(0.0)
    moments = random.Random(members)
    for _ in range(20):
        give_up = time.monotonic() + 20.0
        with pytest.raises(KeyboardInterrupt), pressed(0.003 * moments.random()):
            while time.monotonic() < give_up:
                batch.advance(0.1)
    assert not batch.failed.any()
    assert len(set(batch.t)) == 1
    whole = batch_of(members, 1, relay)
    whole.advance(0.0)
    while whole.t[0] < batch.t[0] - 0.05:
        whole.advance(0.1)
    assert np.array_equal(words(whole), words(batch))
    assert np.array_equal(whole["gain.signal"].value, batch["gain.signal"].value)


@pytest.mark.skipif(sys.platform == "win32", reason="a process there is not sent Ctrl-C alone")
@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_between_two_steps_from_python_never_leaves_a_simulation_busy():
    sim = cd.Simulation(lags(), integrator=cd.Rk4(step=0.1))
    moments = random.Random(1)
    for _ in range(60):
        give_up = time.monotonic() + 20.0
        with pytest.raises(KeyboardInterrupt), pressed(0.002 * moments.random()):
            while time.monotonic() < give_up:
                sim.give(command=Number(1.0))
                sim.advance_to(round(sim.now + 0.1, 9))
                assert sim["gain.signal"].value <= 2.0
    whole = cd.Simulation(lags(), integrator=cd.Rk4(step=0.1))
    whole.give(command=Number(1.0))
    whole.advance_to(sim.now)
    sim.advance_to(sim.now)
    assert sim.snapshot() == whole.snapshot()
