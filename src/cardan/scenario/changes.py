"""Parameters that change during a run: at given times, or by message."""

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cardan.contracts.fields import FieldDeclaration
from cardan.contracts.message import message_declaration
from cardan.errors import (
    MessageTypeError,
    PeriodError,
    SettingError,
    ShapeError,
    UnitError,
    WiringError,
    shown,
    with_article,
)
from cardan.scenario.clock import nanoseconds, seconds
from cardan.scenario.placed import Placed, element_names, with_parameter
from cardan.scenario.ports import Port, check_owner

if TYPE_CHECKING:
    from cardan.scenario.scenario import Scenario


@dataclass(frozen=True)
class Change:
    """A parameter that changes, once at a time or with every message.

    Attributes:
        part: The part.
        parameter: Of this part.
        at: [ns] When it changes; -1 where a message says so.
        value: Its value from then on; None where a message says it.
        source: The output whose message carries the value; None for a change at a time.
    """

    part: str
    parameter: str
    at: int = -1
    value: Any = None
    source: Port | None = None

    @property
    def path(self) -> str:
        return f"{self.part}.{self.parameter}"

    def __str__(self) -> str:
        if self.source is not None:
            return self.source.path
        return f"{np.asarray(self.value).tolist()} at {seconds(self.at):.9g} s"


def scheduled(scenario: "Scenario", path: str, value: Any, at: Any) -> Change:
    """The change of a parameter at a time [s], its value checked with what has changed before."""
    present = _present(scenario, path)
    when = nanoseconds(at, f"The time at which `{path}` changes")
    if when < 0:
        raise PeriodError(f"`{path}` changes at {at!r} s.\n  A run begins at 0: use a time that is not negative.")
    for other in _of_path(scenario, path):
        if other.source is not None:
            raise _changed_twice(path, other)
        if other.at == when:
            raise WiringError(f"`{path}` changes twice at {seconds(when):.9g} s.\n  Say one value for one time.")
    part, _, parameter = path.rpartition(".")
    before = with_changes(scenario.parts, scenario.changes, when)
    changed = with_parameter(before, path, value)
    taken = getattr(changed.part, parameter)
    if np.shape(taken) != np.shape(present):
        raise ShapeError(
            f"`{path}` keeps its size during a run.\n  expected {np.shape(present)}\n  got      {np.shape(taken)}"
        )
    if _has_breaks(changed) and not np.array_equal(before[part].part.breaks(), changed.part.breaks()):
        raise _breaks_depend(part, path)
    return Change(part, parameter, when, taken)


def by_message(scenario: "Scenario", path: str, source: Any) -> Change:
    """The change of a parameter with every message from `source`."""
    _present(scenario, path)
    part, _, parameter = path.rpartition(".")
    placed = scenario.parts[part]
    if not isinstance(source, Port) or not source.is_output:
        raise WiringError(
            f"`{path}` cannot change by {getattr(source, 'path', shown(source))}.\n"
            "  Give an output of a task, or an input from outside: `scn.input(...)`."
        )
    check_owner(scenario, source, f"than `{part}`")
    if not scenario.parts[source.part].is_held:
        raise WiringError(
            f"`{path}` cannot change by `{source.path}`, which changes at every stage of the integrator.\n"
            "  Give an output of a task, or an input from outside; what varies continuously is an input of the model."
        )
    if source.part == part:
        raise WiringError(
            f"`{path}` cannot change by `{source.path}`, which is sent by `{part}` itself.\n"
            "  What a task makes of its own outputs, it keeps in its memory."
        )
    for other in _of_path(scenario, path):
        raise _changed_twice(path, other)
    if _has_breaks(placed):
        raise _breaks_depend(part, path)
    declared = next(field for field in placed.contract.parameters.fields if field.name == parameter)
    _check_message(path, declared, np.shape(getattr(placed.part, parameter)), source)
    return Change(part, parameter, source=source)


def with_changes(parts: dict[str, Placed], changes: tuple[Change, ...], until: int) -> dict[str, Placed]:
    """The parts with all that changes up to a time [ns], in order."""
    found = dict(parts)
    for change in changes:
        if change.source is None and change.at <= until:
            found[change.part] = with_parameter(found, change.path, change.value)
    return found


def _present(scenario: "Scenario", path: str) -> Any:
    """The value that a parameter has, if it is one that can change."""
    part, _, parameter = str(path).rpartition(".")
    if scenario.mechanism is not None and part in element_names(scenario.mechanism):
        raise SettingError(
            f"`{path}` is of the mechanism, and only parameters of parts change so.\n"
            "  Connect an output to an input of the element instead, e.g. `bus.mass_properties`."
        )
    placed = scenario.parts.get(part)
    if placed is None or parameter not in placed.contract.type._fields:
        with_parameter(scenario.parts, path, None)  # says what is wrong with the path
    assert placed is not None
    if parameter in placed.contract.objects:
        raise SettingError(f"`{path}` is no number, so it cannot change during a run.")
    return getattr(placed.part, parameter)


def _of_path(scenario: "Scenario", path: str) -> list[Change]:
    return [change for change in scenario.changes if change.path == path]


def _changed_twice(path: str, other: Change) -> WiringError:
    return WiringError(
        f"`{path}` changes already: {'by ' if other.source else ''}{other}.\n"
        "  A parameter changes at given times, or by the messages of one output."
    )


def _has_breaks(placed: Placed) -> bool:
    return inspect.isfunction(getattr(type(placed.part), "breaks", None))


def _breaks_depend(part: str, path: str) -> SettingError:
    return SettingError(
        f"`{path}` cannot change during a run: `{part}` says once, before it, when it is not smooth (`breaks`).\n"
        "  Let an input of the part carry what changes."
    )


def _check_message(path: str, declared: FieldDeclaration, shape: tuple[int, ...], source: Port) -> None:
    """A message that changes a parameter has one field, of the same unit, kind and shape."""
    fields = message_declaration(source.message).fields
    message = source.message.__name__
    if len(fields) != 1:
        raise MessageTypeError(
            f"`{path}` cannot change by `{source.path}`: {with_article(message)} has {len(fields)} fields.\n"
            "  Send a message with one field, the new value."
        )
    sent = fields[0]
    if sent.unit != declared.unit:
        raise UnitError(
            f"`{path}` cannot change by `{source.path}`: their units differ.\n"
            f"  `{path}` is in {declared.unit}\n  `{message}.{sent.name}` is in {sent.unit}"
        )
    fits = len(sent.field.shape) == len(shape) and all(
        size in (None, own) for size, own in zip(sent.field.shape, shape, strict=True)
    )
    if sent.field.kind != declared.field.kind or not fits:
        raise MessageTypeError(
            f"`{path}` cannot change by `{source.path}`: `{message}.{sent.name}` is another kind of value.\n"
            f"  expected {declared.field.kind} of shape {shape}\n"
            f"  got      {sent.field.kind} of shape {sent.field.shape}"
        )
