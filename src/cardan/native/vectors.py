"""Vectors of three numbers that compiled code keeps in one register of four; the fourth lane means nothing.

In the interpreter a vector is a NamedTuple of three numbers. Both forms do the same operations in the same order, so
they agree to the last bit. A 3x3 matrix is a tuple of its three columns. A spatial vector is a pair (angular, linear),
in inertial axes about one origin; a symmetric 6x6 inertia is three matrices J, H, M with force = (J w + H a,
HT w + M a) for the motion (w, a).
"""

import operator
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.core.datamodel import PrimitiveModel
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr, register_model

from cardan.native.forms import attach_instructions, compiled_as
from cardan.native.pointers import NUMBERS, holding, load_float, pointer, store_float

LANES = 4
ROOM = 8 * LANES  # bytes that a vector takes where memory has room for its fourth lane


class Vector(NamedTuple):
    """The plain form."""

    x: float
    y: float
    z: float

    def __add__(self, other: "Vector") -> "Vector":  # type: ignore[override]
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: "Vector") -> "Vector":
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, scale: float) -> "Vector":  # type: ignore[override]
        return Vector(self.x * scale, self.y * scale, self.z * scale)


Matrix = tuple[Vector, Vector, Vector]  # by columns


# ---- the compiled form ---------------------------------------------------------------------------------------------

_REGISTER = ir.VectorType(ir.DoubleType(), LANES)
_THREE = ir.VectorType(ir.DoubleType(), 3)
_LANE = ir.IntType(32)


class _VectorType(types.Type):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(name="cardan.Vector")


VECTOR = _VectorType()


@register_model(_VectorType)
class _VectorModel(PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _REGISTER)


def _elementwise(operation: str) -> Any:
    def instructions(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return getattr(builder, operation)(args[0], args[1])

    return instructions


def _scale(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.fmul(args[0], _spread(builder, args[1]))


def _spread(builder: Any, number: Any) -> Any:
    """One number in every lane."""
    first = builder.insert_element(ir.Constant(_REGISTER, ir.Undefined), number, _LANE(0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(_LANE, LANES), [0] * LANES))


attach_instructions(operator.add, VECTOR(VECTOR, VECTOR), _elementwise("fadd"))
attach_instructions(operator.sub, VECTOR(VECTOR, VECTOR), _elementwise("fsub"))
attach_instructions(operator.mul, VECTOR(VECTOR, types.float64), _scale)


def _shuffle(builder: Any, a: Any, b: Any, lanes: list[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(_LANE, len(lanes)), lanes))


class _Lanes(AttributeTemplate):  # type: ignore[misc]
    key = VECTOR

    def generic_resolve(self, value: Any, name: str) -> Any:
        return types.float64 if name in Vector._fields else None


infer_getattr(_Lanes)


def _lane(number: int) -> Any:
    def instructions(context: Any, builder: Any, kind: Any, value: Any) -> Any:
        return builder.extract_element(value, _LANE(number))

    return instructions


for _number, _name in enumerate(Vector._fields):
    lower_getattr(_VectorType, _name)(_lane(_number))


# ---- making, reading, writing --------------------------------------------------------------------------------------


def _make(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    made = ir.Constant(_REGISTER, [0.0] * LANES)
    for i, number in enumerate(args):
        made = builder.insert_element(made, number, _LANE(i))
    return made


@compiled_as(VECTOR(types.float64, types.float64, types.float64), _make)
def vector(x: float, y: float, z: float) -> Vector:
    """A vector of its components."""
    return Vector(x, y, z)


def _load(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return holding(builder.load(pointer(builder, args[0], _REGISTER), align=8), NUMBERS)


def _load_packed(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    three = holding(builder.load(pointer(builder, args[0], _THREE), align=8), NUMBERS)
    return _shuffle(builder, three, ir.Constant(_THREE, [0.0] * 3), [0, 1, 2, 3])


def _store(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    holding(builder.store(args[1], pointer(builder, args[0], _REGISTER), align=8), NUMBERS)
    return context.get_dummy_value()


def _store_packed(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    three = _shuffle(builder, args[1], args[1], [0, 1, 2])
    holding(builder.store(three, pointer(builder, args[0], _THREE), align=8), NUMBERS)
    return context.get_dummy_value()


@compiled_as(VECTOR(types.int64), _load_packed)
def load_packed(address: int) -> Vector:
    """The vector in the three words at `address`."""
    return Vector(load_float(address), load_float(address + 8), load_float(address + 16))


def load_apart(address: int) -> Vector:
    """The same where its words were written one by one: a processor waits long to read them at once after that."""
    return vector(load_float(address), load_float(address + 8), load_float(address + 16))


@compiled_as(VECTOR(types.int64), _load)
def load_vector(address: int) -> Vector:
    """The vector at `address`, where memory has room for four words."""
    return load_packed(address)


@compiled_as(types.void(types.int64, VECTOR), _store_packed)
def store_packed(address: int, a: Vector) -> None:
    """Write a vector into the three words at `address`."""
    for i, number in enumerate(a):
        store_float(address + 8 * i, number)


@compiled_as(types.void(types.int64, VECTOR), _store)
def store_vector(address: int, a: Vector) -> None:
    """Write a vector at `address`, where memory has room for four words."""
    store_packed(address, a)


# ---- operations ----------------------------------------------------------------------------------------------------


@compiled_as(VECTOR(VECTOR, VECTOR), _elementwise("fmul"))
def products(a: Vector, b: Vector) -> Vector:
    """Component by component."""
    return Vector(a.x * b.x, a.y * b.y, a.z * b.z)


def _turn_lanes(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _shuffle(builder, args[0], args[0], [1, 2, 0, 3])


@compiled_as(VECTOR(VECTOR), _turn_lanes)
def yzx(a: Vector) -> Vector:
    """The components moved on by one."""
    return Vector(a.y, a.z, a.x)


def cross(a: Vector, b: Vector) -> Vector:
    return yzx(products(a, yzx(b)) - products(yzx(a), b))


def dot(a: Vector, b: Vector) -> float:
    c = products(a, b)
    return (c.x + c.y) + c.z


def dot_pair(a: Vector, b: Vector, c: Vector, d: Vector) -> float:
    """A.b + c.d"""
    e = products(a, b) + products(c, d)
    return (e.x + e.y) + e.z


def combined(m: Matrix, x: float, y: float, z: float) -> Vector:
    """The matrix times the vector (x, y, z)."""
    return (m[0] * x + m[1] * y) + m[2] * z


def turned(m: Matrix, a: Vector) -> Vector:
    """M a"""
    return combined(m, a.x, a.y, a.z)


def product(m: Matrix, n: Matrix) -> Matrix:
    """M N"""
    return turned(m, n[0]), turned(m, n[1]), turned(m, n[2])


def turned_back(m: Matrix, a: Vector) -> Vector:
    """MT a"""
    return vector(dot(m[0], a), dot(m[1], a), dot(m[2], a))


def _transpose(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    a, b, c = args
    low = _shuffle(builder, a, b, [0, 4, 2, 6])
    high = _shuffle(builder, a, b, [1, 5, 3, 7])
    rows = [
        _shuffle(builder, low, c, [0, 1, 4, 7]),
        _shuffle(builder, high, c, [0, 1, 5, 7]),
        _shuffle(builder, low, c, [2, 3, 6, 7]),
    ]
    return context.make_tuple(builder, signature.return_type, rows)


@compiled_as(types.UniTuple(VECTOR, 3)(VECTOR, VECTOR, VECTOR), _transpose)
def transposed(a: Vector, b: Vector, c: Vector) -> Matrix:
    """The columns of the matrix whose rows are a, b and c."""
    return Vector(a.x, b.x, c.x), Vector(a.y, b.y, c.y), Vector(a.z, b.z, c.z)


# ---- matrices and pairs --------------------------------------------------------------------------------------------


def components(a: Vector) -> tuple[float, float, float]:
    """As a tuple of `tuples`."""
    return a.x, a.y, a.z


def columns(m: tuple[float, float, float, float, float, float, float, float, float]) -> Matrix:
    """The columns of a matrix that is a tuple of `tuples`."""
    return vector(m[0], m[3], m[6]), vector(m[1], m[4], m[7]), vector(m[2], m[5], m[8])


def elements(m: Matrix) -> tuple[float, float, float, float, float, float, float, float, float]:
    """As a tuple of `tuples`, row by row."""
    return m[0].x, m[1].x, m[2].x, m[0].y, m[1].y, m[2].y, m[0].z, m[1].z, m[2].z


def load_matrix(address: int) -> Matrix:
    """The matrix whose columns lie one after another, each with room for four words."""
    return load_vector(address), load_vector(address + ROOM), load_vector(address + 2 * ROOM)


def store_matrix(address: int, m: Matrix) -> None:
    store_vector(address, m[0])
    store_vector(address + ROOM, m[1])
    store_vector(address + 2 * ROOM, m[2])


def load_turn(address: int) -> Matrix:
    """The matrix whose nine numbers lie row by row."""
    return transposed(load_packed(address), load_packed(address + 24), load_packed(address + 48))


def load_pair(address: int) -> tuple[Vector, Vector]:
    return load_vector(address), load_vector(address + ROOM)


def store_pair(address: int, a: Vector, b: Vector) -> None:
    store_vector(address, a)
    store_vector(address + ROOM, b)


def turned_at(m: Matrix, address: int) -> Vector:
    """The matrix times the vector in the three words at `address`."""
    return combined(m, load_float(address), load_float(address + 8), load_float(address + 16))
