"""The members of a vector of environments as arrays of JAX: `NativeMembers` on whatever device JAX has."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from cardan.errors import NotFinite
from cardan.learning.environment import Environment, episodes_ahead
from cardan.learning.episodes import Episodes, spread
from cardan.learning.functional import FunctionalEnvironment, Ready, Step
from cardan.learning.members import Told
from cardan.studies import Given


class JaxMembers:
    """Members, and others that stand at the beginnings of their next episodes.

    They compute with 64 bits, whatever JAX is set to elsewhere.

    Args:
        environment: What they fly.
        count: How many there are.
    """

    def __init__(self, environment: Environment, count: int) -> None:
        self._environment, self._count = environment, count
        with jax.enable_x64(True):
            form = FunctionalEnvironment(environment)
        self._starts = _JaxEpisodes(form, count)
        self._step = jax.jit(jax.vmap(form.step))
        self._now: Ready | None = None
        self._told: Step | None = None

    def seed(self, seeds: np.ndarray, where: np.ndarray) -> None:
        """Let members have other seeds."""
        self._starts.seed(seeds, where)

    def begin(self, episodes: np.ndarray, where: np.ndarray) -> None:
        """Let members in a mask stand at the beginning of episodes."""
        places = np.zeros(self._count, np.int64)
        places[where] = self._starts.find(episodes, where)
        with jax.enable_x64(True):
            begun = _at(self._starts.ready, places)
            self._now = begun if self._now is None else _where(where, begun, self._now)

    def advance(self, actions: np.ndarray) -> np.ndarray:
        """Hold (N, m) actions for a period; (N,) which members have failed."""
        assert self._now is not None
        with jax.enable_x64(True):
            state, told = self._step(self._now.state, actions)
            self._now = Ready(state, told.seen)
            self._told = jax.tree.map(np.asarray, told)
        return ~(np.isfinite(self._told.seen).all(axis=1) & np.isfinite(self._told.reward))  # type: ignore[no-any-return]

    def told(self) -> Told:
        """What the last step was worth."""
        assert self._told is not None
        return Told(*(np.array(each) for each in (self._told.reward, self._told.is_terminated, self._told.is_success)))

    def seen(self) -> np.ndarray:
        """(N, n) What is observed now."""
        assert self._now is not None
        return np.asarray(self._now.seen)

    def error(self, member: int) -> Exception | None:
        """Why a member has failed."""
        assert self._told is not None
        at, named = 0, [self._environment.reward]
        for column in self._environment.observed:
            if not np.isfinite(self._told.seen[member, at : at + column.size]).all():
                named = [column.path]
                break
            at += column.size
        return NotFinite(
            f"`{named[0]}` is not finite.\n  Fly the same episode natively: the error names the part that made it."
        )

    def state(self) -> np.ndarray:
        """(N, bytes) All that members need to go on to the same bits."""
        leaves = [np.ascontiguousarray(leaf) for leaf in jax.tree.leaves(self._now)]
        return np.concatenate([leaf.reshape(self._count, -1).view(np.uint8) for leaf in leaves], axis=1)

    def restore(self, state: np.ndarray) -> None:
        """Let members stand where others stood, that have begun the same episodes."""
        leaves, treedef = jax.tree.flatten(self._now)
        found, at = [], 0
        for leaf in leaves:
            size = leaf.nbytes // self._count
            found.append(np.ascontiguousarray(state[:, at : at + size]).view(leaf.dtype).reshape(leaf.shape))
            at += size
        with jax.enable_x64(True):
            self._now = jax.tree.unflatten(treedef, [jnp.asarray(leaf) for leaf in found])


class _JaxEpisodes(Episodes):
    """Beginnings of episodes as arrays, a place each.

    Args:
        form: The environment.
        environments: How many there are.
    """

    def __init__(self, form: FunctionalEnvironment, environments: int) -> None:
        super().__init__(form.environment.inputs, environments, episodes_ahead(environments))
        self.ready: Any = None
        self._form, self._reset = form, jax.jit(jax.vmap(form.reset))

    def _place(self, given: Given, mask: np.ndarray) -> None:
        # all are computed, of which those in the mask count: so the shapes are always the same
        everyone = jax.tree.map(lambda values: spread(values, mask), self._form.beginning_of(given))
        with jax.enable_x64(True):
            new = Ready(*self._reset(everyone))
            self.ready = new if self.ready is None else _where(mask, new, self.ready)


def _picked(ready: Ready, places: Any) -> Ready:
    """What stands at some places."""
    return jax.tree.map(lambda leaf: leaf[places], ready)  # type: ignore[no-any-return]


def _merged(mask: Any, new: Ready, old: Ready) -> Ready:
    """Those of the new in a mask, else the old."""

    def chosen(a: Any, b: Any) -> Any:
        return jnp.where(mask.reshape(-1, *[1] * (a.ndim - 1)), a, b)

    return jax.tree.map(chosen, new, old)  # type: ignore[no-any-return]


_at, _where = jax.jit(_picked), jax.jit(_merged)
