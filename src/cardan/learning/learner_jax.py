"""The update of PPO in JAX: the same as in `learner_numpy`, several times as fast."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from cardan.learning.learner_numpy import TOLD, Knobs, Samples, Weights
from cardan.learning.networks_jax import forward, log_likelihood


class WeightsInJax:
    """Weights and moments of an optimiser, held by JAX.

    Args:
        weights: To begin with.
        rule: The optimiser of optax.
    """

    name = "jax"

    def __init__(self, weights: Weights, rule: Any) -> None:
        self._like = weights
        self._weights = jax.tree.map(jnp.array, weights)
        self._moments = self._moments_of(rule, self._weights)

    def _moments_of(self, rule: Any, weights: Any) -> Any:
        return rule.init(weights)

    @property
    def weights(self) -> Weights:
        return self._like.like([np.array(a) for a in jax.tree.leaves(self._weights)])

    def values(self, seen: np.ndarray) -> np.ndarray:
        """(B,) What observations are worth."""
        return np.array(_values(self._weights.critic, seen))

    def state(self) -> list[np.ndarray]:
        """All that changes: weights, moments, counts."""
        return [np.array(a) for a in jax.tree.leaves((self._weights, self._moments))]

    def restore(self, state: list[np.ndarray]) -> None:
        structure = jax.tree.structure((self._weights, self._moments))
        self._weights, self._moments = jax.tree.unflatten(structure, [jnp.array(a) for a in state])


class JaxLearner(WeightsInJax):
    """Adam on PPO's loss, and on the value's error beside it.

    Args:
        weights: To begin with.
        knobs: Of the loss.
    """

    def __init__(self, weights: Weights, knobs: Knobs) -> None:
        self._knobs = knobs
        self._beside = ThreadPoolExecutor(1)
        super().__init__(weights, rule_of(knobs.norm))

    def _moments_of(self, rule: Any, weights: Weights) -> Any:
        return rule.init((weights.actor, weights.log_std)), rule.init(weights.critic)

    def learn(self, samples: Samples, orders: np.ndarray, rate: float) -> dict[str, float]:
        """Some passes over all samples, until the policy has moved too far; see `NumpyLearner.learn`."""
        weights, (of_policy, of_value) = self._weights, self._moments
        # policy and value have nothing in common: each has a core of its own
        value = self._beside.submit(
            learn_value, self._knobs.norm, weights.critic, of_value, samples.seen, samples.target, orders, rate
        )
        policy = weights.actor, weights.log_std
        (actor, log_std), of_policy, told = _learn_policy(self._knobs, policy, of_policy, samples, orders, rate)
        told = np.array(told)
        critic, of_value, loss = value.result()
        self._weights, self._moments = Weights(actor, critic, log_std), (of_policy, of_value)
        return dict(zip(TOLD, [*told.tolist(), float(loss)], strict=True))


def rule_of(norm: float) -> Any:
    """Adam with gradients of limited length."""
    return optax.chain(optax.clip_by_global_norm(norm), optax.scale_by_adam(eps=1e-5))


def stepped(norm: float, learned: Any, gradient: Any, moments: Any, rate: Any) -> Any:
    """What has been learned after a step, and the moments."""
    step, moments = rule_of(norm).update(gradient, moments)
    return jax.tree.map(lambda a, s: a - rate * s, learned, step), moments


@jax.jit  # type: ignore[untyped-decorator]
def _values(layers: Any, seen: Any) -> Any:
    return forward(layers, seen)[:, 0]


def entropy_of(log_std: Any) -> Any:
    """Of actions from a normal distribution."""
    return log_std.sum() + 0.5 * len(log_std) * (1.0 + np.log(2.0 * np.pi))


def _policy_loss(policy: Any, samples: Samples, knobs: Knobs) -> Any:
    actor, log_std = policy
    log_ratio = log_likelihood(forward(actor, samples.seen), log_std, samples.taken) - samples.log_p
    ratio = jnp.exp(log_ratio)
    limited = jnp.clip(ratio, 1.0 - knobs.clip, 1.0 + knobs.clip)
    loss = -jnp.minimum(ratio * samples.advantage, limited * samples.advantage).mean()
    entropy = entropy_of(log_std)
    told = jnp.stack([loss, entropy, (ratio - 1.0 - log_ratio).mean(), (limited != ratio).mean()])
    return loss - knobs.entropy * entropy, told


@partial(jax.jit, static_argnums=0, donate_argnums=(1, 2))
def _learn_policy(knobs: Knobs, policy: Any, moments: Any, samples: Samples, orders: Any, rate: Any) -> Any:
    def minibatch(carried: Any, rows: Any) -> Any:
        policy, moments = carried
        part = Samples._make(each[rows] for each in samples)
        gradient, told = jax.grad(_policy_loss, has_aux=True)(policy, part, knobs)
        return stepped(knobs.norm, policy, gradient, moments, rate), told

    def goes_on(carried: Any) -> Any:
        number, _, told = carried
        return (number < len(orders)) & (told[TOLD.index("KL")] <= knobs.most_kl)

    def one_pass(carried: Any) -> Any:
        number, learned, _ = carried
        learned, told = jax.lax.scan(minibatch, learned, orders[number])
        return number + 1, learned, told.mean(axis=0)

    nothing = jnp.zeros(len(TOLD) - 1, jnp.float32)
    _, (policy, moments), told = jax.lax.while_loop(goes_on, one_pass, (0, (policy, moments), nothing))
    return policy, moments, told


def _value_loss(critic: Any, seen: Any, target: Any) -> Any:
    apart = forward(critic, seen)[:, 0] - target
    return (apart * apart).mean()


@partial(jax.jit, static_argnums=0, donate_argnums=(1, 2))
def learn_value(norm: float, critic: Any, moments: Any, seen: Any, target: Any, orders: Any, rate: Any) -> Any:
    """What the value is after a step for each minibatch, its moments, and its mean error in the last pass."""

    def minibatch(carried: Any, rows: Any) -> Any:
        critic, moments = carried
        loss, gradient = jax.value_and_grad(_value_loss)(critic, seen[rows], target[rows])
        return stepped(norm, critic, gradient, moments, rate), loss

    _, minibatches, size = orders.shape
    (critic, moments), losses = jax.lax.scan(minibatch, (critic, moments), orders.reshape(-1, size))
    return critic, moments, losses[-minibatches:].mean()
