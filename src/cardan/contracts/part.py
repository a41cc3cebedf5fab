"""What models and tasks have in common: parameters, and ports read off the signatures of their methods."""

import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import NoneType, UnionType
from typing import Any, Union

import numpy as np

from cardan.contracts.definitions import note_definition
from cardan.contracts.fields import Declaration, declaration, is_named_tuple_class, is_number, type_hints
from cardan.contracts.message import AnyMessage, is_message, message_declaration
from cardan.errors import DeclarationError, with_article

_CONTRACT = "__cardan_part__"

# names that mean something else, in a path or as an argument of `Scenario.add`
RESERVED = {
    "state": "in paths it means the part's own state",
    "memory": "in paths it means the task's memory",
    "parameters": "in paths it means the part's own parameters",
    "part": "it is an argument of `Scenario.add`",
    "name": "it is an argument of `Scenario.add`",
    "every": "it is an argument of `Scenario.add`",
    "offset": "it is an argument of `Scenario.add`",
    "initial": "it is an argument of `Scenario.add`",
}


@dataclass(frozen=True)
class Input:
    """An input port.

    Attributes:
        name: Of the argument.
        message: The class of message it carries.
        has_default: Whether it may stay unconnected.
        default: The message it then carries, or None.
    """

    name: str
    message: Any
    has_default: bool
    default: Any


@dataclass(frozen=True)
class Method:
    """One method that the core calls.

    Attributes:
        name: As in the class.
        function: The plain function.
        arguments: The names of its arguments after `self`, in order.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class PartContract:
    """A model or task class, read as a declaration.

    Attributes:
        kind: "model" or "task"; "input" for what is given from outside.
        type: The class.
        jit: Whether it is to run as native code.
        parameters: Its numeric fields.
        objects: Fields that are no numbers; only a part with `jit=False` may have them.
        state: The declaration of `x`, or None.
        inputs: Its input ports by name.
        outputs: Its output ports by name, with the class of message each carries.
        methods: `derivatives`, `project` and the outputs of a model; `step` of a task; by name.
        initial: The method `initial`, or None.
        packed_outputs: The NamedTuple that `step` of a task returns its outputs in.
        holds_message: Whether the memory is a message of the class that the part passes on.
        passes: That class, once it is known.
    """

    kind: str
    type: Any
    jit: bool
    parameters: Declaration
    objects: tuple[str, ...]
    state: Declaration | None
    inputs: dict[str, Input]
    outputs: dict[str, Any]
    methods: dict[str, Method]
    initial: Method | None
    packed_outputs: Any = field(default=None)
    holds_message: bool = False
    passes: Any = None
    _of: dict[Any, "PartContract"] = field(default_factory=dict, repr=False, compare=False)
    _newest: list[Any] = field(default_factory=list, repr=False, compare=False)  # the part that was checked last

    @property
    def label(self) -> str:
        of = f"[{self.passes.__name__}]" if self.passes is not None else ""
        return f"{self.type.__name__}{of}"

    @property
    def generic_inputs(self) -> list[str]:
        """The inputs that take whatever message the part passes on; none once that is known."""
        return [name for name, port in self.inputs.items() if port.message is AnyMessage]

    def of(self, message: Any) -> "PartContract":
        """The contract of a part that passes on messages of this class; the same for one that passes on none."""
        generic = self.generic_inputs
        if not generic:
            return self
        if message not in self._of:
            initial = self.initial
            if self.holds_message and initial is None:
                initial = Method("initial", _as_it_is, (generic[0],))
            self._of[message] = replace(
                self,
                inputs={
                    name: replace(port, message=message) if name in generic else port
                    for name, port in self.inputs.items()
                },
                outputs={name: message if sent is AnyMessage else sent for name, sent in self.outputs.items()},
                state=message_declaration(message) if self.holds_message else self.state,
                initial=initial,
                passes=message,
            )
        return self._of[message]

    def take(self, part: Any, path: str) -> Any:
        """The part with its parameters checked, as NumPy numbers and read-only arrays.

        Most parts are added to a scenario as they are made, which has checked them: the newest is not checked again.
        """
        if any(part is newest for newest in self._newest):
            return part
        checked = self._checked(part, path)
        self._newest[:] = [checked]
        return checked

    def _checked(self, part: Any, path: str) -> Any:
        if type(part) is self.parameters.type:
            return self.parameters.take(part, path)
        numbers = self.parameters.type._make(getattr(part, declared.name) for declared in self.parameters.fields)
        taken = self.parameters.take(numbers, path)._asdict()
        return tuple.__new__(type(part), [taken.get(name, getattr(part, name)) for name in self.type._fields])


def _as_it_is(part: Any, message: Any) -> Any:
    """The memory of a part that holds a message begins as the message that is there before the run."""
    return message


def contract_of(part: Any) -> PartContract:
    """The contract of a part or part class, or an error that says how to make one."""
    cls = part if isinstance(part, type) else type(part)
    contract = vars(cls).get(_CONTRACT)
    if contract is None:
        raise DeclarationError(
            f"`{cls.__name__}` is neither a model nor a task.\n"
            "  Decorate its class with `@model` (continuous) or `@task` (runs at a fixed rate)."
        )
    found: PartContract = contract
    return found


def attach(cls: type, contract: PartContract) -> None:
    """Tie `contract` to its class, and let instances check their parameters as they are made."""
    setattr(cls, _CONTRACT, contract)
    note_definition(cls)
    made = cls.__new__

    def new(kind: Any, *args: Any, **kwargs: Any) -> Any:
        return contract.take(made(kind, *args, **kwargs), kind.__name__)

    replaced = cls._replace  # type: ignore[attr-defined]

    def replace(self: Any, /, **changes: Any) -> Any:
        """A part like this one, with other values of some parameters."""
        return contract.take(replaced(self, **changes), type(self).__name__)

    new.__signature__ = inspect.signature(made)  # type: ignore[attr-defined]
    cls.__new__ = new  # type: ignore[method-assign,assignment]
    cls._replace = cls.__replace__ = replace  # type: ignore[attr-defined]


def read_parameters(cls: Any, jit: bool) -> tuple[Declaration, tuple[str, ...]]:
    """The numeric parameters of a part class, and the names of those that are other objects."""
    if not is_named_tuple_class(cls):
        raise DeclarationError(
            f"`{getattr(cls, '__name__', cls)}` is not a NamedTuple.\n"
            f"  Write `class {getattr(cls, '__name__', 'Name')}(NamedTuple): ...`; its fields are the parameters."
        )
    hints = type_hints(cls)
    objects = tuple(name for name in cls._fields if not jit and not is_number(hints[name]))
    if not objects:
        return declaration(cls, needs_frames=True), ()
    numbers = typing.NamedTuple(cls.__name__, [(n, hints[n]) for n in cls._fields if n not in objects])  # type: ignore[misc]
    return declaration(numbers, needs_frames=True), objects


def read_method(cls: Any, name: str) -> tuple[Method, dict[str, Any]]:
    """A method of a part class with its annotations."""
    function = vars(cls)[name]
    path = f"{cls.__name__}.{name}"
    if not inspect.isfunction(function):
        raise DeclarationError(f"`{path}` is not a plain method.\n  Write `def {name}(self, ...): ...`.")
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters or parameters[0].name != "self":
        raise DeclarationError(f"`{path}` does not take `self` first.\n  Write `def {name}(self, ...): ...`.")
    for parameter in parameters:
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
            raise DeclarationError(f"`{path}` has `{parameter}`: each argument is one port, by its own name.")
    return Method(name, function, tuple(p.name for p in parameters[1:])), type_hints(function)


def read_inputs(
    cls: Any, methods: dict[str, tuple[Method, dict[str, Any]]], special: frozenset[str]
) -> dict[str, Input]:
    """The input ports that the signatures of `methods` declare, leaving out the arguments in `special`."""
    inputs: dict[str, Input] = {}
    for name, (method, hints) in methods.items():
        signature = inspect.signature(method.function)
        for argument in method.arguments:
            if argument in special:
                continue
            path = f"{cls.__name__}.{name}({argument})"
            found = _read_input(path, argument, hints.get(argument), signature.parameters[argument].default)
            known = inputs.setdefault(argument, found)
            if known.message is not found.message:
                raise DeclarationError(
                    f"`{path}` carries {found.message.__name__}, elsewhere in the class it carries "
                    f"{known.message.__name__}.\n  One name is one port: give the two different names."
                )
            if known.has_default != found.has_default:
                raise DeclarationError(
                    f"`{path}` is optional in one method and required in another.\n  Give it a default in both."
                )
            if not _is_same(known.default, found.default):
                raise DeclarationError(
                    f"`{path}` has another default than elsewhere in the class.\n  Give it the same default in both."
                )
    return inputs


def read_initial(cls: Any, has_state: bool, unknown: tuple[str, ...]) -> tuple[Method, dict[str, Any]] | None:
    """The method `initial` of a part class with its annotations, if there is one; it cannot take what is `unknown`."""
    if "initial" not in vars(cls):
        return None
    method, hints = read_method(cls, "initial")
    if not has_state:
        raise DeclarationError(
            f"`{cls.__name__}.initial` gives a state, but no other method takes `x`.\n"
            "  Remove it, or take `x` where the state is needed."
        )
    for name in unknown:
        if name in method.arguments:
            raise DeclarationError(
                f"`{cls.__name__}.initial` takes `{name}`, which is not there before the run.\n"
                "  It may take inputs, whose messages say how large they are."
            )
    return method, hints


def read_message(path: str, hint: Any) -> Any:
    """The message class that a hint names, or `AnyMessage`."""
    if not is_message(hint) and hint is not AnyMessage:
        shown = f"is annotated with `{getattr(hint, '__name__', hint)}`, which is no message"
        or_any = ", or with `cardan.AnyMessage` for whatever is passed on" if isinstance(hint, typing.TypeVar) else ""
        raise DeclarationError(
            f"`{path}` {'is not annotated' if hint is None else shown}.\n"
            f"  Annotate it with a class decorated with `@message`{or_any}."
        )
    return hint


def read_state(path: str, hint: Any) -> Declaration:
    """The declaration of a part's state from the annotation of `x`."""
    if not is_named_tuple_class(hint):
        raise DeclarationError(
            f"`{path}` has an `x` that is not annotated with a NamedTuple.\n"
            "  Declare the state as `class MyState(NamedTuple)` with a unit on every field, and annotate `x: MyState`."
        )
    return declaration(hint, needs_frames=True)


def check_generic(cls: Any, inputs: dict[str, Input], outputs: dict[str, Any], holds_message: bool) -> None:
    """What a part passes on, it takes."""
    if any(port.message is AnyMessage for port in inputs.values()):
        return
    sent = [f"`{cls.__name__}.{name}` sends" for name, message in outputs.items() if message is AnyMessage]
    if sent or holds_message:
        raise DeclarationError(
            f"{(sent or [f'The memory of `{cls.__name__}` is'])[0]} whatever message the part passes on, but no input "
            "takes one.\n  Annotate an input with `AnyMessage` too: its source says which message that is."
        )


def check_names(cls: Any, inputs: dict[str, Input], outputs: dict[str, Any]) -> None:
    """Refuse port names that would be ambiguous in a path."""
    both = sorted(set(inputs) & set(outputs))
    if both:
        raise DeclarationError(
            f"`{cls.__name__}.{both[0]}` is both an input and an output.\n  Give the two ports different names."
        )
    for name in [*inputs, *outputs]:
        reason = "it is private" if name.startswith("_") else RESERVED.get(name)
        if reason:
            raise DeclarationError(
                f"`{cls.__name__}.{name}` cannot be the name of a port: {reason}.\n  Choose another name."
            )


def _read_input(path: str, name: str, hint: Any, default: Any) -> Input:
    if default is None and typing.get_origin(hint) in (Union, UnionType):
        hint = next((option for option in typing.get_args(hint) if option is not NoneType), hint)
    carried = read_message(path, hint)
    has_default = default is not inspect.Parameter.empty
    if has_default and default is not None and carried is AnyMessage:
        raise DeclarationError(
            f"`{path}` takes any message, so its default cannot be {with_article(type(default).__name__)}.\n"
            "  Let the default be None."
        )
    if has_default and default is not None:
        default = message_declaration(carried).take(default, path)
    return Input(name, carried, has_default, default if has_default else None)


def _is_same(first: Any, second: Any) -> bool:
    """Whether two messages, each of which may be None, have the same content."""
    if first is None or second is None:
        return first is second
    return all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
