"""Reading a NamedTuple class as a declaration: for each field its kind, shape, unit, frame and what it must be."""

import typing
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite
from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts.constraints import FACTORIES, Constraint
from cardan.contracts.names import check_name, frame_of
from cardan.contracts.units import check_unit
from cardan.errors import (
    DeclarationError,
    ImpossibleValue,
    NotFinite,
    ShapeError,
    UnitError,
    advice_if_defined_again,
    did_you_mean,
    told_apart,
    with_article,
)
from cardan.maths.arrays import Size
from cardan.native.layout import KINDS, Block, Field

_FEW = 32
_SMALL, _MOST_SETTLED = 4096, 64  # bytes of values of which it is kept that they are right; how many are kept
_FLOAT = np.dtype(np.float64)
_SCALARS = {float: "float", int: "int", bool: "bool"}
_EXPECTED = {"float": "a number", "int": "a whole number", "bool": "True or False"}


class Position:
    """Marks a state as a position: `Annotated[float, "m", Position]`.

    Only `SemiImplicitEuler` asks: it advances positions with the rates that the new velocities give.
    """


class FieldDeclaration(NamedTuple):
    """One declared field.

    Attributes:
        field: Its name, kind and shape.
        unit: As text; "-" for a pure number.
        frame: The suffix of the name that says the frame, or "" for numbers that live in none.
        is_position: Whether it is marked as `Position`.
        constraints: What its value must be.
    """

    field: Field
    unit: str
    frame: str
    is_position: bool
    constraints: tuple[Constraint, ...] = ()

    @property
    def name(self) -> str:
        return self.field.name

    @property
    def limits(self) -> tuple[float, float]:
        """Between which numbers its value is, by all constraints that are limits; an infinity where there is none."""
        pairs = [constraint.limits for constraint in self.constraints]
        return max((low for low, _ in pairs), default=-inf), min((high for _, high in pairs), default=inf)


@dataclass(frozen=True)
class Declaration:
    """All fields of a NamedTuple class."""

    type: Any
    fields: tuple[FieldDeclaration, ...]

    @cached_property
    def block(self) -> Block:
        """The layout, with the sizes that instances fix still open."""
        return Block(self.type, tuple(field.field for field in self.fields))

    def take(self, value: Any, path: str) -> Any:
        """`value` as a NamedTuple of NumPy numbers and read-only arrays, or an error that names the fields.

        Every field is what its constraints say, without the rounding that these let pass.
        """
        taken = self.shaped(value, path)
        if not self._constrained:
            return taken
        content = tuple((number.shape, number.tobytes()) for number in taken)
        settled = self._settled.get(content)
        if settled is None:
            faults, settled = self.examine(taken, path)
            if faults:
                raise ImpossibleValue("\n".join(faults))
            if sum(number.nbytes for number in taken) <= _SMALL:
                if len(self._settled) >= _MOST_SETTLED:
                    self._settled.clear()
                self._settled[content] = settled
        return settled

    @cached_property
    def _settled(self) -> dict[Any, Any]:
        """What `take` has made of values, by their content: parts are often made again with the same numbers."""
        return {}

    def examine(self, value: Any, path: str) -> tuple[list[str], Any]:
        """What is wrong with `value`, by its constraints; and `value` without the rounding that they let pass."""
        faults, settled = list[str](), dict[str, Any]()
        with np.errstate(all="ignore"):
            for name, declared in self._constrained:
                for constraint in declared.constraints:
                    others = [getattr(value, other) for other in constraint.of]
                    number = settled.get(name, getattr(value, name))
                    if not constraint.is_met(number, others):
                        faults.append(constraint.fault(f"{path}.{name}", number, declared.unit, others))
                        break
                    if constraint.lets_rounding_pass:
                        settled[name] = constraint.settled(number, others)
        return faults, self.type._make({**value._asdict(), **settled}.values()) if settled else value

    @cached_property
    def _constrained(self) -> list[tuple[str, FieldDeclaration]]:
        """Those fields of which more is asked than to be finite."""
        return [(declared.name, declared) for declared in self.fields if declared.constraints]

    def shaped(self, value: Any, path: str) -> Any:
        """As `take`, whatever the constraints say: for messages that nobody has sent yet, and for rates."""
        if not isinstance(value, self.type):
            write = f"\n  Write {self.type.__name__}({', '.join(f'{f.name}=...' for f in self.fields)})."
            wanted, got = told_apart(self.type, type(value))
            raise ShapeError(
                f"`{path}` expects {with_article(wanted)}, got {got}."
                f"{advice_if_defined_again(self.type, type(value)) or write}"
            )
        given = [getattr(value, name) for name in self._names]
        taken = [
            number if (number := _taken_at_once(declared.field, each)) is not None else _take(declared, each, path)
            for declared, each in zip(self.fields, given, strict=True)
        ]
        return self.type._make(taken)

    @cached_property
    def _names(self) -> list[str]:
        return [declared.name for declared in self.fields]

    @cached_property
    def default_words(self) -> np.ndarray:
        """How the default lies in memory; only where all sizes are declared."""
        words = np.zeros(self.block.words)
        self.block.pack(self.default(self.type.__name__), words)
        return words

    def default(self, path: str) -> Any:
        """The value with every field at its default, or at zero where the class gives none; it need not be possible."""
        if "_default" not in vars(self):  # found once: messages before a run are asked for in their hundreds
            defaults = self.type._field_defaults
            values = []
            for declared in self.fields:
                field = declared.field
                zeros: np.ndarray = np.zeros([size or 0 for size in field.shape], dtype=KINDS[field.kind])
                values.append(defaults.get(field.name, zeros if field.shape else zeros[()]))
            vars(self)["_default"] = self.shaped(self.type._make(values), path)
        return vars(self)["_default"]


def declaration(cls: Any, *, needs_frames: bool) -> Declaration:
    """Read the fields of `cls`, checking that each has a unit and that vectors name their frame.

    Args:
        cls: A NamedTuple class.
        needs_frames: Whether vectors and matrices must say their frame in their name.
    """
    if not is_named_tuple_class(cls):
        raise DeclarationError(
            f"`{getattr(cls, '__name__', cls)}` is not a NamedTuple.\n"
            f"  Write `class {getattr(cls, '__name__', 'Name')}(NamedTuple): ...`."
        )
    hints = type_hints(cls)
    fields = tuple(_read(cls, name, hints[name], needs_frames) for name in cls._fields)
    for field in fields:
        _check_constraints(cls, field)
    return Declaration(cls, fields)


def type_hints(thing: Any) -> dict[str, Any]:
    """The annotations of a class or function, resolved."""
    try:
        return typing.get_type_hints(thing, include_extras=True)
    except (NameError, AttributeError, SyntaxError, TypeError) as error:
        raise DeclarationError(
            f"The annotations of `{thing.__qualname__}` cannot be read: {error}.\n"
            "  Define or import the name at module level, above the class."
        ) from error


def is_named_tuple_class(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")


def is_number(hint: Any) -> bool:
    """Whether an annotation declares a number or an array that can lie in native memory."""
    base, extras = _unpack(hint)
    return base in _SCALARS or any(isinstance(extra, Size) for extra in extras)


def _unpack(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    if typing.get_origin(hint) is Annotated:
        base, *extras = typing.get_args(hint)
        return base, tuple(extras)
    return hint, ()


def _read(cls: Any, name: str, hint: Any, needs_frames: bool) -> FieldDeclaration:
    path = f"{cls.__name__}.{name}"
    base, extras = _unpack(hint)
    sizes = [extra for extra in extras if isinstance(extra, Size)]
    if not is_number(hint):
        raise DeclarationError(
            f"`{path}` is declared as {getattr(base, '__name__', base)}, which is neither a number nor an array.\n"
            '  Use float, int, bool or an array of cardan (Vec, Vec3, Mat3, ...), e.g. `Annotated[float, "s"]`.'
        )

    units = [extra for extra in extras if isinstance(extra, str)]
    if not units:
        raise UnitError(
            f'`{path}` has no unit.\n  Declare one: `{name}: Annotated[..., "m"]`; a pure number has the unit "-".'
        )
    if len(units) > 1:
        raise UnitError(f"`{path}` has more than one unit: {', '.join(map(repr, units))}.\n  Declare one.")
    size = sizes[0] if sizes else Size(())
    check_unit(units[0], path)
    check_name(name, units[0], size, path, needs_frames=needs_frames)
    for extra in extras:
        if any(extra is factory for factory in FACTORIES):
            raise DeclarationError(
                f"`{path}` is annotated with `{extra.__name__}`, which says nothing by itself.\n"
                f"  Call it: `{extra.__name__}(...)`."
            )
    kind = "float" if sizes else _SCALARS[base]
    field = Field(name, kind, size.shape, tuple(length is None for length in size.shape))
    constraints = tuple(extra for extra in extras if isinstance(extra, Constraint))
    return FieldDeclaration(field, units[0], frame_of(name, units[0]), Position in extras, constraints)


def _check_constraints(cls: Any, declared: FieldDeclaration) -> None:
    """Constraints speak of fields that exist, and the default of a field is possible."""
    path = f"{cls.__name__}.{declared.name}"
    for constraint in declared.constraints:
        for other in constraint.of:
            if other not in cls._fields:
                raise DeclarationError(
                    f"`{path}` must be {constraint.text}, but {cls.__name__} has no field `{other}`."
                    f"{did_you_mean(other, cls._fields)}\n  fields: {', '.join(cls._fields)}"
                )
        if declared.name in cls._field_defaults and not constraint.of:
            default = _take(declared, cls._field_defaults[declared.name], cls.__name__)
            fault = constraint.fault(f"{path} (default)", default, declared.unit)
            if fault:
                raise ImpossibleValue(fault)


def _taken_at_once(field: Field, value: Any) -> Any:
    """The value of a field as NumPy has it, where that is plain to see; else None, and `_take` looks at it."""
    kind, shape = type(value), field.shape
    if field.kind != "float":
        return None
    if kind is np.float64 or kind is float:
        return np.float64(value) if not shape and isfinite(value) else None
    if kind is not np.ndarray or value.dtype != _FLOAT or value.ndim != len(shape):
        return None
    if value.shape != shape and any(wanted not in (None, got) for wanted, got in zip(shape, value.shape, strict=True)):
        return None
    if not all_finite(value):
        return None
    # nobody can write to what was taken before
    if value.base is None and not value.flags.writeable and value.flags.c_contiguous:
        return value
    own = value.copy()
    own.setflags(write=False)
    return own


def all_finite(numbers: np.ndarray) -> bool:
    """Whether each of some numbers is finite; of a few, Python finds out sooner than NumPy does."""
    if numbers.size > _FEW:
        return bool(np.isfinite(numbers).all())
    return all(map(isfinite, numbers.ravel().tolist()))


def _take(declared: FieldDeclaration, value: Any, path: str) -> Any:
    """One field's value as NumPy has it, checked against its declaration; `path` is that of what it is a field of."""
    field, path = declared.field, f"{path}.{declared.name}"
    expected = f"an array of shape {_shape_text(field.shape)}" if field.shape else _EXPECTED[field.kind]
    given = _numbers(value)
    if given is None:
        raise ShapeError(f"`{path}` expects {expected} [{declared.unit}], got {value!r}.")
    fits = len(given.shape) == len(field.shape) and all(
        wanted in (None, got) for wanted, got in zip(field.shape, given.shape, strict=True)
    )
    if not fits:
        raise ShapeError(f"`{path}` expects {expected} [{declared.unit}], got shape {given.shape}: {value!r}.")
    if not all_finite(given):
        raise NotFinite(f"`{path}` is not finite: {value!r}.\n  Give a finite value [{declared.unit}].")
    # what a processor makes of a number beyond 64 bits is its own affair, so none is converted
    if field.kind == "int" and not np.all((given >= -(2**63)) & (given < 2**63)):
        raise ShapeError(f"`{path}` expects {expected} of 64 bits [{declared.unit}], got {value!r}.")
    array: np.ndarray = np.array(given, dtype=KINDS[field.kind])
    if field.kind != "float" and not np.array_equal(array, given):
        raise ShapeError(f"`{path}` expects {expected} [{declared.unit}], got {value!r}.")
    array.flags.writeable = False
    return array if array.ndim else array[()]


def _numbers(value: Any) -> np.ndarray | None:
    """`value` as an array of numbers, or None if it is something else."""
    try:
        array: np.ndarray = np.asarray(value)
        if array.dtype == object and all(isinstance(number, int | float) for number in array.flat):
            array = array.astype(np.float64)  # whole numbers that need more than 64 bits
    except (ValueError, OverflowError):
        return None
    return array if array.dtype.kind in "biuf" else None


def _shape_text(shape: tuple[int | None, ...]) -> str:
    return "(" + ", ".join("n" if size is None else str(size) for size in shape) + ("," * (len(shape) == 1)) + ")"
