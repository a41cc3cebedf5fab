"""Threads that share the work of one call. They wait between calls, so that handing out work costs microseconds."""

import os
import threading
import weakref
from collections.abc import Callable
from queue import SimpleQueue

Job = Callable[[int], None]


class Workers:
    """Some threads beside the one that asks.

    Args:
        count: How many work at once, the asking thread among them.

    Attributes:
        is_leaving: Whether the asking thread has met an exception, Ctrl-C above all, so that the others should end too.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.is_leaving = False
        self._process = 0
        self._tasks: list[SimpleQueue[Job | None]] = []
        self._done: SimpleQueue[BaseException | None] = SimpleQueue()

    def run(self, job: Job, count: int) -> None:
        """Call `job(0)` here and `job(1)` to `job(count - 1)` in other threads; returns when all have ended."""
        if count > 1 and self._process != os.getpid():  # a forked process has none of the threads
            self._start()
        self.is_leaving = False
        for number in range(1, count):
            self._tasks[number - 1].put(job)
        errors: list[BaseException] = []
        try:
            job(0)
        except BaseException as error:
            self.is_leaving = True
            errors.append(error)
        ended = [self._done.get() for _ in range(1, count)]
        errors += [error for error in ended if error is not None]
        if errors:
            raise errors[0]

    def leave_if_asked(self) -> None:
        """End the work of this thread if the others are ending theirs."""
        if self.is_leaving:
            raise KeyboardInterrupt

    def _start(self) -> None:
        self._process, self._done = os.getpid(), SimpleQueue()
        self._tasks = [SimpleQueue() for _ in range(1, self.count)]
        weakref.finalize(self, _end, self._tasks, self._process).atexit = False
        for number, tasks in enumerate(self._tasks, 1):
            name = f"cardan batch {number}"
            threading.Thread(target=_work, args=(number, tasks, self._done), name=name, daemon=True).start()


def _end(queues: "list[SimpleQueue[Job | None]]", process: int) -> None:
    """Let the threads end when nobody has their workers any more."""
    for tasks in queues if process == os.getpid() else ():
        tasks.put(None)


def _work(number: int, tasks: "SimpleQueue[Job | None]", done: "SimpleQueue[BaseException | None]") -> None:
    while (job := tasks.get()) is not None:
        try:
            job(number)
        except BaseException as error:
            done.put(error)
        else:
            done.put(None)
        del job  # it may keep alive whoever asked for it
