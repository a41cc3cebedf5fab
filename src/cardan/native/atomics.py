"""Words that several threads read and write at once, by address.

All are sequentially consistent: threads agree on one order of all that they do to such words, and what a thread wrote
to other memory before is there for whoever has seen the word that it wrote after.
"""

from typing import Any

from llvmlite import ir
from numba import types

from cardan.native.forms import compiled_as
from cardan.native.pointers import WORD, load_int, pointer, store_int

_INT = ir.IntType(64)
_ORDER = "seq_cst"


def _load(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.load_atomic(pointer(builder, args[0], _INT), _ORDER, WORD)


def _store(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    builder.store_atomic(args[1], pointer(builder, args[0], _INT), _ORDER, WORD)
    return context.get_dummy_value()


def _add(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.atomic_rmw("add", pointer(builder, args[0], _INT), args[1], _ORDER)


@compiled_as(types.int64(types.int64), _load)
def load(address: int) -> int:
    """The word at `address`."""
    return load_int(address)


@compiled_as(types.void(types.int64, types.int64), _store)
def store(address: int, value: int) -> None:
    """Write the word at `address`."""
    store_int(address, value)


@compiled_as(types.int64(types.int64, types.int64), _add)
def add(address: int, value: int) -> int:
    """Add to the word at `address`; returns what it was before."""
    before = load_int(address)
    store_int(address, before + value)
    return before
