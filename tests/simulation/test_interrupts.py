"""Ctrl-C at any moment, in every kind of run: it is never lost, nothing is left half done, and the run can go on."""

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.errors import CallLost
from cardan.native.python_entry import PythonEntry
from errors.conftest import refused
from interrupted import KINDS, mixed, pressed
from parts import Count, Lag, Number, RelayOutputs, plain


@pytest.fixture(autouse=True)
def ctrl_c() -> Iterator[None]:
    """Ctrl-C as at a terminal; a shell that starts tests in the background lets them ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("progress", [False, True], ids=["", "with a bar"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_is_interrupted_again_and_again_is_the_whole_run(kind, progress, monkeypatch, capsys):
    monkeypatch.setattr("cardan.simulation.progress.SHOW_AFTER", 0.0)
    moments = random.Random(kind)
    build, far = KINDS[kind]
    sim = build()
    sim.compile()
    logs = []
    for _ in range(20):
        # also before and at the very beginning of a run
        with pytest.raises(KeyboardInterrupt), pressed(moments.choice([0.0, 0.001, 0.02]) * moments.random()):
            sim.run(until=far, progress=progress)
        if sim.has_log and not (logs and sim.log is logs[-1]):
            logs.append(sim.log)
    end = float(np.ceil(sim.now)) + 1.0
    logs.append(sim.run(until=end))

    whole = build()
    expected = whole.run(until=end)
    assert sim.snapshot() == whole.snapshot()
    assert np.array_equal(np.concatenate([log.t for log in logs]), expected.t)
    for field in expected.fields():
        pieces = np.concatenate([log.fields(field.path)[0].values for log in logs])
        assert np.array_equal(pieces, field.values), field.path


def test_no_interrupt_is_lost_between_two_runs():
    """Runs that are short beside what surrounds them: most of these signals meet a beginning or an end."""
    sim = mixed(False, False, cd.Rk4(step=0.1))
    sim.run(until=1.0)
    moments = random.Random(5)
    for _ in range(60):
        give_up = time.monotonic() + 5.0
        with pytest.raises(KeyboardInterrupt), pressed(0.003 * moments.random()):
            while time.monotonic() < give_up:
                sim.run(until=round(sim.now + 0.1, 9), progress=False)
    whole = mixed(False, False, cd.Rk4(step=0.1))
    whole.run(until=sim.now)
    assert sim.snapshot() == whole.snapshot()


def test_a_handler_of_the_user_is_called_and_the_run_goes_on_if_it_says_so():
    heard = []

    def handler(number: int, frame: Any) -> None:
        heard.append(number)

    signal.signal(signal.SIGINT, handler)
    try:
        sim = mixed(False, False, cd.Rk4(step=0.05))
        with pressed(0.05):
            sim.run(until=100.0, progress=False)
        assert sim.now == 100.0
        assert heard == [signal.SIGINT]
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("handler", [signal.SIG_IGN, signal.SIG_DFL])
def test_where_ctrl_c_has_no_handler_of_python_it_is_left_alone(handler):
    during = []

    @cd.task(jit=False)
    class Looks(NamedTuple):
        def step(self, source: Number) -> RelayOutputs:
            during.append(signal.getsignal(signal.SIGINT))
            return RelayOutputs(source)

    scn = cd.Scenario()
    scn.add(Looks(), name="looks", every=0.1, source=Number(1.0))
    signal.signal(signal.SIGINT, handler)
    try:
        plain(scn).run(until=0.1)
        assert during == [handler, handler]
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def test_a_handler_that_a_part_installs_stays():
    @cd.task(jit=False)
    class Installs(NamedTuple):
        def step(self, source: Number) -> RelayOutputs:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            return RelayOutputs(source)

    scn = cd.Scenario()
    scn.add(Installs(), name="installs", every=0.1, source=Number(1.0))
    plain(scn).run(until=0.1)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_a_run_in_another_thread_leaves_ctrl_c_to_the_main_one():
    sim = mixed(False, False, cd.Rk4(step=0.05))
    worker = threading.Thread(target=sim.run, args=(20.0,))
    with pytest.raises(KeyboardInterrupt), pressed(0.02):
        worker.start()
        time.sleep(5.0)
    worker.join()
    assert sim.now == 20.0


class Never(NamedTuple):
    ticks: Annotated[int, "-"] = 0


def test_ctrl_c_waits_for_the_step_and_a_second_one_does_not():
    """A part in an endless loop, in the interpreter."""
    turns = []

    @cd.task(jit=False)
    class Loops(NamedTuple):
        def step(self, x: Never, t: float) -> tuple[Never, RelayOutputs]:
            while t > 0.45:
                turns.append(t)
                time.sleep(0.001)
            return Never(x.ticks + 1), RelayOutputs(Number(t))

    scn = cd.Scenario()
    scn.add(Loops(), name="loops", every=0.1)
    sim = plain(scn)
    with pytest.raises(KeyboardInterrupt) as caught, pressed(0.1, 0.2):
        sim.run(until=1.0)
    assert len(turns) > 50  # it went on after the first
    assert caught.value.__notes__[0].startswith("in `loops.step` at t = 0.5 s")
    assert sim.now == 0.5
    assert sim["loops.memory"].ticks == 5
    assert sim.log.t == pytest.approx([0.0, 0.1, 0.2, 0.3, 0.4])


def test_ctrl_c_in_a_simulation_within_a_part_ends_both():
    inner = mixed(False, False, cd.Rk4(step=0.05))

    @cd.task(jit=False)
    class Predicts(NamedTuple):
        def step(self, source: Number) -> RelayOutputs:
            inner.run(until=2e3)
            return RelayOutputs(source)

    scn = cd.Scenario()
    scn.add(Predicts(), name="predicts", every=0.1, source=Number(1.0))
    sim = plain(scn)
    with pytest.raises(KeyboardInterrupt) as caught, pressed(0.05):
        sim.run(until=1.0)
    assert caught.value.__notes__[0].startswith("in `predicts.step` at t = 0 s")
    assert sim.now == 0.0
    assert 0.0 < inner.now < 2e3
    assert len(inner.log.t) > 0


def test_ctrl_c_is_heard_while_a_paced_run_sleeps():
    """A step of ten seconds of wall time."""
    scn = cd.Scenario()
    scn.add(Lag(), name="lag")
    sim = plain(scn, cd.Rk4(step=1.0))
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), pressed(0.1):
        sim.run(until=10.0, realtime=0.1)
    assert time.monotonic() - began < 5.0
    assert sim.now == 1.0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_call_whose_exception_is_lost_ends_the_run_and_counts_as_not_made():
    """As when somebody leaves a debugger at the edge of a callback; ctypes only prints what is raised there."""

    class Quit(BaseException):
        pass

    calls = []

    def trace(frame: Any, event: str, value: Any) -> None:
        if frame.f_code is PythonEntry._run.__code__:
            calls.append(frame.f_locals["t"])
            if calls[-1] > 0.45:
                raise Quit

    scn = cd.Scenario()
    scn.add(Count(), name="count", every=0.1)
    sim = plain(scn)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with refused(
            CallLost,
            """
            `count.step` was left by an exception from outside at t = 0.5 s, which the interpreter has printed.
              It comes from a signal handler or a debugger. `run` goes on from the last step as if nothing had been.
            """,
        ):
            sim.run(until=1.0)
    finally:
        sys.settrace(before)
    assert sim.now == 0.5
    assert sim["count.memory"].ticks == 5
    sim.run(until=1.0)
    assert sim["count.memory"].ticks == 11


ENDLESS = """
import signal
from typing import Annotated, NamedTuple
import cardan as cd

signal.signal(signal.SIGINT, signal.default_int_handler)

class State(NamedTuple):
    value: Annotated[float, "-"] = 1.0

@cd.model
class Endless(NamedTuple):
    def derivatives(self, x: State) -> State:
        total = x.value
        while total > 0.0:
            total = total * 0.5 + 1.0
        return State(total)

scn = cd.Scenario("endless")
scn.add(Endless(), name="endless")
sim = cd.Simulation(scn)
sim.compile(progress=False)
print("ready", flush=True)
sim.run(until=1.0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process there is not sent Ctrl-C alone")
def test_a_second_ctrl_c_ends_a_process_whose_native_code_does_not_return():
    command = [sys.executable, "-c", ENDLESS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
            assert process.stderr.readline() == "\n"
            assert process.stderr.readline() == (
                "Ctrl-C: the run stops after its present step, which is taking long. "
                "Press Ctrl-C again to stop it at once.\n"
            )
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20.0) == -signal.SIGINT
            assert process.stderr.read() == (
                "\nCtrl-C again: native code does not return, so the process ends, and what was recorded is lost.\n"
            )
        finally:
            process.kill()
