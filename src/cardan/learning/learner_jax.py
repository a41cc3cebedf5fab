"""The update of PPO in JAX: the same as in `learner_numpy`, several times as fast."""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from cardan.learning.learner_numpy import Knobs, Samples, Weights


class JaxLearner:
    """Adam on PPO's loss.

    Args:
        weights: To begin with.
        knobs: Of the loss.
    """

    name = "jax"

    def __init__(self, weights: Weights, knobs: Knobs) -> None:
        self._like = weights
        self._weights = jax.tree.map(jnp.asarray, weights)
        self._knobs = knobs
        self._moments = _rule(knobs).init(self._weights)

    @property
    def weights(self) -> Weights:
        return self._like.like([np.asarray(a) for a in jax.tree.leaves(self._weights)])

    def values(self, seen: np.ndarray) -> np.ndarray:
        """(B,) What observations are worth."""
        return np.asarray(_values(self._weights.critic, seen))

    def epoch(self, samples: Samples, order: np.ndarray, rate: float) -> dict[str, float]:
        """One pass over all samples; `order` (minibatches, size) says which are taken together."""
        self._weights, self._moments, told = _epoch(self._knobs, self._weights, self._moments, samples, order, rate)
        names = ("policy loss", "value loss", "entropy", "KL", "clipped")
        return dict(zip(names, np.asarray(told).tolist(), strict=True))

    def state(self) -> list[np.ndarray]:
        """All that changes: weights, moments, count."""
        return [np.asarray(a) for a in jax.tree.leaves((self._weights, self._moments))]

    def restore(self, state: list[np.ndarray]) -> None:
        structure = jax.tree.structure((self._weights, self._moments))
        self._weights, self._moments = jax.tree.unflatten(structure, [jnp.asarray(a) for a in state])


def _rule(knobs: Knobs) -> Any:
    return optax.chain(optax.clip_by_global_norm(knobs.norm), optax.scale_by_adam(eps=1e-5))


def _forward(layers: Any, x: Any) -> Any:
    for weights, bias in layers[:-1]:
        x = jnp.tanh(x @ weights + bias)
    return x @ layers[-1][0] + layers[-1][1]


@jax.jit  # type: ignore[untyped-decorator]
def _values(layers: Any, seen: Any) -> Any:
    return _forward(layers, seen)[:, 0]


def _loss(weights: Any, samples: Samples, knobs: Knobs) -> Any:
    mean, log_std = _forward(weights.actor, samples.seen), weights.log_std
    z = (samples.taken - mean) * jnp.exp(-log_std)
    log_p = -0.5 * (z * z).sum(axis=1) - log_std.sum() - 0.5 * len(log_std) * jnp.log(2.0 * jnp.pi)
    log_ratio = log_p - samples.log_p
    ratio = jnp.exp(log_ratio)
    limited = jnp.clip(ratio, 1.0 - knobs.clip, 1.0 + knobs.clip)
    policy = -jnp.minimum(ratio * samples.advantage, limited * samples.advantage).mean()
    apart = _forward(weights.critic, samples.seen)[:, 0] - samples.target
    value = (apart * apart).mean()
    entropy = log_std.sum() + 0.5 * len(log_std) * (1.0 + jnp.log(2.0 * jnp.pi))
    told = jnp.stack([policy, value, entropy, (ratio - 1.0 - log_ratio).mean(), (limited != ratio).mean()])
    return policy + knobs.value * value - knobs.entropy * entropy, told


@partial(jax.jit, static_argnums=0)
def _epoch(knobs: Knobs, weights: Any, moments: Any, samples: Samples, order: Any, rate: Any) -> Any:
    def minibatch(carried: Any, rows: Any) -> Any:
        weights, moments = carried
        part = Samples._make(each[rows] for each in samples)
        gradient, told = jax.grad(_loss, has_aux=True)(weights, part, knobs)
        step, moments = _rule(knobs).update(gradient, moments)
        return (jax.tree.map(lambda a, s: a - rate * s, weights, step), moments), told

    (weights, moments), told = jax.lax.scan(minibatch, (weights, moments), order)
    return weights, moments, told.mean(axis=0)
