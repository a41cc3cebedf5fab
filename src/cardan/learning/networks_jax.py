"""The functions of `networks` in JAX."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np


def forward(layers: Any, x: Any, activation: Callable[[Any], Any] = jnp.tanh) -> Any:
    """(N, outputs) What a network makes of (N, inputs)."""
    for weights, bias in layers[:-1]:
        x = activation(x @ weights + bias)
    return x @ layers[-1][0] + layers[-1][1]


def log_likelihood(mean: Any, log_std: Any, taken: Any) -> Any:
    """(N,) Of actions from a normal distribution."""
    z = (taken - mean) * jnp.exp(-log_std)
    return (-0.5 * z * z - log_std - 0.5 * np.log(2.0 * np.pi)).sum(axis=-1)
