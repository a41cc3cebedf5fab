"""Runs on several processes of this machine. If one dies, its runs are repeated; nothing else is lost."""

import multiprocessing
import pickle
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any

import numpy as np

from cardan.errors import RunTimeout, SettingError
from cardan.studies.blocks import Block, block_of
from cardan.studies.definition import Definition
from cardan.studies.performing import Performer
from cardan.studies.scheduling import Pieces, Stopwatch

_GRACE = 20.0  # [s] beyond the time limit of its runs, after which a process is ended
_PATIENCE = 2  # deaths of a process by one run before that run counts as failed
_READY = "ready"  # what a process sends first, once it has imported what it needs


class WorkerDied(RuntimeError):
    """A process ended while it was doing a run."""


class _Worker:
    """A process that does pieces, with a pipe to it."""

    def __init__(self, definition: bytes) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process: Any = context.Process(target=_work, args=(other, definition), daemon=True)
        self.process.start()
        other.close()
        self.piece: np.ndarray | None = None
        self.is_ready = False
        self.watch = Stopwatch()

    def begin(self, piece: np.ndarray) -> None:
        self.piece, self.watch = piece, Stopwatch()
        with suppress(OSError):  # it has died: whoever waits for it will see
            self.pipe.send(piece)

    def end(self) -> None:
        self.pipe.close()
        if self.process.is_alive():
            self.process.terminate()
        self.process.join()


def _work(pipe: Connection, content: bytes) -> None:
    """What a process does: pieces, until there are no more."""
    performer = Performer(pickle.loads(content))
    pipe.send(_READY)
    while True:
        try:
            piece = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(performer.perform(piece))
        except BaseException as error:
            pipe.send(error if isinstance(error, Exception) else RuntimeError(repr(error)))


def on_processes(definition: Definition, runs: np.ndarray, workers: int) -> Iterator[Block]:
    """Runs as they are done, some at a time, in any order."""
    try:
        content = pickle.dumps(definition)
    except Exception as error:
        raise SettingError(
            f"The study `{definition.name}` cannot be sent to processes: {error}.\n"
            "  Define its functions at the top of a module, not inside others; or run it on threads."
        ) from None
    Performer(definition).simulation(int(runs[0])).compile()  # here once, so that it counts for no run
    pieces, again = Pieces(runs, workers, 4), deque[np.ndarray]()
    deaths: dict[int, int] = {}
    team = [_Worker(content) for _ in range(min(workers, len(runs)))]
    try:
        while True:
            for worker in team:
                if worker.piece is None and (again or not pieces.is_empty):
                    worker.begin(again.popleft() if again else pieces.next())
            busy = [worker for worker in team if worker.piece is not None]
            if not busy:
                return
            ready = wait([worker.pipe for worker in busy], timeout=1.0)
            for worker in busy:
                assert worker.piece is not None
                done = _received(worker) if worker.pipe in ready else None
                if done == _READY:
                    worker.is_ready, worker.watch = True, Stopwatch()
                elif isinstance(done, Block):
                    pieces.took(len(worker.piece), worker.watch.seconds)
                    worker.piece = None
                    yield done
                elif isinstance(done, Exception):
                    raise done
                elif worker.pipe in ready or _is_overdue(worker, definition):
                    piece, overdue = worker.piece, worker.pipe not in ready
                    worker.end()
                    team[team.index(worker)] = _Worker(content)
                    yield from _after_death(definition, piece, overdue, worker.process.exitcode, deaths, again)
    finally:
        for worker in team:
            worker.end()


def _received(worker: _Worker) -> Block | Exception | str | None:
    """What a worker has sent; None if it has died."""
    try:
        return worker.pipe.recv()  # type: ignore[no-any-return]
    except (EOFError, OSError):
        return None


def _is_overdue(worker: _Worker, definition: Definition) -> bool:
    assert worker.piece is not None
    if definition.timeout is None or not worker.is_ready:
        return False
    return worker.watch.seconds > definition.timeout * len(worker.piece) + _GRACE


def _after_death(
    definition: Definition,
    piece: np.ndarray,
    is_overdue: bool,
    exitcode: int | None,
    deaths: dict[int, int],
    again: deque[np.ndarray],
) -> Iterator[Block]:
    """Repeat what a process was doing, run by run; a run that ends processes again and again has failed."""
    if len(piece) > 1:
        again.extend(piece[i : i + 1] for i in range(len(piece)))
        return
    run = int(piece[0])
    deaths[run] = deaths.get(run, 0) + 1
    if deaths[run] < _PATIENCE and not is_overdue:
        again.append(piece)
        return
    error: Exception
    if is_overdue:
        error = RunTimeout(f"`{definition.name}` was not done after {definition.timeout:g} s of wall time.")
    else:
        error = WorkerDied(f"the process that did it ended with code {exitcode}, {_PATIENCE} times")
    yield failed_block(definition, piece, error)


def failed_block(definition: Definition, runs: np.ndarray, error: Exception) -> Block:
    """Runs that could not be done."""
    judge, inputs = definition.judge(), definition.inputs
    rows = [judge.row(int(run), None, error) for run in runs]
    return block_of(rows, inputs.values(runs), inputs.seeds(runs))
