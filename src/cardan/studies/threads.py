"""Runs on threads of this process: each has its own batch, and native code runs without the GIL."""

import threading
from collections.abc import Iterator
from queue import SimpleQueue

import numpy as np

from cardan.studies.blocks import Block
from cardan.studies.definition import Definition
from cardan.studies.performing import Performer
from cardan.studies.scheduling import Pieces, Stopwatch


def on_threads(definition: Definition, runs: np.ndarray, workers: int) -> Iterator[Block]:
    """Runs as they are done, some at a time, in any order."""
    pieces, lock, is_over = Pieces(runs, workers, 4), threading.Lock(), threading.Event()
    done: SimpleQueue[Block | BaseException | None] = SimpleQueue()

    def work() -> None:
        try:
            performer = Performer(definition)
            while not is_over.is_set():
                with lock:
                    if pieces.is_empty:
                        break
                    piece = pieces.next()
                watch = Stopwatch()
                done.put(performer.perform(piece))
                with lock:
                    pieces.took(len(piece), watch.seconds)
        except BaseException as error:
            done.put(error)
        else:
            done.put(None)

    team = [threading.Thread(target=work, name=f"cardan study {i}", daemon=True) for i in range(workers)]
    for thread in team:
        thread.start()
    try:
        left = len(team)
        while left:
            found = done.get()
            if isinstance(found, BaseException):
                raise found
            if found is None:
                left -= 1
            else:
                yield found
    finally:
        is_over.set()
        for thread in team:
            thread.join()
