"""Runs on a Dask cluster: any that has a scheduler, whose workers have Cardan installed."""

import hashlib
import pickle
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from cardan.errors import MissingExtra, SettingError
from cardan.studies.blocks import Block
from cardan.studies.definition import Definition
from cardan.studies.performing import Performer
from cardan.studies.processes import WorkerDied, failed_block
from cardan.studies.scheduling import Pieces, Stopwatch

_AHEAD = 2  # pieces for each thread of a worker that are on their way
_WAIT = 10  # [s] for a scheduler to answer
_KNOWN = threading.local()  # what a thread of a worker has prepared


def connect(scheduler: Any) -> Any:
    """A `dask.distributed.Client`: that which is given, or one of the scheduler at an address."""
    try:
        from dask.distributed import Client
    except ImportError as error:
        raise MissingExtra("A cluster needs Dask.\n  Install it with `pip install cardan[cluster]`.") from error
    if isinstance(scheduler, Client):
        return scheduler
    try:
        return Client(str(scheduler), timeout=_WAIT)
    except (OSError, ValueError, TimeoutError) as error:
        told = " ".join(str(error).split())
        raise SettingError(
            f"There is no Dask scheduler at {scheduler}: {told}.\n"
            "  Start one with `dask scheduler`, and workers with `dask worker ADDRESS`."
        ) from None


def on_cluster(definition: Definition, runs: np.ndarray, client: Any) -> Iterator[Block]:
    """Runs as they are done, some at a time, in any order."""
    from dask.distributed import as_completed

    content = _pickled(definition)
    key = hashlib.sha256(content).hexdigest()
    threads = sum(client.nthreads().values())
    if not threads:
        raise SettingError(
            f"The cluster at {client.scheduler.address} has no workers.\n  Start some: `dask worker ADDRESS`."
        )
    shared = client.scatter(content, broadcast=True, hash=False)
    pieces, sent = Pieces(runs, threads, 4), {}
    waiting = as_completed()

    def send(piece: np.ndarray) -> None:
        future = client.submit(_perform, key, shared, piece, pure=False, retries=1)
        sent[future] = piece, Stopwatch()
        waiting.add(future)

    try:
        while not pieces.is_empty or sent:
            while not pieces.is_empty and len(sent) < _AHEAD * threads:
                send(pieces.next())
            future = next(waiting)
            piece, watch = sent.pop(future)
            if future.status == "finished":
                pieces.took(len(piece), watch.seconds / _AHEAD)
                yield future.result()
            elif len(piece) > 1:
                for i in range(len(piece)):
                    send(piece[i : i + 1])
            else:
                yield failed_block(definition, piece, WorkerDied(_told(future.exception())))
            future.release()
    finally:
        for future in sent:
            future.cancel()


def _told(error: Any) -> str:
    if type(error).__name__ == "KilledWorker":
        return "the workers that did it ended, again and again"
    return f"{type(error).__name__}: {error}"


def _pickled(definition: Definition) -> bytes:
    """Functions of a script or a notebook travel as they are, which pickle alone cannot do."""
    import cloudpickle

    content: bytes = cloudpickle.dumps(definition)
    return content


def _perform(key: str, content: bytes, piece: np.ndarray) -> Block:
    """What a worker does."""
    known = getattr(_KNOWN, "performer", None)
    if known is None or known[0] != key:
        known = _KNOWN.performer = key, Performer(pickle.loads(content))
    return known[1].perform(piece)
