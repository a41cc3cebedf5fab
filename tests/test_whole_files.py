"""Files are written whole or not at all."""

import errno
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import cardan as cd
from cardan.errors import LogFileError, SnapshotError
from cardan.files import check_writable, in_bytes, not_written, written_whole
from cardan.missions import hello
from cardan.simulation.log import FieldLog, Log
from cardan.simulation.snapshot import Snapshot


def write(path: Path, text: str) -> None:
    with written_whole(path) as unfinished:
        unfinished.write_text(text)


def test_a_file_appears_when_it_is_complete(tmp_path):
    path = tmp_path / "a.txt"
    with written_whole(path) as unfinished:
        assert unfinished.parent == tmp_path
        unfinished.write_text("all of it")
        assert not path.exists()
    assert path.read_text() == "all of it"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), written_whole(path) as unfinished:
        unfinished.write_text("ne")
        1 / 0  # noqa: B018
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_threads_that_write_one_file_leave_one_of_their_texts(tmp_path):
    path = tmp_path / "a.txt"
    texts = [str(i) * 10000 for i in range(8)]
    threads = [threading.Thread(target=write, args=(path, text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() in texts
    assert list(tmp_path.iterdir()) == [path]


def test_the_longest_name_that_a_file_may_have_can_be_written(tmp_path):
    path = tmp_path / ("a" * 251 + ".txt")
    write(path, "here")
    assert path.read_text() == "here"


@pytest.mark.skipif(os.name == "nt", reason="links need a right that users of Windows do not have")
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    link, target = tmp_path / "link.txt", tmp_path / "there" / "a.txt"
    link.symlink_to(target)
    write(link, "here")
    assert link.is_symlink()
    assert target.read_text() == "here"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_file_keeps_its_permissions(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o640)
    write(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_whether_a_file_can_be_written_is_known_beforehand(tmp_path):
    check_writable(tmp_path / "a.txt")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        check_writable(tmp_path / "missing" / "a.txt")
    with pytest.raises(IsADirectoryError):
        check_writable(tmp_path)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="the administrator may write anything")
def test_a_file_that_is_read_only_is_not_replaced(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o440)
    with pytest.raises(PermissionError):
        write(path, "new")


def test_a_snapshot_that_cannot_be_finished_leaves_the_old_one(tmp_path, monkeypatch):
    sim = cd.Simulation(hello.build(), integrator=cd.Rk4(step=0.1), jit=False)
    path = sim.snapshot().save(tmp_path / "now.npz")
    before = path.read_bytes()

    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("cardan.simulation.snapshot.np.savez", fail)
    with pytest.raises(MemoryError):
        sim.snapshot().save(path)
    assert path.read_bytes() == before


def test_a_path_that_no_file_can_have_is_an_error_of_the_system():
    with pytest.raises(OSError, match="a path has no character 0"):
        check_writable("a\0.txt")
    with pytest.raises(OSError, match=os.strerror(errno.ENAMETOOLONG)):
        check_writable("a" * 300)


def random_log(samples: int) -> Log:
    t = np.arange(float(samples))
    return Log(t, [FieldLog("a.b.c", t, np.random.default_rng(1).random(samples), "-", "")], {})


class TestFullDisks:
    """A limit of the size of files fails as a full disk does, and needs no disk."""

    @contextmanager
    def limit(self, size: int) -> Iterator[None]:
        resource = pytest.importorskip("resource")
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    @pytest.mark.parametrize("suffix", [".nc", ".csv", ".mat", ".parquet"])
    @pytest.mark.parametrize("size", [0, 100, 3000, 100_000, 250_000])
    def test_a_log_that_does_not_fit_leaves_the_old_one_and_says_why(self, suffix, size, tmp_path):
        """A limit of nothing at all, within the head, within the numbers, and where the library writes its tables."""
        path = random_log(10).save(tmp_path / f"run{suffix}")
        files = {file: file.read_bytes() for file in tmp_path.iterdir()}
        with self.limit(size), pytest.raises(LogFileError) as caught:
            random_log(40_000).save(path)
        free = r"\d[\d.e+]* ([kMGT]B|bytes)"
        assert re.fullmatch(
            rf"The log cannot be written to {re.escape(str(path))}: {os.strerror(errno.EFBIG)}\.\n"
            rf"  It has 640 kB of numbers; {free} are free in {re.escape(str(tmp_path))}\. "
            r"Make room, or save it elsewhere\.",
            str(caught.value),
        )
        assert {file: file.read_bytes() for file in tmp_path.iterdir()} == files

    @pytest.mark.parametrize("size", [0, 100, 20_000])
    def test_a_snapshot_that_does_not_fit_leaves_the_old_one_and_says_why(self, size, tmp_path):
        path = Snapshot("test", "", np.zeros(10)).save(tmp_path / "now.npz")
        before = path.read_bytes()
        with self.limit(size), pytest.raises(SnapshotError) as caught:
            Snapshot("test", "", np.zeros(10_000)).save(path)
        assert str(caught.value).startswith(
            f"The snapshot cannot be written to {path}: {os.strerror(errno.EFBIG)}.\n  It has 80 kB of numbers; "
        )
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]

    def test_a_library_that_keeps_the_file_open_keeps_nothing_of_the_disk(self, tmp_path):
        kept = []
        with pytest.raises(ZeroDivisionError), written_whole(tmp_path / "a.bin") as unfinished:
            unfinished.write_bytes(bytes(1000))
            kept.append(unfinished.open("rb"))
            1 / 0  # noqa: B018
        with kept[0] as file:
            assert os.fstat(file.fileno()).st_size == 0

    @pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
    def test_whatever_there_is_no_room_for_is_said_in_the_system_s_words(self, tmp_path, monkeypatch, code):
        monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1_250))
        text = not_written("The log", tmp_path / "run.nc", OSError(code, "any words"), 2_000_000)
        assert text == (
            f"The log cannot be written to {tmp_path / 'run.nc'}: {os.strerror(code)}.\n"
            f"  It has 2 MB of numbers; 1.25 kB are free in {tmp_path}. Make room, or save it elsewhere."
        )

    def test_sizes_are_read_easily(self):
        sizes = [0, 999, 1000, 1_250_000, 64_000_000_000, 10**16]
        assert [*map(in_bytes, sizes)] == ["0 bytes", "999 bytes", "1 kB", "1.25 MB", "64 GB", "1e+04 TB"]


WRITER = """
import sys
import numpy as np
from cardan.simulation.log import FieldLog, Log
from cardan.simulation.snapshot import Snapshot

folder, value = sys.argv[1], float(sys.argv[2])
t = np.arange(3000.0)
log = Log(t, [FieldLog("a.b.c", t, np.full(3000, value), "-", "")], {})
print("ready", flush=True)
sys.stdin.readline()
for _ in range(60):
    log.save(f"{folder}/run.nc")
    Snapshot("test", "", np.full(3000, value)).save(f"{folder}/run.npz")
"""


def test_whoever_reads_while_processes_write_has_a_whole_file(tmp_path):
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), str(value)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for value in range(2)
    ]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.close()
    reads = 0
    while any(writer.poll() is None for writer in writers):
        if not (tmp_path / "run.npz").exists():
            continue
        values, words = cd.load_log(tmp_path / "run.nc")["a.b"].c, cd.load_snapshot(tmp_path / "run.npz").words
        assert values[0] in (0.0, 1.0) and np.all(values == values[0])
        assert words[0] in (0.0, 1.0) and np.all(words == words[0])
        reads += 1
    for writer in writers:
        writer.stdout.close()
    assert [writer.returncode for writer in writers] == [0, 0]
    assert reads > 5
    assert sorted(file.name for file in tmp_path.iterdir()) == ["run.nc", "run.npz"]
