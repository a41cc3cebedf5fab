"""`@model`: a continuous part, evaluated at every stage of the integrator."""

from collections.abc import Callable
from typing import Any, TypeVar, overload

from cardan.contracts.fields import Declaration
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
from cardan.errors import DeclarationError

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

_OUTPUT = "__cardan_output__"
_SPECIAL = frozenset({"t", "x"})


def output(method: F) -> F:
    """Mark a method of a model as an output port of the same name."""
    setattr(method, _OUTPUT, True)
    return method


@overload
def model(cls: type[T]) -> type[T]: ...
@overload
def model(*, jit: bool = True) -> Callable[[type[T]], type[T]]: ...
def model(cls: Any = None, *, jit: bool = True) -> Any:
    """Declare a NamedTuple with pure methods as a model.

    Its fields are the parameters. In a signature, `t` is the time [s], `x` the continuous state, every other argument
    an input port. `derivatives(...)` gives the rates of `x`; each `@output` is an output port. Three methods are
    optional: `initial(...)` gives the state at reset, and its sizes; `project(self, x)` puts `x` back on its manifold
    after every accepted step; `breaks(self)` gives the times [s] at which the part is not smooth, so that no step of
    the integrator passes over them.

    Args:
        cls: The class.
        jit: False for a model that must stay Python; it runs as a callback of the same schedule.
    """
    if cls is None:
        return lambda decorated: model_class(decorated, jit)
    return model_class(cls, jit)


def model_class(cls: Any, jit: bool) -> Any:
    """Read `cls` as a model and attach its contract."""
    parameters, objects = read_parameters(cls, jit)
    names = [name for name, value in vars(cls).items() if getattr(value, _OUTPUT, False)]
    hooks = [name for name in ("derivatives", "project") if name in vars(cls)]
    methods = {name: read_method(cls, name) for name in [*names, *hooks]}
    if not methods:
        raise DeclarationError(
            f"`{cls.__name__}` does nothing: it has neither `derivatives` nor an `@output`.\n"
            "  Add `def derivatives(self, x: State, ...) -> State`, or mark an output with `@output`."
        )

    state = _read_state(cls, methods)
    if state is not None and "derivatives" not in methods:
        raise DeclarationError(
            f"`{cls.__name__}` has a state `x` but no `derivatives`.\n"
            f"  Add `def derivatives(self, x: {state.type.__name__}, ...) -> {state.type.__name__}`."
        )
    for hook in hooks:
        returned = methods[hook][1].get("return")
        if state is None or returned is not state.type:
            expected = state.type.__name__ if state is not None else "State"
            raise DeclarationError(
                f"`{cls.__name__}.{hook}` must take `x` and return {expected}, field for field.\n"
                f"  Write `def {hook}(self, x: {expected}, ...) -> {expected}`."
            )
    if "project" in methods and methods["project"][0].arguments != ("x",):
        raise DeclarationError(f"`{cls.__name__}.project` takes the state alone.\n  Write `def project(self, x)`.")

    outputs = {name: read_message(f"{cls.__name__}.{name}()", methods[name][1].get("return")) for name in names}
    initial = read_initial(cls, state is not None, unknown=("x",))
    signatures = methods | ({"initial": initial} if initial else {})
    inputs = read_inputs(cls, signatures, _SPECIAL)
    check_names(cls, inputs, outputs)
    check_generic(cls, inputs, outputs, holds_message=False)
    attach(
        cls,
        PartContract(
            kind="model",
            type=cls,
            jit=jit,
            parameters=parameters,
            objects=objects,
            state=state,
            inputs=inputs,
            outputs=outputs,
            methods={name: method for name, (method, _) in methods.items()},
            initial=initial[0] if initial else None,
        ),
    )
    return cls


def _read_state(cls: Any, methods: Any) -> Declaration | None:
    """The one state that all methods with an `x` speak of; its fields are floats."""
    found: dict[Any, str] = {}
    for name, (method, hints) in methods.items():
        if "x" in method.arguments:
            found.setdefault(hints.get("x"), name)
    if not found:
        return None
    if len(found) > 1:
        shown = " and ".join(f"{getattr(h, '__name__', h)} in `{name}`" for h, name in found.items())
        raise DeclarationError(
            f"`{cls.__name__}` has two different states `x`: {shown}.\n  Annotate `x` alike everywhere."
        )
    hint, name = next(iter(found.items()))
    if hint is AnyMessage:
        raise DeclarationError(
            f"`{cls.__name__}` has a message as its state, but a state is integrated.\n"
            "  Keep the message in the memory of a task."
        )
    state = read_state(f"{cls.__name__}.{name}", hint)
    for declared in state.fields:
        if declared.field.kind != "float":
            raise DeclarationError(
                f"`{state.type.__name__}.{declared.name}` is {declared.field.kind}, but a state is integrated.\n"
                "  Declare it as float, or keep it in the memory of a task."
            )
    return state
