"""`Series`: samples as they were recorded, in chunks, and as one array once that is asked for."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np


def _as_they_are(rows: np.ndarray) -> np.ndarray:
    return rows


class Series:
    """Samples of one quantity, time along the first axis.

    What a run records lies in chunks, in which all quantities take turns. To join them would take as much memory again,
    at the end of a run that may have taken what there was; so a quantity is joined when it is first wanted whole, and
    no longer holds on to the chunks from then on.

    Args:
        chunks: One or more, in the order of time.
        take: Gives the samples of this quantity that lie in some rows of a chunk.
    """

    def __init__(self, chunks: Sequence[np.ndarray], take: Callable[[np.ndarray], np.ndarray] = _as_they_are) -> None:
        self._parts = tuple(chunks), take  # as one, so that another thread never sees halves of two states

    @cached_property
    def _none(self) -> np.ndarray:
        """No samples."""
        chunks, take = self._parts
        return take(chunks[0][:0])

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one sample."""
        return self._none.shape[1:]

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of its numbers."""
        return self._none.dtype

    def __len__(self) -> int:
        return sum(map(len, self._parts[0]))

    @property
    def nbytes(self) -> int:
        """[bytes] Of the samples as one array."""
        return len(self) * self.dtype.itemsize * int(np.prod(self.shape, dtype=np.int64))

    def whole(self) -> np.ndarray:
        """All samples as one array."""
        chunks, take = self._parts
        if len(chunks) == 1 and take is _as_they_are:
            return chunks[0]
        if len(chunks) == 1:
            joined = take(chunks[0])
        else:
            joined = np.empty((sum(map(len, chunks)), *self.shape), self.dtype)
            at = 0
            for chunk in chunks:
                joined[at : at + len(chunk)] = take(chunk)
                at += len(chunk)
        joined.flags.writeable = False
        self._parts = (joined,), _as_they_are
        return joined

    def rows(self, start: int, stop: int) -> np.ndarray:
        """The samples from `start` to before `stop`, copied at the most; the others stay as they are."""
        chunks, take = self._parts
        found, at = [], 0
        for chunk in chunks:
            if start < at + len(chunk) and at < stop:
                found.append(take(chunk[max(0, start - at) : stop - at]))
            at += len(chunk)
        if not found:
            return take(chunks[0][:0])
        return found[0] if len(found) == 1 else np.concatenate(found)

    def is_same(self, other: "Series") -> bool:
        """Whether both stand for the same samples; such that are merely equal do not count."""
        if self is other or isinstance(other, FileSeries):
            return self is other
        (mine, take), (theirs, taken) = self._parts, other._parts
        return take is taken and len(mine) == len(theirs) and all(a is b for a, b in zip(mine, theirs, strict=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return Series, ([self.whole()],)  # for another process, without the other quantities


NOTHING: np.ndarray = np.empty(0)


class Kept:
    """Of a file, the quantity that was last read whole."""

    def __init__(self) -> None:
        self.last: tuple[Series | None, np.ndarray] = None, NOTHING


class FileSeries(Series):
    """Samples that stay in a file, and are read when they are wanted.

    Of all quantities in a file, the one that was last wanted whole is kept.

    Args:
        kept: What is kept, shared by all quantities of the file.
        read: Reads the samples from one row to before another.
        length: How many samples there are.
        shape: Of one sample.
        dtype: Of its numbers.
    """

    def __init__(
        self,
        kept: "Kept",
        read: Callable[[int, int], np.ndarray],
        length: int,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
    ) -> None:
        self._kept, self._read, self._length = kept, read, length
        self._none = np.empty((0, *shape), dtype)

    def __len__(self) -> int:
        return self._length

    def whole(self) -> np.ndarray:
        quantity, values = self._kept.last
        if quantity is not self:
            self._kept.last = None, NOTHING  # makes room first
            values = self.rows(0, self._length)
            self._kept.last = self, values
        return values

    def rows(self, start: int, stop: int) -> np.ndarray:
        values = self._read(min(start, self._length), min(stop, self._length))
        values.flags.writeable = False
        return values

    def is_same(self, other: Series) -> bool:
        return self is other


def as_series(samples: "np.ndarray | Series") -> Series:
    """An array as a series."""
    return samples if isinstance(samples, Series) else Series([samples])
