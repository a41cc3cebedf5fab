"""What differs between the members of a batch beside their states: parameters of parts, numbers of the mechanism."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardan.errors import SettingError, ShapeError, UnknownName, did_you_mean, shown
from cardan.scenario.placed import with_parameter, with_parameters
from cardan.simulation.numbers import check_varies, has_number
from cardan.simulation.run import Run
from cardan.simulation.setup import Setup
from cardan.simulation.varying_numbers import VaryingNumbers, of_member


class Span(NamedTuple):
    """A stretch of a member's row: where in the arena, where in the row, how many words."""

    at: int
    row_at: int
    words: int


class Varying:
    """Which words of an arena belong to a member beside its state, and what they may be.

    Args:
        setup: What is simulated.
        paths: Of what varies: `ctl.K`, `bus.mass`.
        members: How many there are.
    """

    def __init__(self, setup: Setup, paths: Sequence[str], members: int) -> None:
        if isinstance(paths, str):
            raise SettingError(f"varies={paths!r}.\n  Use a list of paths, e.g. `varies=[{paths!r}]`.")
        self._setup = setup
        self._members = members
        numbers = [path for path in paths if has_number(setup.scenario, path)]
        check_varies(setup.scenario, setup.dynamics, numbers)
        self._parameters: dict[str, Span] = {}
        self.spans = [Span(0, 0, setup.layout.state_words)]
        self._begins: dict[str, np.ndarray] = {}  # (N, words) what parameters that change begin with
        for path in paths:
            if path not in numbers:
                at, words = self.place_of(path)
                is_live = at < setup.layout.state_words
                self._parameters[path] = Span(at, at, words) if is_live else self._add(at, words)
                if is_live:
                    self._begins[path] = np.tile(setup.initial[at : at + words], (members, 1))
        self._numbers = VaryingNumbers(setup, numbers, members) if numbers else None
        first = self.row_words
        for at, words in self._numbers.stretches if self._numbers is not None else ():
            self._add(at, words)
        self._numbers_at = slice(first, self.row_words)

    @property
    def paths(self) -> list[str]:
        return [*self._parameters, *(self._numbers.values if self._numbers is not None else ())]

    @property
    def has_numbers(self) -> bool:
        """Whether numbers of the mechanism are among it."""
        return self._numbers is not None

    def kept(self, member: int) -> Any:
        """What the words of a row may point at; kept with every copy of the row."""
        return None if self._numbers is None else self._numbers.kept[member]

    @property
    def row_words(self) -> int:
        """How many words a row has."""
        return self.spans[-1].row_at + self.spans[-1].words

    def row(self, arena: np.ndarray) -> np.ndarray:
        """What belongs to a member, taken from an arena."""
        return np.concatenate([arena[span.at : span.at + span.words] for span in self.spans])

    def load(self, arena: np.ndarray, row: np.ndarray) -> None:
        """Put what belongs to a member into an arena."""
        for span in self.spans:
            arena[span.at : span.at + span.words] = row[span.row_at : span.row_at + span.words]

    def new_run(self) -> Run:
        """A run in which any member can stand."""
        return self._setup.new_run(is_varied=self.has_numbers)

    def stand(self, run: Run, row: np.ndarray) -> None:
        """Let a run stand where a member stands."""
        self.load(run.arena, row)
        run.load(row[: self._setup.layout.state_words])

    def view(self, rows: np.ndarray, path: str) -> np.ndarray:
        """(N, ...) The values of a parameter of all members, where they lie; of a number of the mechanism, a copy."""
        if self._is_number(path):
            assert self._numbers is not None
            return self._numbers.values[path].copy()
        span = self._parameters[path]
        return self._shaped(rows[:, span.row_at : span.row_at + span.words], path)

    def _shaped(self, words: np.ndarray, path: str) -> np.ndarray:
        """(N, ...) The values of a parameter that lie in words, (N, words)."""
        field = self._field(path)
        return (words if field.kind == "float" else words.view(np.int64)).reshape(len(words), *field.shape)

    def begin(self, rows: np.ndarray, mask: np.ndarray) -> None:
        """Let parameters that change during a run be again what they were given as."""
        for path, words in self._begins.items():
            span = self._parameters[path]
            rows[mask, span.row_at : span.row_at + span.words] = words[mask]

    def values(self, rows: np.ndarray, member: int) -> dict[str, Any]:
        """What one member begins with, by path."""
        found: dict[str, Any] = {
            path: (self._shaped(self._begins[path], path) if path in self._begins else self.view(rows, path))[member]
            for path in self._parameters
        }
        for path, value in found.items():
            kind = self._field(path).kind
            found[path] = value.astype(bool) if kind == "bool" else np.array(value)
            if value.ndim == 0:
                found[path] = {"float": float, "int": int, "bool": bool}[kind](value)
        return found | (self._numbers.given(member) if self._numbers is not None else {})

    def write(self, rows: np.ndarray, values: Mapping[str, Any], mask: np.ndarray) -> None:
        """Give members other values, each one for all or (N, ...); all are checked before any is written."""
        for path in values:
            if path not in self.paths:
                raise UnknownName(
                    f"`{path}` does not vary in this batch.{did_you_mean(path, self.paths)}\n"
                    f"  Make the batch with `varies=[..., {path!r}]`; so far: {', '.join(self.paths) or 'nothing'}."
                )
        chosen = np.flatnonzero(mask)
        taken = {path: self._spread(path, value) for path, value in values.items()}
        self._settle(rows, {path: spread for path, spread in taken.items() if path in self._parameters}, chosen)
        if self._numbers is not None:
            numbers = {path: spread for path, spread in taken.items() if path not in self._parameters}
            if numbers and len(chosen):
                rows[chosen, self._numbers_at] = self._numbers.take(numbers, chosen)
        for path, spread in taken.items():
            if path in self._parameters:
                self.view(rows, path)[mask] = spread[mask]
            if path in self._begins:
                self._shaped(self._begins[path], path)[mask] = spread[mask]

    def is_like(self, other: "Varying") -> bool:
        """Whether the same varies."""
        return self.paths == other.paths and self.spans == other.spans

    def take(self, other: "Varying", members: np.ndarray, sources: np.ndarray) -> None:
        """What members have beside their rows: that of others."""
        for path, words in self._begins.items():
            words[members] = other._begins[path][sources]
        if self._numbers is not None:
            assert other._numbers is not None
            self._numbers.take_over(other._numbers, members, sources)

    def restart(self, rows: np.ndarray, mask: np.ndarray) -> None:
        """Write the initial states that follow from parameters which vary."""
        names = {path.rpartition(".")[0] for path in self._parameters}
        values, layout = self._setup.values, self._setup.layout
        places = layout.state_places | layout.memories
        following = [n for n in names if values.parts[n].contract.initial and values.parts[n].initial is None]
        for member in np.flatnonzero(mask) if following else ():
            own = {path: value for path, value in self.values(rows, int(member)).items() if path in self._parameters}
            states = values.changed(own).sizes.states
            for name in following:
                places[name].write(rows[member], states[name])

    # ---- details -------------------------------------------------------------------------------------------------

    def _add(self, at: int, words: int) -> Span:
        span = Span(at, self.row_words, words)
        self.spans.append(span)
        return span

    def place_of(self, path: str) -> tuple[int, int]:
        """Where a parameter lies, and how many words it has."""
        name = str(path).rpartition(".")[0]
        placed = self._setup.values.parts.get(name)
        place = self._setup.layout.parameters.get(name)
        if placed is None or place is None or path.rpartition(".")[2] not in placed.contract.type._fields:
            with_parameter(self._setup.values.parts, path, None)  # says what is wrong with the path
        assert placed is not None and place is not None
        field = path.rpartition(".")[2]
        if field in placed.contract.objects:
            raise SettingError(f"`{path}` is no number, so it cannot vary within a batch.")
        if inspect.isfunction(getattr(type(placed.part), "breaks", None)):
            raise SettingError(
                f"`{path}` cannot vary within a batch: all members share what `{name}` says with `breaks`.\n"
                "  Use `Simulation.variant` for each value."
            )
        where = place.slice_of(field)
        return place.at + where.start, where.stop - where.start

    def _field(self, path: str) -> Any:
        name, _, field = path.rpartition(".")
        fields = self._setup.layout.parameters[name].block.fields
        return next(each for each in fields if each.name == field)

    def _is_number(self, path: str) -> bool:
        return self._numbers is not None and path in self._numbers.values

    def _spread(self, path: str, value: Any) -> np.ndarray:
        """(N, ...) A value for each member."""
        if self._is_number(path):
            assert self._numbers is not None
            shape, is_float = self._numbers.values[path].shape[1:], True
        else:
            field = self._field(path)
            shape, is_float = field.shape, field.kind == "float"
        try:
            array = np.asarray(value)
            if array.dtype.kind not in "biuf" or (not is_float and array.dtype.kind == "f"):
                raise ValueError
        except ValueError:
            raise ShapeError(
                f"`{path}` takes numbers, one for all or one for each member, got {shown(value)}."
            ) from None
        if array.shape not in (shape, (self._members, *shape)):
            raise ShapeError(
                f"`{path}` has the wrong shape.\n"
                f"  expected {shape}, or {(self._members, *shape)} for each member its own\n"
                f"  got      {array.shape}"
            )
        return np.array(np.broadcast_to(array.astype(np.float64 if is_float else np.int64), (self._members, *shape)))

    def _settle(self, rows: np.ndarray, given: dict[str, np.ndarray], chosen: np.ndarray) -> None:
        """What a part would refuse, a batch refuses too; and what a part makes of a value, a batch takes.

        All parameters of a member are looked at together, those that keep their values too.
        """
        names = {path.rpartition(".")[0] for path in given}
        kept = {path for path in self._parameters if path not in given and path.rpartition(".")[0] in names}
        for member in chosen if given else ():
            own = {path: _scalar(spread[member], self._field(path).kind) for path, spread in given.items()}
            if kept:
                own |= {path: value for path, value in self.values(rows, int(member)).items() if path in kept}
            with of_member(int(member)):
                parts = with_parameters(self._setup.values.parts, own)
            for path, spread in given.items():
                part, _, field = path.rpartition(".")
                spread[member] = getattr(parts[part].part, field)


def _scalar(value: Any, kind: str) -> Any:
    return np.asarray(value).astype(bool) if kind == "bool" else value
