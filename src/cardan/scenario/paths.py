"""Ports by their paths, and what they carry before a run."""

from typing import TYPE_CHECKING, Any

from cardan.errors import UnknownName, UnknownPort, did_you_mean
from cardan.mechanism.outputs import output_ports
from cardan.mechanism.ports import MechanismPort
from cardan.scenario.ports import PartHandle, Port
from cardan.scenario.sizes import find_sizes, mechanism_message

if TYPE_CHECKING:
    from cardan.scenario.scenario import Scenario


def port_at(scenario: "Scenario", path: str) -> Port | MechanismPort:
    """The port that a path such as `ctl.torque`, `bus.motion` or `elbow.effort` names."""
    part, _, name = path.rpartition(".")
    if part in scenario.parts:
        found = getattr(PartHandle(scenario, part, scenario.parts[part].contract), name)
        assert isinstance(found, Port)
        return found
    known = _mechanism_ports(scenario)
    if path in known:
        return known[path]
    port = _mechanism_input(scenario, part, name)
    if port is not None:
        return port
    ports = [f"{placed.name}.{port}" for placed in scenario.parts.values() for port in placed.contract.outputs]
    names = [*ports, *known]
    raise UnknownPort(
        f"Scenario `{scenario.name}` has no port `{path}`.{did_you_mean(path, names)}\n"
        f"  Outputs are: {', '.join(names[:30])}{' and more' if len(names) > 30 else ''}"
    )


def first_message(scenario: "Scenario", port: Port | MechanismPort) -> Any:
    """What an output carries before a run; its arrays have the sizes that they will have."""
    if isinstance(port, MechanismPort):
        return mechanism_message(port)
    return find_sizes(scenario.parts).outputs[port.part, port.name]


def _mechanism_ports(scenario: "Scenario") -> dict[str, MechanismPort]:
    """Outputs of the mechanism by path, with the groups that somebody reads."""
    if scenario.mechanism is None:
        return {}
    found = output_ports(scenario.mechanism)
    for placed in scenario.parts.values():
        for connection in placed.inputs.values():
            if isinstance(connection.source, MechanismPort):
                found[connection.source.path] = connection.source
    return found


def _mechanism_input(scenario: "Scenario", element: str, name: str) -> MechanismPort | None:
    """The input of an element of the mechanism, if there is one."""
    mechanism = scenario.mechanism
    if mechanism is None:
        return None
    owners: list[Any] = [
        elements[element]
        for elements in (mechanism.bodies, mechanism.joints, mechanism.sites, mechanism.actuators)
        if element in elements
    ]
    body = element.removesuffix(".com")
    if body != element and body in mechanism.bodies:
        owners.append(mechanism.bodies[body].com)
    for owner in owners:
        try:
            port = getattr(owner, name, None)
        except UnknownName:
            continue
        if isinstance(port, MechanismPort):
            return port
    return None
