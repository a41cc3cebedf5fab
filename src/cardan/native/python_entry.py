"""Entries that stay Python: the same C signature, the same memory, the method itself behind it."""

import ctypes
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from cardan.errors import ShapeError, advice_if_defined_again, told_apart
from cardan.native.call import Call
from cardan.native.layout import Block
from cardan.native.status import Status
from cardan.native.whole_numbers import is_truth, is_whole

_MOST_ARENAS = 64  # how many arenas an entry remembers the views of

CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, ctypes.c_int64)


def words_at(address: int, count: int) -> np.ndarray:
    """The `count` words at `address` as float64; the memory stays its owner's."""
    return np.ctypeslib.as_array((ctypes.c_double * count).from_address(address)) if count else np.empty(0)


class _Divisions:
    """Hears of divisions by zero: `//` and `%` of whole numbers raise as in Python; NumPy would give 0."""

    def write(self, text: str) -> None:
        if "floor_divide" in text or "remainder" in text:
            raise ZeroDivisionError("integer division or modulo by zero")
        warnings.warn(text.strip().removeprefix("Warning: "), RuntimeWarning, stacklevel=2)


_DIVISIONS = _Divisions()


def call_part(method: Callable[..., Any], values: Iterable[Any]) -> Any:
    """Call what others have written; a frame of this function says that the interpreter is there."""
    return method(*values)


class PythonEntry:
    """Runs a `Call` in the interpreter; an exception is kept, to be raised when the core has returned.

    Several threads may run it at once, each with a context of its own.

    Args:
        call: The method and its blocks.
        status_at: [bytes] Where its status goes, counted from its context.
    """

    def __init__(self, call: Call, status_at: int) -> None:
        self.call = call
        self.exceptions: dict[int, BaseException] = {}  # by context
        self._status_at = status_at
        self._callback = CALLBACK(self._run)
        self._bound: dict[int, list[np.ndarray]] = {}

    @property
    def address(self) -> int:
        """The C function that the schedule calls, negated: its status counts where it is written, not as returned."""
        return -_address(self._callback)

    def __call__(self, t: float, context: int) -> Status:
        """Call the method with what lies in memory and store what it returns; exceptions go through."""
        views = self._bound.get(context) or self._bind(context)
        values = []
        remaining = iter(views)
        targets: dict[str, np.ndarray] = {}
        for argument in self.call.arguments:
            if argument.block is None:
                values.append(np.float64(t) if argument.is_time else None)
                continue
            targets[argument.name] = words = next(remaining)
            value = argument.block.unpack(words)
            values.append(value[0] if argument.is_scalar else value)

        with np.errstate(divide="log", call=_DIVISIONS):
            returned = call_part(self.call.method, values)

        status = Status.OK
        replaced: list[tuple[np.ndarray, np.ndarray]] = []
        for result, words in zip(self.call.results, remaining, strict=True):
            store(result.block, part_of(returned, result.at), words, f"{self.call.label} -> {result.name}")
            if not is_finite(result.block, words):
                status = Status.NOT_FINITE
            if result.replaces is not None:
                replaced.append((targets[result.replaces], words))
        # what failed leaves the argument as it was
        if status is Status.OK:
            for target, words in replaced:
                target[:] = words
        return status

    def _run(self, t: float, context: int) -> int:
        # an exception may come from outside between any two lines: without the last, the call has failed
        try:
            status = int(self(t, context))
        except BaseException as exception:  # also KeyboardInterrupt and a debugger's quit: all end the run
            self.exceptions[context] = exception
            status = int(Status.RAISED)
        _leave(status, context + self._status_at)
        return status

    def _bind(self, context: int) -> list[np.ndarray]:
        slots = words_at(context, self.call.context_words).view(np.int64)
        views = []
        slot = 0
        for block in self.call.blocks:
            views.append(words_at(context + int(slots[slot]), block.words))
            slot += 1 + sum(sum(field.free) for field in block.fields)
        if len(self._bound) >= _MOST_ARENAS:
            self._bound.clear()
        self._bound[context] = views
        return views


class PythonKernel:
    """Runs a function `f(t, context) -> status` in the interpreter; status and exception as with `PythonEntry`."""

    def __init__(self, function: Callable[..., int], status_at: int) -> None:
        self.function = function
        self.exceptions: dict[int, BaseException] = {}  # by context
        self._status_at = status_at
        self._callback = CALLBACK(self._run)

    @property
    def address(self) -> int:
        """The C function that the schedule calls, negated as with `PythonEntry`."""
        return -_address(self._callback)

    def _run(self, t: float, context: int) -> int:
        try:
            status = int(call_part(self.function, (t, context)))
        except BaseException as exception:
            self.exceptions[context] = exception
            status = int(Status.RAISED)
        _leave(status, context + self._status_at)
        return status


def _leave(status: int, at: int) -> None:
    ctypes.c_int64.from_address(at).value = status


def _address(callback: Any) -> int:
    address = ctypes.cast(callback, ctypes.c_void_p).value
    assert address is not None
    return address


def part_of(returned: Any, at: tuple[int, ...]) -> Any:
    """What stands at `at` in what a method returned, or None where there is no such place."""
    for i in at:
        if not isinstance(returned, tuple) or i >= len(returned):
            return None
        returned = returned[i]
    return returned


def store(block: Block, value: Any, words: np.ndarray, path: str) -> None:
    """Write `value` into `words`, refusing any class, shape or kind of number but the declared one."""
    check_class(block.type, value, path)
    for field in block.fields:
        number = np.asarray(getattr(value, field.name))
        if number.shape != field.shape:
            raise ShapeError(
                f"`{path}.{field.name}` has the wrong shape.\n  expected {field.shape}\n  got      {number.shape}"
            )
        if number.dtype.kind not in "biuf" or not all(_TAKES[field.kind](item) for item in number.flat):
            raise ShapeError(f"`{path}.{field.name}` takes {_TAKEN[field.kind]}.\n  got      {number.tolist()!r}")
    block.pack(value, words)


_TAKES: dict[str, Callable[[Any], Any]] = {"float": lambda item: True, "int": is_whole, "bool": is_truth}
_TAKEN = {
    "float": "numbers",
    "int": "whole numbers that fit 64 bits; round others yourself",
    "bool": "True or False; compare numbers with something",
}


def check_class(expected: type, value: Any, path: str) -> None:
    """Raise unless a method has returned what it declares."""
    if not isinstance(value, expected):
        wanted, got = told_apart(expected, type(value))
        raise ShapeError(
            f"`{path}` is of the wrong class.\n  expected {wanted}\n  got      {got}"
            f"{advice_if_defined_again(expected, type(value))}"
        )


def is_finite(block: Block, words: np.ndarray) -> bool:
    """Whether every float of the block is a number."""
    return all(
        np.isfinite(words[where]).all()
        for field, where in zip(block.fields, block.slices, strict=True)
        if field.kind == "float"
    )
