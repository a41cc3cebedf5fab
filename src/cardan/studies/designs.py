"""Where each run lies in the unit cube: random, Latin hypercube, Sobol sequence, grid or table.

The inputs of run k depend only on the study's seed, the name of the dimension and k. Adding or removing a dimension
does not change the others (in a Sobol sequence: those before it).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import MissingExtra, SettingError, shown
from cardan.maths import RandomKey, stream_of, uniform
from cardan.studies.distributions import Distribution, Nominal


class Dispersed(NamedTuple):
    """Something that varies, with its distribution.

    Attributes:
        name: Its path, or the name of a group.
        how: The distribution.
        nominal: What it is without.
    """

    name: str
    how: Distribution
    nominal: Nominal

    @property
    def size(self) -> int:
        return self.how.size(self.nominal)


Points = dict[str, np.ndarray]
"""For each name (n, size) numbers between 0 and 1."""


@dataclass(frozen=True)
class Design:
    """What all designs have."""

    def runs(self, wanted: int | None, dispersed: Sequence[Dispersed]) -> int:
        """How many runs there are."""
        return _whole(wanted)

    def points(self, runs: np.ndarray, count: int, seed: int, dispersed: Sequence[Dispersed]) -> Points:
        """Where some runs lie, of `count` in all."""
        raise NotImplementedError

    @property
    def can_grow(self) -> bool:
        """Whether more runs leave those before them as they are."""
        return True


def _whole(wanted: Any) -> int:
    if not isinstance(wanted, int | np.integer) or isinstance(wanted, bool) or wanted < 1:
        raise SettingError(f"A study of {shown(wanted)} runs.\n  Use a whole number, at least 1.")
    return int(wanted)


def random_points(runs: np.ndarray, seed: int, name: str, size: int) -> np.ndarray:
    """(n, size) Numbers between 0 and 1 that follow from seed, name and number of the run."""
    if size == 0:
        return np.empty((len(runs), 0))
    return np.ascontiguousarray(uniform(RandomKey(stream_of(seed, name), runs), size).T)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Random(Design):
    """Every run at random."""

    def points(self, runs: np.ndarray, count: int, seed: int, dispersed: Sequence[Dispersed]) -> Points:
        return {each.name: random_points(runs, seed, each.name, each.size) for each in dispersed}


@dataclass(frozen=True)
class LatinHypercube(Design):
    """Each dimension has one run in each of as many equal parts as there are runs, in random order.

    The number of runs is part of the design: a study with more runs is a different one.
    """

    def points(self, runs: np.ndarray, count: int, seed: int, dispersed: Sequence[Dispersed]) -> Points:
        found = {}
        for each in dispersed:
            keys = random_points(np.arange(count), seed, f"order of {each.name}", each.size)
            part = np.argsort(np.argsort(keys, axis=0, kind="stable"), axis=0, kind="stable")[runs]
            within = random_points(runs, seed, each.name, each.size)
            found[each.name] = np.minimum((part + within) / count, 1.0 - 2.0**-53)
        return found

    @property
    def can_grow(self) -> bool:
        return False


@dataclass(frozen=True)
class Sobol(Design):
    """A Sobol sequence with a random digital shift. Powers of two are best; more runs extend it."""

    def points(self, runs: np.ndarray, count: int, seed: int, dispersed: Sequence[Dispersed]) -> Points:
        return _split(sobol_points(runs, [(each.name, each.size) for each in dispersed], seed), dispersed)


def sobol_points(runs: np.ndarray, columns: Sequence[tuple[str, int]], seed: int) -> np.ndarray:
    """(n, all columns) Points of the sequence; each dimension is shifted by a number that follows from its name."""
    dimension = sum(size for _, size in columns)
    if not dimension or not len(runs):
        return np.empty((len(runs), dimension))
    try:
        from scipy.stats import qmc
    except ImportError as error:
        raise MissingExtra("A Sobol sequence needs SciPy.\n  Install it with `pip install cardan[study]`.") from error
    first, last = int(np.min(runs, initial=2**62)), int(np.max(runs, initial=0)) + 1
    sequence = qmc.Sobol(dimension, scramble=False, bits=30)
    # the first point alone, because SciPy warns of a sequence that begins with a number that is no power of two
    start = [sequence.random(1)] if first == 0 else [sequence.fast_forward(first).random(1)]
    whole = (np.vstack([*start, sequence.random(last - first - 1)]) * 2.0**30).astype(np.int64)
    shifts = np.concatenate(
        [random_points(np.zeros(1, np.int64), seed, f"shift of {n}", size)[0] for n, size in columns]
    )
    shifted = whole[runs - first] ^ (shifts * 2.0**30).astype(np.int64)
    return np.asarray((shifted + 0.5) * 2.0**-30)


@dataclass(frozen=True)
class Factorial(Design):
    """Every combination of some levels of each dimension; the last one changes fastest.

    Attributes:
        levels: How many of each; a number for all, or by path. A Choice has its options.
    """

    levels: int | Mapping[str, int] = 3

    def runs(self, wanted: int | None, dispersed: Sequence[Dispersed]) -> int:
        count = math.prod(map(len, self._levels(dispersed)))
        if wanted is not None and wanted != count:
            raise SettingError(
                f"A full factorial design has {count} runs here, and {wanted} are asked for.\n"
                "  Leave the number out, or use other levels."
            )
        return count

    def points(self, runs: np.ndarray, count: int, seed: int, dispersed: Sequence[Dispersed]) -> Points:
        levels = self._levels(dispersed)
        places = np.unravel_index(runs, [len(each) for each in levels]) if levels else ()
        flat = [level[place] for level, place in zip(levels, places, strict=True)]
        return _split(np.stack(flat, axis=1) if flat else np.empty((len(runs), 0)), dispersed)

    def _levels(self, dispersed: Sequence[Dispersed]) -> list[np.ndarray]:
        found = []
        for each in dispersed:
            count = self.levels.get(each.name, 3) if isinstance(self.levels, Mapping) else self.levels
            found += [each.how.levels(_whole(count), each.nominal)] * each.size
        return found

    @property
    def can_grow(self) -> bool:
        return False


@dataclass(frozen=True)
class Saltelli(Design):
    """For Sobol indices: two independent samples A and B, and A with each input taken from B in turn (Saltelli 2010).

    With D inputs, run (D + 2) i is A_i, run (D + 2) i + 1 is B_i, and the others of this group are A_i with input
    1 ... D of B_i. An input is all that one path or group has.

    Attributes:
        base: How many groups; powers of two are best.
    """

    base: int = 256

    def __post_init__(self) -> None:
        _whole(self.base)

    def runs(self, wanted: int | None, dispersed: Sequence[Dispersed]) -> int:
        count = self.base * (len(dispersed) + 2)
        if wanted is not None and wanted != count:
            raise SettingError(
                f"Saltelli(base={self.base}) of {len(dispersed)} inputs has {count} runs, and {wanted} are asked for.\n"
                "  Leave the number out, or use another base."
            )
        return count

    def points(self, runs: np.ndarray, count: int, seed: int, dispersed: Sequence[Dispersed]) -> Points:
        group, place = np.divmod(runs, len(dispersed) + 2)
        columns = [(f"{sample} of {each.name}", each.size) for sample in "AB" for each in dispersed]
        wanted, back = np.unique(group, return_inverse=True)
        both = sobol_points(wanted, columns, seed)[back]
        half = both.shape[1] // 2
        first, second = _split(both[:, :half], dispersed), _split(both[:, half:], dispersed)
        return {
            each.name: np.where(((place == 1) | (place == i + 2))[:, None], second[each.name], first[each.name])
            for i, each in enumerate(dispersed)
        }


@dataclass(frozen=True, init=False)
class Table(Design):
    """From a table: a CSV file, a pandas table or a dictionary. Columns are paths; those of an array `path[0]`.

    Attributes:
        columns: The values of each column.
        source: Where it comes from.
    """

    columns: Mapping[str, Sequence[Any]]
    source: str

    def __init__(self, table: Any) -> None:
        columns, source = _read_table(table)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "source", source)

    def runs(self, wanted: int | None, dispersed: Sequence[Dispersed]) -> int:
        count = len(next(iter(self.columns.values())))
        if wanted is None:
            return count
        if _whole(wanted) > count:
            raise SettingError(f"{self.source} has {count} rows, and {wanted} runs are asked for.")
        return int(wanted)


def _read_table(table: Any) -> tuple[dict[str, list[Any]], str]:
    import pandas

    if isinstance(table, str | Path):
        try:
            frame, source = pandas.read_csv(table), str(table)
        except (OSError, ValueError) as error:
            raise SettingError(
                f"The table {table} cannot be read: {error}.\n  Give a CSV file with a header."
            ) from None
    else:
        try:
            frame, source = pandas.DataFrame(table), "The table"
        except (TypeError, ValueError) as error:
            raise SettingError(f"{shown(table)} is no table: {error}.") from None
    if not len(frame) or not len(frame.columns):
        raise SettingError(f"{source} has no rows.\n  Give one row for each run, below a line with the paths.")
    # a table that a study has written has units in its header
    names = [
        str(name).partition(" [")[0] if str(name).endswith("]") and " [" in str(name) else str(name) for name in frame
    ]
    if frame.isna().to_numpy().any():
        row, column = np.argwhere(frame.isna().to_numpy())[0]
        raise SettingError(f"{source} has nothing in row {row} of `{names[column]}`.\n  Give a value for every run.")
    columns = {name: frame.iloc[:, i].tolist() for i, name in enumerate(names) if name != "run"}
    return columns, source


def _split(whole: np.ndarray, dispersed: Sequence[Dispersed]) -> Points:
    """Columns by name."""
    found, at = {}, 0
    for each in dispersed:
        found[each.name] = whole[:, at : at + each.size]
        at += each.size
    return found


DESIGNS: Mapping[str, type[Design]] = {
    "random": Random,
    "latin-hypercube": LatinHypercube,
    "sobol": Sobol,
    "factorial": Factorial,
    "saltelli": Saltelli,
    "table": Table,
}
