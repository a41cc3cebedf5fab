"""Numbers of a mechanism that differ between the members of a batch: masses, coefficients of joints, poses of sites."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from cardan.errors import CardanError
from cardan.mechanism.variants import variants_of
from cardan.simulation.places import merged
from cardan.simulation.setup import Setup

_WORTH_IT = 2  # members that are found at once rather than one by one
_LARGEST = 1 << 20  # words of the arenas in which they are


class VaryingNumbers:
    """The numbers of all members, and the words of an arena that follow from them.

    Args:
        setup: What is simulated.
        paths: Which numbers vary: `bus.mass`, `elbow.damping`.
        members: How many members there are.

    Attributes:
        values: (N, ...) By path, what the members have.
        stretches: First words and lengths of all that follows from them in an arena.
        kept: For each member what these words may point at.
    """

    def __init__(self, setup: Setup, paths: Sequence[str], members: int) -> None:
        memory, mechanism = setup.layout.mechanism, setup.scenario.mechanism
        assert memory is not None and mechanism is not None
        self._memory, self._mechanism = memory, mechanism
        self._initial, self._arena = setup.initial, setup.initial.copy()
        self.values: dict[str, np.ndarray] = {}
        self._is_given = {path: np.zeros(members, bool) for path in paths}
        for path in paths:
            numbered = mechanism.number_at(path)
            assert numbered is not None
            own = np.asarray(numbered.number.own(mechanism.model, numbered.row), float)
            self.values[path] = np.array(np.broadcast_to(own, (members, *own.shape)))
        self.stretches = merged(stretch for path in paths for stretch in memory.spans_of(path))
        self._words = np.concatenate([np.arange(at, at + n) for at, n in self.stretches])
        self.kept: list[Any] = [None] * members

    def given(self, member: int) -> dict[str, np.ndarray]:
        """The numbers that a member was given, by path; it has the mechanism's own otherwise."""
        return {path: values[member] for path, values in self.values.items() if self._is_given[path][member]}

    def take(self, numbers: Mapping[str, np.ndarray], chosen: np.ndarray) -> np.ndarray:
        """Give some members other numbers, (N, ...) each; returns the words that follow. All are checked at first."""
        words, kept = self._taken_at_once(numbers, chosen), [None] * len(chosen)
        if words is None:
            words, kept = self._taken_one_by_one(numbers, chosen)
        for path, values in numbers.items():
            self.values[path][chosen] = values[chosen]
            self._is_given[path][chosen] = True
        for member, own in zip(chosen, kept, strict=True):
            self.kept[member] = own
        return words

    def _taken_one_by_one(self, numbers: Mapping[str, np.ndarray], chosen: np.ndarray) -> tuple[np.ndarray, list[Any]]:
        """(n, words) The words of each member, and what they may point at."""
        found: dict[bytes, tuple[np.ndarray, Any]] = {}
        keys = []
        for member in chosen:
            own = self.given(int(member)) | {path: values[member] for path, values in numbers.items()}
            key = b"".join(path.encode() + value.tobytes() for path, value in sorted(own.items()))
            if key not in found:
                with of_member(int(member)):
                    mechanism = self._mechanism.changed(own)
                kept = self._memory.renumber(self._arena, mechanism, self.values)
                found[key] = self._arena[self._words], kept
            keys.append(key)
        return np.array([found[key][0] for key in keys]), [found[key][1] for key in keys]

    def _taken_at_once(self, numbers: Mapping[str, np.ndarray], chosen: np.ndarray) -> np.ndarray | None:
        """(n, words) The words of all, where they can be found at once."""
        others = {path: own[chosen] for path, own in self._is_given.items() if path not in numbers}
        is_alike = all(own.all() or not own.any() for own in others.values())
        if not self._memory.takes_variants or not is_alike or len(chosen) < _WORTH_IT:
            return None
        given = {path: self.values[path] for path, own in others.items() if own.all()} | dict(numbers)
        found = np.empty((len(chosen), len(self._words)))
        size = max(1, _LARGEST // len(self._initial))
        for start in range(0, len(chosen), size):
            some = chosen[start : start + size]
            variants = variants_of(self._mechanism, {path: values[some] for path, values in given.items()})
            if variants is None:
                return None
            arenas = np.tile(self._initial, (len(some), 1))
            self._memory.renumber(arenas, variants, self.values)
            found[start : start + size] = arenas[:, self._words]
        return found

    def take_over(self, other: "VaryingNumbers", members: np.ndarray, sources: np.ndarray) -> None:
        """Let members have the numbers of others; the words that follow are in their rows."""
        for path, values in self.values.items():
            values[members] = other.values[path][sources]
            self._is_given[path][members] = other._is_given[path][sources]
        for member, source in zip(members, sources, strict=True):
            self.kept[member] = other.kept[source]


@contextmanager
def of_member(member: int) -> Iterator[None]:
    """Let an error say which member it is about."""
    try:
        yield
    except CardanError as error:
        raise type(error)(f"Member {member}: {error}") from error
