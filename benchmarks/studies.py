"""Studies: a thousand runs of the wheels, a hundred thousand of `hello`, ten kills, a cluster, inspections."""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import cardan as cd
from benchmarks.goal import Goal
from cardan.missions import find_mission
from cardan.studies import Study, ready_plan

WHEELS = {
    "bus.inertia_B": "normal(5%)",
    "rw1.q_BP": "small_rotation(0.5 deg)",
    "bus.motion.sigma_BN": "attitude()",
    "bus.motion.omega_BN_B": "unit_vector(uniform(0, 0.03))",
}
RECORD = cd.Record(every=1.0, ports=("err.error", "limit.torques", "rw?Spin.state"))
BARE = cd.Record(every=600.0, ports=["bus.motion"])
MANY, FEW = 100_000, 10_000
KILLS = 10


def measure() -> Iterator[Goal]:
    yield from wheels()
    yield from kills()
    yield from cluster()
    yield from memory()
    yield from inspections()


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def wheels_study(runs: int, **options: Any) -> Study:
    """Inertia, misalignment of a wheel and the start vary; results of the mission and its curve come out."""
    return Study("reaction-wheels", WHEELS, runs=runs, seed=1, record=RECORD, **options)


def bare(sim: cd.Simulation) -> tuple[float, float]:
    """[s] Wall and processor time of one run that records nothing but its end."""
    sim.reset()
    return timed(lambda: sim.run(until=600.0, record=BARE, progress=False))


def timed(action: Callable[[], object]) -> tuple[float, float]:
    """[s] Wall and processor time, of all threads."""
    wall, spent = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - wall, time.process_time() - spent


def wheels(runs: int = 1000, rounds: int = 4) -> Iterator[Goal]:
    """The study in pieces, with bare runs between them, because the machine is not quiet.

    Processor time says what a run costs beside the bare one; wall time also whether all cores are at work, if nobody
    else is.
    """
    mission = find_mission("reaction-wheels")
    sim = cd.Simulation(mission.scenario(), dynamics=mission.service(), integrator=mission.integrator_for())
    bare(sim)
    wheels_study(16).run(progress=False)
    walls, spents = [], []
    for _ in range(rounds):
        alone = np.array([bare(sim) for _ in range(20)])
        study = wheels_study(runs // rounds)
        wall, spent = timed(lambda: study.run(progress=False))  # noqa: B023 - called at once
        walls.append(wall * cores() / (study.count * np.median(alone[:, 0])))
        spents.append(spent / (study.count * np.median(alone[:, 1])))
    yield Goal(f"{runs} runs of the wheels over bare ones, processor time", min(spents), "times", 1.15)
    yield Goal(f"{runs} runs of the wheels over bare ones, wall time by cores", min(walls), "times", 1.15)


def command(folder: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.studies", str(folder), *words]


def kills(runs: int = 3000) -> Iterator[Goal]:
    """SIGKILL at random moments after something new has been written, which is repeated until it has hit ten times."""
    generator, count = random.Random(1), 0
    with tempfile.TemporaryDirectory() as name:
        killed, whole = Path(name) / "killed", Path(name) / "whole"
        subprocess.run(command(whole, str(runs)), check=True)
        for _ in range(KILLS):
            before = len(list(killed.glob("shards/*.npz")))
            process = subprocess.Popen(command(killed, str(runs)))
            while process.poll() is None and len(list(killed.glob("shards/*.npz"))) == before:
                time.sleep(0.002)
            time.sleep(generator.uniform(0.0, 0.1))
            count += process.poll() is None
            process.kill()
            process.wait()
        subprocess.run(command(killed, str(runs)), check=True)
        same = (killed / "table.csv").read_bytes() == (whole / "table.csv").read_bytes()
    yield Goal(f"tables that differ after {count} kills", float(not same), "", 0.0)


def cluster() -> Iterator[Goal]:
    from dask.distributed import Client, LocalCluster

    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name) / "threads", Path(name) / "dask"]
        wheels_study(40).run(folders[0], progress=False)
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made, Client(made) as client:
            wheels_study(40).run(folders[1], scheduler=client, progress=False)
        first, second = ((folder / "table.csv").read_bytes() for folder in folders)
    yield Goal("tables that differ between threads and two Dask workers", float(first != second), "", 0.0)


def memory() -> Iterator[Goal]:
    """Peak memory of processes that do few and many runs."""
    peaks, rates = {}, {}
    with tempfile.TemporaryDirectory() as name:
        for runs in (FEW, MANY):
            folder = Path(name) / str(runs)
            done = subprocess.run(command(folder, str(runs), "--peak"), check=True, capture_output=True, text=True)
            told = json.loads(done.stdout)
            peaks[runs], rates[runs] = told["peak_MB"], told["rate"]
            with (folder / "table.csv").open() as table:
                assert sum(1 for _ in table) == runs + 1
    name = f"{MANY} runs of hello ({rates[MANY]:.0f} runs/s): memory beyond {FEW}"
    yield Goal(name, peaks[MANY] - peaks[FEW], "MB", 250.0)


def inspections(runs: int = 1000) -> Iterator[Goal]:
    """The study that `gateway-inspection` brings: 30 s each, with predictive control in the loop."""
    plan = ready_plan("gateway-inspection")
    replace(plan, runs=8).study().run(progress=False)  # what has to be compiled
    study = replace(plan, runs=runs).study()
    wall, spent = timed(lambda: study.run(progress=False))
    yield Goal(f"{runs} inspections of 30 s with predictive control", wall / 60.0, "min", 6.0)
    yield Goal("the same, processor time over cores", spent / (60.0 * cores()), "min", 6.0)


def main() -> None:
    """A study of `hello` in a process of its own."""
    folder, runs = Path(sys.argv[1]), int(sys.argv[2])
    study = Study("hello", {"ctl.K": "normal(10%)", "body.inertia_B": "normal(5%)"}, runs=runs, seed=1)
    began = time.perf_counter()
    study.run(folder, resume=True, progress=False)
    took = time.perf_counter() - began
    if "--peak" in sys.argv:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        print(json.dumps({"peak_MB": peak, "rate": runs / took}))


if __name__ == "__main__":
    main()
