"""The mechanism in a block diagram: its two services stand there like models."""

from dataclasses import replace
from typing import Any, NamedTuple

from cardan.contracts.fields import Declaration
from cardan.contracts.part import Input, Method, PartContract
from cardan.mechanism.ports import DYNAMIC, KINEMATIC_INPUTS, MechanismPort
from cardan.scenario.placed import Placed
from cardan.scenario.ports import Connection, Port
from cardan.scenario.scenario import Scenario


class ForwardKinematics(NamedTuple):
    """From coordinates to the motion of frames and joints."""


class ForwardDynamics(NamedTuple):
    """From forces to accelerations."""


def diagram_parts(scenario: Scenario) -> dict[str, Placed]:
    """The parts of a scenario, with the services of its mechanism among them."""
    parts = scenario.parts
    if scenario.mechanism is None:
        return parts
    names = [f"{scenario.mechanism.name} kinematics", f"{scenario.mechanism.name} dynamics"]
    read: dict[str, MechanismPort] = {}
    for name, placed in parts.items():
        inputs = dict(placed.inputs)
        for port, connection in inputs.items():
            if isinstance(connection.source, MechanismPort):
                read[connection.source.path] = connection.source
                inputs[port] = replace(connection, source=_as_port(connection.source, names, scenario))
        parts[name] = replace(placed, inputs=inputs)

    kinematics = {path: port for path, port in read.items() if port.role not in DYNAMIC}
    dynamics = {path: port for path, port in read.items() if port.role in DYNAMIC}
    moving, acting = _fed(scenario, is_kinematic=True), _fed(scenario, is_kinematic=False)
    return {
        names[0]: _service(names[0], ForwardKinematics, moving, kinematics),
        **parts,
        names[1]: _service(names[1], ForwardDynamics, acting, dynamics),
    }


def _as_port(source: MechanismPort, names: list[str], scenario: Scenario) -> Port:
    return Port(names[source.role in DYNAMIC], source.path, source.message, True, scenario)


def _fed(scenario: Scenario, *, is_kinematic: bool) -> dict[str, tuple[MechanismPort, Connection]]:
    """Inputs of a service with what feeds them; one that sums has a row for each source."""
    fed = {}
    for path, item in scenario.mechanism_inputs.items():
        if (item.port.role in KINEMATIC_INPUTS) == is_kinematic:
            for i, connection in enumerate(item.connections):
                fed[path if i == 0 else f"{path} ({i + 1})"] = (item.port, connection)
    return fed


def _service(
    name: str, cls: Any, fed: dict[str, tuple[MechanismPort, Connection]], read: dict[str, MechanismPort]
) -> Placed:
    contract = PartContract(
        kind="model",
        type=cls,
        jit=True,
        parameters=Declaration(cls, ()),
        objects=(),
        state=None,
        inputs={port: Input(port, item.message, True, None) for port, (item, _) in fed.items()},
        outputs={path: port.message for path, port in read.items()},
        methods={path: Method(path, cls, tuple(fed)) for path in read},
        initial=None,
    )
    return Placed(name, cls(), contract, 0, 0, None, {port: connection for port, (_, connection) in fed.items()})
