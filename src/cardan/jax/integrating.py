"""Steps of fixed length over pytrees, by the tableaus of the native integrators."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from cardan.simulation.integrators import FixedStep

Rates = Callable[[Any, Any], Any]
"""Rates at a time [s] and a state."""


def advanced(integrator: FixedStep, is_position: Any, rates: Rates, x: Any, t: Any, h: Any, end: Any) -> Any:
    """The state after one step.

    Args:
        integrator: How.
        is_position: A tree like the state: which of its leaves are position-like.
        rates: Of the state.
        x: The state.
        t: [s] When the step begins.
        h: [s] How long it is.
        end: [s] When it ends.
    """
    if integrator.is_semi_implicit:
        return _semi_implicit(is_position, rates, x, t, h)
    tableau = integrator.tableau
    a, b, c = (np.asarray(each, float) for each in (tableau.a, tableau.b, tableau.c))
    if len(b) == 1:
        return _combined(x, h, jax.tree.map(lambda k: k[None], rates(t, x)), b)

    # the stages are a loop, so that the right-hand side is compiled once
    def stage(s: Any, k: Any) -> Any:
        c_s = jnp.asarray(c)[s]
        found = rates(jnp.where(c_s == 1.0, end, t + c_s * h), _combined(x, h, k, jnp.asarray(a)[s]))
        return jax.tree.map(lambda all_of, new: all_of.at[s].set(new), k, found)

    zeros = jax.tree.map(lambda leaf: jnp.zeros((len(b), *jnp.shape(leaf))), x)
    return _combined(x, h, jax.lax.fori_loop(0, len(b), stage, zeros), b)


def _combined(x: Any, h: Any, k: Any, weights: Any) -> Any:
    """X + h (weights . k)."""
    return jax.tree.map(lambda start, rate: start + h * jnp.tensordot(jnp.asarray(weights), rate, axes=1), x, k)


def _semi_implicit(is_position: Any, rates: Rates, x: Any, t: Any, h: Any) -> Any:
    """Velocities with the old rates, then positions with the rates that the new velocities give."""

    def moved(x: Any, rate: Any, wanted: bool) -> Any:
        return jax.tree.map(lambda now, k, position: now + h * k if position is wanted else now, x, rate, is_position)

    faster = moved(x, rates(t, x), False)
    return moved(faster, rates(t + h, faster), True)
