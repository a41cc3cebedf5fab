"""Small networks as plain arrays: layers of (weights, bias) with tanh between them."""

import itertools
from collections.abc import Sequence

import numpy as np

Layer = tuple[np.ndarray, np.ndarray]
"""Weights (inputs, outputs) and bias (outputs,)."""

Layers = list[Layer]


def new_layers(rng: np.random.Generator, sizes: Sequence[int], last_gain: float, dtype: type = np.float32) -> Layers:
    """Orthogonal weights with a gain of sqrt(2), and of `last_gain` in the last layer; no bias."""
    found: Layers = []
    for i, (inputs, outputs) in enumerate(itertools.pairwise(sizes)):
        gain = last_gain if i == len(sizes) - 2 else np.sqrt(2.0)
        square = rng.standard_normal((max(inputs, outputs), min(inputs, outputs)))
        q, r = np.linalg.qr(square)
        q = q * np.sign(np.diag(r))
        weights = q if inputs >= outputs else q.T
        found.append((np.ascontiguousarray(gain * weights, dtype), np.zeros(outputs, dtype)))
    return found


def forward(layers: Layers, x: np.ndarray) -> np.ndarray:
    """(N, outputs) What a network makes of (N, inputs)."""
    for weights, bias in layers[:-1]:
        x = np.tanh(x @ weights + bias)
    weights, bias = layers[-1]
    result: np.ndarray = x @ weights + bias
    return result


def sigmoid(x: np.ndarray) -> np.ndarray:
    """Between 0 and 1, and without overflow."""
    result: np.ndarray = 0.5 * (1.0 + np.tanh(0.5 * x))
    return result
