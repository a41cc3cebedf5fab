"""`@task`: a discrete part, run once per tick at a fixed period."""

import typing
from collections.abc import Callable
from typing import Any, TypeVar, overload

from cardan.contracts.fields import is_named_tuple_class, type_hints
from cardan.contracts.message import AnyMessage
from cardan.contracts.part import (
    PartContract,
    attach,
    check_generic,
    check_names,
    read_initial,
    read_inputs,
    read_message,
    read_method,
    read_parameters,
    read_state,
)
from cardan.contracts.wake_up import WakeUp
from cardan.errors import DeclarationError
from cardan.maths.random import RandomKey

T = TypeVar("T")

_SPECIAL = frozenset({"t", "dt", "x", "rng"})


@overload
def task(cls: type[T]) -> type[T]: ...
@overload
def task(*, jit: bool = True) -> Callable[[type[T]], type[T]]: ...
def task(cls: Any = None, *, jit: bool = True) -> Any:
    """Declare a NamedTuple with one pure method `step` as a task.

    Its fields are the parameters. In `step`, `t` is the time [s], `dt` the period [s], `x` the memory from the tick
    before, `rng` a key for random numbers, every other argument an input port. It returns `(memory, outputs)`, or
    `outputs` alone where there is no memory; each field of `outputs` is an output port. An output of class `WakeUp`
    asks for a tick besides those of the period. A task that passes on whatever message it is given annotates that with
    `AnyMessage`, also as its memory: `x: AnyMessage`.

    Args:
        cls: The class.
        jit: False for a task that must stay Python (a solver, a network, a prototype).
    """
    if cls is None:
        return lambda decorated: task_class(decorated, jit)
    return task_class(cls, jit)


def task_class(cls: Any, jit: bool) -> Any:
    """Read `cls` as a task and attach its contract."""
    parameters, objects = read_parameters(cls, jit)
    if "step" not in vars(cls):
        raise DeclarationError(
            f"`{cls.__name__}` has no `step`.\n"
            "  Write `def step(self, dt: float, x: Memory, ...) -> tuple[Memory, Outputs]`."
        )
    step, hints = read_method(cls, "step")
    path = f"{cls.__name__}.step"
    if "rng" in step.arguments and hints.get("rng") is not RandomKey:
        raise DeclarationError(f"`{path}` takes `rng` as something else.\n  Annotate it `rng: cardan.RandomKey`.")

    holds_message = hints.get("x") is AnyMessage
    state = read_state(path, hints.get("x")) if "x" in step.arguments and not holds_message else None
    packed: Any = hints.get("return")
    if "x" in step.arguments:
        returned = typing.get_args(packed)
        if len(returned) != 2 or returned[0] is not hints["x"]:
            name = hints["x"].__name__
            raise DeclarationError(
                f"`{path}` must return its memory and its outputs.\n"
                f"  Annotate it `-> tuple[{name}, Outputs]`, with a NamedTuple `Outputs` whose fields are messages."
            )
        packed = returned[1]
    packed = typing.get_origin(packed) or packed  # `Passed[AnyMessage]`, for those who check types
    if not is_named_tuple_class(packed):
        raise DeclarationError(
            f"`{path}` must return a NamedTuple of messages; each of its fields is an output port.\n"
            "  Write `class Outputs(NamedTuple): torque: BodyTorque` and annotate the result with it."
        )
    carried = type_hints(packed)
    outputs = {name: read_message(f"{packed.__name__}.{name}", carried[name]) for name in packed._fields}
    alarms = [name for name, carried_message in outputs.items() if carried_message is WakeUp]
    if len(alarms) > 1:
        raise DeclarationError(
            f"`{path}` sends {len(alarms)} messages of class WakeUp: {', '.join(alarms)}.\n"
            "  A task has one next tick: send the earliest."
        )

    initial = read_initial(cls, "x" in step.arguments, unknown=("x", "rng"))
    signatures = {"step": (step, hints)} | ({"initial": initial} if initial else {})
    inputs = read_inputs(cls, signatures, _SPECIAL)
    check_names(cls, inputs, outputs)
    check_generic(cls, inputs, outputs, holds_message)
    attach(
        cls,
        PartContract(
            kind="task",
            type=cls,
            jit=jit,
            parameters=parameters,
            objects=objects,
            state=state,
            inputs=inputs,
            outputs=outputs,
            methods={"step": step},
            initial=initial[0] if initial else None,
            packed_outputs=packed,
            holds_message=holds_message,
        ),
    )
    return cls
