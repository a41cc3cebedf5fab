"""How episodes begin: episode e of the environment with seed s is given what run e of a study with seed s is given."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from cardan.errors import SettingError
from cardan.maths import RandomKey, stream_of, uniform
from cardan.simulation import Batch
from cardan.studies import Design, Dispersed, Inputs, start_of

_EPISODES = 32  # bits of the number of a run that say which episode it is; the others say the seed
LARGEST_SEED = 2**31 - 1


@lru_cache(maxsize=1 << 18)
def _stream(seed: int, name: str) -> int:
    return stream_of(seed, name)


@dataclass(frozen=True)
class EpisodeDesign(Design):
    """Numbers that follow from the seed of an environment, the number of its episode, and the name of what varies."""

    def points(self, runs: np.ndarray, count: int, seed: int, dispersed: Sequence[Dispersed]) -> dict[str, np.ndarray]:
        seeds, episodes = (runs >> _EPISODES).tolist(), runs & (2**_EPISODES - 1)
        found = {}
        for each in dispersed:
            if each.size == 0:
                found[each.name] = np.empty((len(runs), 0))
                continue
            streams = np.array([_stream(own, each.name) for own in seeds])
            key = RandomKey(streams, episodes)  # type: ignore[arg-type]
            found[each.name] = np.ascontiguousarray(uniform(key, each.size).T)
        return found


class Episodes:
    """Members of a batch that stand at the beginning of episodes, ready to be taken.

    Those of all environments are prepared together, some ahead, because it takes little longer than to prepare one.

    Args:
        inputs: What varies from one episode to the next.
        batch: Where they are prepared; it has as many members for each environment as are prepared ahead.
        environments: How many there are.
    """

    def __init__(self, inputs: Inputs, batch: Batch, environments: int) -> None:
        self.batch = batch
        self._inputs = inputs
        self._ahead = len(batch) // environments
        self._seeds = np.zeros(environments, np.int64)
        self._ready = np.full((environments, self._ahead), -1, np.int64)  # which episode stands there

    def seed(self, seeds: np.ndarray, where: np.ndarray) -> None:
        """Let environments have other seeds; nothing of theirs is ready then."""
        self._seeds[where] = seeds[where]
        self._ready[where] = -1

    def find(self, episodes: np.ndarray, where: np.ndarray) -> np.ndarray:
        """Which members stand at the beginning of some episodes.

        Args:
            episodes: (N,) The number of the next episode of every environment.
            where: (N,) A mask of the environments whose next episode is wanted.
        """
        chosen = np.flatnonzero(where)
        place = episodes[chosen] % self._ahead
        if (self._ready[chosen, place] != episodes[chosen]).any():
            self._prepare(episodes)
        return np.asarray(chosen * self._ahead + place)

    def _prepare(self, episodes: np.ndarray) -> None:
        """Let the next episodes of all environments stand ready, where they do not yet."""
        ahead = self._ahead
        first = episodes[:, None]
        wanted = first + (np.arange(ahead) - first) % ahead  # at each place the first that is not over
        mask = (wanted != self._ready).reshape(-1)
        runs = (self._seeds[:, None] << _EPISODES | wanted).reshape(-1)[mask]
        given = self._inputs.given(runs)
        if given.numbers:
            self.batch.set({path: _spread(values, mask) for path, values in given.numbers.items()}, where=mask)
        starts = {
            element: start_of(self._inputs.nominal, element)._replace(
                **{name: _spread(values, mask) for name, values in fields.items()}
            )
            for element, fields in given.starts.items()
        }
        seeds = np.zeros(len(mask), np.int64)
        seeds[mask] = given.seeds
        self.batch.reset(starts, where=mask, seeds=seeds.tolist())
        failed = self.batch.advance(0.0)  # the tick at the start, as far as it does not wait for the first action
        if failed.any():
            raise self.batch.error(int(np.argmax(failed))) or SettingError("An episode cannot begin.")
        self._ready[:] = wanted


def _spread(values: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(N, ...) Values for the members in a mask; what the others are given does not count."""
    numbers = np.asarray(values)
    spread = np.empty((len(mask), *numbers.shape[1:]), numbers.dtype)
    spread[:] = numbers[0]
    spread[mask] = numbers
    return spread


def check_episodes(inputs: Inputs) -> None:
    """Refuse what cannot differ from one episode to the next."""
    if not inputs.is_native:
        wrong = [
            *inputs.faults,
            *(path for path in inputs.paths if path not in inputs.faults and not _is_native(inputs, path)),
        ]
        raise SettingError(
            f"Episodes cannot begin with other values of `{wrong[0]}`: the scenario would have to be built again.\n"
            "  Vary parameters, numbers of the mechanism and states; let a parameter say when a fault strikes."
        )


def _is_native(inputs: Inputs, path: str) -> bool:
    return path.rpartition(".")[0] in inputs.faults or inputs.target(path).is_native
