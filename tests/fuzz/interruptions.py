"""Signals at random moments: no Ctrl-C is lost, no run ends with other numbers, no file is left in halves."""

import os
import signal
import time

import numpy as np

import cardan as cd
from fuzz.campaign import Case, kind
from fuzz.damage import a_simulation
from fuzz.scenarios import assert_same_logs
from interrupted import KINDS, pressed

_FILES = ("run.nc", "run.csv", "run.mat", "run.parquet", "now.npz")


def prepare() -> None:
    for build, _ in KINDS.values():
        build().run(until=0.2)


@kind("ctrl-c", share=90, limit=60.0, prepare=prepare)
def ctrl_c(case: Case) -> None:
    """As often as not while a run is at its beginning, or about to begin."""
    rng = case.rng
    build, far = KINDS[rng.choice(list(KINDS))]
    sim, logs = build(), []
    for _ in range(rng.randint(1, 4)):
        ended = False
        try:
            with pressed(rng.choice([0.0, 0.001, 0.02]) * rng.random()):
                sim.run(until=far, progress=False)
                ended = True
        except KeyboardInterrupt:
            pass
        assert not ended, "the run went on to its end"
        if sim.has_log and not (logs and sim.log is logs[-1]):
            logs.append(sim.log)
    end = float(np.ceil(sim.now)) + 1.0
    logs.append(sim.run(until=end, progress=False))
    whole = build()
    assert_same_logs(logs, whole.run(until=end, progress=False))
    assert sim.snapshot() == whole.snapshot(), "an interrupted run is not the whole one"


@kind("kills", share=20, limit=60.0, prepare=a_simulation)
def kills(case: Case) -> None:
    """A process that ends while it saves, by whatever signal, leaves the old file or the new one."""
    rng = case.rng
    sim = a_simulation()
    logs = [sim.run(until=1.0), sim.run(until=rng.choice([2.0, 60.0]))]
    name, how = rng.choice(_FILES), rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
    path = case.folder / name

    def save(log: cd.Log) -> None:
        sim.snapshot().save(path) if name == "now.npz" else log.save(path)

    save(logs[1])
    new = path.read_bytes()
    save(logs[0])
    old = path.read_bytes()
    pid = os.fork()
    if pid == 0:
        try:
            save(logs[1])
        finally:
            os._exit(0)
    time.sleep(rng.choice([0.002, 0.01, 0.05]) * rng.random())
    os.kill(pid, how)
    os.waitpid(pid, 0)
    left = path.read_bytes()
    if name in ("run.nc", "now.npz"):
        assert sorted(set(map(len, (old, new, left)))) == sorted(set(map(len, (old, new)))), "a file in halves"
        (cd.load_snapshot if name == "now.npz" else cd.load_log)(path)
    elif name != "run.mat":  # which has the time of day in its head
        assert left in (old, new), "a file in halves"
    # whatever is left beside it does not hinder the next
    save(logs[1])
    assert name in (file.name for file in case.folder.iterdir())
