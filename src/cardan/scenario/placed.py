"""Parts as they stand in a scenario, by name, and what acts on its mechanism."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from cardan.contracts.part import PartContract
from cardan.errors import UnknownName, did_you_mean
from cardan.mechanism import Mechanism
from cardan.mechanism.ports import MechanismPort
from cardan.scenario.ports import Connection


@dataclass(frozen=True)
class Placed:
    """A part as it stands in a scenario.

    Attributes:
        name: Its name.
        part: The part, its parameters checked.
        contract: What its class declares.
        period: [ns] Time between its ticks; 0 for a model.
        offset: [ns] Time of its first tick.
        initial: The state or memory it starts with, or None for the class's own.
        inputs: What feeds each input that is connected.
    """

    name: str
    part: Any
    contract: PartContract
    period: int
    offset: int
    initial: Any
    inputs: dict[str, Connection]

    @property
    def is_task(self) -> bool:
        return self.contract.kind == "task"

    @property
    def is_outside(self) -> bool:
        """Whether it stands for what is given from outside."""
        return self.contract.kind == "input"

    @property
    def is_held(self) -> bool:
        """Whether its outputs are held: of a task until it next runs, from outside until another is given."""
        return self.is_task or self.is_outside


class MechanismInput(NamedTuple):
    """An input of the mechanism with all that feeds it."""

    port: MechanismPort
    connections: list[Connection]


def with_parameter(parts: Mapping[str, Placed], path: str, value: Any) -> Placed:
    """The part that a path such as `ctl.K` names, with another value of that parameter."""
    return with_parameters(parts, {path: value})[str(path).rpartition(".")[0]]


def with_parameters(parts: Mapping[str, Placed], values: Mapping[str, Any]) -> dict[str, Placed]:
    """The parts that paths name, with other values of these parameters, checked together."""
    given: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        part, parameter = _parameter(parts, path)
        given.setdefault(part, {})[parameter] = value
    return {name: _changed(parts[name], own) for name, own in given.items()}


def _changed(placed: Placed, given: Mapping[str, Any]) -> Placed:
    changed = placed.part._make({**placed.part._asdict(), **given}.values())
    return replace(placed, part=placed.contract.take(changed, placed.name))


def _parameter(parts: Mapping[str, Placed], path: str) -> tuple[str, str]:
    """The part and the parameter that a path names."""
    part, dot, parameter = str(path).rpartition(".")
    if not dot:
        raise UnknownName(f"`{path}` is not the path of a parameter.\n  Write `part.parameter`, e.g. `ctl.K`.")
    placed = part_named(parts, part, path)
    names = placed.contract.type._fields
    if parameter not in names:
        raise UnknownName(
            f"`{part}` ({placed.contract.label}) has no parameter `{parameter}`.{did_you_mean(parameter, names)}\n"
            f"  parameters: {', '.join(names) or 'none'}"
        )
    return part, parameter


def part_named(parts: Mapping[str, Placed], name: str, path: str) -> Placed:
    """The part of this name, or an error that says what `path` should have been."""
    if name not in parts:
        raise UnknownName(
            f"`{path}`: there is no part `{name}`.{did_you_mean(name, parts)}\n  parts: {', '.join(parts) or 'none'}"
        )
    return parts[name]


def element_names(mechanism: Mechanism) -> set[str]:
    """The names that a mechanism's elements have in paths."""
    bodies = list(mechanism.bodies)
    return {*bodies, *(f"{body}.com" for body in bodies), *mechanism.joints, *mechanism.sites, *mechanism.actuators}
