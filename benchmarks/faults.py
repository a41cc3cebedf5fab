"""Faults: what a connection costs that a fault can act on"""

import time
from collections.abc import Iterator
from typing import Any

import cardan as cd
from benchmarks.foundation import call_often
from benchmarks.goal import Goal, best_of
from cardan import faults
from cardan.missions import free_flyer_setpoint, hello
from cardan.native.compiling import jitted
from cardan.simulation.setup import set_up

CALLS = 1_000_000


def measure() -> Iterator[Goal]:
    yield from link_cost()
    yield from scenarios_without_faults()


def link_cost() -> Iterator[Goal]:
    """Of the entry of a link between a task and a model, at one stage."""
    for name, scn, target, limit in (
        ("a torque, 3 numbers", hello.build(), "ctl.torque.torque_B[1]", 10.0),
        ("thrusts, 12 numbers", free_flyer_setpoint.build(), "bank.forces.thrust[3]", 10.0),
    ):
        faults.offer(scn, target, faults.stuck_off(), name="bad", every=0.5 if "torque" in target else 0.02)
        yield Goal(f"a link that waits: {name}", _cost(scn, "bad/link", "passed"), "ns", limit)


def scenarios_without_faults() -> Iterator[Goal]:
    """A scenario that offers none has no part for them."""
    parts = hello.build().parts
    count = sum(isinstance(placed.part, faults.Fault | faults.FaultyLink) for placed in parts.values())
    yield Goal("parts of a scenario without faults that are there for them", float(count), "", 0.0)


def _cost(scn: cd.Scenario, part: str, port: str) -> float:
    """[ns] Of one call of an output."""
    dynamics: Any = cd.RecursiveTree() if scn.mechanism is not None else None
    setup = set_up(scn, dynamics, cd.Rk4(step=0.5 if scn.mechanism is None else 0.01))
    run, row = setup.new_run(), setup.schedule.rows[part, port]
    context = run.arena.ctypes.data + 8 * row.context
    loop = jitted(call_often)
    loop(1, row.address, context)
    return 1e9 * best_of(lambda: loop(CALLS, row.address, context), clock=time.process_time) / CALLS
