"""Threads that advance the members of a batch together, without the interpreter between two jobs.

The helpers are threads of Python that stay in native code (`crew_core`), without the GIL, as long as their crew exists.
Where the system has no POSIX threads, those of `Workers` share the same jobs, and the interpreter calls them.
"""

import ctypes
import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from cardan.native.compilation import Compilation
from cardan.native.entry import kernel_compilation
from cardan.native.lanes import COUNT
from cardan.native.layout import WORD, aligned_copy
from cardan.native.python_entry import CALLBACK
from cardan.simulation import batch_core, core_entry, crew_core
from cardan.simulation.batch_run import MemberRun, batch_compilation
from cardan.simulation.native import slots
from cardan.simulation.workers import Workers

_LARGEST_CHUNK = 128  # members that a thread takes at once, at the most
_TURNS = 4  # how often each takes some: whoever comes late leaves the others with little to wait for
_WORTH_A_THREAD = COUNT  # members: those that are advanced at once; a tick of a controller may take a millisecond

# where in the words of a crew lies what every call writes
_MEMBERS = crew_core.WORDS + core_entry.SLOT * batch_core.MEMBERS
_STEPS = crew_core.WORDS + core_entry.SLOT * batch_core.STEPS
_SPAN = crew_core.WORDS + core_entry.SLOT * batch_core.SPAN


@cache
def crew_compilation() -> Compilation:
    """What makes the sharing of work native code."""
    return kernel_compilation("crew", crew_core.act)


class Given(NamedTuple):
    """What a call is given; see the slots of `batch_core`.

    Attributes:
        steps: How many steps each member takes; 0 to evaluate outputs alone.
        words: (members, steps x words) What is given from outside before each step.
        at: Where in the arena that goes: first word and length of each stretch.
        out: (members, steps x words) Where outputs go after each step.
        is_changed: Whether inputs may have been written to, so that rates which were known before count no longer.
    """

    steps: int
    words: np.ndarray
    at: Sequence[tuple[int, int]]
    out: np.ndarray
    is_changed: bool = False


class Crew:
    """Advances members of a batch, on several threads where there are enough of them.

    Args:
        threads: How many may work at once, the asking one among them.
        new_run: Makes an arena, one for each thread.
        common: By slot of `batch_core`, from ROWS on: arrays that stay for all calls.
    """

    def __init__(self, threads: int, new_run: Callable[[], MemberRun], common: Mapping[int, np.ndarray]) -> None:
        self._threads = max(1, min(threads, len(common[batch_core.CODES]) // _WORTH_A_THREAD))
        self._new_run = new_run
        self._common = common
        self._act = CALLBACK(crew_compilation().compile())
        self._workers = Workers(self._threads)
        self._runs: list[MemberRun] = []
        self._begin()

    def advance(self, members: np.ndarray, span: int, given: Given) -> int:
        """Advance members by all steps, each of `span` [ns]; returns how many have failed."""
        if self._process != os.getpid():  # a forked process has none of the threads
            self._begin()
        if members is not self._members:
            self._take_members(members)
        if given.out is not self._kept[1] or given.words is not self._kept[0]:
            self._take_arrays(given)
        words = self._words
        words[_STEPS] = given.steps
        words[_SPAN] = span
        words[crew_core.FORGETS] = given.is_changed
        if self._is_shared:
            if not self._helpers:
                self._engage()
            if posix_functions() is None:
                return self._advance_with_workers()
        return int(self._act(0.0, self._leader))

    def write(self, shared: Mapping[int, np.ndarray]) -> None:
        """Write words that all members share into the memory of each thread, by their place."""
        for run in self._runs:
            run.write(shared)

    def _begin(self) -> None:
        """Be without helpers, in this process."""
        self._process = os.getpid()
        self._words = aligned_copy(np.zeros(crew_core.WORDS + core_entry.SLOT * batch_core.SLOTS)).view(np.int64)
        self._table = self._words[crew_core.WORDS :].reshape(-1, core_entry.SLOT)
        for slot, array in self._common.items():
            self._table[slot] = slots((array,))
        self._words[crew_core.SLOTS] = self._table.ctypes.data
        self._words[crew_core.ENTRY] = batch_compilation().compile()
        _set_up(self._words)
        self._members: np.ndarray | None = None
        self._kept: tuple[Any, ...] = (None, None)
        self._is_shared = False
        self._stations: list[np.ndarray] = []
        self._helpers: list[int] = []
        self._leader = self._station(crew_core.LEADER, 0)

    def _take_members(self, members: np.ndarray) -> None:
        count = len(members)
        threads = min(self._threads, count // _WORTH_A_THREAD)
        self._members, self._is_shared = members, threads > 1
        self._words[[_MEMBERS, _MEMBERS + 1]] = members.ctypes.data, count
        # whole groups of those that are advanced at once
        chunk = COUNT * max(1, min(_LARGEST_CHUNK, count // (_TURNS * max(1, threads))) // COUNT)
        self._words[[crew_core.COUNT, crew_core.CHUNK, crew_core.CALLS]] = count, chunk, self._is_shared

    def _take_arrays(self, given: Given) -> None:
        at = np.array(given.at, np.int64).reshape(-1, 2)
        self._kept = given.words, given.out, at
        self._table[[batch_core.GIVEN, batch_core.GIVEN_AT, batch_core.OUT]] = slots((given.words, at, given.out))

    def _station(self, role: int, number: int) -> int:
        """The address of what a thread is told, which stays."""
        while len(self._runs) <= number:
            self._runs.append(self._new_run())
        told = np.array([role, self._words.ctypes.data, self._runs[number].address], np.int64)
        self._stations.append(told)
        return int(told.ctypes.data)

    def _engage(self) -> None:
        """Let threads help from now on, until nobody has this crew any more."""
        role = crew_core.GUEST if posix_functions() is None else crew_core.HELPER
        self._helpers = [self._station(role, number) for number in range(1, self._threads)]
        if role == crew_core.GUEST:
            self._opener, self._guest = self._station(crew_core.OPENER, 0), self._station(crew_core.GUEST, 0)
            return
        ender, keep = self._station(crew_core.ENDER, 0), (self._words, self._stations, self._runs, self._common)
        for number, station in enumerate(self._helpers, 1):
            threading.Thread(
                target=_help, args=(self._act, station, keep), name=f"cardan batch {number}", daemon=True
            ).start()
        weakref.finalize(self, _dismiss, self._act, ender, keep, self._process).atexit = False

    def _advance_with_workers(self) -> int:
        self._act(0.0, self._opener)
        places = [self._guest, *self._helpers]
        self._workers.run(lambda number: self._act(0.0, places[number]), self._threads)
        return int(self._words[crew_core.FAILED])


def _help(act: Callable[[float, int], int], station: int, keep: Any) -> None:
    """What a helping thread does; it keeps what native code uses."""
    act(0.0, station)


def _dismiss(act: Callable[[float, int], int], ender: int, keep: Any, process: int) -> None:
    if process == os.getpid():
        act(0.0, ender)


@cache
def posix_functions() -> tuple[int, ...] | None:
    """Addresses of the system's functions for threads, as `crew_core` has them; None where there are none."""
    names = ("pthread_mutex_lock", "pthread_mutex_unlock", "pthread_cond_wait", "pthread_cond_broadcast", "sched_yield")
    try:
        library = ctypes.CDLL(None)
        return tuple(ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0 for name in names)
    except (AttributeError, OSError, TypeError):
        return None


def _set_up(words: np.ndarray) -> None:
    """Make the mutex and the conditions among the words of a crew."""
    functions = posix_functions()
    if functions is None:
        return
    words[crew_core.LOCK : crew_core.LOCK + len(functions)] = functions
    library, at = ctypes.CDLL(None), words.ctypes.data
    library.pthread_mutex_init(ctypes.c_void_p(at + WORD * crew_core.MUTEX), None)
    for condition in (crew_core.WORK, crew_core.IDLE):
        library.pthread_cond_init(ctypes.c_void_p(at + WORD * condition), None)
