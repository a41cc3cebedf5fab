"""Compiling ahead on all cores: faster where it can be, the same in every other respect."""

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardan.native import cache, compilation
from cardan.native.cache import is_kept
from cardan.native.cache_folder import cache_folders
from cardan.native.compilation import Compilation, compile_all, job_count
from cardan.native.entry import compile_kernel, kernel_compilation
from cardan.native.python_entry import CALLBACK

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one process compiles")
HERE = os.getpid()


@pytest.fixture(autouse=True)
def two_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDAN_COMPILE_JOBS", "2")


def new_kernel() -> Callable[..., int]:
    """A kernel that no earlier test has compiled; it gives its number."""
    number = time.time_ns()

    def kernel(t, context):
        return number

    return kernel


def new_compilations(count: int, first: Callable[[], Any] = lambda: None) -> list[Compilation]:
    """Kernels to compile, each of which does `first` before."""

    def after(made: Compilation) -> Compilation:
        def compile() -> int:
            first()
            return made.compile()

        return made._replace(compile=compile)

    return [after(kernel_compilation(f"kernel{i}", new_kernel())) for i in range(count)]


class Reports(list[tuple[int, int, list[str]]]):
    def __call__(self, done: int, total: int, labels: list[str]) -> None:
        self.append((done, total, labels))


def signs_in(folder: Path) -> Callable[[], None]:
    """Leaves the number of the process that compiles."""

    def sign() -> None:
        (folder / str(os.getpid())).touch()

    return sign


def unfinished() -> list[Path]:
    return list(cache_folders().new.glob("building-*"))


def test_copies_of_this_process_compile_and_this_one_loads(tmp_path: Path):
    compilations = new_compilations(4, signs_in(tmp_path))
    reports = Reports()
    compile_all(compilations, reports)
    assert all(is_kept(each.key) for each in compilations)
    workers = {path.name for path in tmp_path.iterdir()}
    assert str(HERE) not in workers and 1 <= len(workers) <= 2
    assert reports[-1] == (4, 4, [])
    assert {label for _, _, labels in reports for label in labels} == {f"kernel{i}" for i in range(4)}
    assert len({CALLBACK(each.compile())(0.0, 0) for each in compilations}) == 4


def test_what_is_on_disk_is_neither_compiled_nor_reported():
    compilations = new_compilations(2)
    compile_all(compilations, Reports())

    def fail() -> int:
        raise AssertionError

    reports = Reports()
    compile_all([each._replace(compile=fail) for each in compilations], reports)
    assert reports == []


@pytest.mark.parametrize("jobs, count", [("1", 2), ("8", 1)])
def test_one_job_and_one_thing_to_compile_need_no_copy(jobs, count, tmp_path, monkeypatch):
    monkeypatch.setenv("CARDAN_COMPILE_JOBS", jobs)
    reports = Reports()
    compile_all(new_compilations(count, signs_in(tmp_path)), reports)
    assert [path.name for path in tmp_path.iterdir()] == [str(HERE)]
    assert reports[0] == (0, count, ["kernel0"])
    assert reports[-1] == (count, count, [])


def in_a_copy(action: Callable[[], Any]) -> Callable[[], None]:
    def act() -> None:
        if os.getpid() != HERE:
            action()

    return act


def test_what_a_copy_that_dies_leaves_undone_is_compiled_here():
    def die() -> None:
        (cache_folders().new / f"building-{os.getpid()}-half").mkdir()
        os.kill(os.getpid(), signal.SIGKILL)

    compilations = new_compilations(3, in_a_copy(die))
    compile_all(compilations, Reports())
    assert all(is_kept(each.key) for each in compilations)
    assert not [path for path in unfinished() if path.name.endswith("half")]


def test_a_copy_that_stands_still_is_ended(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(compilation, "_IDLE", 0.5)
    compilations = new_compilations(2, in_a_copy(lambda: time.sleep(600.0)))
    compile_all(compilations, Reports())
    assert all(is_kept(each.key) for each in compilations)


def test_without_room_for_a_copy_this_process_compiles(monkeypatch: pytest.MonkeyPatch):
    def full() -> int:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", full)
    compilations = new_compilations(2)
    compile_all(compilations, Reports())
    assert all(is_kept(each.key) for each in compilations)


def test_an_error_is_raised_here_as_itself():
    def fail() -> None:
        raise ZeroDivisionError("in the kernel")

    with pytest.raises(ZeroDivisionError, match="in the kernel"):
        compile_all(new_compilations(2, fail), Reports())


def test_ctrl_c_ends_the_copies():
    def interrupt(done: int, total: int, labels: list[str]) -> None:
        if labels:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compile_all(new_compilations(2, in_a_copy(lambda: time.sleep(600.0))), interrupt)
    with pytest.raises(ChildProcessError):  # there are none any more
        os.waitpid(-1, os.WNOHANG)


def test_a_copy_made_while_a_thread_compiles_can_compile():
    """Without care the copy would wait for ever for the thread, which it does not have."""
    begun = threading.Event()

    def slowly() -> None:
        with cache._one_at_a_time:
            begun.set()
            time.sleep(0.3)

    thread = threading.Thread(target=slowly)
    thread.start()
    begun.wait()
    kernel = new_kernel()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads, which are the point
        pid = os.fork()
    if pid == 0:
        os._exit(0 if compile_kernel("kernel", kernel) else 1)
    thread.join()
    deadline = time.monotonic() + 120.0
    while (ended := os.waitpid(pid, os.WNOHANG))[0] == 0 and time.monotonic() < deadline:
        time.sleep(0.05)
    if ended[0] == 0:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert ended == (pid, 0)


def job_count_to(results: Any) -> None:
    results.put(job_count())


def test_one_of_several_processes_leaves_the_cores_to_the_others():
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    process = context.Process(target=job_count_to, args=(results,))
    process.start()
    assert results.get() == 1
    process.join()


def test_all_cores_that_this_process_may_use_compile(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("CARDAN_COMPILE_JOBS")
    assert job_count() == len(os.sched_getaffinity(0))
    monkeypatch.setenv("CARDAN_COMPILE_JOBS", "5")
    assert job_count() == 5
