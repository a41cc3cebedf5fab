"""Large kernels as modules of their own, which compiled code calls by name.

What a part calls becomes part of its entry. A solver of hundreds of lines would be compiled again with every part that
uses it, each time that the part is edited. A linked kernel is compiled once. Entries refer to it by a name that has the
key of its content in it, so that an entry never calls another version than the one it was compiled with.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config

from cardan.native import machine_code
from cardan.native.compilation import Compilation, is_copy
from cardan.native.entry import kernel_compilation
from cardan.native.forms import compiled_as
from cardan.native.python_entry import CALLBACK
from cardan.native.shapes import is_for_shapes
from cardan.native.status import OK

Kernel = Callable[[float, int], int]

_PREFIX = "cardan_linked_"
_linked: list[Callable[[], Compilation]] = []


class _Linked(NamedTuple):
    """A kernel that others call by name."""

    label: str
    kernel: Kernel

    def compilation(self) -> Compilation:
        return kernel_compilation(self.label, self.kernel, is_large=True)

    def __str__(self) -> str:
        """What the keys of callers are made from: the same in every process, and another for other content."""
        return f"{self.label} {self.compilation().key}"


def linked(label: str, kernel: Kernel) -> Callable[[int], int]:
    """A function `f(context) -> status` that runs `kernel(t, context)`, at t = 0, compiled as a module of its own.

    Called from plain Python it runs the same native code, for a solver in the interpreter takes seconds; under
    NUMBA_DISABLE_JIT=1 it runs as Python; within `only_shapes` it does nothing.
    """
    made = _Linked(label, kernel)

    def instructions(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [ir.DoubleType(), ir.IntType(64)])
        function = cgutils.get_or_insert_function(builder.module, kind, _named(made.compilation()))
        return builder.call(function, [ir.Constant(ir.DoubleType(), 0.0), *args])

    @compiled_as(types.int64(types.int64), instructions)
    def call(context: int) -> int:
        if is_for_shapes():
            return OK
        if config.DISABLE_JIT:
            return kernel(0.0, context)
        return int(CALLBACK(made.compilation().compile())(0.0, int(context)))

    call.compilation = made.compilation  # type: ignore[attr-defined]
    _linked.append(made.compilation)
    return call


def hold(arrays: Any) -> None:
    """Keep a tuple of arrays up to here: compiled code drops an array after its last use, and an address is no use."""


def address(array: Any) -> int:
    """Where the numbers of an array lie; `hold` it until whoever is given the address has come back."""
    return np.int64(array.ctypes.data)  # type: ignore[return-value]  # in compiled code it is unsigned


def _named(compilation: Compilation) -> str:
    """Tell LLVM the name of a kernel, compiled if it is not on disk; a copy, which runs nothing, needs no more."""
    symbol = _PREFIX + compilation.key
    if not llvm.address_of_symbol(symbol):
        llvm.add_symbol(symbol, _NOWHERE if is_copy() else compilation.compile())
    return symbol


_NOWHERE = 8  # an address that is none


def _find(names: list[str]) -> None:
    """Find the kernels that code from disk refers to."""
    wanted = {name for name in names if name.startswith(_PREFIX)}
    if wanted:
        for each in _linked:
            compilation = each()
            if _PREFIX + compilation.key in wanted:
                _named(compilation)


machine_code.finders.append(_find)
