"""Memory and C functions by address.

Everything that a run reads or writes lies in 8-byte words at addresses. These few functions are the only place where an
integer becomes a pointer. In the interpreter they go through ctypes; numbers come out as NumPy's, which divide and
overflow as compiled ones do.
"""

import ctypes
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic

from cardan.native.forms import compiled_as
from cardan.native.layout import LINE
from cardan.native.layout import WORD as WORD

ENTRY_SIGNATURE = types.int64(types.float64, types.int64)

NUMBERS, STRUCTURE = "numbers", "structure"  # what a word holds: a float, or a whole number
_INT, _FLOAT, _NOTHING = ir.IntType(64), ir.DoubleType(), ir.VoidType()


def pointer(builder: Any, address: Any, kind: Any) -> Any:
    """Instructions: an integer as a pointer to `kind`.

    The function that does so is marked: LLVM takes an address that it reckons from null for one that cannot be, and may
    then drop the code around it. llvmlite does not know the mark by name.
    """
    set.add(builder.function.attributes, "null_pointer_is_valid")
    return builder.inttoptr(address, kind.as_pointer())


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return pointer(builder, args[0], cgutils.voidptr_t.pointee)


@compiled_as(types.voidptr(types.int64), _pointer)
def as_voidptr(address: int) -> Any:
    """The integer `address` as a pointer."""
    return ctypes.c_void_p(int(address))


def _call(returned: Any, *given: Any) -> Any:
    def instructions(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = pointer(builder, args[0], ir.FunctionType(returned, given))
        value = builder.call(function, args[1:])
        return context.get_dummy_value() if returned is _NOTHING else value

    return instructions


_ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, ctypes.c_int64)
_TWO = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_THREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


@cache
def _function(kind: Any, address: int) -> Any:
    return kind(address)


@compiled_as(types.int64(types.int64, types.float64, types.int64), _call(_INT, _FLOAT, _INT))
def call_entry(address: int, t: float, context: int) -> int:
    """Call the entry at `address`; returns its status."""
    status: int = _function(_ENTRY, address)(t, context)
    return status


@compiled_as(types.void(types.int64, types.int64, types.int64), _call(_NOTHING, _INT, _INT))
def call_two(address: int, first: int, second: int) -> None:
    """Call the C function `void f(void*, void*)` at `address`."""
    _function(_TWO, int(address))(first, second)


@compiled_as(types.void(types.int64, types.int64, types.int64, types.int64), _call(_NOTHING, _INT, _INT, _INT))
def call_three(address: int, first: int, second: int, third: int) -> None:
    """Call the C function `void f(void*, void*, void*)` at `address`."""
    _function(_THREE, address)(first, second, third)


def holding(instruction: Any, what: str) -> Any:
    """Instructions: mark a load or a store as of a word that holds `what`, NUMBERS or STRUCTURE.

    No word is written as the one and read as the other, so LLVM need not load structure again after it has written
    numbers. What moves words of either kind has no mark: `load_word`, `store_int` and Numba's arrays.
    """
    module = instruction.module
    root = module.add_metadata([ir.MetaDataString(module, "cardan")])
    kind = module.add_metadata([ir.MetaDataString(module, what), root, _INT(0)])
    instruction.set_metadata("tbaa", module.add_metadata([kind, kind, _INT(0)]))
    return instruction


def _load(kind: Any, what: str) -> Any:
    def instructions(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return holding(builder.load(pointer(builder, args[0], kind)), what)

    return instructions


def _store_float(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    holding(builder.store(args[1], pointer(builder, args[0], _FLOAT)), NUMBERS)
    return context.get_dummy_value()


def _store_int(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    builder.store(args[1], pointer(builder, args[0], _INT))  # without a mark, as it writes what `load_word` reads
    return context.get_dummy_value()


@compiled_as(types.float64(types.int64), _load(_FLOAT, NUMBERS))
def load_float(address: int) -> float:
    """The float64 at `address`."""
    return np.float64(ctypes.c_double.from_address(int(address)).value)


@compiled_as(types.int64(types.int64), _load(_INT, STRUCTURE))
def load_int(address: int) -> int:
    """The int64 at `address`, which was stored as one; the bits of any other word by `load_word`."""
    return ctypes.c_int64.from_address(int(address)).value


def _load_word(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.load(pointer(builder, args[0], _INT))


@compiled_as(types.int64(types.int64), _load_word)
def load_word(address: int) -> int:
    """The bits at `address`, whatever they stand for."""
    return ctypes.c_int64.from_address(int(address)).value


@compiled_as(types.void(types.int64, types.float64), _store_float)
def store_float(address: int, value: float) -> None:
    """Write a float64 at `address`."""
    ctypes.c_double.from_address(int(address)).value = value


@compiled_as(types.void(types.int64, types.int64), _store_int)
def store_int(address: int, value: int) -> None:
    """Write an int64 at `address`, or the bits of any word."""
    ctypes.c_int64.from_address(int(address)).value = value


def _copy_line(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    kind = ir.VectorType(_INT, LINE)
    builder.store(builder.load(pointer(builder, args[1], kind), align=8), pointer(builder, args[0], kind), align=8)
    return context.get_dummy_value()


@compiled_as(types.void(types.int64, types.int64), _copy_line)
def copy_line(target: int, source: int) -> None:
    """Copy as many words as a line of the processor's cache has."""
    for i in range(LINE):
        store_int(target + WORD * i, load_word(source + WORD * i))


@intrinsic  # type: ignore[untyped-decorator]
def readonly(typingctx: Any, array: Any) -> Any:
    """The same array typed read-only, so that writing into it does not compile."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return impl_ret_borrowed(context, builder, signature.return_type, args[0])

    return array.copy(readonly=True)(array), codegen
