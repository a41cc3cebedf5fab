"""Damaged files of every kind that is written: no other number is loaded, nothing crashes, nothing hangs."""

import os
import random
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import cardan as cd
from cardan.errors import LogFileError, SettingError, SnapshotError
from cardan.gimbals import CrankGimbal, load_gimbal_tables, make_gimbal_tables, save_gimbal_tables
from cardan.native.cache_folder import cache_folders
from cardan.native.cached_function import cached_function
from cardan.native.entry import compile_kernel
from cardan.native.python_entry import CALLBACK
from fuzz.campaign import Case, kind
from parts import Count, Lag, Noise, plain

DEG = np.deg2rad(1.0)


def damaged(content: bytes, rng: random.Random) -> bytes:
    """The content with one change: a bit, a stretch, its end, two stretches in turn."""
    at = rng.randrange(len(content) + 1)
    length = rng.choice([1, 1, 8, 100, 4096])
    match rng.randrange(6):
        case 0 | 1 if content:
            changed = bytearray(content)
            changed[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
            return bytes(changed)
        case 2:
            return content[:at]
        case 3:
            return content[:at] + rng.randbytes(length) + content[at + length :]
        case 4:
            return content[:at] + content[at + length :]
        case _:
            other = rng.randrange(len(content) + 1)
            return content[:at] + content[other : other + length] + content[at:]


def a_simulation() -> cd.Simulation:
    scn = cd.Scenario("saved")
    count = scn.add(Count(), name="count", every=0.1)
    scn.add(Lag(), name="lag", source=count.signal)
    scn.add(Noise(deviations=[1.0, 2.0, 3.0]), name="noise", every=0.1)
    return plain(scn)


Loads = tuple[Callable[[Path], Any], type[Exception]]
_LOADS: dict[str, Loads] = {
    "run.nc": (cd.load_log, LogFileError),
    "run.csv": (cd.load_log, LogFileError),
    "run.mat": (cd.load_log, LogFileError),
    "run.parquet": (cd.load_log, LogFileError),
    "now.npz": (cd.load_snapshot, SnapshotError),
}
_TABLES = ("motor1.csv", "motor2.csv", "tip.csv", "tilt.csv")


@cache
def contents() -> dict[str, bytes]:
    """Of each kind of file what a good one has."""
    with tempfile.TemporaryDirectory() as name:
        folder, sim = Path(name), a_simulation()
        log = sim.run(until=5.0)
        for file in _LOADS:
            log.save(folder / file) if file.startswith("run") else sim.snapshot().save(folder / file)
        gimbal = CrankGimbal(tip_max=2 * DEG, tilt_max=3 * DEG, motor_max=80 * DEG)
        save_gimbal_tables(make_gimbal_tables(gimbal, gimbal_spacing=1 * DEG, motor_spacing=10 * DEG), folder)
        return {file.name: file.read_bytes() for file in folder.iterdir()}


@kind("damaged files", share=210, limit=10.0, prepare=contents)
def damaged_files(case: Case) -> None:
    name = case.rng.choice([*_LOADS, "tables"])
    for file in _TABLES if name == "tables" else [name]:
        (case.folder / file).write_bytes(contents()[file])
    path = case.folder / (case.rng.choice(_TABLES) if name == "tables" else name)
    for rng in case.changes(3):
        path.write_bytes(damaged(path.read_bytes(), rng))
    if name == "tables":
        try:
            read = load_gimbal_tables(case.folder)
        except SettingError:
            return
        assert all(np.isfinite(np.asarray(values, dtype=float)).all() for table in read for values in table)
        return
    load, refusal = _LOADS[name]
    try:
        loaded = load(path)
    except refusal:
        return
    assert path.read_bytes() == contents()[name], f"{loaded!r} was read from a file that is not as it was written"


# ---- the cache -----------------------------------------------------------------------------------------------------


def tripled(t, context):
    return int(3.0 * t)


def halved(values, out):
    for i in range(len(values)):
        out[i] = 0.5 * values[i]


def use_cache(folder: Path) -> None:
    """Have native code come from and go to a folder; only in a process that has not loaded it."""
    os.environ["CARDAN_CACHE_DIR"] = str(folder)
    cache_folders.cache_clear()


def check_native_code() -> None:
    """An entry, and a function that Python calls, do what their source says."""
    assert CALLBACK(compile_kernel("tripled", tripled))(2.0, 0) == 6
    out = np.zeros(3)
    cached_function(halved, "none(float64[::1], float64[::1])")(np.array([1.0, 2.0, 3.0]), out)
    assert out.tolist() == [0.5, 1.0, 1.5]


@cache
def a_cache() -> Path:
    """A folder with both, compiled in another process: here they are not loaded yet."""
    folder = Path(tempfile.mkdtemp(prefix="cardan-fuzz-cache-"))
    pid = os.fork()
    if pid == 0:
        try:
            use_cache(folder)
            check_native_code()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    return folder


@kind("damaged caches", share=12, limit=60.0, prepare=a_cache, is_alone=True)
def damaged_caches(case: Case) -> None:
    folder = case.folder / "cache"
    shutil.copytree(a_cache(), folder)
    folder.chmod(0o700)
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    for rng in case.changes(3):
        file = rng.choice(files)
        match rng.randrange(5):
            case 0 if file.exists():
                file.unlink()
            case 1:
                (file.parent / "planted.py").write_text("raise SystemExit('executed')\n")
            case 2 if file.exists():
                file.write_bytes(rng.choice([other for other in files if other.exists()]).read_bytes())
            case _ if file.exists():
                file.write_bytes(damaged(file.read_bytes(), rng))
    use_cache(folder)
    check_native_code()
