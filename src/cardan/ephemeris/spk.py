"""SPICE kernels of planets and moons (`.bsp`) as a source of positions, read by `jplephem`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from cardan.errors import DamagedData, MissingExtra, OutsideData

J2000 = 2451545.0  # [d] Julian date
DAY = 86400.0  # [s]

NUMBERS = {
    "sun": 10, "mercury": 199, "venus": 299, "earth": 399, "moon": 301, "mars": 499, "jupiter": 599, "saturn": 699,
    "uranus": 799, "neptune": 899, "pluto": 999,
}  # fmt: skip
_BARYCENTRES = {199: 1, 299: 2, 399: 3, 499: 4, 599: 5, 699: 6, 799: 7, 899: 8, 999: 9}


def read_spk(path: str | Path, numbers: Mapping[str, int] | None = None) -> "SpkFile":
    """A SPICE kernel as a source for `ephemeris_table`.

    Args:
        path: The file.
        numbers: SPICE numbers of further bodies by name, such as `{"phobos": 401}`. A planet whose own position the
            file does not have stands for the barycentre of its system.

    Raises:
        DamagedData: It is no such file, or one with segments of a kind that is not supported.
    """
    try:
        from jplephem.spk import SPK
    except ImportError as error:
        raise MissingExtra("SPICE kernels need `jplephem`.\n  pip install cardan[spk]") from error
    try:
        kernel = SPK.open(str(path))
        arrays = {(s.center, s.target): (s, s.load_array()) for s in kernel.segments}
    except (OSError, ValueError, NotImplementedError) as error:
        raise DamagedData(f"`{path}` cannot be read as a SPICE kernel of positions: {error}.") from error
    if not arrays:
        raise DamagedData(f"`{path}` has no segments.")
    return SpkFile(str(path), arrays, {**NUMBERS, **(numbers or {})})


@dataclass(frozen=True)
class SpkFile:
    """The segments of a kernel; made by `read_spk`."""

    source: str
    arrays: dict[tuple[int, int], Any]
    numbers: Mapping[str, int]
    granule: float = field(init=False)
    terms: int = field(init=False)
    start: float = field(init=False)
    end: float = field(init=False)

    def __post_init__(self) -> None:
        spans = [(first, length, table.shape) for _, (first, length, table) in self.arrays.values()]
        object.__setattr__(self, "granule", min(length for _, length, _ in spans) * DAY)
        # two more than the longest series: the warp of TDB against TT is no polynomial
        object.__setattr__(self, "terms", max(shape[2] for *_, shape in spans) + 2)
        object.__setattr__(self, "start", max(first - J2000 for first, *_ in spans) * DAY)
        object.__setattr__(self, "end", min(f - J2000 + length * shape[1] for f, length, shape in spans) * DAY)

    @property
    def bodies(self) -> Sequence[str]:
        return [name for name in self.numbers if self._number(name) is not None]

    def position(self, body: str, tdb: np.ndarray) -> np.ndarray:
        number, total = self._number(body), np.zeros((len(tdb), 3))
        if number is None:
            raise OutsideData(f"There is no `{body}` in {self.source}.")
        while number != 0:
            centre = self._centre_of(number)
            segment, _ = self.arrays[centre, number]
            days = np.floor(tdb / DAY)
            total += 1e3 * np.asarray(segment.compute(J2000 + days, tdb / DAY - days))[:3].T
            number = centre
        return total

    def _number(self, body: str) -> int | None:
        number = self.numbers.get(body)
        candidates = [number, _BARYCENTRES.get(number)] if number is not None else []
        return next((n for n in candidates if n is not None and self._is_reached(n)), None)

    def _is_reached(self, number: int) -> bool:
        seen: set[int] = set()
        while number != 0 and number not in seen:
            seen.add(number)
            number = self._centre_of(number)
        return number == 0

    def _centre_of(self, number: int) -> int:
        return next((centre for centre, target in self.arrays if target == number), number)
