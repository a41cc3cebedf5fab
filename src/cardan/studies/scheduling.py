"""Which runs are done next, in pieces that take a few seconds."""

import time

import numpy as np

from cardan.studies.performing import MOST

_WANTED = 2.0  # [s] that a piece takes: not much is lost if it is, and what surrounds it does not count
_TOGETHER = 8  # runs that a batch advances at once, for the price of three or four


class Pieces:
    """Hands out runs in order, in pieces whose size follows from how long runs take.

    Args:
        runs: (n,) What is to be done.
        workers: How many take pieces at the same time.
        size: Runs in a piece until it is known how long they take.
    """

    def __init__(self, runs: np.ndarray, workers: int, size: int) -> None:
        self._runs = runs
        self._at = 0
        self._workers = workers
        self._size = max(1, size)

    @property
    def is_empty(self) -> bool:
        return self._at >= len(self._runs)

    def next(self) -> np.ndarray:
        """The next piece: neighbours, so that a shard has no gap."""
        left = -(-(len(self._runs) - self._at) // self._workers)  # nobody is to wait for one long piece at the end
        size = max(1, min(self._size, left, MOST))
        if 2 * size >= _TOGETHER:
            size = max(_TOGETHER, size - size % _TOGETHER)
        piece = self._runs[self._at : self._at + size]
        gaps = np.flatnonzero(np.diff(piece) != 1)
        piece = piece[: gaps[0] + 1] if len(gaps) else piece
        self._at += len(piece)
        return piece

    def took(self, count: int, seconds: float) -> None:
        """Take note of how long a piece took."""
        wanted = _WANTED * count / max(seconds, 1e-6)
        self._size = int(np.clip(wanted, 1, min(MOST, 4 * self._size)))


class Stopwatch:
    """[s] Since it was made."""

    def __init__(self) -> None:
        self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began
