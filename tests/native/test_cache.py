"""Compiled code on disk: never stale, never corrupt, never in the way."""

import os
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np
import pytest
from numba.core import config

from cardan.errors import UntrustedCache
from cardan.native.cache import seal
from cardan.native.cache_folder import BUILDING, check_trusted, remove_abandoned
from cardan.native.cached_function import cached_function
from cardan.native.entry import compile_kernel
from cardan.native.fingerprint import fingerprint
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
    from cardan.native.cache_folder import cache_folders
    from cardan.simulation.native import core_compilation

    core_compilation().compile()
    (tmp_path / "cache").mkdir(mode=0o700)
    for compiled in cache_folders().new.iterdir():
        if (compiled / "core.py").exists() and not compiled.name.startswith(BUILDING):
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


@pytest.mark.parametrize("ending", ["py", "o", "seal"])
def test_a_single_bit_that_was_flipped_is_noticed(warm: Path, ending: str):
    write(warm)
    run(warm)
    for file in (warm / "cache").glob(f"*/*{ending}"):
        if file.parent.is_symlink():
            continue  # the core of other tests
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    assert run(warm) == "1.5"


def test_python_that_was_planted_in_the_cache_is_not_executed(warm: Path):
    write(warm)
    run(warm)
    planted = warm / "planted"
    for file in (warm / "cache").glob("*/Shifted*.py"):
        file.write_text(f"open({str(planted)!r}, 'w')\n")
        seal(file.parent)  # even by somebody who knows how to seal
    assert run(warm) == "1.5"
    assert not planted.exists()


KINDS_OF_HELPER = {
    "vectorize": "@numba.vectorize\ndef shift(t):\n    return t + {by}\n",
    "njit with options": "@numba.njit(error_model='python')\ndef shift(t):\n    return t + {by}\n",
    "overload": (
        "def shift(t):\n    return t + {by}\n\n\n"
        "@numba.extending.overload(shift)\ndef told(t):\n    return lambda t: t + {by}\n"
    ),
}


@pytest.mark.parametrize("kind", KINDS_OF_HELPER)
def test_an_edited_helper_that_numba_knows_is_never_stale(warm: Path, kind: str):
    for by, expected in ((1.0, "1.5"), (2.0, "2.5")):
        write(warm)
        body = KINDS_OF_HELPER[kind].format(by=by)
        (warm / "helpers.py").write_text(f"import inner\nimport numba\nimport numba.extending\n\n\n{body}")
        assert run(warm) == expected


def quarter(t, context):
    return int(0.25 * t)


@numba.njit(error_model="python")
def by_python(x):
    return x


@numba.njit(error_model="numpy")
def by_numpy(x):
    return x


def test_options_and_settings_of_numba_are_part_of_the_key(monkeypatch):
    by_numpy.py_func = by_python.py_func  # alike but for their options
    assert fingerprint(by_python) != fingerprint(by_numpy)
    before = fingerprint(quarter)
    monkeypatch.setattr(config, "OPT", 1)
    assert fingerprint(quarter) != before


class TestTrust:
    """Code that lies in the folder runs in this process: nobody else may put it there."""

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        made = tmp_path / "cache"
        made.mkdir(mode=0o700)
        return made

    def test_a_folder_of_ones_own_is_trusted(self, folder: Path):
        check_trusted(folder)

    @pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
    def test_a_folder_to_which_others_can_write_is_refused(self, folder: Path, mode: int):
        folder.chmod(mode)
        with pytest.raises(UntrustedCache) as caught:
            check_trusted(folder)
        assert str(caught.value) == (
            f"The folder for compiled code, {folder}, can be written by others (mode {mode:o}).\n"
            "  What lies there runs with your rights.\n"
            f"  Run `chmod 700 {folder}`, or set CARDAN_CACHE_DIR to a folder that only you can write to."
        )

    def test_a_folder_that_others_can_replace_is_refused(self, folder: Path):
        folder.parent.chmod(0o777)
        with pytest.raises(UntrustedCache, match=f"can be replaced by others, who may write to {folder.parent}"):
            check_trusted(folder)
        folder.parent.chmod(0o1777)  # as /tmp is
        check_trusted(folder)

    def test_a_folder_of_another_user_is_refused(self, folder: Path, monkeypatch):
        monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 4711)
        if folder.stat().st_uid == 0:
            os.chown(folder, 4712, -1)
        with pytest.raises(UntrustedCache, match="belongs to another user"):
            check_trusted(folder)

    def test_a_run_refuses_it(self, warm: Path):
        write(warm)
        (warm / "cache").chmod(0o777)
        _, err = start(warm).communicate()
        assert "UntrustedCache: The folder for compiled code" in err


def test_a_complete_cache_that_can_only_be_read_is_used(warm: Path):
    write(warm)
    run(warm)
    script = "from cardan.native import cache_folder as c\nimport tempfile\n"
    # as on a file system that is mounted read-only: root can write anywhere else
    script += "def refuse(**k): raise OSError('read-only')\nc.tempfile.TemporaryFile = refuse\n"
    script += "import cardan.native.cache as cache\n"
    script += "def never(*a): raise AssertionError('compiled again')\ncache._write_and_execute = never\n"
    (warm / "script.py").write_text(script + PART)
    assert run(warm) == "1.5"


def test_what_a_killed_process_left_is_removed_in_time(tmp_path: Path):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    old, new = (tmp_path / f"building-{ended.pid}-{name}" for name in ("old", "new"))
    mine = tmp_path / f"building-{os.getpid()}-mine"
    for folder in (old, new, mine):
        folder.mkdir()
    for folder in (old, mine):
        os.utime(folder, (0, 0))
    remove_abandoned(tmp_path)
    assert not old.exists()
    assert new.exists() and mine.exists()


def test_a_tilde_in_the_name_of_the_folder_is_the_home(tmp_path: Path):
    (tmp_path / "script.py").write_text(
        "from cardan.native.cache_folder import cache_folders\nprint(cache_folders().kept)"
    )
    assert run(tmp_path, CARDAN_CACHE_DIR="~/kept", HOME=str(tmp_path)) == str(tmp_path / "kept")


def test_a_part_that_prints_runs_from_disk_too(warm: Path):
    """Printing needs Python's objects at run time, so such code is what Numba makes, kept with the text to print."""
    write(warm, part=PART.replace("        return Number", '        print("at", t)\n        return Number'))
    first = run(warm)
    assert "at 0.5" in first
    assert not list((warm / "cache").glob("*/Shifted*.o"))
    kept = {file: file.stat().st_mtime_ns for file in (warm / "cache").glob("*/Shifted*.numba")}
    assert kept
    assert run(warm) == first
    assert {file: file.stat().st_mtime_ns for file in (warm / "cache").glob("*/Shifted*.numba")} == kept


CALLED = """
import pickle
import sys

import numpy as np

from cardan.native.cached_function import cached_function
from helped import halved

if sys.argv[1:] == ["again"]:
    def refuse(*_, **__):
        raise AssertionError("a pickle was read")
    pickle.loads = pickle.load = pickle.Unpickler = refuse
call = cached_function(halved, "none(float64[::1], float64[::1])")
out = np.zeros(3)
call(np.array([1.0, 2.0, 3.0]), out)
print(out.tolist())
try:
    call([1, 2, 3], out)
except TypeError as error:
    print(str(error).splitlines()[0])
"""


def test_a_function_that_python_calls_comes_from_disk_without_a_pickle(tmp_path: Path):
    (tmp_path / "helped.py").write_text(
        "def halved(values, out):\n    for i in range(len(values)):\n        out[i] = 0.5 * values[i]\n"
    )
    (tmp_path / "script.py").write_text(CALLED)
    (tmp_path / "cache").mkdir(mode=0o700)
    first = run(tmp_path)
    assert first.splitlines() == ["[0.5, 1.0, 1.5]", "No matching definition for argument type(s) "
                                  "reflected list(int64)<iv=None>, array(float64, 1d, C)"]  # fmt: skip
    files = {file: file.stat().st_mtime_ns for file in (tmp_path / "cache").rglob("*") if file.is_file()}
    assert sorted(file.name for file in files) == ["helped_halved.numba", "helped_halved.py", "seal"]
    (tmp_path / "script.py").write_text(CALLED.replace("sys.argv[1:]", '["again"]'))
    assert run(tmp_path) == first
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "cache").rglob("*") if file.is_file()} == files


def test_one_bit_of_a_function_that_python_calls_is_noticed(tmp_path: Path):
    test_a_function_that_python_calls_comes_from_disk_without_a_pickle(tmp_path)
    (file,) = (tmp_path / "cache").glob("*/helped_halved.numba")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    assert run(tmp_path).startswith("[0.5, 1.0, 1.5]")
    assert file.read_bytes() != content


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
        from cardan.native.cache_folder import cache_folders
        folder = cache_folders().new
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
