"""Vanilla policy gradient (Williams, 1992; Sutton et al., 1999) with a learned value in JAX, on native environments."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from cardan.learning.environment import Environment
from cardan.learning.flights import Flown
from cardan.learning.learner_jax import WeightsInJax, entropy_of, learn_value, rule_of, stepped
from cardan.learning.learner_numpy import Samples, Weights
from cardan.learning.networks_jax import forward, log_likelihood
from cardan.learning.on_policy import OnPolicySettings, OnPolicyTraining


@dataclass(frozen=True)
class Vpg(OnPolicySettings):
    """Settings of VPG, in addition to `OnPolicySettings` and `Settings`: one policy step per flight.

    Attributes:
        value_rate: Learning rate of the value.
        value_passes: Over the samples of an update, for the value.
    """

    updates: int = 600
    rate: float = 5e-3
    lam: float = 0.97
    value_rate: float = 1e-3
    value_passes: int = 2

    def begin(self, environment: Environment) -> "VpgTraining":
        return VpgTraining(environment, self)


class VpgTraining(OnPolicyTraining[Vpg]):
    """Training of a policy by VPG, which can be resumed.

    Args:
        environment: What is flown.
        settings: How it learns.
    """

    algorithm, settings_class = "VPG", Vpg

    def __init__(self, environment: Environment, settings: Vpg | None = None) -> None:
        super().__init__(environment, settings or Vpg())

    def _new_learner(self) -> Any:
        return VpgLearner(self._new_weights(), self.settings.norm)

    def _learn(self, flown: Flown) -> dict[str, float]:
        s = self.settings
        samples, chosen = self._samples_of(flown)
        counts = np.zeros(len(samples.seen), np.float32)
        counts[chosen] = 1.0
        orders = self._orders(chosen, s.value_passes)
        losses: dict[str, float] = self.learner.learn(samples, counts, orders, self.rate, s.value_rate)
        return losses


class VpgLearner(WeightsInJax):
    """Adam on the policy's gradient, and on the value's error.

    Args:
        weights: To begin with.
        norm: Largest length of a gradient.
    """

    def __init__(self, weights: Weights, norm: float) -> None:
        self._norm = norm
        super().__init__(weights, rule_of(norm))

    def _moments_of(self, rule: Any, weights: Weights) -> Any:
        return rule.init((weights.actor, weights.log_std)), rule.init(weights.critic)

    def learn(
        self, samples: Samples, counts: np.ndarray, orders: np.ndarray, rate: float, value_rate: float
    ) -> dict[str, float]:
        """One step of the policy with all samples that count, and one of the value for each of `orders`."""
        weights, (of_policy, of_value) = self._weights, self._moments
        policy = weights.actor, weights.log_std
        (actor, log_std), of_policy, loss = _learn_policy(self._norm, policy, of_policy, samples, counts, rate)
        critic, of_value, value_loss = learn_value(
            self._norm, weights.critic, of_value, samples.seen, samples.target, orders, value_rate
        )
        self._weights, self._moments = Weights(actor, critic, log_std), (of_policy, of_value)
        entropy = float(entropy_of(log_std))
        return {"policy loss": float(loss), "entropy": entropy, "value loss": float(value_loss)}


def _policy_loss(policy: Any, samples: Samples, counts: Any) -> Any:
    """Likelihoods weighed with advantages.

    The gradient of the ratio of likelihoods is that of the logarithm where the policy is the one that flew, and right
    where it was another: the first action of a flight was decided on before the last update.
    """
    actor, log_std = policy
    log_p = log_likelihood(forward(actor, samples.seen), log_std, samples.taken)
    ratio = jnp.exp(jnp.clip(log_p - samples.log_p, -1.0, 1.0))
    return -(ratio * samples.advantage * counts).sum() / counts.sum()


@partial(jax.jit, static_argnums=0, donate_argnums=(1, 2))
def _learn_policy(norm: float, policy: Any, moments: Any, samples: Samples, counts: Any, rate: Any) -> Any:
    loss, gradient = jax.value_and_grad(_policy_loss)(policy, samples, counts)
    return *stepped(norm, policy, gradient, moments, rate), loss
