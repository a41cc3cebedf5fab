"""In which order outputs are evaluated and tasks run; missing connections and loops are found here."""

from collections.abc import Callable, Hashable, Iterable
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple, TypeVar

from cardan.errors import AlgebraicLoopError, WiringError, with_article
from cardan.mechanism.outputs import senders
from cardan.mechanism.ports import DYNAMIC, KINEMATIC_INPUTS, MechanismPort
from cardan.scenario.placed import MechanismInput, Placed
from cardan.scenario.ports import Port
from cardan.scenario.scenario import Scenario

K = TypeVar("K", bound=Hashable)

Output = tuple[str, str]  # part, output

# the two services of a mechanism stand in the order like outputs
KINEMATICS: Output = ("", "kinematics")
DYNAMICS: Output = ("", "dynamics")


class Order(NamedTuple):
    """What is evaluated when.

    Attributes:
        outputs: The outputs of models, (part, output), each after those it needs.
        tasks: The names of tasks, each after those it reads from; those that wait for what comes from outside last.
        waiting: The first of these.
        stage_outputs: Those outputs that the rates of some state depend on.
        task_outputs: Those outputs that some task depends on.
        steady: Those outputs that no tick changes: they depend on no task, on nothing that is delayed, and on no
            parameter that changes.
        needs: For each output those it needs directly.
    """

    outputs: tuple[Output, ...]
    tasks: tuple[str, ...]
    waiting: int
    stage_outputs: frozenset[Output]
    task_outputs: frozenset[Output]
    steady: frozenset[Output]
    needs: dict[Output, list[Output]]

    def behind(self, outputs: Iterable[Output]) -> frozenset[Output]:
        """These outputs with all that they need, directly or not."""
        return _closure([output for output in outputs if output in self.needs], self.needs)


def evaluation_order(scenario: Scenario) -> Order:
    """The order of a scenario, or an error that names every missing connection or every member of a loop."""
    parts = scenario.parts
    _check_connected(scenario)
    models = [placed for placed in parts.values() if not placed.is_held]
    tasks = [placed for placed in parts.values() if placed.is_task]

    needs = {
        (placed.name, output): _model_sources(parts, placed, placed.contract.methods[output].arguments)
        for placed in models
        for output in placed.contract.outputs
    }
    if scenario.mechanism is not None:
        needs |= _mechanism_needs(scenario)
    outputs = _sorted(needs, _output_loop)
    senders = {placed.name: _senders(scenario, placed) for placed in tasks}
    order = _sorted(
        {name: [sender for sender in found if parts[sender].is_task] for name, found in senders.items()}, _task_loop
    )
    waiting = _waiting(parts, order, senders)
    order = [name for name in order if name not in waiting] + [name for name in order if name in waiting]

    # what the rates, and what the tasks, depend on
    for_rates: list[Output] = [DYNAMICS] if scenario.mechanism is not None else []
    for placed in models:
        if "derivatives" in placed.contract.methods:
            for_rates += _model_sources(parts, placed, placed.contract.methods["derivatives"].arguments)
    for_tasks: list[Output] = []
    for placed in tasks:
        for_tasks += _model_sources(parts, placed, tuple(placed.contract.inputs))
    for_tasks += _delayed(scenario)
    changed = _changed_by_ticks(scenario)
    steady = frozenset(output for output in needs if not _closure([output], needs) & changed)
    return Order(
        tuple(outputs),
        tuple(order),
        len(order) - len(waiting),
        _closure(for_rates, needs),
        _closure(for_tasks, needs),
        steady,
        needs,
    )


def _check_connected(scenario: Scenario) -> None:
    parts, lines = scenario.parts, []
    for placed in parts.values():
        for name, port in placed.contract.inputs.items():
            if name in placed.inputs or port.has_default:
                continue
            found = [
                f"{other.name}.{output}"
                for other in parts.values()
                for output, message in other.contract.outputs.items()
                if message is port.message
            ]
            if scenario.mechanism is not None:
                found += senders(scenario.mechanism, port.message)
            needed = with_article(port.message.__name__)
            lines.append(f"`{placed.name}.{name}` needs {needed} and nothing is connected to it.")
            lines.append(f"  These send one: {_named(found)}" if found else "  No part of this scenario sends one.")
    if lines:
        raise WiringError("\n".join(lines))


def _named(names: list[str], most: int = 8) -> str:
    """The first few of them."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def _model_sources(parts: dict[str, Placed], placed: Placed, arguments: Iterable[str]) -> list[Output]:
    """The outputs of models that these arguments of a part read directly, as they are now."""
    sources = []
    for argument in arguments:
        connection = placed.inputs.get(argument)
        if connection and connection.source and not connection.delay:
            sources += _as_output(parts, connection.source)
    return sources


def _mechanism_needs(scenario: Scenario) -> dict[Output, list[Output]]:
    """What the services of the mechanism need: kinematics what moves joints, dynamics everything."""
    needs: dict[Output, list[Output]] = {KINEMATICS: [], DYNAMICS: [KINEMATICS]}
    for fed in scenario.mechanism_inputs.values():
        for connection in fed.connections:
            if connection.source is not None and not connection.delay:
                needs[_service(fed)] += _as_output(scenario.parts, connection.source)
    return needs


def _service(fed: MechanismInput) -> Output:
    """Which service of the mechanism reads one of its inputs."""
    return KINEMATICS if fed.port.role in KINEMATIC_INPUTS else DYNAMICS


def _changed_by_ticks(scenario: Scenario) -> set[Output]:
    """The outputs that read something which a tick may change, directly."""
    read = [
        ((placed.name, output), placed.inputs[argument])
        for placed in scenario.parts.values()
        if not placed.is_held
        for output in placed.contract.outputs
        for argument in placed.contract.methods[output].arguments
        if argument in placed.inputs
    ]
    read += [
        (_service(fed), connection) for fed in scenario.mechanism_inputs.values() for connection in fed.connections
    ]
    changing = {change.part for change in scenario.changes}
    return {(part, output) for part in changing for output in scenario.parts[part].contract.outputs} | {
        output
        for output, connection in read
        if connection.delay or (isinstance(connection.source, Port) and scenario.parts[connection.source.part].is_held)
    }


def _delayed(scenario: Scenario) -> list[Output]:
    """The outputs of models that go into delay lines, which move on at ticks."""
    connections = [c for placed in scenario.parts.values() for c in placed.inputs.values()]
    connections += [c for fed in scenario.mechanism_inputs.values() for c in fed.connections]
    return [out for c in connections if c.delay and c.source for out in _as_output(scenario.parts, c.source)]


def _as_output(parts: dict[str, Placed], source: Port | MechanismPort) -> list[Output]:
    """The node of the order behind a source: none for what is held, such as the outputs of tasks."""
    if isinstance(source, MechanismPort):
        return [DYNAMICS if source.role in DYNAMIC else KINEMATICS]
    return [] if parts[source.part].is_held else [(source.part, source.name)]


def _senders(scenario: Scenario, placed: Placed) -> list[str]:
    """The parts whose messages of the same tick a task reads, or has for parameters."""
    read = [connection.source for connection in placed.inputs.values() if not connection.delay]
    read += [change.source for change in scenario.changes if change.part == placed.name]
    return [source.part for source in read if isinstance(source, Port)]


def _waiting(parts: dict[str, Placed], order: list[str], senders: dict[str, list[str]]) -> set[str]:
    """The tasks that read what comes from outside at the same tick, directly or through tasks before them."""
    found: set[str] = set()
    for name in order:
        if any(parts[sender].is_outside or sender in found for sender in senders[name]):
            found.add(name)
    return found


def _closure(start: list[Output], needs: dict[Output, list[Output]]) -> frozenset[Output]:
    reached: set[Output] = set()
    waiting = list(start)
    while waiting:
        output = waiting.pop()
        if output not in reached:
            reached.add(output)
            waiting += needs[output]
    return frozenset(reached)


def _sorted(needs: dict[K, list[K]], loop_error: Callable[[list[K]], AlgebraicLoopError]) -> list[K]:
    """The keys, each after all that it needs; among equals, as they were given."""
    try:
        return list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        # the cycle ends with its first member; each member is needed by the next
        raise loop_error(error.args[1][:0:-1]) from None


def _output_loop(loop: list[Output]) -> AlgebraicLoopError:
    return AlgebraicLoopError(
        "These outputs need each other at the same instant:\n"
        + _members([".".join(member).lstrip(".") for member in loop])
        + "\n  Break the loop: remove an input that one of these outputs does not use from its signature,\n"
        "  give one a state, or run one as a Task (its output is then held between ticks)."
    )


def _task_loop(loop: list[str]) -> AlgebraicLoopError:
    return AlgebraicLoopError(
        "These tasks need each other at the same tick:\n"
        + _members(loop)
        + "\n  Break the loop: give one of these connections a delay, e.g. `scn.connect(source, target, delay=1)`."
    )


def _members(loop: list[str]) -> str:
    width = max(map(len, loop))
    return "\n".join(f"  {a:{width}}  needs  {b}" for a, b in zip(loop, loop[1:] + loop[:1], strict=True))
