"""The update of PPO in float32 NumPy: gradients by hand, for machines without JAX."""

from typing import NamedTuple

import numpy as np

from cardan.learning.networks import Layers, forward


class Weights(NamedTuple):
    """All that is learned.

    Attributes:
        actor: The network behind the mean of the actions.
        critic: The network behind the value.
        log_std: (n,) Of the actions, before they are squashed.
    """

    actor: Layers
    critic: Layers
    log_std: np.ndarray

    def arrays(self) -> list[np.ndarray]:
        """All arrays, in one order."""
        return [a for layers in (self.actor, self.critic) for layer in layers for a in layer] + [self.log_std]

    def parts(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The arrays of the policy, and those of the value."""
        actor, critic = ([a for layer in layers for a in layer] for layers in (self.actor, self.critic))
        return [*actor, self.log_std], critic

    def like(self, arrays: list[np.ndarray]) -> "Weights":
        """Weights of the same structure, of other arrays."""
        left = list(arrays)
        made = [[(left.pop(0), left.pop(0)) for _ in layers] for layers in (self.actor, self.critic)]
        return Weights(made[0], made[1], left.pop(0))


class Samples(NamedTuple):
    """What an update learns from.

    Attributes:
        seen: (B, n) Normalised observations.
        taken: (B, m) Actions before they are squashed.
        log_p: (B,) How likely they were.
        advantage: (B,)
        target: (B,) Of the value.
    """

    seen: np.ndarray
    taken: np.ndarray
    log_p: np.ndarray
    advantage: np.ndarray
    target: np.ndarray


class Knobs(NamedTuple):
    """What an update is told: as in `Ppo`, where `most_kl` is 1.5 times `target_kl`."""

    clip: float
    entropy: float
    norm: float
    most_kl: float = np.inf


TOLD = ("policy loss", "entropy", "KL", "clipped", "value loss")
"""What there is to be told of a pass."""


def log_likelihood(mean: np.ndarray, log_std: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """(B,) Of actions from a normal distribution."""
    z = (taken - mean) * np.exp(-log_std)
    result: np.ndarray = -0.5 * (z * z).sum(axis=-1) - log_std.sum() - 0.5 * len(log_std) * np.log(2.0 * np.pi)
    return result


class Adam:
    """Adam (Kingma and Ba, 2015) with gradients of limited length, in single precision.

    Args:
        arrays: What is to be learned.
        norm: Largest length of a gradient.
    """

    def __init__(self, arrays: list[np.ndarray], norm: float) -> None:
        self.first = [np.zeros_like(a) for a in arrays]
        self.second = [np.zeros_like(a) for a in arrays]
        self.count = 0
        self._norm = norm

    def step(self, arrays: list[np.ndarray], gradient: list[np.ndarray], rate: float) -> list[np.ndarray]:
        """What has been learned after a step."""
        length = np.sqrt(sum(float((g * g).sum()) for g in gradient))
        shrink = min(1.0, self._norm / (length + 1e-6))
        self.count += 1
        found = []
        for i, (a, g) in enumerate(zip(arrays, gradient, strict=True)):
            g = g * np.float32(shrink)
            self.first[i] = np.float32(0.9) * self.first[i] + np.float32(0.1) * g
            self.second[i] = np.float32(0.999) * self.second[i] + np.float32(0.001) * g * g
            m = self.first[i] / np.float32(1.0 - 0.9**self.count)
            v = self.second[i] / np.float32(1.0 - 0.999**self.count)
            found.append(a - np.float32(rate) * m / (np.sqrt(v) + np.float32(1e-5)))
        return found


class NumpyLearner:
    """Adam on PPO's loss, and on the value's error beside it.

    Args:
        weights: To begin with.
        knobs: Of the loss.
    """

    name = "numpy"

    def __init__(self, weights: Weights, knobs: Knobs) -> None:
        self.weights = weights
        self._knobs = knobs
        self._policy, self._value = (Adam(arrays, knobs.norm) for arrays in weights.parts())

    def values(self, seen: np.ndarray) -> np.ndarray:
        """(B,) What observations are worth."""
        return forward(self.weights.critic, seen)[:, 0]

    def learn(self, samples: Samples, orders: np.ndarray, rate: float) -> dict[str, float]:
        """Some passes over all samples; the policy stops once it has moved too far.

        Args:
            samples: What is learned from.
            orders: (passes, minibatches, size) Which samples are taken together.
            rate: Learning rate.
        """
        policy, value = self.weights.parts()
        losses, is_far = np.zeros(len(TOLD)), False
        for order in orders:
            sums = np.zeros((len(order), len(TOLD)))
            for i, rows in enumerate(order):
                part = Samples._make(each[rows] for each in samples)
                if not is_far:
                    gradient, sums[i, :-1] = _policy_gradient(self.weights, part, self._knobs)
                    policy = self._policy.step(policy, gradient, rate)
                gradient, sums[i, -1] = _value_gradient(self.weights.critic, part)
                value = self._value.step(value, gradient, rate)
                self.weights = self.weights.like([*policy[:-1], *value, policy[-1]])
            losses = np.where(is_far & (np.arange(len(TOLD)) < len(TOLD) - 1), losses, sums.mean(axis=0))
            is_far = is_far or losses[TOLD.index("KL")] > self._knobs.most_kl
        return dict(zip(TOLD, losses.tolist(), strict=True))

    def state(self) -> list[np.ndarray]:
        """All that changes: weights, moments, counts."""
        moments = [[*adam.first, *adam.second, np.array(adam.count)] for adam in (self._policy, self._value)]
        return [*self.weights.arrays(), *moments[0], *moments[1]]

    def restore(self, state: list[np.ndarray]) -> None:
        left = [np.array(a) for a in state]
        count = len(self.weights.arrays())
        self.weights, left = self.weights.like(left[:count]), left[count:]
        for adam in (self._policy, self._value):
            n = len(adam.first)
            adam.first, adam.second, adam.count, left = left[:n], left[n : 2 * n], int(left[2 * n]), left[2 * n + 1 :]


def _policy_gradient(weights: Weights, samples: Samples, knobs: Knobs) -> tuple[list[np.ndarray], list[float]]:
    """The gradient of the policy's loss, and what there is to be told of it."""
    count = np.float32(len(samples.seen))
    mean, hidden = run_layers(weights.actor, samples.seen)
    deviation = np.exp(weights.log_std)
    z = (samples.taken - mean) / deviation
    log_ratio = log_likelihood(mean, weights.log_std, samples.taken) - samples.log_p
    ratio = np.exp(log_ratio)
    low, high = 1.0 - knobs.clip, 1.0 + knobs.clip
    plain, clipped = ratio * samples.advantage, np.clip(ratio, low, high) * samples.advantage
    # where the clipped one is the smaller, nothing can be gained
    d_log_p = -np.where(plain <= clipped, plain, 0.0) / count
    d_mean = (d_log_p[:, None] * z / deviation).astype(np.float32)
    d_log_std = (d_log_p[:, None] * (z * z - 1.0)).sum(axis=0) - knobs.entropy
    entropy = float(weights.log_std.sum()) + 0.5 * len(deviation) * (1.0 + np.log(2.0 * np.pi))
    told = [
        float(-np.minimum(plain, clipped).mean()),
        entropy,
        float((ratio - 1.0 - log_ratio).mean()),
        float(((ratio < low) | (ratio > high)).mean()),
    ]
    return [*gradients_of(weights.actor, hidden, d_mean), d_log_std.astype(np.float32)], told


def _value_gradient(critic: Layers, samples: Samples) -> tuple[list[np.ndarray], float]:
    """The gradient of the value's mean square error, and that error."""
    value, hidden = run_layers(critic, samples.seen)
    apart = value[:, 0] - samples.target
    d_value = (2.0 * apart / np.float32(len(apart)))[:, None].astype(np.float32)
    return gradients_of(critic, hidden, d_value), float((apart * apart).mean())


def run_layers(layers: Layers, x: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """What a network gives, and what goes into each of its layers."""
    inputs = [x]
    for weights, bias in layers[:-1]:
        inputs.append(np.tanh(inputs[-1] @ weights + bias))
    weights, bias = layers[-1]
    return inputs[-1] @ weights + bias, inputs


def gradients_of(layers: Layers, inputs: list[np.ndarray], d: np.ndarray) -> list[np.ndarray]:
    """Gradients of weights and biases, from that of the outputs."""
    found: list[np.ndarray] = []
    for i in reversed(range(len(layers))):
        found = [inputs[i].T @ d, d.sum(axis=0), *found]
        if i > 0:
            d = (d @ layers[i][0].T) * (1.0 - inputs[i] * inputs[i])
    return found
