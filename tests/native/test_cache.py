"""Compiled code on disk: never stale, never corrupt, never in the way."""

import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from cardan.native.cached_function import cached_function
from cardan.native.entry import compile_kernel
from cardan.native.python_entry import CALLBACK

PART = """
from typing import Annotated, NamedTuple
import cardan as cd
import helpers
from helpers import shift


@cd.message
class Number(NamedTuple):
    value: Annotated[float, "-"]


@cd.model
class Shifted(NamedTuple):
    @cd.output
    def signal(self, t: float) -> Number:
        return Number(shift(t) + helpers.inner.LIFT)


scn = cd.Scenario()
scn.add(Shifted(), name="part")
log = cd.Simulation(scn, integrator=cd.Rk4(step=0.5)).run(until=0.5, record=cd.Record(ports=["part.signal"]))
print(log["part.signal"].value[-1])
"""


def write(folder: Path, *, by: float = 1.0, lift: float = 0.0, part: str = PART) -> None:
    (folder / "inner.py").write_text(f"LIFT = {lift}\n\ndef amount():\n    return {by}\n")
    (folder / "helpers.py").write_text("import inner\n\n\ndef shift(t):\n    return t + inner.amount()\n")
    (folder / "script.py").write_text(part)


def start(folder: Path, **environment: str) -> subprocess.Popen[str]:
    variables = os.environ | {"CARDAN_CACHE_DIR": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    variables = {name: value for name, value in variables.items() if value}
    command = [sys.executable, str(folder / "script.py")]
    return subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(folder: Path, **environment: str) -> str:
    process = start(folder, **environment)
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out.strip()


@pytest.fixture
def warm(tmp_path: Path) -> Path:
    """A folder whose cache holds the core already, so that a test compiles only its own part."""
    from cardan.native.cache import cache_folder
    from cardan.simulation.native import native_advance

    native_advance()
    (tmp_path / "cache").mkdir()
    for compiled in cache_folder().iterdir():
        if (compiled / "core.py").exists():
            (tmp_path / "cache" / compiled.name).symlink_to(compiled)
    return tmp_path


def test_an_edited_part_helper_or_constant_never_runs_from_a_stale_cache(warm: Path):
    """Only a helper of a helper changes, in another file, and its time stamp is set back: the new number is used."""
    write(warm, by=1.0)
    stamp = (warm / "inner.py").stat()
    assert run(warm) == "1.5"
    write(warm, by=2.0)
    os.utime(warm / "inner.py", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert run(warm) == "2.5"
    write(warm, by=2.0, lift=10.0)
    assert run(warm) == "12.5"
    write(warm, by=2.0, lift=10.0, part=PART.replace("shift(t) +", "shift(t) -"))
    assert run(warm) == "-7.5"


def test_an_unchanged_part_is_compiled_once(warm: Path):
    write(warm)
    run(warm)
    before = sorted(path.name for path in (warm / "cache").iterdir())
    stamps = {path: path.stat().st_mtime_ns for path in (warm / "cache").glob("*/*.o")}
    assert stamps
    write(warm, part=PART.replace("scn = ", "# a comment changes nothing\nscn = "))
    run(warm)
    assert sorted(path.name for path in (warm / "cache").iterdir()) == before
    assert {path: path.stat().st_mtime_ns for path in (warm / "cache").glob("*/*.o")} == stamps


def test_two_processes_that_compile_at_once_both_get_it_right(warm: Path):
    write(warm)
    processes = [start(warm) for _ in range(3)]
    results = [process.communicate() for process in processes]
    assert [out.strip() for out, _ in results] == ["1.5"] * 3, results
    assert not list((warm / "cache").glob("building-*"))
    assert run(warm) == "1.5"


@pytest.mark.parametrize("kept", [0, 20, -1])
def test_a_damaged_cache_is_built_again(warm: Path, kept: int):
    write(warm)
    run(warm)
    damaged = list((warm / "cache").glob("*/Shifted*.o"))
    assert damaged
    for file in damaged:
        file.write_bytes(file.read_bytes()[:kept] + b"not machine code")
    assert run(warm) == "1.5"


def test_a_part_that_prints_runs_from_disk_too(warm: Path):
    """Printing needs Python's objects at run time, so Numba keeps such code in its own way."""
    write(warm, part=PART.replace("        return Number", '        print("at", t)\n        return Number'))
    first = run(warm)
    assert "at 0.5" in first
    assert not list((warm / "cache").glob("*/Shifted*.o"))
    assert run(warm) == first


def test_a_part_that_reads_a_large_table_finds_it_in_the_next_process(warm: Path):
    """A large table is not copied into the code, which so depends on where the table lies."""
    table = "TABLE = np.arange(3e5)\n\n\n@cd.model"
    part = PART.replace("import cardan as cd", "import cardan as cd\nimport numpy as np")
    write(warm, part=part.replace("@cd.model", table).replace("shift(t) +", "TABLE[299_999] +"))
    assert run(warm) == "299999.0"
    assert run(warm) == "299999.0"


def test_a_read_only_home_does_not_stop_a_run(tmp_path: Path):
    """The cache folder cannot be made below a file, as in a home folder that cannot be written."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    script = textwrap.dedent("""
        import logging
        from cardan.native.cache import cache_folder
        folder = cache_folder()
        assert folder.exists() and folder.name.startswith("cardan-"), folder
    """)
    (tmp_path / "script.py").write_text(script)
    run(tmp_path, CARDAN_CACHE_DIR="", XDG_CACHE_HOME=str(blocked / "below"), HOME=str(blocked / "below"))


def third(t, context):
    return int(3.0 * t)


def test_two_threads_that_ask_at_once_get_the_same_entry():
    with ThreadPoolExecutor(4) as pool:
        addresses = list(pool.map(lambda _: compile_kernel("third", third), range(8)))
    assert len(set(addresses)) == 1
    assert CALLBACK(addresses[0])(2.0, 0) == 6


def halved(values, out):
    for i in range(len(values)):
        out[i] = 0.5 * values[i]


def test_a_cached_function_takes_only_the_types_it_was_compiled_for():
    call = cached_function(halved, "none(float64[::1], float64[::1])")
    out = np.zeros(3)
    call(np.array([1.0, 2.0, 3.0]), out)
    assert out.tolist() == [0.5, 1.0, 1.5]
    with pytest.raises(TypeError, match="No matching definition"):
        call([1, 2, 3], out)
    assert cached_function(halved, "none(float64[::1], float64[::1])") is call
