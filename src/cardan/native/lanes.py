"""Eight runs side by side in compiled code: the same source, given other addresses.

Eight runs have arenas that are laid out alike. In a second memory each word has eight neighbours, one for each run. A
LANE_ADDRESS is the address of a word in the arena of the first run, and knows where that second memory lies. Native
code that loads a whole number from such an address gets the one in that arena, as structure is the same in all runs;
if it loads a number it gets LANES, eight numbers in one register, and for a vector of three, three such registers. All
else is inferred: a kernel whose context is such an address runs eight copies wide without another line, with the same
operations in the same order for each of them, and so with the same bits.

In the interpreter none of this exists. Where a kernel decides by numbers, `in_any_lane` and `in_all_lanes` serve both
forms, and `cardan.maths.choose` takes one of two numbers.
"""

# mypy: disable-error-code="untyped-decorator"

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import PrimitiveModel
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_cast, lower_getattr, overload, register_model

from cardan.maths import choose, cos, sin, sin_cos
from cardan.maths.sine_cosine import LARGEST, near_sin_cos
from cardan.native import vectors
from cardan.native.forms import attach_instructions, compiled_as
from cardan.native.pointers import load_float, load_int, pointer, store_float, store_int
from cardan.native.vectors import VECTOR, Vector

COUNT = 8

_INT, _BIT, _LANE = ir.IntType(64), ir.IntType(1), ir.IntType(32)
_NUMBERS = ir.VectorType(ir.DoubleType(), COUNT)
_BITS = ir.VectorType(_BIT, COUNT)
_ALIGNED = 8 * COUNT  # bytes: the memory of the lanes begins with a cache line
Instructions = Callable[..., Any]


# ---- types ---------------------------------------------------------------------------------------------------------


class _Lanes(types.Type):  # type: ignore[misc]
    """Eight of something; one of it alone serves all eight."""

    def __init__(self, name: str, one: Any) -> None:
        self.one = one
        super().__init__(name=f"cardan.{name}")

    def can_convert_from(self, typingctx: Any, other: Any) -> Any:
        return Conversion.safe if other == self.one else None

    def unify(self, typingctx: Any, other: Any) -> Any:
        return self if other in (self, self.one) else None


class _Numbers(_Lanes):
    pass


class _Mask(_Lanes):
    pass


class _Vectors(_Lanes):
    pass


class _Address(types.Type):  # type: ignore[misc]
    pass


LANES = _Numbers("Lanes", types.float64)
MASK = _Mask("LaneMask", types.boolean)
LANE_VECTOR = _Vectors("LaneVector", VECTOR)
LANE_ADDRESS = _Address(name="cardan.LaneAddress")


def _model(kind: Any, form: Any) -> None:
    class Model(PrimitiveModel):  # type: ignore[misc]
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, form)

    register_model(kind)(Model)


_model(_Numbers, _NUMBERS)
_model(_Mask, _BITS)
_model(_Vectors, ir.ArrayType(_NUMBERS, 3))
_model(_Address, ir.ArrayType(_INT, 2))  # of a word in the first arena; from eight times that to its lanes


def _spread(builder: Any, one: Any) -> Any:
    """One number, or truth value, in every lane."""
    kind = ir.VectorType(one.type, COUNT)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), one, _LANE(0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(_LANE, COUNT), [0] * COUNT))


@lower_cast(types.float64, LANES)
def _number_in_all(context: Any, builder: Any, kind: Any, wanted: Any, value: Any) -> Any:
    return _spread(builder, value)


@lower_cast(types.boolean, MASK)
@lower_cast(types.BooleanLiteral, MASK)
def _truth_in_all(context: Any, builder: Any, kind: Any, wanted: Any, value: Any) -> Any:
    return _spread(builder, value if value.type == _BIT else builder.trunc(value, _BIT))


@lower_cast(VECTOR, LANE_VECTOR)
def _vector_in_all(context: Any, builder: Any, kind: Any, wanted: Any, value: Any) -> Any:
    return _joined(builder, [_spread(builder, builder.extract_element(value, _LANE(i))) for i in range(3)])


def _joined(builder: Any, parts: list[Any]) -> Any:
    joined = ir.Constant(ir.ArrayType(parts[0].type, len(parts)), ir.Undefined)
    for i, part in enumerate(parts):
        joined = builder.insert_value(joined, part, i)
    return joined


def _parts(builder: Any, value: Any) -> list[Any]:
    return [builder.extract_value(value, i) for i in range(value.type.count)]


# ---- attaching -----------------------------------------------------------------------------------------------------


def _attach(function: Any, signature: Any, instructions: Instructions) -> None:
    """Let code that calls `function` with at least one of these types run `instructions`; others become such."""
    attach_instructions(function, signature, instructions, among=(_Lanes, _Address))


def _plain(operation: str, *more: Any) -> Instructions:
    """One instruction for all numbers."""

    def instructions(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return getattr(builder, operation)(*more, *args)

    return instructions


def _each(operation: str) -> Instructions:
    """One instruction for each component of vectors."""

    def instructions(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        components = zip(*(_parts(builder, vector) for vector in args), strict=True)
        return _joined(builder, [getattr(builder, operation)(*numbers) for numbers in components])

    return instructions


# ---- addresses and memory ------------------------------------------------------------------------------------------


def _moved(operation: str) -> Instructions:
    def instructions(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = getattr(builder, operation)(builder.extract_value(args[0], 0), args[1])
        return builder.insert_value(args[0], at, 0)

    return instructions


for _operators, _operation in (
    ((operator.add, operator.iadd), "add"),
    ((operator.sub, operator.isub), "sub"),
):
    for _operator in _operators:
        _attach(_operator, LANE_ADDRESS(LANE_ADDRESS, types.int64), _moved(_operation))


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _joined(builder, list(args))


@compiled_as(LANE_ADDRESS(types.int64, types.int64), _address)
def lane_address(at: int, beyond: int) -> Any:
    """Compiled code only: the address `at` of a word in the first arena whose lanes lie at `8 * at + beyond`."""
    raise NotImplementedError("lanes exist in compiled code alone")


def _word(builder: Any, address: Any) -> Any:
    return pointer(builder, builder.extract_value(address, 0), _INT)


def _lanes(builder: Any, address: Any, word: int = 0) -> Any:
    """Where the lanes of a word lie that is so many words further on."""
    at, beyond = _parts(builder, address)
    bytes_on = builder.add(builder.shl(at, _INT(3)), builder.add(beyond, _INT(8 * COUNT * word)))
    return pointer(builder, bytes_on, _NUMBERS)


def _load_int(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.load(_word(builder, args[0]))


def _store_int(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    builder.store(args[1], _word(builder, args[0]))
    return context.get_dummy_value()


def _load_numbers(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.load(_lanes(builder, args[0]), align=_ALIGNED)


def _store_numbers(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    builder.store(args[1], _lanes(builder, args[0]), align=_ALIGNED)
    return context.get_dummy_value()


def _load_vectors(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _joined(builder, [builder.load(_lanes(builder, args[0], i), align=_ALIGNED) for i in range(3)])


def _store_vectors(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    for i, numbers in enumerate(_parts(builder, args[1])):
        builder.store(numbers, _lanes(builder, args[0], i), align=_ALIGNED)
    return context.get_dummy_value()


_attach(load_int, types.int64(LANE_ADDRESS), _load_int)
_attach(store_int, types.void(LANE_ADDRESS, types.int64), _store_int)
_attach(load_float, LANES(LANE_ADDRESS), _load_numbers)
_attach(store_float, types.void(LANE_ADDRESS, LANES), _store_numbers)
for _load in (vectors.load_packed, vectors.load_vector):
    _attach(_load, LANE_VECTOR(LANE_ADDRESS), _load_vectors)
for _store in (vectors.store_packed, vectors.store_vector):
    _attach(_store, types.void(LANE_ADDRESS, LANE_VECTOR), _store_vectors)


# ---- between eight arenas and their lanes --------------------------------------------------------------------------

_FOUR = ir.VectorType(ir.DoubleType(), 4)


def _shuffled(builder: Any, a: Any, b: Any, numbers: list[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_LANE, len(numbers)), numbers))


def _crossed(builder: Any, rows: list[Any]) -> list[Any]:
    """Of four registers, each of two halves of four numbers: rows and columns of each half exchanged."""
    pairs = [
        _shuffled(builder, rows[i], rows[i + 1], numbers)
        for i in (0, 2)
        for numbers in ([0, 8, 2, 10, 4, 12, 6, 14], [1, 9, 3, 11, 5, 13, 7, 15])
    ]
    first, last = [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]
    return [_shuffled(builder, pairs[i], pairs[i + 2], numbers) for numbers in (first, last) for i in (0, 1)]


def _arena_rows(builder: Any, at: Any, stride: Any) -> list[Any]:
    """Where the four words at `at` lie in each of the eight arenas."""
    return [pointer(builder, builder.add(at, builder.mul(stride, _INT(i))), _FOUR) for i in range(COUNT)]


def _lane_rows(builder: Any, at: Any) -> list[Any]:
    return [pointer(builder, builder.add(at, _INT(_ALIGNED * i)), _NUMBERS) for i in range(4)]


def load_four(builder: Any, at: Any, stride: Any) -> list[Any]:
    """Instructions: four words from each of eight arenas, so many bytes apart, as four registers."""
    rows = [builder.load(place, align=8) for place in _arena_rows(builder, at, stride)]
    return _crossed(builder, [_shuffled(builder, rows[i], rows[i + 4], list(range(COUNT))) for i in range(4)])


def store_four(builder: Any, numbers: list[Any], at: Any, stride: Any) -> None:
    """Instructions: four registers to four words in each of eight arenas."""
    joined = _crossed(builder, numbers)
    for i, place in enumerate(_arena_rows(builder, at, stride)):
        half = [4 * (i // 4) + number for number in range(4)]
        builder.store(_shuffled(builder, joined[i % 4], joined[i % 4], half), place, align=8)


def _up(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    for numbers, place in zip(load_four(builder, args[0], args[1]), _lane_rows(builder, args[2]), strict=True):
        builder.store(numbers, place, align=_ALIGNED)
    return context.get_dummy_value()


def _down(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    numbers = [builder.load(place, align=_ALIGNED) for place in _lane_rows(builder, args[2])]
    store_four(builder, numbers, args[0], args[1])
    return context.get_dummy_value()


_FOUR_WORDS = types.void(types.int64, types.int64, types.int64)


@compiled_as(_FOUR_WORDS, _up)
def four_words_up(arena: int, stride: int, lanes: int) -> None:
    """Compiled code only: copy four words from each of eight arenas, so many bytes apart, to their lanes."""
    raise NotImplementedError("lanes exist in compiled code alone")


@compiled_as(_FOUR_WORDS, _down)
def four_words_down(arena: int, stride: int, lanes: int) -> None:
    """Compiled code only: copy four words from their lanes to each of eight arenas."""
    raise NotImplementedError("lanes exist in compiled code alone")


# ---- numbers -------------------------------------------------------------------------------------------------------

for _operators, _operation in (
    ((operator.add, operator.iadd), "fadd"),
    ((operator.sub, operator.isub), "fsub"),
    ((operator.mul, operator.imul), "fmul"),
    ((operator.truediv, operator.itruediv), "fdiv"),
):
    for _operator in _operators:
        _attach(_operator, LANES(LANES, LANES), _plain(_operation))
_attach(operator.neg, LANES(LANES), _plain("fneg"))

for _operator, _sign in ((operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.ge, ">=")):
    _attach(_operator, MASK(LANES, LANES), _plain("fcmp_ordered", _sign))
_attach(operator.eq, MASK(LANES, LANES), _plain("fcmp_ordered", "=="))
_attach(operator.ne, MASK(LANES, LANES), _plain("fcmp_unordered", "!="))


def _intrinsic(name: str) -> Instructions:
    """A function of LLVM's that takes a register: exact, as the one that takes a number is."""

    def instructions(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_NUMBERS, [_NUMBERS])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{COUNT}f64"), args)

    return instructions


def _extreme(sign: str) -> Instructions:
    """As Python's `max` and `min` do it, number by number."""

    def instructions(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        best = args[0]
        for other in args[1:]:
            best = builder.select(builder.fcmp_ordered(sign, other, best), other, best)
        return best

    return instructions


_attach(math.sqrt, LANES(LANES), _intrinsic("sqrt"))
_attach(builtins.abs, LANES(LANES), _intrinsic("fabs"))
for _count in (2, 3):
    _attach(builtins.max, LANES(*[LANES] * _count), _extreme(">"))
    _attach(builtins.min, LANES(*[LANES] * _count), _extreme("<"))


# ---- truth values --------------------------------------------------------------------------------------------------

for _operators, _operation in (
    ((operator.and_, operator.iand), "and_"),
    ((operator.or_, operator.ior), "or_"),
):
    for _operator in _operators:
        _attach(_operator, MASK(MASK, MASK), _plain(_operation))
_attach(choose, LANES(MASK, LANES, LANES), _plain("select"))


def in_any_lane(condition: bool) -> bool:
    """Whether it holds in any of the runs that this code works for; plain code works for one."""
    return condition


def in_all_lanes(condition: bool) -> bool:
    """Whether it holds in all of the runs that this code works for."""
    return condition


def _summary(sign: str, of: int) -> Instructions:
    def instructions(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits = builder.bitcast(args[0], ir.IntType(COUNT))
        return builder.icmp_unsigned(sign, bits, ir.IntType(COUNT)(of))

    return instructions


_attach(in_any_lane, types.boolean(MASK), _summary("!=", 0))
_attach(in_all_lanes, types.boolean(MASK), _summary("==", 2**COUNT - 1))


# ---- sine and cosine -----------------------------------------------------------------------------------------------


def _one_by_one(function: Any) -> Instructions:
    """The function of the C library for each, so that bits agree."""

    def instructions(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = ir.Constant(_NUMBERS, ir.Undefined)
        for i in range(COUNT):
            one = function.instructions(context, builder, None, [builder.extract_element(args[0], _LANE(i))])
            found = builder.insert_element(found, one, _LANE(i))
        return found

    return instructions


for _function in (sin, cos):
    _attach(_function, LANES(LANES), _one_by_one(_function))


def _both(x):  # type: ignore[no-untyped-def]
    sines, cosines = near_sin_cos(x)
    is_near = abs(x) <= LARGEST
    if in_all_lanes(is_near):
        return sines, cosines
    return choose(is_near, sines, sin(x)), choose(is_near, cosines, cos(x))


@overload(sin_cos)
def _sin_cos(x):  # type: ignore[no-untyped-def]
    return _both if x is LANES else None


# ---- vectors -------------------------------------------------------------------------------------------------------


def _scaled(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _joined(builder, [builder.fmul(component, args[1]) for component in _parts(builder, args[0])])


def _turned_on(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    x, y, z = _parts(builder, args[0])
    return _joined(builder, [y, z, x])


def _transposed(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    rows = zip(*(_parts(builder, column) for column in args), strict=True)
    return context.make_tuple(builder, signature.return_type, [_joined(builder, list(row)) for row in rows])


_attach(operator.add, LANE_VECTOR(LANE_VECTOR, LANE_VECTOR), _each("fadd"))
_attach(operator.sub, LANE_VECTOR(LANE_VECTOR, LANE_VECTOR), _each("fsub"))
_attach(operator.mul, LANE_VECTOR(LANE_VECTOR, LANES), _scaled)
_attach(vectors.vector, LANE_VECTOR(LANES, LANES, LANES), _address)
_attach(vectors.products, LANE_VECTOR(LANE_VECTOR, LANE_VECTOR), _each("fmul"))
_attach(vectors.yzx, LANE_VECTOR(LANE_VECTOR), _turned_on)
_attach(vectors.transposed, types.UniTuple(LANE_VECTOR, 3)(LANE_VECTOR, LANE_VECTOR, LANE_VECTOR), _transposed)


class _Components(AttributeTemplate):  # type: ignore[misc]
    key = LANE_VECTOR

    def generic_resolve(self, value: Any, name: str) -> Any:
        return LANES if name in Vector._fields else None


infer_getattr(_Components)


def _component(number: int) -> Instructions:
    def instructions(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        return builder.extract_value(value, number)

    return instructions


for _number, _name in enumerate(Vector._fields):
    lower_getattr(_Vectors, _name)(_component(_number))
