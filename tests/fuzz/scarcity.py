"""Full disks and small memories: an error of ours, the old file as it was, and no sample lost."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

import cardan as cd
from cardan.errors import LogFileError, OutOfMemory, SettingError, SnapshotError
from cardan.gimbals import save_gimbal_tables
from cardan.simulation.log_file import check_log_path
from fuzz.campaign import Case, kind
from fuzz.damage import a_simulation, contents, load_gimbal_tables
from parts import Wide, plain

_FILES = ("run.nc", "run.csv", "run.mat", "run.parquet", "now.npz", "tables")


@contextmanager
def limited(what: int, size: int) -> Iterator[None]:
    """No more than `size` [bytes] of a resource."""
    before = resource.getrlimit(what)
    resource.setrlimit(what, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(what, before)


@kind("full disks", share=35, prepare=contents)
def full_disks(case: Case) -> None:
    """A limit of the size of files fails as a full disk does."""
    rng, name = case.rng, case.rng.choice(_FILES)
    for file, content in contents().items():
        (case.folder / file).write_bytes(content)
    sim = a_simulation()
    log = sim.run(until=rng.choice([0.0, 1.0, 30.0, 100.0]), progress=False)
    before = {file: file.read_bytes() for file in case.folder.iterdir()}
    size = rng.choice([0, 1, rng.randrange(1000), rng.randrange(100_000)])
    try:
        with limited(resource.RLIMIT_FSIZE, size):
            if name == "tables":
                save_gimbal_tables(load_gimbal_tables(case.folder), case.folder)
            elif name == "now.npz":
                sim.snapshot().save(case.folder / name)
            else:
                log.save(case.folder / name)
    except (LogFileError, SnapshotError, SettingError) as error:
        assert os.strerror(27) in str(error), str(error)
        assert {file: file.read_bytes() for file in case.folder.iterdir()} == before, "the old files were touched"
        return
    assert not [file for file in case.folder.iterdir() if file.stat().st_size > max(size, 0) and file not in before]


def prepare() -> None:
    for suffix in (".nc", ".csv", ".mat", ".parquet"):
        check_log_path(Path(f"/tmp/cardan-fuzz{suffix}"))
    wide(100).run(until=0.2, progress=False)


def wide(size: int) -> cd.Simulation:
    scn = cd.Scenario("wide")
    scn.add(Wide(size=size), name="wide", every=0.1)
    return plain(scn)


@kind("small memories", share=15, limit=60.0, prepare=prepare)
def small_memories(case: Case) -> None:
    """What was recorded before the memory ran out is kept, saved, and right."""
    rng, suffix = case.rng, case.rng.choice([".nc", ".csv", ".parquet", ".mat"])
    is_table = suffix in (".csv", ".parquet")  # in which thousands of columns take long
    sim, until = wide(200 if is_table else 5_000), 30.0 if is_table else 60.0
    sim.run(until=0.1, progress=False)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    size = pages * resource.getpagesize() + rng.randrange(0 if is_table else 2_000_000, 30_000_000)
    with limited(resource.RLIMIT_AS, size):
        with suppress(OutOfMemory):
            sim.run(until=until, progress=False)
        with suppress(LogFileError, MemoryError):  # said in our words, or by whoever had none: the log is still there
            sim.log.save(case.folder / f"run{suffix}")
    log = sim.log
    assert len(log.t) and np.array_equal(log.t, np.round(np.arange(2, 2 + len(log.t)) * 0.1, 9)), "samples are lost"
    assert log.t[-1] <= sim.now
    for row in rng.sample(range(len(log.t)), min(5, len(log.t))):
        assert (log.fields()[0].rows(row, row + 1) == log.t[row]).all()
    if suffix == ".nc" and (case.folder / "run.nc").exists():
        assert len(cd.load_log(case.folder / "run.nc").t) == len(log.t)
