"""What a run calls: methods of parts and functions of a dynamics service, over the memory of an arena."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cardan.native.call import Call
from cardan.native.compilation import Compilation
from cardan.native.entry import entry_compilation, kernel_compilation
from cardan.native.pointers import WORD
from cardan.native.python_entry import CALLBACK, PythonEntry, PythonKernel
from cardan.scenario.order import Output
from cardan.simulation import core
from cardan.simulation.places import Place

# functions of the mechanism's that stand among the outputs of parts
PUBLISH: Output = ("", "publish")
PUBLISH_FOR_TASKS: Output = ("", "publish for tasks")
CHECK: Output = ("", "check")


@dataclass(frozen=True, eq=False)
class Row:
    """One method of one part, ready to be called.

    Attributes:
        path: `part.method`, for errors.
        call: The method and its blocks.
        places: Where the blocks lie, in the order of the context.
        context: The word at which its context lies.
        jit: Whether it runs as native code.
    """

    path: str
    call: Call
    places: tuple[Place, ...]
    context: int
    jit: bool

    @cached_property
    def python(self) -> PythonEntry:
        """The method itself, over the same memory."""
        return PythonEntry(self.call, _status_at(self.context))

    @cached_property
    def address(self) -> int:
        """The entry; compiled when it is first asked for."""
        return self.compilation.compile() if self.jit else self.python.address

    @cached_property
    def compilation(self) -> Compilation:
        """What makes the entry native code."""
        return entry_compilation(self.call)

    def evaluate(self, t: float, arena: np.ndarray) -> None:
        """Run it once, outside a run."""
        self.python(t, arena.ctypes.data + WORD * self.context)


@dataclass(frozen=True, eq=False)
class ServiceRow:
    """One function of a dynamics service, ready to be called.

    Attributes:
        path: What it is called in errors.
        function: The function.
        context: The word at which its context lies.
        jit: Whether it runs as native code.
    """

    path: str
    function: Callable[..., int]
    context: int
    jit: bool

    @cached_property
    def python(self) -> PythonKernel:
        """The function itself, over the same memory."""
        return PythonKernel(self.function, _status_at(self.context))

    @cached_property
    def address(self) -> int:
        """The native function; compiled when it is first asked for."""
        return self.compilation.compile() if self.jit else self.python.address

    @cached_property
    def compilation(self) -> Compilation:
        """What makes the function native code."""
        return kernel_compilation(self.path, self.function, has_arrays=False)

    def evaluate(self, t: float, arena: np.ndarray) -> int:
        """Run it once, outside a run; returns its status."""
        run = CALLBACK(self.address) if self.jit else self.function
        return int(run(t, arena.ctypes.data + WORD * self.context))


AnyRow = Row | ServiceRow


def _status_at(context: int) -> int:
    """[bytes] Where a call in the interpreter leaves its status, counted from its context."""
    return WORD * (core.FAIL_STATUS - context)
