"""Entries in lanes: a part's method, traced (`tracing`), over the arenas of eight runs at once.

The context of such an entry are two words: where the context of the first run lies, and how many bytes further on that
of the next. Sizes that an instance fixes are constants of the code. A method that cannot be traced leaves an entry that
says so when it is asked, with no context.
"""

from collections.abc import Iterator
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir

from cardan.native import machine_code
from cardan.native.cache import load_entry
from cardan.native.call import Call
from cardan.native.compilation import Compilation
from cardan.native.entry import entry_source, type_names
from cardan.native.fingerprint import fingerprint
from cardan.native.lanes import COUNT, load_four, store_four
from cardan.native.layout import WORD, Block
from cardan.native.pointers import pointer
from cardan.native.python_entry import CALLBACK
from cardan.native.status import NOT_FINITE, OK, UNFIT
from cardan.native.tracing import NUMBERS, Number, Untraced, Writer, array_of

_INT, _LANE = ir.IntType(64), ir.IntType(32)
_MOST_WORDS = 1000  # that are worth moving between arenas and registers; tables of parameters are longer
_STUB = '''"""{label} in lanes: an object file beside this. Generated: it can be deleted, it will be written again."""


def entry(t, context):
    return {unfit}
'''


def lane_compilation(call: Call) -> Compilation:
    """What makes native code of a method for eight runs at once."""
    sizes = [field.shape for block in call.blocks for field in block.fields]
    key = fingerprint(call.method, *type_names(call).values(), text=f"in lanes {sizes}{entry_source(call)}")
    return Compilation(f"{call.label} in lanes", key, lambda: _compile(call, key))


def is_traced(address: int) -> bool:
    """Whether the entry at `address` does anything."""
    return bool(CALLBACK(address)(0.0, 0) == OK)


def why_alone(call: Call) -> str:
    """Why a method cannot be traced; empty if it can."""
    builder, t, context = _function("untraced")
    try:
        _write(call, builder, t, context)
    except Exception as error:  # whatever the method does with values that it does not know
        return str(error).splitlines()[0]
    return ""


def _compile(call: Call, key: str) -> int:
    name = "".join(letter if letter.isalnum() else "_" for letter in call.label) + "_in_lanes"

    def code_of(_: Any, symbol: str) -> bytes:
        code = None if why_alone(call) else _code(call, symbol)
        return code or _code(None, symbol) or b""

    def by_numba(_: Any) -> Any:
        raise RuntimeError(f"no code of {call.label} in lanes")

    return load_entry(name, key, _STUB.format(label=call.label, unfit=UNFIT), dict, code_of, by_numba)


def _code(call: Call | None, symbol: str) -> bytes | None:
    """An object file; without a call, of an entry that does nothing."""
    builder, t, context = _function(symbol)
    with builder.if_then(builder.icmp_unsigned("==", context, _INT(0))):
        builder.ret(_INT(UNFIT if call is None else OK))
    if call is None:
        builder.ret(_INT(UNFIT))
    else:
        _write(call, builder, t, context)
    module = llvm.parse_assembly(str(builder.module))
    module.verify()
    machine_code.optimise(module)
    return machine_code.machine_code(module)


def _function(symbol: str) -> tuple[Any, Any, Any]:
    """A builder in an empty function, and its arguments."""
    module = ir.Module(name=symbol)
    module.triple = llvm.get_process_triple()
    function = ir.Function(module, ir.FunctionType(_INT, [ir.DoubleType(), _INT]), symbol)
    return ir.IRBuilder(function.append_basic_block()), *function.args


def _write(call: Call, builder: Any, t: Any, context: Any) -> None:
    """The instructions of an entry: read all, compute, check, write all."""
    if sum(block.words for block in call.blocks) > _MOST_WORDS:
        raise Untraced("reads and writes too many numbers")
    writer = Writer(builder)
    first, stride = (builder.load(pointer(builder, builder.add(context, _INT(WORD * i)), _INT)) for i in range(2))
    places, slot = [], 0
    for block in call.blocks:
        places.append(builder.add(first, builder.load(pointer(builder, builder.add(first, _INT(WORD * slot)), _INT))))
        slot += 1 + sum(sum(field.free) for field in block.fields)

    # what the method is given
    read = iter(places)
    given: list[Any] = []
    where: dict[str, Any] = {}
    for argument in call.arguments:
        if argument.is_time:
            given.append(Number(writer, _spread(builder, t)))
        elif argument.block is None:
            given.append(None)
        else:
            at = where[argument.name] = next(read)
            values = list(_values(writer, argument.block, _rows(builder, at, stride, argument.block.words)))
            given.append(values[0] if argument.is_scalar else _made(argument.block.type, values))
    returned = writer.rebound(call.method)(*given)

    # all of it is looked at before anything is written
    written: list[tuple[list[Any], Any]] = []
    is_fine: Any = None
    for result, at in zip(call.results, read, strict=True):
        value = returned
        for i in result.at:
            value = value[i]
        words = []
        for field in result.block.fields:
            numbers = np.asarray(getattr(value, field.name), dtype=object)
            if numbers.shape != field.shape:
                raise Untraced("returns another shape")
            for number in numbers.ravel():
                word = writer.words(number, field.kind)
                if field.kind == "float":
                    fine = builder.fcmp_ordered("==", builder.fsub(word, word), ir.Constant(NUMBERS, [0.0] * COUNT))
                    is_fine = fine if is_fine is None else builder.and_(is_fine, fine)
                words.append(word)
        written.append((words, at))
        if result.replaces is not None:
            written.append((words, where[result.replaces]))
    if is_fine is not None:
        bits = builder.bitcast(is_fine, ir.IntType(COUNT))
        with builder.if_then(builder.icmp_unsigned("!=", bits, ir.IntType(COUNT)(2**COUNT - 1)), likely=False):
            builder.ret(_INT(NOT_FINITE))
    for words, at in written:
        _store(builder, at, stride, words)
    builder.ret(_INT(OK))


def _made(kind: Any, values: list[Any]) -> Any:
    """A part or a message, which would check parameters that are numbers."""
    return tuple.__new__(kind, values)


def _values(writer: Writer, block: Block, rows: list[Any]) -> Iterator[Any]:
    """Field after field."""
    for field, where in zip(block.fields, block.slices, strict=True):
        values = array_of([writer.read(words, field.kind) for words in rows[where]])
        yield values.reshape([size for size in field.shape if size is not None])[()]


# ---- between arenas and registers ----------------------------------------------------------------------------------


def _rows(builder: Any, at: Any, stride: Any, words: int) -> list[Any]:
    """The words from `at` on, of all eight."""
    found: list[Any] = []
    while words - len(found) >= 4:
        found += load_four(builder, builder.add(at, _INT(WORD * len(found))), stride)
    for i in range(len(found), words):
        numbers = ir.Constant(NUMBERS, ir.Undefined)
        for lane in range(COUNT):
            number = builder.load(_place(builder, at, stride, i, lane))
            numbers = builder.insert_element(numbers, number, _LANE(lane))
        found.append(numbers)
    return found


def _store(builder: Any, at: Any, stride: Any, words: list[Any]) -> None:
    whole = len(words) - len(words) % 4
    for i in range(0, whole, 4):
        store_four(builder, words[i : i + 4], builder.add(at, _INT(WORD * i)), stride)
    for i in range(whole, len(words)):
        for lane in range(COUNT):
            builder.store(builder.extract_element(words[i], _LANE(lane)), _place(builder, at, stride, i, lane))


def _place(builder: Any, at: Any, stride: Any, word: int, lane: int) -> Any:
    there = builder.add(at, builder.mul(stride, _INT(lane)))
    return pointer(builder, builder.add(there, _INT(WORD * word)), ir.DoubleType())


def _spread(builder: Any, number: Any) -> Any:
    first = builder.insert_element(ir.Constant(NUMBERS, ir.Undefined), number, _LANE(0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(_LANE, COUNT), [0] * COUNT))
