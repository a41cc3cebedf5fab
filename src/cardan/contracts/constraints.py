"""What the value of a field must be: `mass: Annotated[float, "kg", Positive]`.

Constraints stand in annotations beside the unit. They are checked where somebody gives a value: a parameter when a part
is made, a state or memory at `initial=` and `reset`, a message when it is wired as a constant. Nothing is checked while
a simulation runs. A constraint of your own is one line: `Even = Constraint("even", lambda n: n % 2 == 0)`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np

from cardan.errors import ImpossibleValue

ROUNDING = 1.0e-6
"""[-] How far a unit vector, a rotation matrix or a symmetric one may be off: what six digits in a file leave."""

_TRUTHS = (bool, np.bool_)
_EXACT = 8.0 * np.finfo(np.float64).eps  # nearer than this is what arithmetic leaves, and stays as it is


@dataclass(frozen=True)
class Constraint:
    """Something that a value must be.

    Attributes:
        text: What it must be, to follow "must be": "positive".
        holds: Whether a value is so: a function of the value, and of the values of the fields in `of`.
        of: Other fields of the same class that it compares with.
        nearest: Makes a value exactly so, and leaves one that is exactly so as it is. It removes the rounding that
            `holds` lets pass, and makes the random values of `check_model`.
        found: What to say about a value that is not so; the value itself if left out.
        advice: What to do then.
        is_exact: Whether a value that is so is exactly so, and `nearest` would leave it as it is.
        limits: Between which numbers it is, as far as that is known; they may be excluded themselves.
    """

    text: str
    holds: Callable[..., Any]
    of: tuple[str, ...] = ()
    nearest: Callable[..., Any] | None = None
    found: Callable[..., str] | None = None
    advice: str = ""
    is_exact: bool = False
    limits: tuple[float, float] = (-inf, inf)

    def __repr__(self) -> str:
        return f"<must be {self.text}>"

    @property
    def lets_rounding_pass(self) -> bool:
        """Whether a value that is so may still have to be made exactly so."""
        return self.nearest is not None and not self.is_exact

    def is_met(self, value: Any, others: Iterable[Any] = ()) -> bool:
        """Whether `value` is so; who asks decides what NumPy says about numbers that overflow."""
        met = self.holds(value, *others)
        return bool(met) if isinstance(met, _TRUTHS) else bool(np.all(met))

    def fault(self, path: str, value: Any, unit: str, others: Iterable[Any] = ()) -> str:
        """What is wrong with `value`, or an empty text."""
        others = tuple(others)
        with np.errstate(all="ignore"):
            if self.is_met(value, others):
                return ""
            found = self.found(value, *others) if self.found else _shown(value, unit)
        lines = [f"`{path}` must be {self.text}.", f"  got {found}"]
        return "\n".join([*lines, f"  {self.advice}"] if self.advice else lines)

    def settled(self, value: Any, others: Iterable[Any] = ()) -> Any:
        """`value` without the rounding that is let pass."""
        if self.nearest is None:
            return value
        made = np.array(self.nearest(value, *others), dtype=np.asarray(value).dtype)
        made.flags.writeable = False
        return made if made.ndim else made[()]


def require(path: str, value: Any, unit: str, *constraints: Constraint) -> np.ndarray:
    """`value` as an array of floats that is what `constraints` say, or an error that names `path`."""
    try:
        array: np.ndarray = np.array(value)
    except ValueError:
        array = np.array(None)  # lists of different lengths
    if array.dtype.kind not in "biuf":
        raise ImpossibleValue(f"`{path}` must be made of numbers.\n  got {value!r}")
    array = array.astype(np.float64)
    for constraint in (Finite, *constraints):
        fault = constraint.fault(path, array, unit)
        if fault:
            raise ImpossibleValue(fault)
        array = np.asarray(constraint.settled(array))
    return array


# ---- limits --------------------------------------------------------------------------------------------------------


def Above(low: float | str) -> Constraint:
    """Greater than a number, or than another field: `Above("lower")`."""
    return Constraint(
        f"above {_name(low)}",
        lambda value, *of: value > _limit(low, of),
        _fields(low),
        _lifted(low),
        is_exact=True,
        limits=(-inf if isinstance(low, str) else low, inf),
    )


def AtLeast(low: float | str) -> Constraint:
    """Not less than a number, or than another field."""
    return Constraint(
        f"at least {_name(low)}",
        lambda value, *of: value >= _limit(low, of),
        _fields(low),
        _lifted(low),
        is_exact=True,
        limits=(-inf if isinstance(low, str) else low, inf),
    )


def Below(high: float | str) -> Constraint:
    """Less than a number, or than another field."""
    limits = (-inf, inf if isinstance(high, str) else high)
    return Constraint(f"below {_name(high)}", lambda value, *of: value < _limit(high, of), _fields(high), limits=limits)


def AtMost(high: float | str) -> Constraint:
    """Not greater than a number, or than another field."""
    limits = (-inf, inf if isinstance(high, str) else high)
    return Constraint(
        f"at most {_name(high)}", lambda value, *of: value <= _limit(high, of), _fields(high), limits=limits
    )


def Within(low: float, high: float) -> Constraint:
    """From `low` to `high`, both included."""
    return Constraint(
        f"within {low:g} and {high:g}",
        lambda value: (low <= value) & (value <= high),
        nearest=lambda value: np.clip(value, low, high),
        is_exact=True,
        limits=(low, high),
    )


def OneOf(*options: float) -> Constraint:
    """One of a few numbers; for an array, each entry."""

    def nearest(value: Any) -> Any:
        known = np.array(options)
        return known[np.argmin(np.abs(np.asarray(value)[..., None] - known), axis=-1)]

    shown = [f"{option:g}" for option in options]
    text = " or ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]
    return Constraint(text, lambda value: np.isin(value, options), nearest=nearest, is_exact=True)


def OtherThan(*fields: str) -> Constraint:
    """Different from other fields."""
    return Constraint(
        f"other than {_names(fields)}", lambda value, *of: np.all([np.any(value != other) for other in of]), fields
    )


# ---- sizes ---------------------------------------------------------------------------------------------------------


def OnePer(*fields: str) -> Constraint:
    """As many entries as another field: `OnePer("axes_B")`; of a table, rows as the first and columns as the second."""
    if len(fields) == 1:
        text = f"one per entry of `{fields[0]}`"
    else:
        text = f"one row per entry of `{fields[0]}` and one column per entry of `{fields[1]}`"
    return Constraint(
        text,
        lambda value, *of: np.shape(value)[: len(of)] == tuple(len(other) for other in of),
        fields,
        found=lambda value, *of: f"{_size(np.shape(value)[: len(of)])} for {_size(tuple(map(len, of)))}",
    )


def OfShape(*sizes: int) -> Constraint:
    """As many entries, or rows and columns, as given."""
    return Constraint(
        f"of size {_size(sizes)}",
        lambda value: np.shape(value) == sizes,
        found=lambda value: f"size {_size(np.shape(value))}",
    )


# ---- vectors and matrices ------------------------------------------------------------------------------------------


def _length(value: Any) -> Any:
    return np.sqrt(np.sum(np.square(value), axis=-1))


def _of_unit_length(value: Any) -> Any:
    length = np.asarray(_length(value))[..., None]
    is_exact = np.abs(length - 1.0) <= _EXACT
    return np.where(is_exact, value, value / np.where(is_exact | (length == 0.0), 1.0, length))


def _length_found(value: Any) -> str:
    lengths = _length(value)
    if np.ndim(lengths) == 0:
        return f"a length of {lengths:.9g}"
    row = int(np.argmax(np.abs(lengths - 1.0)))
    return f"a length of {lengths[row]:.9g} in row {row}"


def _asymmetry(value: Any) -> float:
    """How far a matrix is from symmetric, relative to its largest entry; 1 for one that is not square."""
    if value.shape[0] != value.shape[1]:
        return 1.0
    return float(np.max(np.abs(value - value.T), initial=0.0)) / max(float(np.max(np.abs(value), initial=0.0)), 1e-300)


def _moments(value: Any) -> Any:
    scale = max(float(np.max(np.abs(value), initial=0.0)), 1e-300)  # no number is too large to be squared
    return scale * np.linalg.eigvalsh(0.5 * (value / scale + value.T / scale))


def _symmetric_found(value: Any) -> str:
    if value.shape[0] != value.shape[1]:
        return f"size {_size(value.shape)}"
    i, j = np.unravel_index(int(np.argmax(np.abs(value - value.T))), value.shape)
    return f"{value[i, j]:.9g} at ({i}, {j}) and {value[j, i]:.9g} at ({j}, {i})"


def _moments_found(value: Any) -> str:
    if _asymmetry(value) > ROUNDING:
        return _symmetric_found(value)
    return f"principal values of {', '.join(f'{moment:.6g}' for moment in _moments(value))}"


def _is_positive_definite(value: Any) -> bool:
    return _asymmetry(value) <= ROUNDING and bool(np.all(_moments(value) > 0.0))


def _is_any_inertia(value: Any) -> bool:
    if _asymmetry(value) > ROUNDING:
        return False
    least, middle, largest = _moments(value)
    allowed = ROUNDING * largest
    is_planar = abs(middle) <= allowed  # the one moment that a motion in a plane needs
    return bool(least >= -allowed and (is_planar or least + middle >= largest - allowed))


def _is_inertia(value: Any) -> bool:
    if _asymmetry(value) > ROUNDING:
        return False
    least, middle, largest = _moments(value)
    return bool(least > 0.0 and least + middle >= (1.0 - ROUNDING) * largest)


def _as_positive_definite(value: Any) -> Any:
    even = 0.5 * (value + value.T)
    return even if _is_positive_definite(even) else even @ even + np.eye(len(even))


def _as_inertia(value: Any) -> Any:
    even = 0.5 * (value + value.T)
    spread = even @ even
    return even if _is_any_inertia(even) else (np.trace(spread) + 1.0) * np.eye(3) - spread


def _cofactors(value: Any) -> Any:
    """The inverse of the transposed, times the determinant."""
    return np.array([np.cross(value[1], value[2]), np.cross(value[2], value[0]), np.cross(value[0], value[1])])


def _determinant(value: Any) -> float:
    return float(np.sum(value[0] * _cofactors(value)[0]))


def _is_rotation(value: Any) -> bool:
    stretch = 0.5 * np.max(np.abs(value @ value.T - np.eye(3)))
    return bool(stretch <= ROUNDING and _determinant(value) > 0.0)


def _as_rotation(value: Any) -> Any:
    """The rotation nearest to a matrix, or to its opposite where that is right-handed: R = (R + R^-T) / 2, repeated."""
    value = np.sign(_determinant(value)) * value
    for _ in range(60):
        cofactors = _cofactors(value)
        if np.max(np.abs(value - cofactors)) <= _EXACT:
            break
        value = 0.5 * (value + cofactors / _determinant(value))
    return value


def _is_even(value: Any) -> bool:
    steps = np.diff(value)
    return len(steps) > 0 and bool(np.all(steps > 0.0) and np.ptp(steps) <= ROUNDING * steps.mean())


# ---- by name -------------------------------------------------------------------------------------------------------

Finite = Constraint("finite", np.isfinite)
"""No nan and no infinity; every field is, without saying so."""

Positive = Constraint(
    "positive",
    lambda value: value > 0,
    nearest=lambda value: np.abs(value) + (value == 0),
    is_exact=True,
    limits=(0.0, inf),
)
"""Greater than zero; for an array, each entry."""

NotNegative = Constraint("zero or positive", lambda value: value >= 0, nearest=np.abs, is_exact=True, limits=(0.0, inf))
"""Not less than zero; for an array, each entry."""

NotZero = Constraint("other than zero", lambda value: _length(np.atleast_1d(value)) > 0.0, found=lambda value: "zero")
"""A number, or a vector, that is not zero: a direction of any length."""

NotEmpty = Constraint("one or more", lambda value: len(value) > 0, found=lambda value: "none")
"""An array with an entry or more."""

Whole = Constraint("whole numbers", lambda value: value == np.round(value), nearest=np.round)
"""Whole numbers in an array, whose entries are floats; a single one is an `int`."""

Unit = Constraint(
    "of unit length",
    lambda value: np.abs(_length(value) - 1.0) <= ROUNDING,
    nearest=_of_unit_length,
    found=_length_found,
    advice="Divide it by its length.",
)
"""A vector or quaternion of unit length; of several, each row. What is off by rounding is divided by its length."""

Rotation = Constraint(
    "a rotation matrix: orthonormal and right-handed",
    _is_rotation,
    nearest=_as_rotation,
    found=lambda value: (
        f"a determinant of {_determinant(value):.6g}, rows of length "
        f"{', '.join(f'{length:.6g}' for length in _length(value))}"
    ),
)
"""A matrix that turns components from one frame to another."""

Symmetric = Constraint(
    "symmetric",
    lambda value: _asymmetry(value) <= ROUNDING,
    nearest=lambda value: 0.5 * (value + value.T),
    found=_symmetric_found,
)
"""A matrix that is its own transposed."""

PositiveDefinite = Constraint(
    "symmetric and positive definite", _is_positive_definite, nearest=_as_positive_definite, found=_moments_found
)
"""A mass matrix, a covariance, a weight."""

Inertia = Constraint(
    "the inertia of a body: symmetric, its principal moments positive and none larger than the other two together",
    _is_inertia,
    nearest=_as_inertia,
    found=_moments_found,
)
"""The inertia tensor of a body with an extent in space."""

AnyInertia = Constraint(
    "an inertia: symmetric, no principal moment negative and none larger than the other two together",
    _is_any_inertia,
    nearest=_as_inertia,
    found=_moments_found,
)
"""As `Inertia`, and also that of a rod or a point, whose moments may be zero, or the one moment of a planar model."""

Ascending = Constraint("ascending", lambda value: np.all(np.diff(value) > 0.0), nearest=np.sort)
"""Each entry greater than the one before."""

EvenlySpaced = Constraint("ascending and evenly spaced, two or more", _is_even)
"""The lines of an even grid."""

FACTORIES = (Above, AtLeast, Below, AtMost, Within, OneOf, OtherThan, OnePer, OfShape)
"""What makes a constraint only when it is called."""


# ---- words ---------------------------------------------------------------------------------------------------------


def _lifted(low: float | str) -> Callable[..., Any]:
    """A value below the limit, mirrored at it."""

    def nearest(value: Any, *of: Any) -> Any:
        limit = _limit(low, of)
        return np.where(value > limit, value, 2 * limit - value)

    return nearest


def _limit(bound: float | str, of: tuple[Any, ...]) -> Any:
    return of[0] if isinstance(bound, str) else bound


def _fields(bound: float | str) -> tuple[str, ...]:
    return (bound,) if isinstance(bound, str) else ()


def _name(bound: float | str) -> str:
    return f"`{bound}`" if isinstance(bound, str) else f"{bound:g}"


def _names(fields: tuple[str, ...]) -> str:
    return " and ".join(f"`{field}`" for field in fields)


def _size(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "1"


def _shown(value: Any, unit: str) -> str:
    """A value as an error shows it: long arrays in part."""
    array = np.asarray(value)
    shown = np.array2string(array, threshold=12, separator=", ") if array.ndim else str(array[()])
    return shown if unit == "-" else f"{shown} {unit}"
