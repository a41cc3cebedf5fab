"""How episodes begin: episode e of the environment with seed s is given what run e of a study with seed s is given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from cardan.errors import SettingError
from cardan.maths import RandomKey, stream_of, uniform
from cardan.simulation import Batch, Simulation
from cardan.studies import Design, Dispersed, Given, Inputs, start_of

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


def run_numbers(seeds: np.ndarray, episodes: np.ndarray) -> np.ndarray:
    """The number of the run that stands for an episode of the environment with a seed."""
    return np.asarray(seeds << _EPISODES | episodes)


class Episodes:
    """Beginnings of episodes that stand ready, some ahead for each environment.

    Those of all environments are prepared together, because it takes little longer than to prepare one.

    Args:
        inputs: What varies from one episode to the next.
        environments: How many there are.
        ahead: How many episodes of each are prepared at once.
    """

    def __init__(self, inputs: Inputs, environments: int, ahead: int) -> None:
        self.inputs = inputs
        self._seeds = np.zeros(environments, np.int64)
        self._ready = np.full((environments, ahead), -1, np.int64)  # which episode stands there

    def seed(self, seeds: np.ndarray, where: np.ndarray) -> None:
        """Let environments have other seeds; nothing of theirs is ready then."""
        self._seeds[where] = seeds[where]
        self._ready[where] = -1

    def find(self, episodes: np.ndarray, where: np.ndarray) -> np.ndarray:
        """The places at which the beginnings of some episodes stand.

        Args:
            episodes: (N,) The number of the next episode of every environment.
            where: (N,) A mask of the environments whose next episode is wanted.
        """
        chosen, ahead = np.flatnonzero(where), self._ready.shape[1]
        place = episodes[chosen] % ahead
        if (self._ready[chosen, place] != episodes[chosen]).any():
            self._prepare(episodes)
        return np.asarray(chosen * ahead + place)

    def _prepare(self, episodes: np.ndarray) -> None:
        """Let the next episodes of all environments stand ready, where they do not yet."""
        ahead = self._ready.shape[1]
        first = episodes[:, None]
        wanted = first + (np.arange(ahead) - first) % ahead  # at each place the first that is not over
        mask = (wanted != self._ready).reshape(-1)
        runs = run_numbers(self._seeds[:, None], wanted).reshape(-1)[mask]
        self._place(self.inputs.given(runs), mask)
        self._ready[:] = wanted

    def _place(self, given: Given, mask: np.ndarray) -> None:
        """Let episodes stand at the places in a mask."""
        raise NotImplementedError


class NativeEpisodes(Episodes):
    """Members of a batch that stand at the beginning of episodes, ready to be taken.

    Args:
        inputs: What varies from one episode to the next.
        batch: Where they are prepared; it has as many members for each environment as are prepared ahead.
        environments: How many there are.
    """

    def __init__(self, inputs: Inputs, batch: Batch, environments: int) -> None:
        super().__init__(inputs, environments, len(batch) // environments)
        self.batch = batch

    def _place(self, given: Given, mask: np.ndarray) -> None:
        if given.numbers:
            self.batch.set({path: spread(values, mask) for path, values in given.numbers.items()}, where=mask)
        starts = {
            element: begun(self.inputs.nominal, element, {name: spread(each, mask) for name, each in fields.items()})
            for element, fields in given.starts.items()
        }
        seeds = np.zeros(len(mask), np.int64)
        seeds[mask] = given.seeds
        self.batch.reset(starts, where=mask, seeds=seeds.tolist())
        failed = self.batch.advance(0.0)  # the tick at the start, as far as it does not wait for the first action
        if failed.any():
            raise self.batch.error(int(np.argmax(failed))) or SettingError("An episode cannot begin.")


def begun(nominal: Simulation, element: str, fields: Mapping[str, Any]) -> Any:
    """What a part or an element of the mechanism begins with, some fields of it given."""
    return start_of(nominal, element)._replace(**fields)


def spread(values: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """(N, ...) Values for the members in a mask; what the others are given does not count."""
    numbers = np.asarray(values)
    found = np.empty((len(mask), *numbers.shape[1:]), numbers.dtype)
    found[:] = numbers[0]
    found[mask] = numbers
    return found


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
