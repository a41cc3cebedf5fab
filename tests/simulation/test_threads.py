"""One simulation, several threads: one run at a time, and what is read beside it is of one instant."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.errors import SimulationBusy
from cardan.messages import HingeState
from errors.conftest import refused
from parts import Lag, LagState, Number, Ramp, Relay, RelayOutputs, plain

MOVES: dict[str, Callable[[cd.Simulation, cd.Snapshot], Any]] = {
    "run": lambda sim, start: sim.run(until=1.0),
    "advance": lambda sim, start: sim.advance(start, until=1.0),
    "reset": lambda sim, start: sim.reset(),
    "restore": lambda sim, start: sim.restore(start),
    "compile": lambda sim, start: sim.compile(),
    "audit": lambda sim, start: sim.audit(),
}


@cd.task(jit=False)
class Calls(NamedTuple):
    """Calls a function at each tick."""

    function: Any

    def step(self, source: Number) -> RelayOutputs:
        self.function()
        return RelayOutputs(source)


def calling(function: Callable[[], Any]) -> cd.Simulation:
    scn = cd.Scenario("calling")
    scn.add(Calls(function), name="calls", every=0.1, source=Number(1.0))
    scn.add(Lag(), name="lag", initial=LagState(1.0), source=Number(0.0))
    return plain(scn)


@contextmanager
def held_up() -> Iterator[cd.Simulation]:
    """A simulation that stands in a tick of its run, in a thread called `worker`, until this is left."""
    arrived, may_go = threading.Event(), threading.Event()

    def wait() -> None:
        arrived.set()
        assert may_go.wait(timeout=60.0)

    sim = calling(wait)
    worker = threading.Thread(target=sim.run, args=(0.5,), name="worker")
    worker.start()
    assert arrived.wait(timeout=60.0)
    try:
        yield sim
    finally:
        may_go.set()
        worker.join()
    assert sim.now == 0.5


@pytest.mark.parametrize("move", MOVES)
def test_nothing_moves_a_simulation_whose_run_is_going_on_in_another_thread(move):
    with held_up() as sim:
        text = f"""
            `{move}` of `calling` is called while its `run` is going on in thread `worker`.
              Wait until that has ended, or make another `Simulation` of the scenario for each thread.
            """
        with refused(SimulationBusy, text):
            MOVES[move](sim, sim.snapshot())


@pytest.mark.parametrize("move", MOVES)
def test_a_part_does_not_move_its_own_simulation(move):
    sim: cd.Simulation = calling(lambda: MOVES[move](sim, sim.snapshot()))
    with pytest.raises(SimulationBusy) as caught:
        sim.run(until=1.0)
    assert str(caught.value) == (
        f"`{move}` of `calling` is called by a part while its own `run` is going on.\n"
        "  A part cannot move the simulation that runs it: give it another `Simulation` of the scenario."
    )
    assert sim.now == 0.0
    sim.reset()  # and afterwards everybody may again


def test_a_run_that_fails_leaves_the_simulation_free():
    def fail() -> None:
        raise ValueError("no")

    sim = calling(fail)
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            sim.run(until=1.0)


def test_what_is_read_during_a_run_is_of_its_last_pause():
    with held_up() as sim:
        assert sim.now == 0.0
        assert sim.steps == {"accepted": 0, "rejected": 0, "evaluations": 0}
        assert sim["lag.state"].value == 1.0
        assert sim.snapshot().t == 0.0


def test_a_snapshot_taken_during_a_run_goes_on_to_the_same_bits():
    """Taken by a part, in the middle of a tick."""
    taken: list[cd.Snapshot] = []
    sim: cd.Simulation = calling(lambda: taken.append(sim.snapshot()))
    sim.run(until=20.0)
    other = calling(lambda: None)
    for snapshot in (taken[0], taken[-1]):
        other.restore(snapshot)
        other.run(until=20.0)
        assert other.snapshot() == sim.snapshot()
    assert taken[-1].t > 0.0  # the run has paused on its way


def both_ends() -> cd.Scenario:
    """`late` follows `early` at every evaluation: at any one instant they agree."""
    scn = cd.Scenario("both ends")
    ramp = scn.add(Ramp(), name="ramp")
    scn.add(Lag(time_constant=0.1), name="early", source=ramp.signal)
    scn.add(Relay(), name="relay", every=0.01, source=ramp.signal)
    scn.add(Lag(time_constant=0.1), name="late", source=ramp.signal)
    return scn


def test_values_read_beside_a_native_run_are_of_one_instant():
    sim = cd.Simulation(both_ends(), integrator=cd.Rk4(step=0.001))
    sim.compile()
    worker = threading.Thread(target=sim.run, args=(2000.0,), kwargs={"progress": False})
    worker.start()
    seen = set()
    while worker.is_alive():
        snapshot = sim.snapshot()
        seen.add(snapshot.t)
        other = plain(both_ends(), cd.Rk4(step=0.001))
        other.restore(snapshot)
        # half a stage later these would differ
        assert other["early.state"] == other["late.state"]
        assert sim["ramp.signal"].value >= other["ramp.signal"].value
        time.sleep(0.01)
    worker.join()
    assert len(seen) > 2
    whole = cd.Simulation(both_ends(), integrator=cd.Rk4(step=0.001))
    whole.run(until=2000.0)
    assert sim.snapshot() == whole.snapshot()


def swinging(dynamics: Any) -> cd.Simulation:
    m = cd.Mechanism("arm")
    hub = m.add_body("hub", joint=cd.Free(), mass=50.0, inertia_B=np.diag([8.0, 9.0, 10.0]))
    m.add_body(
        "arm", parent=hub, joint=cd.Hinge([0.0, 1.0, 0.0]), mass=5.0, inertia_B=np.eye(3), r_CB_B=[1.0, 0.0, 0.0]
    )
    scn = cd.Scenario("swinging", mechanism=m)
    scn.start({"arm_joint": HingeState(angle=0.3, rate=0.5)})
    return cd.Simulation(scn, dynamics=dynamics, integrator=cd.Rk4(step=0.01))


@pytest.mark.parametrize("dynamics", [cd.RecursiveTree(), cd.Mujoco()], ids=lambda dynamics: dynamics.name)
def test_reading_a_mechanism_during_a_run_changes_no_bit_of_it(dynamics):
    """A service may keep memory of its own outside the arena."""
    sim, whole = swinging(dynamics), swinging(dynamics)
    whole.run(until=600.0)
    sim.compile()
    worker = threading.Thread(target=sim.run, args=(600.0,), kwargs={"progress": False})
    worker.start()
    count = 0
    while worker.is_alive():
        assert np.isfinite(sim["arm.motion"].omega_BN_B).all()
        count += 1
    worker.join()
    assert count > 0
    assert sim.snapshot() == whole.snapshot()
