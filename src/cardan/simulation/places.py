"""Places: values in an arena, and stretches of it that are filled place by place."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from cardan.contracts.fields import Declaration, FieldDeclaration
from cardan.native.layout import Block


class Place(NamedTuple):
    """A value in an arena.

    Attributes:
        at: Its first word.
        block: Its layout, all sizes known.
        fields: Its fields with unit and frame; empty for what nobody records.
    """

    at: int
    block: Block
    fields: tuple[FieldDeclaration, ...] = ()

    def words(self, arena: np.ndarray) -> np.ndarray:
        """Its words; the last axis of `arena` is the arena, leading axes (members of a batch) are kept."""
        return arena[..., self.at : self.at + self.block.words]

    def word(self, name: str) -> int:
        """Where a field of it begins."""
        return self.at + int(self.slice_of(name).start)

    def slice_of(self, name: str) -> slice:
        """Where a field lies within it."""
        names = [field.name for field in self.block.fields]
        return self.block.slices[names.index(name)]

    def read(self, arena: np.ndarray) -> Any:
        """The value that lies there, with arrays of its own."""
        return self.block.unpack(self.words(arena))

    def write(self, arena: np.ndarray, value: Any) -> None:
        self.block.pack(value, self.words(arena))


class State(NamedTuple):
    """One field of the continuous state: its path, its first place in the state, and its declaration."""

    path: str
    start: int
    declared: FieldDeclaration


class Stretch:
    """Words of an arena side by side, which are handed out one after the other.

    Args:
        start: Its first word.
    """

    def __init__(self, start: int) -> None:
        self.end = start

    def reserve(self, words: int) -> int:
        at, self.end = self.end, self.end + words
        return at

    def place(self, block: Block, fields: tuple[FieldDeclaration, ...] = ()) -> Place:
        return Place(self.reserve(block.words), block, fields)

    def declared(self, declaration: Declaration, value: Any) -> Place:
        """A place for what is declared so, with the sizes that `value` has."""
        return self.place(declaration.block.sized_like(value), declaration.fields)


def runs_of_words(places: Iterable[Place]) -> list[tuple[int, int]]:
    """First word and length of each stretch that is copied at once; neighbours in memory are joined."""
    runs: list[tuple[int, int]] = []
    for place in places:
        if runs and sum(runs[-1]) == place.at:
            runs[-1] = (runs[-1][0], runs[-1][1] + place.block.words)
        else:
            runs.append((place.at, place.block.words))
    return runs


def merged(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches (first word, length) in order, those that touch or overlap as one."""
    found: list[tuple[int, int]] = []
    for at, words in sorted(stretches):
        if found and at <= sum(found[-1]):
            start = found[-1][0]
            found[-1] = (start, max(sum(found[-1]), at + words) - start)
        else:
            found.append((at, words))
    return found
