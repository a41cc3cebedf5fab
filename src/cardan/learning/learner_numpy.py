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
    """What an update is told. `clip` is PPO's, `value` and `entropy` weigh their losses, `norm` limits the gradient."""

    clip: float
    value: float
    entropy: float
    norm: float


def log_likelihood(mean: np.ndarray, log_std: np.ndarray, taken: np.ndarray) -> np.ndarray:
    """(B,) Of actions from a normal distribution."""
    z = (taken - mean) * np.exp(-log_std)
    result: np.ndarray = -0.5 * (z * z).sum(axis=1) - log_std.sum() - 0.5 * len(log_std) * np.log(2.0 * np.pi)
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
    """Adam on PPO's loss.

    Args:
        weights: To begin with.
        knobs: Of the loss.
    """

    name = "numpy"

    def __init__(self, weights: Weights, knobs: Knobs) -> None:
        self.weights = weights
        self._knobs = knobs
        self._adam = Adam(weights.arrays(), knobs.norm)

    def values(self, seen: np.ndarray) -> np.ndarray:
        """(B,) What observations are worth."""
        return forward(self.weights.critic, seen)[:, 0]

    def epoch(self, samples: Samples, order: np.ndarray, rate: float) -> dict[str, float]:
        """One pass over all samples; `order` (minibatches, size) says which are taken together."""
        sums = np.zeros(5)
        for rows in order:
            part = Samples._make(each[rows] for each in samples)
            gradient, told = _gradient(self.weights, part, self._knobs)
            self.weights = self.weights.like(self._adam.step(self.weights.arrays(), gradient, rate))
            sums += told
        policy, value, entropy, kl, clipped = (sums / len(order)).tolist()
        return {"policy loss": policy, "value loss": value, "entropy": entropy, "KL": kl, "clipped": clipped}

    def state(self) -> list[np.ndarray]:
        """All that changes: weights, moments, count."""
        adam = self._adam
        return [*self.weights.arrays(), *adam.first, *adam.second, np.array(adam.count)]

    def restore(self, state: list[np.ndarray]) -> None:
        adam, n = self._adam, len(self._adam.first)
        self.weights = self.weights.like([np.array(a) for a in state[:n]])
        adam.first, adam.second = ([np.array(a) for a in state[k * n : (k + 1) * n]] for k in (1, 2))
        adam.count = int(state[3 * n])


def _gradient(weights: Weights, samples: Samples, knobs: Knobs) -> tuple[list[np.ndarray], np.ndarray]:
    """The gradient of the loss, and what the loss is made of."""
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
    value, hidden_value = run_layers(weights.critic, samples.seen)
    apart = value[:, 0] - samples.target
    d_value = (2.0 * knobs.value * apart / count)[:, None].astype(np.float32)
    gradient = [*gradients_of(weights.actor, hidden, d_mean), *gradients_of(weights.critic, hidden_value, d_value)]
    entropy = float(weights.log_std.sum()) + 0.5 * len(deviation) * (1.0 + np.log(2.0 * np.pi))
    told = [
        -np.minimum(plain, clipped).mean(),
        (apart * apart).mean(),
        entropy,
        (ratio - 1.0 - log_ratio).mean(),
        ((ratio < low) | (ratio > high)).mean(),
    ]
    return [*gradient, d_log_std.astype(np.float32)], np.array(told)


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
