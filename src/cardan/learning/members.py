"""The members of a vector of environments: those of a batch, advanced natively. `JaxMembers` has the same methods."""

from typing import NamedTuple

import numpy as np

from cardan.learning.columns import flat, split
from cardan.learning.environment import Environment


class Told(NamedTuple):
    """What a step was worth.

    Attributes:
        reward: (N,)
        is_terminated: (N,) Whether the episode is over.
        is_success: (N,) Whether it has ended well.
    """

    reward: np.ndarray
    is_terminated: np.ndarray
    is_success: np.ndarray


class NativeMembers:
    """Members of a batch, and others that stand at the beginnings of their next episodes.

    Args:
        environment: What they fly.
        count: How many there are.
        threads: How many share the work; by default one for each core.
    """

    def __init__(self, environment: Environment, count: int, threads: int | None = None) -> None:
        self.batch = environment.batch(count, threads)
        self._environment, self._starts = environment, environment.episodes(count)

    def seed(self, seeds: np.ndarray, where: np.ndarray) -> None:
        """Let members have other seeds."""
        self._starts.seed(seeds, where)

    def begin(self, episodes: np.ndarray, where: np.ndarray) -> None:
        """Let members in a mask stand at the beginning of episodes."""
        self.batch.take(self._starts.batch, self._starts.find(episodes, where), where=where)

    def advance(self, actions: np.ndarray) -> np.ndarray:
        """Hold (N, m) actions for a period; (N,) which members have failed."""
        for column, values in split(self._environment.acted, actions):
            getattr(self.batch[column.port], column.field)[:] = values
        return self.batch.advance(self._environment.period)

    def told(self) -> Told:
        """What the last step was worth."""
        env = self._environment
        return Told(self._read(env.reward).astype(float), self._truth(env.terminated), self._truth(env.success))

    def seen(self) -> np.ndarray:
        """(N, n) What is observed now."""
        return flat(self._environment.observed, {port: self.batch[port] for port in self._environment.ports})

    def error(self, member: int) -> Exception | None:
        """Why a member has failed."""
        return self.batch.error(member)

    def state(self) -> np.ndarray:
        """(N, ...) All that members need to go on to the same bits."""
        return self.batch.snapshot_all()

    def restore(self, state: np.ndarray) -> None:
        """Let members stand where others stood, that have begun the same episodes."""
        self.batch.restore_all(state)

    def _read(self, path: str) -> np.ndarray:
        port, _, name = path.rpartition(".")
        return np.array(getattr(self.batch[port], name))

    def _truth(self, path: str | None) -> np.ndarray:
        return np.zeros(len(self.batch), bool) if path is None else self._read(path).astype(bool)
