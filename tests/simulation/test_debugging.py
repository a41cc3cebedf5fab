"""Parts that stay Python, in a schedule that is native."""

from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.missions import hello
from parts import Count, Lag, Number, Relay, RelayOutputs, plain


@cd.task(jit=False)
class Listener(NamedTuple):
    """A task with an object among its parameters, as a solver or a network would be."""

    heard: Any
    factor: Annotated[float, "-"] = 1.0

    def step(self, t: float, source: Number) -> RelayOutputs:
        self.heard.append((float(t), float(source.value)))
        return RelayOutputs(Number(self.factor * source.value))


def test_a_python_task_runs_beside_native_parts_in_one_schedule():
    heard: list[tuple[float, float]] = []
    scn = cd.Scenario()
    count = scn.add(Count(), name="count", every=0.1)
    listener = scn.add(Listener(heard, factor=3.0), name="listener", every=0.2, source=count.signal)
    scn.add(Lag(), name="lag", source=listener.signal)
    log = cd.Simulation(scn).run(until=0.4)
    assert heard == [(0.0, 1.0), (0.2, 3.0), (0.4, 5.0)]
    assert log["listener.signal"].value.tolist() == [3, 3, 9, 9, 15]


def test_plain_and_native_runs_give_the_same_bits():
    logs = []
    for jit in (True, False):
        sim = cd.Simulation(hello.build(), integrator=hello.MISSION.integrator, jit=jit)
        logs.append(sim.run(until=60.0, record=cd.Record(ports=["*"])))
    for native, python in zip(logs[0].fields(), logs[1].fields(), strict=True):
        assert np.array_equal(native.values, python.values), native.path


def test_prints_of_a_plain_part_appear(capsys):
    @cd.task
    class Talks(NamedTuple):
        def step(self, t: float, source: Number) -> RelayOutputs:
            print(f"tick at {t}")
            return RelayOutputs(source)

    scn = cd.Scenario()
    scn.add(Talks(), name="talks", every=0.5, source=Number(1.0))
    plain(scn).run(until=0.5)
    assert capsys.readouterr().out == "tick at 0.0\ntick at 0.5\n"


def test_a_debugger_stops_inside_a_plain_part(monkeypatch):
    stopped_in: list[str] = []

    def hook() -> None:
        import sys

        stopped_in.append(sys._getframe(1).f_code.co_name)

    monkeypatch.setattr("sys.breakpointhook", hook)

    @cd.task
    class Stops(NamedTuple):
        def step(self, source: Number) -> RelayOutputs:
            breakpoint()
            return RelayOutputs(source)

    scn = cd.Scenario()
    scn.add(Stops(), name="stops", every=0.1, source=Number(1.0))
    plain(scn).run(until=0.1)
    assert stopped_in == ["step", "step"]


def test_numba_disable_jit_means_plain_parts(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    seen = []

    @cd.task
    class Sees(NamedTuple):
        def step(self, source: Number) -> RelayOutputs:
            seen.append(float(source.value))
            return RelayOutputs(source)

    scn = cd.Scenario()
    scn.add(Sees(), name="sees", every=0.1, source=Number(1.0))
    cd.Simulation(scn).run(until=0.1)
    assert seen == [1.0, 1.0]


def test_ctrl_c_in_a_python_part_stops_the_run_and_keeps_the_log():
    @cd.task(jit=False)
    class Interrupts(NamedTuple):
        def step(self, t: float, source: Number) -> RelayOutputs:
            if t > 0.95:
                raise KeyboardInterrupt
            return RelayOutputs(source)

    scn = cd.Scenario()
    scn.add(Interrupts(), name="interrupts", every=0.1, source=Number(1.0))
    sim = cd.Simulation(scn)
    with pytest.raises(KeyboardInterrupt):
        sim.run(until=100.0)
    assert len(sim.log.t) == 10
    assert sim.now == 1.0


def test_relay_is_pure_python_callable_without_a_simulator():
    assert Relay().step(Number(2.0)).signal.value == 2.0
