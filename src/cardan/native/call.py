"""A `Call`: a method with the layout of all that it reads and writes.

It serves both ways to run the method: `entry.py` turns it into native code, `python_entry.py` calls the method itself.
It says nothing about compilers, and needs none.

The context of a call is a row of words: for each block that the method reads or writes, how many bytes further on the
block lies, followed by the sizes that this instance has fixed. Being relative, a context stays right when the whole
arena is copied elsewhere.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from cardan.native.layout import WORD, Block


class Argument(NamedTuple):
    """One argument of a method.

    Attributes:
        name: As in the signature.
        block: The layout of its value; None for the time, and for an optional input that stays at None.
        is_time: True for `t`, which the entry is given directly.
        is_scalar: True where the argument is the block's only number itself (`dt`), not a NamedTuple.
    """

    name: str
    block: Block | None
    is_time: bool = False
    is_scalar: bool = False


class Result(NamedTuple):
    """One block that a method returns.

    Attributes:
        name: What it is called in paths and errors, e.g. `torque`.
        at: Where it stands in what the method returns: () for the whole, (1, 0) for `returned[1][0]`.
        block: The layout of its value.
        replaces: The argument whose memory takes the value once everything is stored and nothing failed.
    """

    name: str
    at: tuple[int, ...]
    block: Block
    replaces: str | None = None


@dataclass(frozen=True)
class Call:
    """A method with the layout of all that it reads and writes."""

    label: str
    method: Callable[..., Any]
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]

    @property
    def blocks(self) -> list[Block]:
        """The blocks of the context, in order: arguments, then results."""
        read = [argument.block for argument in self.arguments if argument.block is not None]
        return read + [result.block for result in self.results]

    @property
    def context_words(self) -> int:
        return sum(1 + len(free_sizes(block)) for block in self.blocks)

    def context(self, at: int, offsets: list[int]) -> list[int]:
        """The words of a context that lies at word `at`, its blocks at the words `offsets`."""
        words = []
        for block, offset in zip(self.blocks, offsets, strict=True):
            words.append((offset - at) * WORD)
            words.extend(free_sizes(block))
        return words


def free_sizes(block: Block) -> list[int]:
    """The sizes of a block that its instance has fixed."""
    return [
        size
        for field in block.fields
        for size, is_free in zip(field.shape, field.free, strict=True)
        if is_free and size is not None
    ]
