"""Methods of parts as JAX traces them: the same source with its modules' `np` bound to `jax.numpy`."""

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

from cardan.maths.choosing import may_skip
from cardan.maths.elementary import FUNCTIONS, sin_cos
from cardan.maths.random import normal, uniform, uniform_at
from cardan.maths.rows import by_rows, by_rows_if
from cardan.maths.stacks import kernel_of
from cardan.maths.sums import total
from cardan.native.rebinding import rebound

_registered: set[Any] = set()


def trace_differences(method: Callable[..., Any], arguments: list[Any], expected: dict[str, Any]) -> tuple[float, str]:
    """The largest relative difference of a traced call from `expected`, or the reason why there is no such call."""
    if importlib.util.find_spec("jax") is None:
        return 0.0, "not checked: jax is not installed"
    import jax

    _register_part(type(arguments[0]))
    with jax.enable_x64(True):
        try:
            traced = jax.jit(traceable(method))(*arguments)
        except Exception as error:
            return 0.0, f"no: {str(error).splitlines()[0]}"
    ours = [np.asarray(leaf) for leaf in jax.tree.leaves(traced)]
    theirs = [np.asarray(leaf) for leaf in jax.tree.leaves(list(expected.values()))]
    largest = 0.0
    for a, b in zip(ours, theirs, strict=True):
        scale = max(float(np.max(np.abs(b), initial=0.0)), np.finfo(float).tiny)
        largest = max(largest, float(np.max(np.abs(a.astype(float) - b.astype(float)), initial=0.0)) / scale)
    return largest, ""


def _register_part(cls: Any) -> None:
    """Let JAX take a part apart and put it together again without checking its parameters, which may be traced."""
    import jax

    if cls in _registered:
        return
    _registered.add(cls)
    jax.tree_util.register_pytree_node(
        cls, lambda part: (tuple(part), None), lambda _, values: tuple.__new__(cls, values)
    )


def traceable(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a part as JAX can trace it; `self` and messages may have traced numbers."""
    import jax

    function: Callable[..., Any] = rebound(kernel_of(method), {"np": jax.numpy}, _jax_forms(jax.numpy))
    return function


def _jax_forms(jnp: Any) -> dict[Any, Any]:
    """What stands for the functions of `cardan.maths` that are more than their Python source."""
    import jax

    def rows_by(function: Any, columns: int, rows: Any, *shared: Any) -> Any:
        return jnp.stack(jax.vmap(lambda row: function(row, *shared))(rows), axis=1)

    def rows_by_if(condition: Any, *given: Any) -> Any:
        return jnp.where(condition, rows_by(*given), 0.0)

    named = {function: getattr(jnp, function.__name__) for function in FUNCTIONS}
    return named | {
        sin_cos: lambda x: (jnp.sin(x), jnp.cos(x)),
        total: lambda terms: jnp.sum(jnp.asarray(terms), axis=0),
        by_rows: rows_by,
        by_rows_if: rows_by_if,
        may_skip: lambda condition: False,
        # the same numbers, all of a draw at once
        uniform: lambda rng, n: uniform_at(rng, jnp.arange(n), 0),
        normal: lambda rng, n: _normal(jnp, rng, n),
    }


def _normal(jnp: Any, rng: Any, n: int) -> Any:
    """`cardan.maths.normal`."""
    pairs = jnp.arange((n + 1) // 2)
    radius = jnp.sqrt(-2.0 * jnp.log(uniform_at(rng, pairs, 1)))
    angle = 2.0 * jnp.pi * uniform_at(rng, pairs, 2)
    return jnp.stack((radius * jnp.cos(angle), radius * jnp.sin(angle)), axis=1).reshape(-1)[:n]
