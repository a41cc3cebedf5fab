"""What looks forgotten in a scenario: outputs of tasks that nobody reads, actuators that nobody drives.

A native task of which nobody reads anything computes for nothing; one in plain Python may write a file. Where others of
its outputs are read, one that is only recorded is no mistake, and many tasks have some; it counts while an input that
takes its message has no source.
"""

from collections.abc import Collection, Iterator

from cardan.contracts.wake_up import WakeUp
from cardan.errors import with_article
from cardan.mechanism import Mechanism
from cardan.mechanism.ports import JointElement, MechanismPort, Role
from cardan.mechanism.tree import BALL, HINGE, SLIDE
from cardan.messages.environment import GravityField
from cardan.messages.mechanism import BodyWrench, HingeLocks, HingeTorques, InertialForces, InertialWrench
from cardan.scenario.placed import Placed
from cardan.scenario.scenario import Scenario

_JOINT_INPUTS = {
    HINGE: ("effort", "lock", "prescribed"),
    SLIDE: ("effort", "lock", "prescribed"),
    BALL: ("effort", "prescribed"),
}
_ON_JOINTS = frozenset({Role.EFFORT, Role.EFFORTS, Role.LOCK, Role.LOCKS, Role.PRESCRIBED})
_ON_FRAMES = frozenset({Role.WRENCH, Role.WRENCH_N, Role.TORQUE, Role.FORCE_N})


def loose_ends(scenario: Scenario, wanted: Collection[str] = ()) -> list[str]:
    """A line for each loose end; none for what `Scenario.leave_open` names, or for paths that somebody asks for."""
    lines = []
    for placed, unread, is_idle in _tasks_with_unread_outputs(scenario, scenario.left_open.union(wanted)):
        waiting = {name: _possible_readers(scenario, placed, placed.contract.outputs[name]) for name in unread}
        for name, readers in waiting.items():
            if readers:
                message = with_article(placed.contract.outputs[name].__name__)
                lines.append(f"`{placed.name}.{name}` goes nowhere; {readers[0]} takes {message} and has no source")
        if is_idle and not any(waiting.values()):
            outputs = " and ".join(f"`{placed.name}.{name}`" for name in unread)
            go = "go" if len(unread) > 1 else "goes"
            lines.append(f"`{placed.name}` computes for nothing: {outputs} {go} nowhere")
    # without parts, nobody can have forgotten to drive anything
    if scenario.mechanism is not None and scenario.parts:
        idle = _idle_actuators(scenario, scenario.mechanism)
        lines += [f"`{name}.command` has no source, so that the actuator gets 0" for name in idle]
    return lines


def _tasks_with_unread_outputs(scenario: Scenario, wanted: frozenset[str]) -> Iterator[tuple[Placed, list[str], bool]]:
    """Tasks, those of their outputs that go nowhere, and whether the task is therefore of no use."""
    connections = [c for placed in scenario.parts.values() for c in placed.inputs.values()]
    connections += [c for fed in scenario.mechanism_inputs.values() for c in fed.connections]
    read = {connection.source.path for connection in connections if connection.source is not None}
    read |= {change.source.path for change in scenario.changes if change.source is not None}
    read |= wanted
    for placed in scenario.parts.values():
        if not placed.is_task:
            continue
        sent = [name for name, message in placed.contract.outputs.items() if message is not WakeUp]
        unread = [name for name in sent if f"{placed.name}.{name}" not in read]
        if unread:
            yield placed, unread, unread == sent and placed.contract.jit  # plain Python may act outside the run


def _possible_readers(scenario: Scenario, sender: Placed, message: type) -> list[str]:
    """Inputs without a source that take `message`; those of parts of the sender's own kind do not count."""
    found = [
        f"`{placed.name}.{name}`"
        for placed in scenario.parts.values()
        if placed.contract is not sender.contract
        for name, port in placed.contract.inputs.items()
        if port.message is message and name not in placed.inputs
    ]
    if scenario.mechanism is not None:
        found += _free_elements(scenario, scenario.mechanism, message)
    return found


def _free_elements(scenario: Scenario, mechanism: Mechanism, message: type) -> list[str]:
    """What of the mechanism takes `message` and gets nothing of the kind."""
    if message in (BodyWrench, InertialWrench, InertialForces, GravityField):
        # nobody pushes a vehicle at each of its bodies; where none is pushed at all, something may be missing
        is_pushed = any(fed.port.message is message for fed in scenario.mechanism_inputs.values())
        return [] if is_pushed else [f"`{body}`" for body in mechanism.bodies]
    driven = _elements(scenario, _ON_JOINTS)
    free = [joint for name, joint in mechanism.joints.items() if name not in driven]
    if message in (HingeTorques, HingeLocks):
        return [f"a group with `{joint.name}`" for joint in free if joint.kind == HINGE]
    return [f"`{port.path}`" for joint in free for port in _inputs(joint) if port.message is message]


def _inputs(joint: JointElement) -> list[MechanismPort]:
    return [getattr(joint, port) for port in _JOINT_INPUTS.get(joint.kind, ())]


def _elements(scenario: Scenario, roles: frozenset[Role]) -> set[str]:
    """The names of the elements that get something through ports of these roles."""
    fed = scenario.mechanism_inputs.values()
    return {name for one in fed if one.port.role in roles for name in one.port.elements}


def _idle_actuators(scenario: Scenario, mechanism: Mechanism) -> list[str]:
    """The actuators without a command, whose joints and sites are not driven otherwise."""
    driven = _elements(scenario, _ON_JOINTS) | (_elements(scenario, _ON_FRAMES) & set(mechanism.sites))
    commanded = set(scenario.mechanism_inputs) | scenario.left_open
    return [
        name
        for name, actuator in mechanism.actuators.items()
        if actuator.command.path not in commanded and actuator.target not in driven
    ]
