"""Wrappers missing from Gymnasium: normalisation whose statistics are kept with a policy."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from cardan.errors import CardanError
from cardan.learning.files import read_arrays, write_arrays
from cardan.learning.normalisation import Normaliser

_KIND = "cardan statistics 1"


class StatisticsError(CardanError):
    """A file that holds no statistics of observations."""


class NormaliseObservations(gymnasium.vector.VectorObservationWrapper):  # type: ignore[misc]
    """Observations in standard deviations from their mean, from all seen so far.

    Args:
        env: A vector of environments.
        statistics: What `save` has written, to go on with.
        is_learning: False to leave the statistics as they are, as when a policy is judged.
    """

    def __init__(self, env: Any, statistics: str | Path | None = None, *, is_learning: bool = True) -> None:
        super().__init__(env)
        shape = env.single_observation_space.shape
        self.normaliser, self.is_learning = Normaliser(shape[0]), is_learning
        space = gymnasium.spaces.Box(-10.0, 10.0, shape, np.float32)
        self.single_observation_space = space
        self.observation_space = gymnasium.vector.utils.batch_space(space, env.num_envs)
        if statistics is not None:
            _, arrays = read_arrays(statistics, _KIND, StatisticsError, "statistics")
            if arrays["mean"].shape != shape:
                raise StatisticsError(
                    f"{statistics} has statistics of {len(arrays['mean'])} numbers; {shape[0]} are observed here."
                )
            self.normaliser.restore(arrays)

    def observations(self, observations: np.ndarray) -> np.ndarray:
        if self.is_learning:
            self.normaliser.see(observations)
        return self.normaliser(observations)

    def save(self, path: str | Path) -> Path:
        """Write the statistics to a file."""
        return write_arrays(path, _KIND, {}, self.normaliser.state())
