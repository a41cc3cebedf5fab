"""`SingleEnv`: one environment, with the interface of every reinforcement-learning library."""

from typing import Any

import gymnasium
import numpy as np

from cardan.learning.environment import Environment
from cardan.learning.vector import VectorEnv


class SingleEnv(gymnasium.Env):  # type: ignore[misc]
    """One environment, a `gymnasium.Env`; for many at once, `VectorEnv` is faster by far.

    Args:
        environment: What it is.
        backend: "native" or "jax".
        dtype: Of observations and actions.
        render_mode: "rgb_array" to see it.
    """

    def __init__(
        self,
        environment: Environment,
        *,
        backend: str = "native",
        dtype: Any = np.float32,
        render_mode: str | None = None,
    ) -> None:
        self.environment = environment
        self._one = VectorEnv(
            environment, 1, autoreset="disabled", backend=backend, threads=1, dtype=dtype, render_mode=render_mode
        )
        self.metadata = {key: value for key, value in self._one.metadata.items() if key != "autoreset_mode"}
        self.render_mode = self._one.render_mode
        self.observation_space = self._one.single_observation_space
        self.action_space = self._one.single_action_space

    @property
    def batch(self) -> Any:
        """The batch of one member that flies."""
        return self._one.batch

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a new episode."""
        super().reset(seed=seed)
        seen, _ = self._one.reset(seed=seed)
        return seen[0], {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Hold an action for a period; what comes out of it."""
        seen, reward, terminated, truncated, several = self._one.step(np.asarray(action)[None])
        info = {key: bool(values[0]) for key, values in several.items() if key == "is_success"}
        return seen[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), info

    def render(self) -> Any:
        """A picture of it."""
        pictures = self._one.render()
        return None if pictures is None else pictures[0]

    def close(self) -> None:
        self._one.close()
