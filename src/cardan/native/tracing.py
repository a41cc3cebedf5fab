"""What a part's source computes with when it is written down for eight runs at once.

A method that is run with these values writes LLVM's instructions, one after another as it computes, each for eight
numbers in a register: the same operations in the same order as for one run, and so the same bits. Arrays are NumPy's,
of objects. Whatever would have to decide by a number (an `if`, a `while`, an index) is refused, because eight runs may
decide differently; such a part runs once for each of them.
"""

import dis
from collections.abc import Callable
from types import CodeType
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils

from cardan.maths.choosing import choose, may_skip
from cardan.maths.elementary import FUNCTIONS, cos, sin, sin_cos
from cardan.maths.rows import by_rows, by_rows_if
from cardan.maths.sine_cosine import LARGEST, near_sin_cos
from cardan.maths.stacks import kernel_of
from cardan.maths.sums import total
from cardan.native.lanes import COUNT
from cardan.native.rebinding import rebound

BIT, WHOLE = ir.VectorType(ir.IntType(1), COUNT), ir.VectorType(ir.IntType(64), COUNT)
NUMBERS = ir.VectorType(ir.DoubleType(), COUNT)
_LANE = ir.IntType(32)
_MOST = 4000  # operations that are worth the time to compile them


class Untraced(Exception):
    """The method does something that cannot be written down for eight runs at once."""


class Value:
    """Eight values; what they are, a subclass says."""

    __slots__ = ("value", "writer")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, writer: "Writer", value: Any) -> None:
        self.writer, self.value = writer, value

    def __bool__(self) -> bool:
        raise Untraced("decides by a value")

    def __eq__(self, other: object) -> Any:
        raise Untraced("compares truth values")  # Python would compare the objects

    __ne__ = __eq__


def _sum(operation: str, is_turned: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: Value, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented  # NumPy goes element by element
        if isinstance(self, Truth) and isinstance(other, Truth | bool | int):
            raise Untraced("computes with truth values alone")
        pair = [self.writer.number(value) for value in (self, other)]
        return Number(self.writer, self.writer.do(operation, *(reversed(pair) if is_turned else pair)))

    return method


def _comparison(sign: str) -> Callable[[Any, Any], Any]:
    def method(self: Value, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        compare = "fcmp_unordered" if sign == "!=" else "fcmp_ordered"
        pair = [self.writer.number(value) for value in (self, other)]
        return Truth(self.writer, self.writer.do(compare, sign, *pair))

    return method


class Operand(Value):
    """Eight of what can be added and multiplied."""

    __slots__ = ()
    __add__, __radd__ = _sum("fadd"), _sum("fadd", True)
    __sub__, __rsub__ = _sum("fsub"), _sum("fsub", True)
    __mul__, __rmul__ = _sum("fmul"), _sum("fmul", True)
    __truediv__, __rtruediv__ = _sum("fdiv"), _sum("fdiv", True)


class Number(Operand):
    """Eight numbers."""

    __slots__ = ()
    __lt__, __le__, __gt__, __ge__ = _comparison("<"), _comparison("<="), _comparison(">"), _comparison(">=")
    __eq__, __ne__ = _comparison("=="), _comparison("!=")

    def __neg__(self) -> "Number":
        return Number(self.writer, self.writer.do("fneg", self.value))

    def __pos__(self) -> "Number":
        return self

    def __abs__(self) -> "Number":
        return self.writer.exact("fabs", self)


def _logic(operation: str) -> Callable[[Any, Any], Any]:
    def method(self: "Truth", other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return Truth(self.writer, self.writer.do(operation, self.value, self.writer.truth(other)))

    return method


class Truth(Operand):
    """Eight truth values; among numbers they are 0 and 1."""

    __slots__ = ()
    __and__ = __rand__ = _logic("and_")
    __or__ = __ror__ = _logic("or_")
    __xor__ = __rxor__ = _logic("xor")


def _whole_comparison(sign: str) -> Callable[[Any, Any], Any]:
    def method(self: "Whole", other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        if isinstance(other, float | np.floating | Number):
            return _comparison(sign)(self, other)
        pair = [self.writer.whole(value) for value in (self, other)]
        return Truth(self.writer, self.writer.do("icmp_signed", sign, *pair))

    return method


class Whole(Value):
    """Eight whole numbers, which are compared and passed on; the value is their words as numbers."""

    __slots__ = ()
    __lt__, __le__, __gt__, __ge__ = (_whole_comparison(sign) for sign in ("<", "<=", ">", ">="))
    __eq__, __ne__ = _whole_comparison("=="), _whole_comparison("!=")


class Writer:
    """Writes the instructions of one function.

    Args:
        builder: Where they go.
    """

    def __init__(self, builder: Any) -> None:
        self.builder = builder
        self._count = 0
        self._near_sin_cos = rebound(near_sin_cos, {}, {choose: self.choose})

    # ---- values --------------------------------------------------------------------------------------------------

    def do(self, operation: str, *given: Any) -> Any:
        """One instruction."""
        self._count += 1
        if self._count > _MOST:
            raise Untraced("has too many operations")
        return getattr(self.builder, operation)(*given)

    def number(self, given: Any) -> Any:
        """Eight numbers, of one if need be."""
        if isinstance(given, Number):
            return given.value
        if isinstance(given, Truth):
            return self.do("uitofp", given.value, NUMBERS)
        if isinstance(given, Whole):
            return self.do("sitofp", self.whole(given), NUMBERS)
        if isinstance(given, bool | np.bool_ | int | float | np.integer | np.floating):
            return ir.Constant(NUMBERS, [float(given)] * COUNT)
        raise Untraced(f"computes with {type(given).__name__}")

    def truth(self, given: Any) -> Any:
        if isinstance(given, Truth):
            return given.value
        if isinstance(given, bool | np.bool_):
            return ir.Constant(BIT, [int(given)] * COUNT)
        raise Untraced(f"takes {type(given).__name__} for a truth value")

    def whole(self, given: Any) -> Any:
        if isinstance(given, Whole):
            return self.do("bitcast", given.value, WHOLE)
        if isinstance(given, int | np.integer) and not isinstance(given, bool):
            return ir.Constant(WHOLE, [int(given)] * COUNT)
        raise Untraced(f"takes {type(given).__name__} for a whole number")

    def words(self, given: Any, kind: str) -> Any:
        """What is written into memory for a value of this kind, as eight numbers of 64 bits."""
        if kind == "float":
            return self.number(given)
        if kind == "bool":
            return self.do("bitcast", self.do("zext", self.truth(given), WHOLE), NUMBERS)
        return given.value if isinstance(given, Whole) else self.do("bitcast", self.whole(given), NUMBERS)

    def read(self, words: Any, kind: str) -> Value:
        """The value of this kind that eight words of memory are."""
        if kind == "float":
            return Number(self, words)
        if kind == "bool":
            return Truth(self, self.do("icmp_signed", "!=", self.do("bitcast", words, WHOLE), ir.Constant(WHOLE, None)))
        return Whole(self, words)

    # ---- functions -----------------------------------------------------------------------------------------------

    def exact(self, name: str, x: Any) -> Number:
        """A function of LLVM's that takes a register, and rounds as the one that takes a number does."""
        kind = ir.FunctionType(NUMBERS, [NUMBERS])
        function = cgutils.get_or_insert_function(self.builder.module, kind, f"llvm.{name}.v{COUNT}f64")
        return Number(self, self.do("call", function, [self.number(x)]))

    def extreme(self, sign: str, x: Any, y: Any) -> Any:
        """`np.maximum` or `np.minimum`, as Numba does it."""

        def one(a: Any, b: Any) -> Number:
            first, second = self.number(a), self.number(b)
            best = self.do("select", self.do("fcmp_ordered", sign, first, second), first, second)
            kept = self.do("select", self.do("fcmp_unordered", "uno", first, first), first, second)
            return Number(self, self.do("select", self.do("fcmp_unordered", "uno", first, second), kept, best))

        return _each(one, x, y)

    def choose(self, condition: Any, x: Any, y: Any) -> Any:
        return _each(self._one_of, condition, x, y)

    def _one_of(self, condition: Any, x: Any, y: Any) -> Any:
        if isinstance(condition, bool | np.bool_):
            return x if condition else y
        chosen = self.truth(condition)
        if all(isinstance(value, Truth | bool | np.bool_) for value in (x, y)):
            return Truth(self, self.do("select", chosen, self.truth(x), self.truth(y)))
        return Number(self, self.do("select", chosen, self.number(x), self.number(y)))

    def library(self, function: Any) -> Callable[..., Any]:
        """A function of the C library, for each of the eight."""

        def one(*given: Any) -> Number:
            values, found = [self.number(value) for value in given], ir.Constant(NUMBERS, ir.Undefined)
            for i in range(COUNT):
                numbers = [self.do("extract_element", value, _LANE(i)) for value in values]
                found = self.do(
                    "insert_element", found, function.instructions(None, self.builder, None, numbers), _LANE(i)
                )
            return Number(self, found)

        return lambda *given: _each(one, *given)

    def sin_cos(self, x: Any) -> tuple[Any, Any]:
        """As `cardan.maths.sin_cos`: beyond `LARGEST` the C library's."""
        if isinstance(x, np.ndarray):
            pairs = [self.sin_cos(one) for one in x.ravel()]
            sines, cosines = (array_of([pair[k] for pair in pairs]).reshape(x.shape) for k in range(2))
            return sines, cosines
        angle = Number(self, self.number(x))
        near = self._near_sin_cos(angle)
        is_far = self.do("fcmp_unordered", ">", abs(angle).value, self.number(LARGEST))
        far = self._where_any(is_far, lambda: [self.library(function)(angle).value for function in (sin, cos)])
        sine, cosine = (
            Number(self, self.do("select", is_far, slow, self.number(fast)))
            for slow, fast in zip(far, near, strict=True)
        )
        return sine, cosine

    def by_rows_if(self, condition: Any, function: Any, columns: int, rows: Any, *shared: Any) -> Any:
        """As `cardan.maths.by_rows_if`: nothing is computed where the condition holds in none of the eight."""

        def found() -> np.ndarray:
            return array_of([value for row in rows for value in function(row, *shared)])

        shape = len(rows), columns
        if isinstance(condition, bool | np.bool_):
            return found().reshape(shape) if condition else _array(np.zeros(shape))
        chosen = self._where_any(
            self.truth(condition), lambda: [self.number(each) for each in self.choose(condition, found(), 0.0)]
        )
        return array_of([Number(self, each) for each in chosen]).reshape(shape)

    def _where_any(self, condition: Any, numbers: Callable[[], list[Any]]) -> list[Any]:
        """Numbers that are computed where the condition holds in any of the eight; elsewhere zeros."""
        bits = self.do("bitcast", condition, ir.IntType(COUNT))
        is_any = self.do("icmp_unsigned", "!=", bits, ir.IntType(COUNT)(0))
        before = self.builder.block
        with self.builder.if_then(is_any):
            found = numbers()
            inside = self.builder.block
        merged = []
        for number in found:
            phi = self.do("phi", NUMBERS)
            phi.add_incoming(self.number(0.0), before)
            phi.add_incoming(number, inside)
            merged.append(phi)
        return merged

    def rebound(self, method: Callable[..., Any]) -> Callable[..., Any]:
        """A method that computes with these values."""
        forms = {function: self.library(function) for function in FUNCTIONS}
        forms |= {
            choose: self.choose, may_skip: lambda condition: False, sin_cos: self.sin_cos, total: _total,
            by_rows: lambda *given: self.by_rows_if(True, *given), by_rows_if: self.by_rows_if,
        }  # fmt: skip
        function: Callable[..., Any] = rebound(kernel_of(method), {"np": _Numpy(self)}, forms, check_code)
        return function


def check_code(code: CodeType) -> None:
    """Refuse questions about objects: what stands for a value here would answer otherwise than in native code."""
    before: Any = None
    for each in dis.get_instructions(code):
        if each.argval in ("isinstance", "type") and each.opname == "LOAD_GLOBAL":
            raise Untraced(f"uses `{each.argval}`")
        if each.opname == "IS_OP" and (before is None or before.argval is not None):
            raise Untraced("compares by `is`")
        before = each
    for const in code.co_consts:
        if isinstance(const, CodeType):
            check_code(const)


def _total(terms: Any) -> Any:
    """`cardan.maths.total`: one after another."""
    summed = terms[0] if len(terms) else np.zeros(terms.shape[1:])[()]
    for term in terms[1:]:
        summed = summed + term
    return summed


class Array(np.ndarray):
    """An array of values; comparisons give values too, where NumPy would have them decide.

    Only what goes element by element is traced: native code adds and multiplies matrices in an order of its own.
    """

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **options: Any) -> Any:
        if not (method == "__call__" and ufunc in _ELEMENTWISE) and (ufunc, method) != (np.add, "accumulate"):
            raise Untraced(f"uses `np.{ufunc.__name__}`" + f".{method}" * (method != "__call__"))
        if ufunc in _COMPARISONS:
            options["dtype"] = object
        found = getattr(ufunc, method)(*(np.asarray(g) if isinstance(g, Array) else g for g in given), **options)
        return found.view(Array) if isinstance(found, np.ndarray) else found

    def dot(self, *_: Any) -> Any:
        raise Untraced("uses `np.dot`")


_COMPARISONS = {np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal}
_ELEMENTWISE = _COMPARISONS | {
    np.add, np.subtract, np.multiply, np.divide, np.negative, np.positive, np.absolute, np.bitwise_and, np.bitwise_or,
    np.bitwise_xor,
}  # fmt: skip


def _array(values: Any) -> Array:
    return np.array(values, dtype=object).view(Array)


def array_of(values: list[Any]) -> Array:
    """One dimension of values."""
    found = np.empty(len(values), object)
    for i, value in enumerate(values):
        found[i] = value
    return found.view(Array)


def _each(function: Callable[..., Any], *given: Any) -> Any:
    """Of values, or element by element of arrays of them."""
    if not any(isinstance(value, np.ndarray) for value in given):
        return function(*given)
    arrays = np.broadcast_arrays(*(v if isinstance(v, np.ndarray) else array_of([v]).reshape(()) for v in given))
    return array_of([function(*values) for values in zip(*(each.ravel() for each in arrays), strict=True)]).reshape(
        arrays[0].shape
    )


class _Numpy:
    """What a part may ask NumPy for."""

    pi, inf, nan, ndarray, float64 = np.pi, np.inf, np.nan, np.ndarray, np.float64

    def __init__(self, writer: Writer) -> None:
        self.sqrt, self.floor, self.ceil = (_of_each(writer, name) for name in ("sqrt", "floor", "ceil"))
        self.where = writer.choose
        self.maximum = lambda x, y: writer.extreme(">=", x, y)
        self.minimum = lambda x, y: writer.extreme("<=", x, y)
        self.array = self.asarray = _array
        for name in ("zeros", "ones", "eye", "full", "cumsum", "concatenate", "stack"):
            setattr(self, name, _as_values(getattr(np, name)))
        self.empty = self.zeros

    def __getattr__(self, name: str) -> Any:
        raise Untraced(f"uses `np.{name}`")

    @staticmethod
    def abs(x: Any) -> Any:
        return _each(abs, x)


def _of_each(writer: Writer, name: str) -> Callable[[Any], Any]:
    return lambda x: _each(lambda one: writer.exact(name, one), x)


def _as_values(function: Callable[..., Any]) -> Callable[..., Array]:
    return lambda *given, **options: _array(function(*given, **options))
