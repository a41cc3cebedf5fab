"""What differs between two logs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from cardan.errors import SettingError
from cardan.maths import mrp_from_quaternion
from cardan.simulation.attitudes import nearest_mrps, nearest_quaternions, quaternions
from cardan.simulation.log import FieldLog, Log

Times = Literal["same", "common", "interpolated"]
TIMES: tuple[Times, ...] = ("same", "common", "interpolated")
_BLOCK = 1 << 20  # [bytes] of a field that are compared at a time
_LONGEST_VALUE = 40  # letters of a parameter that a table shows


class FieldDifference(NamedTuple):
    """How far a field of one log is from that of another.

    Attributes:
        path: Of the field.
        unit: Its unit.
        largest: [unit] The largest difference of any of its numbers; of quaternions with the nearer sign, of MRPs with
            the nearer set.
        relative: [-] That, relative to the largest magnitude that any number of the field has in either log.
        t: [s] When it is largest; None where there is no difference.
        place: Which number of an array it is.
        values: What the logs have there.
    """

    path: str
    unit: str
    largest: float
    relative: float
    t: float | None
    place: tuple[int, ...]
    values: tuple[float, float] | None

    def is_within(self, tolerance: float, absolute: float) -> bool:
        return self.largest <= absolute or self.relative <= tolerance


class Changed(NamedTuple):
    """Something that is said otherwise in one log than in another.

    Attributes:
        path: Of a field, or in `Log.about`.
        first: What the first log says; None where it says nothing.
        second: What the second says.
    """

    path: str
    first: Any
    second: Any


@dataclass(frozen=True)
class Comparison:
    """What differs between two logs; `print` shows it, `agree` judges it.

    Attributes:
        times: How times were matched: "same", "common" or "interpolated".
        t: [s] The times that were compared, of any field.
        times_only_in_first: [-] How many times of the first log could not be compared; those of ports that have times
            of their own are counted for themselves.
        times_only_in_second: [-] How many of the second; none where it was interpolated.
        only_in_first: Paths of fields that only the first log has.
        only_in_second: Paths of fields that only the second has.
        unlike: Fields with other shapes or units.
        fields: The difference of every field that could be compared, by path.
        about: What differs in the descriptions of the runs: parameters, seed, integrator, versions.
    """

    times: Times
    t: np.ndarray
    times_only_in_first: int
    times_only_in_second: int
    only_in_first: tuple[str, ...]
    only_in_second: tuple[str, ...]
    unlike: tuple[Changed, ...]
    fields: dict[str, FieldDifference]
    about: tuple[Changed, ...]

    def agree(self, tolerance: float = 0.0, *, absolute: float = 0.0) -> bool:
        """Whether both logs have the same fields at the same times, and no number differs by more than a tolerance.

        Where times were asked to be "common" or "interpolated", those that were compared suffice. What made the logs
        does not matter.

        Args:
            tolerance: [-] Of a difference, relative to the largest magnitude of its field.
            absolute: A difference that does not matter whatever its field, in the field's own unit.
        """
        for name, value in (("tolerance", tolerance), ("absolute", absolute)):
            if not 0.0 <= value < np.inf:
                raise SettingError(f"agree({name}={value!r}): a tolerance is a finite number that is not negative.")
        if self.only_in_first or self.only_in_second or self.unlike:
            return False
        if self.times == "same" and (self.times_only_in_first or self.times_only_in_second):
            return False
        is_compared = len(self.t) > 0 or not (self.times_only_in_first or self.times_only_in_second)
        return is_compared and all(field.is_within(tolerance, absolute) for field in self.fields.values())

    def different(self) -> list[FieldDifference]:
        """The fields that differ at all, those that differ most first."""
        found = [field for field in self.fields.values() if field.largest > 0.0]
        return sorted(found, key=lambda field: -field.relative)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{_count(len(self.fields), 'field')} compared at {_count(len(self.t), 'time')}{self._times_left_out()}"
        for what, paths in (("first", self.only_in_first), ("second", self.only_in_second)):
            if paths:
                yield f"only in the {what}: {', '.join(paths)}"
        yield from (f"unlike: {changed.path}: {changed.first} and {changed.second}" for changed in self.unlike)
        different = self.different()
        if different:
            yield from _table(different)
        same = len(self.fields) - len(different)
        if same and len(self.t):
            others = "the other field is" if same == 1 else f"the other {same} fields are"
            yield f"{others if different else 'all fields are'} the same"
        if self.about:
            yield "made otherwise:"
            yield from (f"  {path}: {_short(first)} and {_short(second)}" for path, first, second in self.about)

    def _times_left_out(self) -> str:
        counts = ((self.times_only_in_first, "first"), (self.times_only_in_second, "second"))
        left = [f"{count} more in the {which}" for count, which in counts if count]
        return f"; {', '.join(left)}" if left else ""


def compare_logs(first: Log, second: Log, times: Times = "same") -> Comparison:
    """What differs between two logs; see `Log.compare`."""
    if not isinstance(second, Log):
        raise SettingError(f"{second!r} is not a log.\n  Read a file with `cardan.load_log(path)`.")
    if times not in TIMES:
        raise SettingError(f"times = {times!r}.\n  Use one of {', '.join(map(repr, TIMES))}.")
    fields = {field.path: field for field in first.fields()}, {field.path: field for field in second.fields()}
    shared = [path for path in fields[0] if path in fields[1]]
    unlike = [
        Changed(path, *(_kind(of[path]) for of in fields))
        for path in shared
        if _kind(fields[0][path]) != _kind(fields[1][path])
    ]
    alike = [path for path in shared if path not in {changed.path for changed in unlike}]
    pairs = {path: (first.axis(fields[0][path]), second.axis(fields[1][path])) for path in alike}
    axes = list(dict.fromkeys(pairs.values())) or [("time", "time")]
    matches = {pair: _match(first.axes[pair[0]].t, second.axes[pair[1]].t, times) for pair in axes}
    return Comparison(
        times=times,
        t=_union([match.t for match in matches.values()]),
        times_only_in_first=sum(match.only_in_first for match in matches.values()),
        times_only_in_second=sum(match.only_in_second for match in matches.values()),
        only_in_first=tuple(path for path in fields[0] if path not in fields[1]),
        only_in_second=tuple(path for path in fields[1] if path not in fields[0]),
        unlike=tuple(unlike),
        fields={path: _field_difference(fields[0][path], fields[1][path], matches[pairs[path]]) for path in alike},
        about=tuple(_changes(_plain(first.about), _plain(second.about), "")),
    )


class _Match(NamedTuple):
    """Which times of two logs are compared.

    Attributes:
        t: [s] The times.
        here: Which of the first log's these are.
        there: Which of the second's; None where that is interpolated.
        only_in_first: How many others the first has.
        only_in_second: How many others the second has; none where it is interpolated.
    """

    t: np.ndarray
    here: np.ndarray
    there: np.ndarray | None
    only_in_first: int
    only_in_second: int


def _match(first: np.ndarray, second: np.ndarray, times: Times) -> _Match:
    if times == "interpolated":
        here = np.flatnonzero(_covers(second, first))
        return _Match(first[here], here, None, len(first) - len(here), 0)
    _, here, there = np.intersect1d(first, second, return_indices=True)
    return _Match(first[here], here, there, len(first) - len(here), len(second) - len(there))


def _union(times: list[np.ndarray]) -> np.ndarray:
    return times[0] if len(times) == 1 else np.unique(np.concatenate(times))


def _field_difference(first: FieldLog, second: FieldLog, match: _Match) -> FieldDifference:
    """How far two fields are from each other, some samples at a time: a field may be larger than memory."""
    whole = _at(second, match.t) if match.there is None else None
    path, unit, count = first.path, first.unit, max(1, _BLOCK // max(1, 8 * int(np.prod(first.shape, dtype=np.int64))))
    worst, scale = FieldDifference(path, unit, 0.0, 0.0, None, (), None), 0.0
    for start in range(0, len(match.t), count):
        block = slice(start, start + count)
        others = _samples(second, match.there[block]) if match.there is not None else whole[block]  # type: ignore[index]
        found, size = _difference(first, match.t[block], _samples(first, match.here[block]), others)
        worst, scale = max(worst, found, key=lambda difference: difference.largest), max(scale, size)
    return worst._replace(relative=worst.largest / scale) if worst.largest > 0.0 else worst


def _samples(field: FieldLog, which: np.ndarray) -> np.ndarray:
    """Some samples of a field, in order."""
    first = int(which[0])
    samples: np.ndarray = field.rows(first, int(which[-1]) + 1)[which - first]
    return samples


def _kind(field: FieldLog) -> str:
    return f"{'x'.join(map(str, field.shape)) or 'a number'} [{field.unit}]"


def _covers(times: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Which of `t` lie within `times`."""
    return (t >= times[0]) & (t <= times[-1]) if len(times) else np.zeros(len(t), dtype=bool)


def _difference(field: FieldLog, t: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[FieldDifference, float]:
    """How far samples are from each other, and the largest magnitude among them."""
    path, unit = field.path, field.unit
    if not first.size:
        return FieldDifference(path, unit, 0.0, 0.0, None, (), None), 0.0
    if field.is_quaternion:
        second = nearest_quaternions(second, first)
    elif field.is_mrp:
        second = nearest_mrps(second, first)
    are_equal = (first == second) | (np.isnan(first) & np.isnan(second))
    a, b = first.astype(np.float64), second.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.abs(a - b)
    if first.dtype.kind in "ib" and second.dtype.kind in "ib":
        off = np.maximum(off, 1.0)  # whole numbers beyond 2^53 may differ by less than a float can show
    off = np.where(are_equal, 0.0, np.where(np.isnan(off), np.inf, off))
    largest, scale = float(off.max()), max(_magnitude(a), _magnitude(b))
    if largest == 0.0:
        return FieldDifference(path, unit, 0.0, 0.0, None, (), None), scale
    sample, *place = (int(i) for i in np.unravel_index(int(off.argmax()), off.shape))
    at = (sample, *place)
    values = float(a[at]), float(b[at])
    return FieldDifference(path, unit, largest, 0.0, float(t[sample]), tuple(place), values), scale


def _magnitude(values: np.ndarray) -> float:
    """The largest, where nan does not count."""
    return float(np.fmax.reduce(np.abs(values), axis=None, initial=0.0))


def _at(field: FieldLog, t: np.ndarray) -> np.ndarray:
    """The values of a field at times between its samples: numbers linearly, whole ones and truths as they were last."""
    values = field.values
    if not len(t):
        return values[:0]
    if values.dtype.kind != "f":
        return np.asarray(values[np.searchsorted(field.t, t, side="right") - 1])
    if not field.is_attitude:
        return _linear(field.t, values, t)
    q = _linear(field.t, quaternions(field), t)
    q = q / np.linalg.norm(q, axis=1)[:, None]
    return np.array([mrp_from_quaternion(one) for one in q]) if field.is_mrp else q


def _linear(times: np.ndarray, values: np.ndarray, t: np.ndarray) -> np.ndarray:
    flat = values.reshape(len(values), -1)
    columns = [np.interp(t, times, flat[:, i]) for i in range(flat.shape[1])]
    return np.stack(columns, axis=1).reshape(len(t), *values.shape[1:])


def _plain(about: dict[str, Any]) -> Any:
    """A description as a file has it, where tuples are lists."""
    return json.loads(json.dumps(about))


def _changes(first: Any, second: Any, path: str) -> Iterator[Changed]:
    if isinstance(first, dict) and isinstance(second, dict):
        for name in dict.fromkeys((*first, *second)):
            yield from _changes(first.get(name), second.get(name), f"{path}.{name}" if path else str(name))
    elif first != second:
        yield Changed(path, first, second)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _short(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 3]}..."


def _table(rows: list[FieldDifference]) -> Iterator[str]:
    head = ("field", "largest difference", "relative", "at", "first", "second")
    cells = [head]
    for row in rows:
        place = "".join(f"[{i}]" for i in row.place)
        first, second = row.values or (np.nan, np.nan)
        values = (f"{row.largest:.3g} {row.unit}", f"{row.relative:.3g}", f"{row.t:g} s", f"{first:g}", f"{second:g}")
        cells.append((f"{row.path}{place}", *values))
    widths = [max(len(line[i]) for line in cells) for i in range(len(head))]
    for line in cells:
        yield "  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
