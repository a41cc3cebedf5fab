"""Bounds: what the checks of indices cost on missions, in processor time with them over without

Two processes, one with `NUMBA_BOUNDSCHECK=0`, run the same piece of a mission in turns. The median of the ratios of
neighbours forgets what else the machine was doing.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

import cardan as cd
from benchmarks.goal import Goal
from cardan.missions import MISSIONS

# [s]
PIECES = {"reaction-wheels": 600.0, "thruster-arms": 200.0, "solar-array-deployment": 500.0, "sep-point": 21_600.0}
ROUNDS = 21


def measure() -> Iterator[Goal]:
    for name in PIECES:
        ratio = cost(name)
        yield Goal(f"{name}: with checks of indices over without", ratio, "-", 1.05)


def cost(name: str) -> float:
    """[-] Processor time with checks over that without."""
    checked, unchecked = worker(name), worker(name, NUMBA_BOUNDSCHECK="0")
    with checked, unchecked:
        ratios = [spent(checked) / spent(unchecked) for _ in range(ROUNDS)]
        for process in (checked, unchecked):
            process.communicate()
    return statistics.median(ratios[1:])  # the first runs touch their memory for the first time


def worker(name: str, **settings: str) -> subprocess.Popen[str]:
    """A process that is ready to run its piece of a mission whenever it gets a line."""
    command = [sys.executable, "-m", "benchmarks.bounds", name]
    pipe = subprocess.PIPE
    made = subprocess.Popen(command, env=os.environ | settings, stdin=pipe, stdout=pipe, text=True)
    assert made.stdout is not None
    made.stdout.readline()
    return made


def spent(process: subprocess.Popen[str]) -> float:
    """[s] Processor time of one run."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("run\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def work(name: str) -> None:
    mission = MISSIONS[name]
    sim = cd.Simulation(mission.scenario(), dynamics=mission.service(), integrator=mission.integrator_for())
    sim.compile(mission.record, progress=False)
    start = sim.snapshot()
    print("ready", flush=True)
    for _ in sys.stdin:
        sim.restore(start)
        began = time.process_time()
        sim.run(until=PIECES[name], record=mission.record, progress=False)
        print(time.process_time() - began, flush=True)


if __name__ == "__main__":
    work(sys.argv[1])
