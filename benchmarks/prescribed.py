"""Prescribed motion: growth with the number of bodies, and Basilisk's prescribed-motion modules on the same scenario"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import cardan as cd
from benchmarks.dynamics import HERE, PEERS, stages_often
from benchmarks.goal import Goal
from cardan import models
from cardan.missions import solar_array_deployment as deployment
from cardan.native.compiling import jitted
from cardan.simulation.setup import set_up

COARSE, FINE = 0.4, 0.1  # [s] steps for Basilisk
SPEED_STEP = 0.1  # [s] of both, where speed is compared
UNTIL = 320.0  # [s] the first stage of the first array


def measure() -> Iterator[Goal]:
    yield from growth()
    yield from basilisk()


def swing(elements: int) -> cd.Scenario:
    """The first stage of the first array, with a profiler of its own for each element of both arrays."""
    mechanism = deployment.mechanism(elements)
    scn = cd.Scenario("swing", mechanism=mechanism)
    outwards = deployment.stages(0, elements, 0.0).initial
    still = models.bang_bang(start=0.0, reference=0.0, max_acceleration=1.0)
    for array, profile in enumerate((outwards, still)):
        for j in range(elements):
            name = deployment.element_name(array, j)
            turn = scn.add(models.rotation_about(deployment.AXIS_M, profile), name=f"{name}_turn")
            scn.connect(turn.motion, mechanism.bodies[name].prescribed)
    return scn


def growth() -> Iterator[Goal]:
    """One evaluation of everything, profilers and service, in a native loop."""
    loop = jitted(stages_often)
    tables, runs = {}, {}
    for bodies in (50, 200):
        setup = set_up(swing(bodies // 2), cd.BackSubstitution(), None)
        rows, run = setup.schedule.stage_rows(), setup.new_run()
        addresses = np.array([row.address for row in rows])
        contexts = np.array([run.arena.ctypes.data + 8 * row.context for row in rows])
        tables[bodies], runs[bodies] = (addresses, contexts), run
        loop(10, addresses, contexts)
    times = dict.fromkeys(tables, np.inf)
    for _ in range(20):
        for bodies, (addresses, contexts) in tables.items():
            began = time.process_time()
            loop(200, addresses, contexts)
            times[bodies] = min(times[bodies], (time.process_time() - began) / 200)
    micro = 1e6 * times[200]
    yield Goal(f"200 prescribed bodies ({micro:.1f} us) cost, relative to 50", times[200] / times[50], "", 4.6)
    integrated = len(runs[200].schedule.layout.integrated.v)
    yield Goal("integrated degrees of freedom with 200 prescribed bodies", integrated, "", 6)


def basilisk() -> Iterator[Goal]:
    """Its hub's response converges to ours as its step shrinks, and at the same step ours takes less time."""
    if not PEERS.exists():
        print("  (no Basilisk: `make bench-peers` sets it up)", file=sys.stderr)
        return
    elements = deployment.ELEMENTS
    script = [PEERS, HERE / "peers" / "basilisk_prescribed.py", str(elements)]
    done = subprocess.run(
        [*script, str(COARSE), str(FINE), *[str(SPEED_STEP)] * 3], capture_output=True, text=True, check=True
    )
    theirs: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])

    exact = cd.Simulation(swing(elements), dynamics=cd.BackSubstitution(), integrator=cd.Dop853(rtol=1e-13, atol=1e-16))
    exact.run(until=UNTIL, record=cd.Record(every=UNTIL, ports=["hub.motion"]))
    sigma = exact["hub.motion"].sigma_BN[1]
    errors = [abs(run["sigma_BN"][1] - sigma) for run in theirs]
    # first order: what a step four times as long leaves over, by Richardson's extrapolation
    ratio = COARSE / FINE
    limit = theirs[1]["sigma_BN"][1] + (theirs[1]["sigma_BN"][1] - theirs[0]["sigma_BN"][1]) / (ratio - 1.0)
    yield Goal("Basilisk's attitude error with a step of 0.4 s, over 0.1 s", errors[0] / errors[1], "times", 3.0, True)
    yield Goal("its limit by extrapolation, relative to ours", abs(limit - sigma) / abs(sigma), "", 1e-4)

    ours = cd.Simulation(swing(elements), dynamics=cd.BackSubstitution(), integrator=cd.Rk4(step=SPEED_STEP))
    record = cd.Record(every=UNTIL, ports=["hub.motion"])
    used = np.inf
    for _ in range(5):
        ours.reset()
        began = time.process_time()
        ours.run(until=UNTIL, record=record)
        used = min(used, time.process_time() - began)
    name = f"20 prescribed bodies, RK4: Cardan ({used:.3f} s) over Basilisk"
    yield Goal(name, min(run["used_s"] for run in theirs[2:]) / used, "times", 5.0, True)
