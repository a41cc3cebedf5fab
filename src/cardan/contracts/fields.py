"""Reading a NamedTuple class as a declaration: for each field its kind, shape, unit and frame."""

import re
import typing
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np

from cardan.contracts.units import check_unit
from cardan.errors import DeclarationError, FrameNameError, NotFinite, ShapeError, UnitError, with_article
from cardan.maths.arrays import Size
from cardan.native.layout import KINDS, Block, Field

_FRAME = re.compile(r"_([A-Z][A-Za-z0-9]*)$")
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
    """

    field: Field
    unit: str
    frame: str
    is_position: bool

    @property
    def name(self) -> str:
        return self.field.name


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
        """`value` as a NamedTuple of NumPy numbers and read-only arrays, or an error that names the field."""
        if not isinstance(value, self.type):
            raise ShapeError(
                f"`{path}` expects {with_article(self.type.__name__)}, got {type(value).__name__}.\n"
                f"  Write {self.type.__name__}({', '.join(f'{f.name}=...' for f in self.fields)})."
            )
        taken = [_take(declared, getattr(value, declared.name), f"{path}.{declared.name}") for declared in self.fields]
        return self.type._make(taken)

    def default(self, path: str) -> Any:
        """The value with every field at its default, or at zero where the class gives none."""
        defaults = self.type._field_defaults
        values = []
        for declared in self.fields:
            field = declared.field
            zeros: np.ndarray = np.zeros([size or 0 for size in field.shape], dtype=KINDS[field.kind])
            values.append(defaults.get(field.name, zeros if field.shape else zeros[()]))
        return self.take(self.type._make(values), path)


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
    return Declaration(cls, tuple(_read(cls, name, hints[name], needs_frames) for name in cls._fields))


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
    check_unit(units[0], name, path)

    size = sizes[0] if sizes else Size(())
    match = _FRAME.search(name)
    if size.in_space and needs_frames and not match:
        raise FrameNameError(
            f"`{path}` is a {'vector' if len(size.shape) == 1 else 'matrix'}, but its name does not say its frame.\n"
            f"  End the name with the frame the components are in, e.g. `{name}_B` or `{name}_BN_N`."
        )
    kind = "float" if sizes else _SCALARS[base]
    field = Field(name, kind, size.shape, tuple(length is None for length in size.shape))
    return FieldDeclaration(field, units[0], match[1] if match else "", Position in extras)


def _take(declared: FieldDeclaration, value: Any, path: str) -> Any:
    """One field's value as NumPy has it, checked against its declaration."""
    field = declared.field
    expected = f"an array of shape {_shape_text(field.shape)}" if field.shape else _EXPECTED[field.kind]
    given = _numbers(value)
    if given is None:
        raise ShapeError(f"`{path}` expects {expected} [{declared.unit}], got {value!r}.")
    fits = len(given.shape) == len(field.shape) and all(
        wanted in (None, got) for wanted, got in zip(field.shape, given.shape, strict=True)
    )
    if not fits:
        raise ShapeError(f"`{path}` expects {expected} [{declared.unit}], got shape {given.shape}: {value!r}.")
    if not np.isfinite(given).all():
        raise NotFinite(f"`{path}` is not finite: {value!r}.\n  Give a finite value [{declared.unit}].")
    with np.errstate(invalid="ignore"):
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
