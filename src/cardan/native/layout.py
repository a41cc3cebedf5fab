"""How the values of a NamedTuple lie in memory: 8-byte words, field after field, in the order of the declaration."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np

Shape = tuple[int | None, ...]

KINDS = {"float": np.float64, "int": np.int64, "bool": np.bool_}

WORD = 8  # bytes in a word of the arena
LINE = 8  # words in a line of the processor's cache


def aligned_copy(words: np.ndarray) -> np.ndarray:
    """A copy that begins with a cache line: native code is a little faster where vectors lie within lines."""
    room = np.empty(len(words) + LINE)
    start = -(room.ctypes.data // WORD) % LINE
    copied = room[start : start + len(words)]
    copied[:] = words
    return copied


class Field(NamedTuple):
    """One number or array of a block.

    Attributes:
        name: The field's name in its NamedTuple.
        kind: "float", "int" or "bool"; each takes one word per number.
        shape: () for a scalar; None stands for a size not known yet.
        free: For each size, whether every instance fixes its own (a value per wheel) or the declaration does.
    """

    name: str
    kind: str
    shape: Shape
    free: tuple[bool, ...] = ()

    @property
    def is_sized(self) -> bool:
        return None not in self.shape

    @property
    def words(self) -> int:
        """Words the field takes; only once it is sized."""
        return prod(size for size in self.shape if size is not None)


@dataclass(frozen=True)
class Block:
    """The layout of one NamedTuple class."""

    type: Any
    fields: tuple[Field, ...]

    @cached_property
    def is_sized(self) -> bool:
        return all(field.is_sized for field in self.fields)

    @cached_property
    def is_fixed(self) -> bool:
        """Whether no instance fixes a size of its own."""
        return not any(any(field.free) for field in self.fields)

    @cached_property
    def words(self) -> int:
        return sum(field.words for field in self.fields)

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """Where each field lies, in words from the start of the block."""
        starts = accumulate((field.words for field in self.fields), initial=0)
        return tuple(slice(a, b) for a, b in pairwise(starts))

    def sized_like(self, value: Any) -> "Block":
        """The same layout with the sizes that `value` has; where the declaration fixes all sizes, it is the same."""
        if self.is_fixed:
            return self
        fields = tuple(field._replace(shape=np.shape(getattr(value, field.name))) for field in self.fields)
        return Block(self.type, fields)

    def pack(self, value: Any, words: np.ndarray) -> None:
        """Write `value` into `words`, a float64 view of the block."""
        for field, where in zip(self.fields, self.slices, strict=True):
            target = words[where] if field.kind == "float" else words[where].view(np.int64)
            target[...] = np.asarray(getattr(value, field.name), dtype=target.dtype).ravel()

    def unpack(self, words: np.ndarray) -> Any:
        """The value that lies in `words`, with arrays of its own that cannot be written to."""
        return self.type._make(self.columns(words.copy()))

    def columns(self, words: np.ndarray) -> Iterator[Any]:
        """Field after field of `words`, read-only and without copying them where that is possible.

        The last axis of `words` is the block; leading axes (samples) are kept.
        """
        return (self.column(i, words) for i in range(len(self.fields)))

    def column(self, index: int, words: np.ndarray) -> Any:
        """One field of `words`, as `columns` gives it."""
        field = self.fields[index]
        raw = words[..., self.slices[index]]
        if field.kind != "float":
            raw = raw.view(np.int64)
        values: np.ndarray = raw if field.kind == "float" else raw.astype(KINDS[field.kind], copy=False)
        if len(field.shape) != 1:  # a vector has its shape already
            values = values.reshape(words.shape[:-1] + field.shape)
        values.flags.writeable = False
        return values if values.ndim else values[()]
