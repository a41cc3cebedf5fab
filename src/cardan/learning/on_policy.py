"""What PPO and VPG learn from: steps of the present policy, with advantages and targets of the value."""

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from cardan.errors import SettingError
from cardan.learning.flights import Flown
from cardan.learning.learner_numpy import Samples, Weights, log_likelihood
from cardan.learning.networks import forward, new_layers
from cardan.learning.policy import PolicyFacts, facts_of
from cardan.learning.training import Settings, Training


@dataclass(frozen=True)
class OnPolicySettings(Settings):
    """Settings of on-policy learning.

    Attributes:
        lam: [-] Lambda of generalised advantage estimation (Schulman et al., 2016).
        log_std: Of the actions at the beginning, before they are squashed.
        norm: Largest length of a gradient.
        minibatches: Of a pass over the samples of an update.
    """

    lam: float = 0.95
    log_std: float = -1.0
    norm: float = 1.0
    minibatches: int = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.environments * self.steps % self.minibatches:
            raise SettingError(
                f"{self.environments} environments x {self.steps} steps do not divide into "
                f"{self.minibatches} minibatches."
            )


S = TypeVar("S", bound=OnPolicySettings)


class OnPolicyTraining(Training[S]):
    """Training from steps that the policy itself has flown."""

    def _new_weights(self) -> Weights:
        hidden = self.settings.hidden
        actor = new_layers(self.rng, (self.observed, *hidden, self.acted), 0.01)
        critic = new_layers(self.rng, (self.observed, *hidden, 1), 1.0)
        return Weights(actor, critic, np.full(self.acted, self.settings.log_std, np.float32))

    @property
    def facts(self) -> PolicyFacts:
        weights = self.learner.weights
        return facts_of(self.environment, weights.actor, self.normaliser, weights.log_std)

    def _samples_of(self, flown: Flown) -> tuple[Samples, np.ndarray]:
        """Samples, and the numbers of those that count.

        Steps between the end of an episode and the next do not count, nor do those whose action is that of a policy
        long gone.
        """
        s, scale = self.settings, np.float32(self.reward_scale)
        count = flown.reward.size
        seen = self.normaliser(flown.seen)
        last = self.normaliser(flown.after[:, -1])
        value = self.learner.values(np.concatenate([seen.reshape(count, -1), last]))
        ahead = np.concatenate([value[:count].reshape(flown.reward.shape)[:, 1:], value[count:, None]], axis=1)
        value = value[:count].reshape(flown.reward.shape)
        if flown.truncated.any():  # nothing was lost: what would have come is what the last state is worth
            final = self.normaliser(flown.after[flown.truncated])
            ahead[flown.truncated] = forward(self.learner.weights.critic, final)[:, 0]
        reward = flown.reward.astype(np.float32) * scale
        advantage = advantages(reward, value, ahead, flown.terminated, flown.truncated, s.gamma, s.lam)
        counts = (flown.counts & ~flown.is_first).reshape(count)
        chosen = advantage.reshape(count)[counts]
        samples = Samples(
            seen.reshape(count, -1),
            flown.taken.reshape(count, -1),
            _log_p(flown).reshape(count),
            ((advantage - chosen.mean()) / (chosen.std() + np.float32(1e-8))).reshape(count),
            (advantage + value).reshape(count),
        )
        return samples, np.flatnonzero(counts)

    def _orders(self, chosen: np.ndarray, passes: int) -> np.ndarray:
        """(passes, minibatches, size) Which samples are taken together: each once in a pass, few twice to fill it."""
        s = self.settings
        shape = s.minibatches, s.environments * s.steps // s.minibatches
        drawn = [np.resize(self.rng.permutation(chosen), shape) for _ in range(passes)]
        return np.array(drawn, np.int32)


def _log_p(flown: Flown) -> np.ndarray:
    """(N, K) How likely the actions were that were taken."""
    found = np.empty(flown.reward.shape, np.float32)
    for columns, deviation in ((slice(0, 1), flown.first_deviation), (slice(1, None), flown.deviation)):
        found[:, columns] = log_likelihood(flown.mean[:, columns], np.log(deviation), flown.taken[:, columns])
    return found


def advantages(
    reward: np.ndarray,
    value: np.ndarray,
    ahead: np.ndarray,
    terminated: np.ndarray,
    truncated: np.ndarray,
    gamma: float,
    lam: float,
) -> np.ndarray:
    """(N, K) Generalised advantages.

    Args:
        reward: (N, K) Of each step.
        value: (N, K) Before each step.
        ahead: (N, K) Value after each step, where the episode has not ended by itself.
        terminated: (N, K) Whether the episode has ended by itself, so that nothing comes any more.
        truncated: (N, K) Whether time has ended it.
        gamma: [-]
        lam: [-]
    """
    goes_on = ~(terminated | truncated)
    delta = reward + np.float32(gamma) * ~terminated * ahead - value
    found: np.ndarray = np.empty_like(delta)
    behind: Any = np.zeros(len(delta), delta.dtype)
    for k in reversed(range(delta.shape[1])):
        behind = delta[:, k] + np.float32(gamma * lam) * goes_on[:, k] * behind
        found[:, k] = behind
    return found
