"""Files are written whole or not at all."""

import os
import stat
import threading
from pathlib import Path

import pytest

import cardan as cd
from cardan.files import check_writable, written_whole
from cardan.missions import hello


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
