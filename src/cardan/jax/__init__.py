"""Scenarios as pure functions for JAX: compiled for any device, batched with `vmap`, differentiated with `grad`."""

from cardan.errors import MissingExtra

try:
    import jax as _jax  # noqa: F401
except ImportError:
    raise MissingExtra("Functions for JAX need JAX.\n  Install it with `pip install cardan[jax]`.") from None

from cardan.jax.function import JaxFunction as JaxFunction
from cardan.jax.function import jax_function as jax_function
from cardan.jax.state import JaxState as JaxState
