"""Compiling all that a run needs before it begins, on all cores.

Numba compiles one function at a time in a process, so several cores mean several processes. Where the platform allows
it (Linux), copies of this process compile into the folder on disk, and this process then loads what it finds there. A
copy has everything that this process has: the classes of a script or of a notebook too. Whatever a copy does not
deliver, because it failed, died or stands still, is compiled in this process, which so meets the same error. Nothing
else depends on the copies.
"""

import multiprocessing
import os
import select
import signal
import struct
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

from cardan.errors import SettingError
from cardan.native.cache import is_kept, remove_unfinished
from cardan.native.drafting import get_ready

JOBS = "CARDAN_COMPILE_JOBS"  # the variable that says how many processes compile
_IDLE = 20.0  # [s] a copy that has used no time of a processor for so long stands still
_LOOK = 0.1  # [s] between two looks at the copies
_TAKEN = struct.Struct("i")  # which compilation is next
_REPORT = struct.Struct("ii?")  # which copy, which compilation, whether it begins

Report = Callable[[int, int, list[str]], None]


class Compilation(NamedTuple):
    """Something that native code is made of.

    Attributes:
        label: What it is called, e.g. `MrpFeedback.step`.
        key: The key of its content, under which it lies on disk.
        compile: Gives the address of its native code, from disk where it lies there.
        needs: Gives what it calls by name, and what these call.
    """

    label: str
    key: str
    compile: Callable[[], int]
    needs: Callable[[], "Iterable[Compilation]"] = tuple


def compile_all(compilations: Iterable[Compilation], report: Report) -> None:
    """Compile what is not on disk yet.

    Args:
        compilations: What will be needed; the longest first.
        report: Told, whenever it changes, how many are done, of how many, and which are being compiled; not called if
            there is nothing to do.
    """
    missing = _missing({each.key: each for each in compilations}.values())
    if not missing:
        return
    needed = {each.key: each for caller in missing for each in caller.needs()}
    missing = _missing((needed | {each.key: each for each in missing}).values())
    total = len(missing)
    jobs = min(job_count(), total)
    if jobs > 1:
        with _here.lock:
            _compile_in_copies(_missing(missing), jobs, lambda done, labels: report(done, total, labels))
    left = _missing(missing)
    for i, each in enumerate(left):
        report(total - len(left) + i, total, [each.label])
        each.compile()
    report(total, total, [])


def job_count() -> int:
    """How many processes may compile at once: `CARDAN_COMPILE_JOBS`, else one for each core that this one may use."""
    chosen = os.environ.get(JOBS, "")
    if chosen and not (chosen.isdecimal() and int(chosen) >= 1):
        raise SettingError(
            f"The environment variable {JOBS} is {chosen!r}.\n"
            "  expected a whole number of processes, 1 or more\n"
            "  Set it to 1 to compile in one process, or remove it to use all cores."
        )
    if sys.platform != "linux" or _here.is_copy or multiprocessing.parent_process() is not None:
        return 1  # elsewhere a copy is not safe; and one of several processes leaves the cores to the others
    return int(chosen) if chosen else len(os.sched_getaffinity(0))


def is_copy() -> bool:
    """Whether this process compiles for another, and so runs nothing of it."""
    return _here.is_copy


class _Process:
    """What this process knows of itself."""

    def __init__(self) -> None:
        self.is_copy = False
        self.lock = threading.Lock()  # one team of copies at a time

    def renew_lock(self) -> None:
        """A thread that held it is not there in a copy of this process."""
        self.lock = threading.Lock()


_here = _Process()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_here.renew_lock)


def _missing(compilations: Iterable[Compilation]) -> list[Compilation]:
    return [each for each in compilations if not is_kept(each.key)]


def _compile_in_copies(missing: list[Compilation], jobs: int, report: Callable[[int, list[str]], None]) -> None:
    """Let copies of this process compile as much as they can."""
    if not missing:
        return
    get_ready()  # once here, not in every copy
    taken, give = os.pipe()
    heard, say = os.pipe()
    copies: list[_Copy] = []
    try:
        os.write(give, b"".join(_TAKEN.pack(i) for i in range(len(missing))))
        os.close(give)
        with suppress(OSError):  # no room for another: those that there are do it, or this process
            for number in range(jobs):
                copies.append(_Copy(_fork(number, missing, taken, heard, say)))
        os.close(say)
        say = -1
        _watch(copies, heard, missing, report)
    finally:
        for copy in copies:
            copy.end()
        for pipe in (taken, heard, *([say] if say >= 0 else [])):
            os.close(pipe)


def _fork(number: int, compilations: list[Compilation], taken: int, heard: int, say: int) -> int:
    """The process number of a new copy, which compiles and ends."""
    with warnings.catch_warnings():
        # Python and others warn of threads whose locks nobody releases in a copy: ours and Numba's are free (see
        # `cache`), and a copy that stands still for another is ended
        warnings.simplefilter("ignore")
        pid = os.fork()
    if pid == 0:
        _work(number, compilations, taken, heard, say)
    return pid


def _work(number: int, compilations: list[Compilation], taken: int, heard: int, say: int) -> NoReturn:
    """What a copy does, to its end."""
    try:
        os.close(heard)  # so that a copy ends with the process that listens
        _here.is_copy = True
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        while index := os.read(taken, _TAKEN.size):
            (i,) = _TAKEN.unpack(index)
            os.write(say, _REPORT.pack(number, i, True))
            with suppress(Exception):  # the process that was copied meets it again, and says so
                compilations[i].compile()
            os.write(say, _REPORT.pack(number, i, False))
    finally:
        os._exit(0)  # without what the process that was copied does at its end


def _watch(
    copies: list["_Copy"], heard: int, compilations: list[Compilation], report: Callable[[int, list[str]], None]
) -> None:
    """Until all copies have ended, tell what they do, and end those that stand still."""
    at_work: dict[int, str] = {}
    done = 0
    report(0, [])
    listening = select.poll()  # `select` itself refuses a process with many open files
    listening.register(heard, select.POLLIN)
    while any(copy.is_alive() for copy in copies):
        ready = listening.poll(1000.0 * _LOOK)
        said = os.read(heard, 1024 * _REPORT.size) if ready else b""
        for number, i, begins in _REPORT.iter_unpack(said):
            at_work.pop(number, None)
            if begins:
                at_work[number] = compilations[i].label
            else:
                done += 1
        report(done, list(at_work.values()))
        if ready and not said:  # all have closed their end
            time.sleep(_LOOK)
        for number, copy in enumerate(copies):
            if copy.stands_still():
                copy.end()
                at_work.pop(number, None)


class _Copy:
    """A copy of this process."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._is_alive = True
        self._used = ""
        self._since = time.monotonic()

    def is_alive(self) -> bool:
        if self._is_alive:
            try:
                self._is_alive = os.waitpid(self._pid, os.WNOHANG)[0] == 0
            except ChildProcessError:  # somebody else has asked how it ended
                self._is_alive = False
        return self._is_alive

    def stands_still(self) -> bool:
        """Whether it has used no time of a processor for long."""
        if not self._is_alive:
            return False
        with suppress(OSError):
            used = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
            if self._used != (latest := " ".join(used[11:13])):
                self._used, self._since = latest, time.monotonic()
        return time.monotonic() - self._since > _IDLE

    def end(self) -> None:
        """End it if it has not ended, and clear up after it."""
        if self.is_alive():
            with suppress(ProcessLookupError, ChildProcessError):
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
            self._is_alive = False
        remove_unfinished(self._pid)
