"""Scalars of a recorded field without writing a function: the largest, the last, when it settled."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from cardan.errors import SettingError, did_you_mean
from cardan.simulation import Log


@dataclass(frozen=True)
class FieldMeasure:
    """A number of a recorded field: of its absolute value, or of its length where it has several components.

    Attributes:
        field: Its path in the log, `err.error.sigma_BR`.
        take: "last", "largest", "least", "mean", "rms", or "settled": [s] since when it is at most `within`.
        within: For "settled".
    """

    field: str
    take: str = "last"
    within: float | None = None

    def __post_init__(self) -> None:
        if self.take not in TAKEN:
            raise SettingError(
                f"`{self.field}`: take = {self.take!r}.{did_you_mean(str(self.take), TAKEN)}\n"
                f"  Use one of {', '.join(TAKEN)}."
            )
        if (self.within is None) is (self.take == "settled"):
            raise SettingError(
                f"`{self.field}`: `within` says how small it must be to count as settled.\n"
                "  Give it with `take = settled`, and only there."
            )

    def __call__(self, log: Log) -> float:
        recorded = log[self.field]
        values = np.asarray(recorded.values, float).reshape(len(recorded), -1)
        sizes = np.abs(values[:, 0]) if values.shape[1] == 1 else np.sqrt((values * values).sum(axis=1))
        if self.take != "settled":
            return float(TAKEN[self.take](sizes))
        assert self.within is not None
        if not sizes[-1] <= self.within:
            return float("nan")
        outside = np.flatnonzero(~(sizes <= self.within))
        return float(recorded.t[outside[-1] + 1] if len(outside) else recorded.t[0])

    def unit(self, log: Log) -> str:
        """The unit of the number."""
        return "s" if self.take == "settled" else str(log[self.field].unit)


TAKEN: dict[str, Any] = {
    "last": lambda values: values[-1],
    "largest": np.max,
    "least": np.min,
    "mean": np.mean,
    "rms": lambda values: np.sqrt(np.mean(values * values)),
    "settled": None,
}
