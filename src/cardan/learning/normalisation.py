"""Running mean and variance of observations."""

from typing import Any

import numpy as np

_LARGEST = 10.0  # standard deviations


class Normaliser:
    """Scales observations to mean zero and variance one, from all seen so far.

    Args:
        size: Of an observation.

    Attributes:
        mean: (n,)
        variance: (n,)
        count: How many have been seen.
    """

    def __init__(self, size: int) -> None:
        self.mean, self.variance, self.count = np.zeros(size), np.ones(size), 0.0

    def see(self, observations: np.ndarray) -> None:
        """Take (N, n) more into account (Chan, Golub and LeVeque's sum of two sets)."""
        seen = np.asarray(observations, np.float64)
        count, mean, variance = len(seen), seen.mean(axis=0), seen.var(axis=0)
        if self.count == 0:
            self.mean, self.variance, self.count = mean, variance, float(count)
            return
        total, apart = self.count + count, mean - self.mean
        self.mean = self.mean + apart * (count / total)
        squares = self.variance * self.count + variance * count + apart * apart * (self.count * count / total)
        self.variance, self.count = squares / total, total

    @property
    def scale(self) -> np.ndarray:
        """(n,) What deviations are multiplied by."""
        result: np.ndarray = 1.0 / np.sqrt(self.variance + 1e-8)
        return result

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """(N, n) In standard deviations, at most ten, single precision."""
        shifted = (observations - self.mean) * self.scale
        limited: np.ndarray = np.clip(shifted, -_LARGEST, _LARGEST).astype(np.float32)
        return limited

    def state(self) -> dict[str, Any]:
        return {"mean": self.mean, "variance": self.variance, "count": np.float64(self.count)}

    def restore(self, state: dict[str, Any]) -> None:
        self.mean, self.variance = np.array(state["mean"]), np.array(state["variance"])
        self.count = float(state["count"])
