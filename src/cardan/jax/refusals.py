"""What has no form for JAX, found all at once and before anything is compiled."""

import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from cardan.contracts.jax_target import traceable
from cardan.contracts.wake_up import WakeUp
from cardan.dynamics.recursive_tree import RecursiveTree
from cardan.errors import NotTraceable, SettingError
from cardan.maths.random import RandomKey
from cardan.scenario.clock import seconds
from cardan.scenario.placed import Placed
from cardan.scenario.sizes import input_message
from cardan.simulation.integrators import FixedStep
from cardan.simulation.setup import Setup


def check_precision() -> None:
    """Refuse to work with 32 bits: neither times in nanoseconds nor random keys fit, and nothing would agree."""
    if not jax.config.jax_enable_x64:
        raise SettingError(
            "JAX computes with 32 bits here, Cardan with 64.\n"
            '  Say `jax.config.update("jax_enable_x64", True)` before anything else is computed.'
        )


def refuse(setup: Setup, varied: frozenset[str]) -> None:
    """Raise with the list of all that stands against a scenario.

    Args:
        setup: The scenario, with service and integrator.
        varied: Paths of parameters that are arguments: nothing may branch on them.
    """
    reasons = [*_of_settings(setup)]
    for placed in setup.values.parts.values():
        reasons += [
            f"`{placed.name}` ({placed.contract.label}): {reason}" for reason in _of_part(placed, setup, varied)
        ]
    if reasons:
        raise NotTraceable(
            f"Scenario `{setup.scenario.name}` has no form for JAX:\n  " + "\n  ".join(reasons) + "\n"
            "  Leave these out, put others in their place, or run it natively, with `Simulation` or `Batch`."
        )


def _of_settings(setup: Setup) -> Iterator[str]:
    if setup.dynamics is not None and not isinstance(setup.dynamics, RecursiveTree):
        yield f"{setup.dynamics.name}() is native code; use RecursiveTree()"
    if not isinstance(setup.integrator, FixedStep):
        yield f"{setup.integrator}: its steps follow from data; use one with a fixed step, e.g. Rk4(step=0.1)"
        return
    mechanism = setup.scenario.mechanism
    for contact in () if mechanism is None else mechanism.compliant_contacts:
        yield f"`{contact.first}` touches `{contact.second}`: compliant contact is native code"
    for change in setup.scenario.changes:
        if change.source is None and change.at % setup.integrator.base_tick:
            yield f"`{change.path}` changes at {seconds(change.at):.9g} s, which is not at the end of a step"


def _of_part(placed: Placed, setup: Setup, varied: frozenset[str]) -> Iterator[str]:
    contract = placed.contract
    if not contract.jit:
        yield "it runs in the interpreter (jit=False)"
        return
    if WakeUp in contract.outputs.values():
        yield "it asks for its next tick (WakeUp); ticks in JAX are at fixed times"
    for method in contract.methods.values():
        reason = _why_not(placed, method, setup, varied)
        if reason:
            yield reason
            return  # one is enough to say what kind of code it is


def _why_not(placed: Placed, method: Any, setup: Setup, varied: frozenset[str]) -> str:
    """Why a method cannot be traced; empty if it can."""
    arguments: list[Any] = []
    for name in method.arguments:
        if name in ("t", "dt"):
            arguments.append(0.0 if name == "t" else seconds(placed.period))
        elif name == "rng":
            arguments.append(RandomKey(0, 0))
        elif name == "x":
            arguments.append(setup.values.sizes.states[placed.name])
        else:
            arguments.append(input_message(placed, name, setup.values.sizes)[1])
    names = [name for name in placed.part._fields if f"{placed.name}.{name}" in varied]
    function = traceable(method.function)

    def call(given: dict[str, Any], *arguments: Any) -> Any:
        values = {**placed.part._asdict(), **given}
        return jax.tree.leaves(function(tuple.__new__(type(placed.part), values.values()), *arguments))

    try:
        jax.eval_shape(
            call, {name: jnp.asarray(getattr(placed.part, name)) for name in names}, *_traced(method, arguments)
        )
    except Exception as error:
        return f"{_said(error)}{_where(error)}"
    return ""


def _traced(method: Any, arguments: list[Any]) -> list[Any]:
    """Arguments as arrays; the period is a constant."""
    return [
        jax.tree.map(jnp.asarray, value) if name != "dt" else value
        for name, value in zip(method.arguments, arguments, strict=True)
    ]


def _said(error: Exception) -> str:
    if isinstance(error, jax.errors.TracerBoolConversionError):
        return "it branches on data (`if`, `while`, `and`); use `choose` or `np.where`"
    if isinstance(error, jax.errors.ConcretizationTypeError | jax.errors.TracerArrayConversionError):
        return "it needs the value of a number to go on (as an index, a size, or in a function that JAX does not know)"
    if isinstance(error, TypeError) and "item assignment" in str(error):
        return "it assigns to elements of an array"
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"


def _where(error: Exception) -> str:
    """The line of the part's own source, or of what it calls, at which it ended."""
    package = str(Path(jax.__file__).parent)
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(package) and frame.filename != __file__
    ]
    return f", at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
