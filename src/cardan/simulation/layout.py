"""The layout of a scenario in memory: where everything lies. A pure function of wiring and sizes.

An arena is one row of words in four regions.

    state     all that changes during a run and outlives a step: clock, states, memories, held messages, delay lines,
              parameters that change; it is what a snapshot has, and what tells the members of a batch apart
    scratch   what is evaluated anew from it: rates, outputs of models and of the mechanism, the integrator's room
    values    parameters and constant messages
    tables    contexts of calls, and all that describes the mechanism to its service
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cardan.contracts.calls import KEY_BLOCK, PERIOD_BLOCK
from cardan.contracts.dynamics import Dynamics
from cardan.contracts.fields import Declaration
from cardan.contracts.message import message_declaration
from cardan.errors import ShapeError, WiringError, shown
from cardan.mechanism.coordinates import Integrated, coordinate_fields, coordinates_block, integrated_coordinates
from cardan.mechanism.outputs import default_paths, output_ports
from cardan.mechanism.plumbing.memory import MechanismMemory
from cardan.mechanism.ports import MechanismPort, Role
from cardan.messages.mechanism import VehicleBalance
from cardan.native.layout import Block
from cardan.scenario.changes import Change
from cardan.scenario.order import Order, Output, evaluation_order
from cardan.scenario.placed import Placed
from cardan.scenario.ports import Connection, Port
from cardan.scenario.scenario import Scenario
from cardan.scenario.sizes import Path, Sizes, find_sizes, input_message, mechanism_message
from cardan.simulation import core
from cardan.simulation.changes import check_sizes_stay
from cardan.simulation.placed_calls import PlacedCall, parameters_place, placed_call
from cardan.simulation.places import Place, State, Stretch
from cardan.simulation.rosenbrock import rosenbrock_room

_LONGEST_LINE = 2**24  # words in a delay line: 128 MB, of which a simulation and its snapshots have several


class DelayLine(NamedTuple):
    """Messages on their way. The oldest lies where readers find it; the others follow as a ring.

    Attributes:
        source: The output that new messages come from.
        seen: Where readers find the oldest.
        ring: The first word of the others.
        length: Messages in the line, the oldest among them.
        clock: The task at whose ticks they move on, by its place in the order.
        notes: The word that says whether the source has been written; the next is where the ring is read next.
        is_model: Whether the source is a model, which is written before the first tick.
        connection: What is delayed.
        reader: The part and input that read it, or the path of an input of the mechanism.
    """

    source: Path
    seen: Place
    ring: int
    length: int
    clock: int
    notes: int
    is_model: bool
    connection: Connection
    reader: Path | str


class PlacedChange(NamedTuple):
    """A parameter that is overwritten at a time.

    Attributes:
        change: What changes, and when.
        value: Where the new value lies.
        target: The first word of the parameter.
    """

    change: Change
    value: Place
    target: int


class Update(NamedTuple):
    """A parameter that is overwritten whenever a message comes.

    Attributes:
        sender: The part that sends the message.
        source: The first word of the message.
        target: The first word of the parameter.
        words: How many there are.
    """

    sender: str
    source: int
    target: int
    words: int


@dataclass(frozen=True)
class Layout:
    """Where everything of a scenario lies.

    Attributes:
        scenario: What is laid out.
        order: What is evaluated when.
        sizes: What states and messages begin as.
        due: The first of the words with the times at which tasks run next.
        x: Where the continuous state begins: coordinates of the mechanism, states of models, balances of an audit.
        size: How many numbers it has.
        coordinates: Of the mechanism that are integrated; None without one.
        integrated: Which these are; None without a mechanism.
        state_places: The states of models.
        balances: For each vehicle, by its first body, what loads have given to it; none outside an audit.
        states: The fields of the continuous state.
        memories: Of tasks.
        keys: The random keys of tasks that draw numbers.
        outputs: The messages in all output ports.
        mechanism_ports: Every output of the mechanism, and the groups that parts read.
        lines: Delay lines.
        live: The parameters of those parts of which any changes during a run.
        state_words: How many words the region of the state has; it is the first.
        xdot: Where the rates of the continuous state begin.
        work: Where the integrator's own room begins.
        renewed: For each part with a memory, or a state that it projects, where the new one is put together.
        parameters: Of all parts, those in `live` among them.
        changes: Parameters that change at given times, in order.
        updates: Parameters that change by message.
        periods: Of tasks that ask for theirs.
        inputs: The messages that inputs of parts read; None for an optional input that stays at None.
        constants: Those of them that are constant messages or defaults.
        sources: For each input of the mechanism, where the messages that feed it lie.
        absolute: Where the absolute tolerances lie.
        relative: Where the relative tolerances lie.
        positions: Where the marks of position-like states lie.
        calls: The methods of all parts.
        mechanism: What is the mechanism's; None without one.
        words: How many words an arena has.
    """

    scenario: Scenario
    order: Order
    sizes: Sizes
    due: int
    x: int
    size: int
    coordinates: Place | None
    integrated: Integrated | None
    state_places: dict[str, Place]
    balances: dict[str, Place]
    states: tuple[State, ...]
    memories: dict[str, Place]
    keys: dict[str, Place]
    outputs: dict[Path, Place]
    mechanism_ports: dict[str, MechanismPort]
    lines: tuple[DelayLine, ...]
    live: dict[str, Place]
    state_words: int
    xdot: int
    work: int
    renewed: dict[str, Place]
    parameters: dict[str, Place]
    changes: tuple[PlacedChange, ...]
    updates: tuple[Update, ...]
    periods: dict[str, Place]
    inputs: dict[Path, Place | None]
    constants: dict[Path, Place]
    sources: dict[str, list[Place]]
    absolute: int
    relative: int
    positions: int
    calls: dict[Output, PlacedCall]
    mechanism: MechanismMemory | None
    words: int

    @cached_property
    def fingerprint(self) -> str:
        """Tells scenarios with another memory layout, parts or rates apart."""
        parts = [(p.name, p.contract.type.__qualname__, p.period, p.offset) for p in self.scenario.parts.values()]
        places = [(path, place.at, place.block.fields) for path, place in self.recordable.items()]
        lines = [(line.source, line.seen.at, line.length, line.clock) for line in self.lines]
        return hashlib.sha256(repr((parts, places, lines, self.state_words)).encode()).hexdigest()

    @cached_property
    def has_inputs(self) -> bool:
        """Whether anything is given from outside: ticks then wait for it where they are asked to."""
        return any(placed.is_outside for placed in self.scenario.parts.values())

    @cached_property
    def recordable(self) -> dict[str, Place]:
        """What can be recorded, by path: outputs, states, memories, balances, parameters that change.

        Inputs come on request only.
        """
        found = {f"{part}.{port}": place for (part, port), place in self.outputs.items()}
        found |= {f"{part}.state": place for part, place in self.state_places.items()}
        found |= {f"{part}.memory": place for part, place in self.memories.items()}
        found |= {f"{body}.balance": place for body, place in self.balances.items()}
        found |= {f"{part}.parameters": place for part, place in self.live.items()}
        return found

    def renew_parameters(self, words: np.ndarray, sender: str) -> None:
        """Let the parameters follow that the message of `sender` changes; leading axes (of a batch) are kept."""
        for update in self.updates:
            if update.sender == sender:
                new = words[..., update.source : update.source + update.words]
                words[..., update.target : update.target + update.words] = new

    @cached_property
    def recorded_by_default(self) -> dict[str, Place]:
        """The outputs of all tasks and all continuous states, by path."""
        tasks = {placed.name for placed in self.scenario.parts.values() if placed.is_held}
        mechanism = self.scenario.mechanism
        of_mechanism = set(default_paths(mechanism)) if mechanism is not None else set()
        return {
            path: place
            for path, place in self.recordable.items()
            if path in of_mechanism
            or (path.rpartition(".")[0] in self.state_places and path.endswith(".state"))
            or (path.rpartition(".")[0] in tasks and not path.endswith((".memory", ".parameters")))
        }

    @cached_property
    def recordable_inputs(self) -> dict[str, Place]:
        """The inputs that carry something, by path."""
        return {f"{part}.{port}": place for (part, port), place in self.inputs.items() if place is not None}


def lay_out(
    scenario: Scenario,
    dynamics: Dynamics | None,
    *,
    stages: int,
    is_implicit: bool = False,
    is_audited: bool = False,
) -> Layout:
    """The layout of a scenario.

    Args:
        scenario: What is laid out.
        dynamics: The service of its mechanism.
        stages: How many rates the integrator keeps.
        is_implicit: Whether it needs the derivatives of the right-hand side.
        is_audited: Whether what loads give to each vehicle is integrated too.
    """
    order, sizes, parts = evaluation_order(scenario), find_sizes(scenario.parts), scenario.parts
    check_sizes_stay(scenario, sizes)
    tasks = [parts[name] for name in order.tasks]
    ports = _mechanism_ports(scenario)

    # ---- state
    state = Stretch(core.HEADER)
    due = state.reserve(len(tasks))
    x = state.end
    coordinates, integrated = _coordinates(scenario, state)
    state_places = {p.name: _state_place(state, p, sizes) for p in parts.values() if p.contract.state and not p.is_held}
    balances = _balance_places(scenario, state) if is_audited else {}
    size = state.end - x
    memories = {p.name: _state_place(state, p, sizes) for p in tasks if p.contract.state}
    keys = {p.name: state.place(KEY_BLOCK) for p in tasks if draws(p)}
    blank, kept = _messages(parts, ports, sizes), _kept(scenario)
    outputs = {path: state.declared(*blank[path]) for path in blank if path in kept}
    lines = _lines(scenario, order, blank, state)
    changing = {change.part for change in scenario.changes}
    live = {p.name: parameters_place(state, p) for p in parts.values() if p.name in changing}

    # ---- scratch
    scratch = Stretch(state.end)
    outputs |= {path: scratch.declared(*message) for path, message in blank.items() if path not in outputs}
    xdot = scratch.reserve(size)
    work = scratch.reserve((1 + stages) * size + (rosenbrock_room(size) if is_implicit else 0))
    renewed = {
        name: scratch.place(place.block)
        for name, place in (memories | state_places).items()
        if parts[name].is_task or "project" in parts[name].contract.methods
    }

    # ---- values
    values = Stretch(scratch.end)
    fixed = {p.name: parameters_place(values, p) for p in parts.values() if p.name not in live}
    parameters = {name: live[name] if name in live else fixed[name] for name in parts}
    changes = tuple(_change(change, parameters, values) for change in scenario.changes if change.source is None)
    updates = tuple(_update(change, parameters, outputs) for change in scenario.changes if change.source is not None)
    periods = {p.name: values.place(PERIOD_BLOCK) for p in tasks if "dt" in p.contract.methods["step"].arguments}
    constants = _constants(scenario, sizes, values)
    inputs: dict[Path, Place | None] = {
        (placed.name, name): _input_place(placed, name, outputs, lines, constants)
        for placed in parts.values()
        for name in placed.contract.inputs
    }
    sources = _mechanism_sources(scenario, outputs, lines, values)
    absolute, relative, positions = (values.reserve(size) for _ in range(3))

    # ---- tables
    tables = Stretch(values.end)
    found = {
        "parameters": parameters, "periods": periods, "keys": keys, "states": state_places | memories,
        "renewed": renewed,
    }  # fmt: skip
    calls = {
        (placed.name, method.name): placed_call(placed, method, found, inputs, outputs, xdot - x, tables)
        for placed in parts.values()
        for method in placed.contract.methods.values()
    }
    mechanism = None
    if scenario.mechanism is not None and dynamics is not None:
        assert integrated is not None
        rates = [place.at - x + xdot for place in balances.values()]
        mechanism = MechanismMemory(
            scenario.mechanism, dynamics, scenario.mechanism_inputs, tables.reserve, integrated, rates, x, xdot
        )
        places = {path: (port, outputs[port.part, port.name]) for path, port in ports.items()}
        mechanism.lay_out(places, *read_by(scenario), sources)

    return Layout(
        scenario=scenario, order=order, sizes=sizes, due=due, x=x, size=size, coordinates=coordinates,
        integrated=integrated, state_places=state_places, balances=balances,
        states=_states(scenario, integrated, x, state_places | balances), memories=memories, keys=keys,
        outputs=outputs, mechanism_ports=ports, lines=lines, live=live, state_words=state.end, xdot=xdot, work=work,
        renewed=renewed, parameters=parameters, changes=changes, updates=updates, periods=periods,
        inputs=inputs, constants=constants, sources=sources, absolute=absolute, relative=relative, positions=positions,
        calls=calls, mechanism=mechanism, words=tables.end,
    )  # fmt: skip


def draws(placed: Placed) -> bool:
    """Whether a task draws random numbers."""
    return "rng" in placed.contract.methods["step"].arguments


def read_by(scenario: Scenario) -> tuple[list[str], list[str]]:
    """The outputs of the mechanism that models read, at every stage, and those that only tasks read, at ticks."""
    readers: dict[str, set[bool]] = {}
    for placed in scenario.parts.values():
        for connection in placed.inputs.values():
            if isinstance(connection.source, MechanismPort):
                readers.setdefault(connection.source.path, set()).add(placed.is_task)
    for_models = [path for path, are_tasks in readers.items() if False in are_tasks]
    return for_models, [path for path in readers if path not in for_models]


# ---- state ---------------------------------------------------------------------------------------------------------


def _coordinates(scenario: Scenario, state: Stretch) -> tuple[Place | None, Integrated | None]:
    if scenario.mechanism is None:
        return None, None
    integrated = integrated_coordinates(scenario.mechanism.tree, scenario.mechanism_inputs)
    return state.place(coordinates_block(integrated)), integrated


def _state_place(state: Stretch, placed: Placed, sizes: Sizes) -> Place:
    assert placed.contract.state is not None
    return state.declared(placed.contract.state, sizes.states[placed.name])


def _balance_places(scenario: Scenario, state: Stretch) -> dict[str, Place]:
    assert scenario.mechanism is not None
    tree, declared = scenario.mechanism.tree, message_declaration(VehicleBalance)
    first = [
        next(name for name, frame in tree.bodies.items() if frame.link == link) for link in tree.body_link[tree.roots]
    ]
    return {body: state.declared(declared, VehicleBalance()) for body in first}


def _states(scenario: Scenario, integrated: Integrated | None, x: int, places: dict[str, Place]) -> tuple[State, ...]:
    states = []
    if scenario.mechanism is not None and integrated is not None:
        states = [State(*field) for field in coordinate_fields(scenario.mechanism.tree, integrated)]
    states += [
        State(f"{name}.{sized.name}", place.at - x + where.start, declared._replace(field=sized))
        for name, place in places.items()
        for declared, sized, where in zip(place.fields, place.block.fields, place.block.slices, strict=True)
    ]
    return tuple(states)


# ---- messages ------------------------------------------------------------------------------------------------------


def _mechanism_ports(scenario: Scenario) -> dict[str, MechanismPort]:
    """Every output of the mechanism, and the groups that parts read."""
    if scenario.mechanism is None:
        return {}
    ports = output_ports(scenario.mechanism)
    for placed in scenario.parts.values():
        for connection in placed.inputs.values():
            if isinstance(connection.source, MechanismPort):
                ports[connection.source.path] = connection.source
    return ports


def _kept(scenario: Scenario) -> set[Path]:
    """The outputs whose messages outlive a stage: those that are held, and what tasks read in a tick."""
    parts = scenario.parts
    found = {(placed.name, name) for placed in parts.values() if placed.is_held for name in placed.contract.outputs}
    for placed in parts.values():
        sources = [connection.source for connection in placed.inputs.values() if placed.is_task]
        found |= {(source.part, source.name) for source in sources if source is not None}
    return found


def _messages(
    parts: dict[str, Placed], ports: dict[str, MechanismPort], sizes: Sizes
) -> dict[Path, tuple[Declaration, Any]]:
    """Every output port, of parts and of the mechanism: its declaration, and its message before the run."""
    found = {
        (part, port): (message_declaration(parts[part].contract.outputs[port]), message)
        for (part, port), message in sizes.outputs.items()
        if part in parts
    }
    return found | {(port.part, port.name): (port.declaration, mechanism_message(port)) for port in ports.values()}


def _constants(scenario: Scenario, sizes: Sizes, values: Stretch) -> dict[Path, Place]:
    """Constant messages and defaults; an optional input that stays at None has no place."""
    found = {}
    for placed in scenario.parts.values():
        for name, port in placed.contract.inputs.items():
            connection = placed.inputs.get(name)
            if connection is None or connection.source is None:
                _, value = input_message(placed, name, sizes)
                if value is not None:
                    found[placed.name, name] = values.declared(message_declaration(port.message), value)
    return found


def _input_place(
    placed: Placed,
    name: str,
    outputs: dict[Path, Place],
    lines: tuple[DelayLine, ...],
    constants: dict[Path, Place],
) -> Place | None:
    """An input is read where the output that feeds it lies, or at the end of a delay line."""
    connection = placed.inputs.get(name)
    if connection is None or connection.source is None:
        return constants.get((placed.name, name))
    if connection.delay:
        return next(line.seen for line in lines if line.reader == (placed.name, name))
    return outputs[connection.source.part, connection.source.name]


def _mechanism_sources(
    scenario: Scenario, outputs: dict[Path, Place], lines: tuple[DelayLine, ...], values: Stretch
) -> dict[str, list[Place]]:
    sources: dict[str, list[Place]] = {}
    for path, fed in scenario.mechanism_inputs.items():
        sources[path] = []
        for connection in fed.connections:
            if connection.source is None:
                place, told = values.declared(fed.port.declaration, connection.constant), "A constant message"
            else:
                place, told = outputs[connection.source.part, connection.source.name], f"`{connection.source.path}`"
            _check_group(fed.port, told, place)
            if connection.delay:
                place = next(line.seen for line in lines if line.connection is connection)
            sources[path].append(place)
    return sources


def _check_group(port: MechanismPort, source: str, place: Place) -> None:
    """A message for a group has as many elements as the group, in every field."""
    if port.role not in (Role.FORCES_N, Role.GRAVITY, Role.EFFORTS, Role.LOCKS):
        return
    for declared in place.block.fields:
        if declared.shape[0] != len(port.elements):
            raise ShapeError(
                f"{source} does not fit `{port.path}`.\n"
                f"  expected {len(port.elements)} elements\n  got      {declared.shape[0]}"
            )


# ---- delay lines ---------------------------------------------------------------------------------------------------


def _delayed(scenario: Scenario) -> list[tuple[Connection, Path | str]]:
    """Every connection with a delay, and what reads it."""
    found: list[tuple[Connection, Path | str]] = [
        (connection, (placed.name, name))
        for placed in scenario.parts.values()
        for name, connection in placed.inputs.items()
        if connection.delay
    ]
    return found + [
        (connection, path)
        for path, fed in scenario.mechanism_inputs.items()
        for connection in fed.connections
        if connection.delay
    ]


def _is_task(scenario: Scenario, port: Port | MechanismPort) -> bool:
    writer = scenario.parts.get(port.part)
    return writer is not None and writer.is_task


def _lines(
    scenario: Scenario, order: Order, messages: dict[Path, tuple[Declaration, Any]], state: Stretch
) -> tuple[DelayLine, ...]:
    lines = []
    for connection, reader in _delayed(scenario):
        assert connection.source is not None
        source = connection.source.part, connection.source.name
        declared, message = messages[source]
        words, writer = declared.block.sized_like(message).words, connection.writer
        # a line is clocked by the writer if that is a task, else by the reader; what a model has sent is there when the
        # reader's tick begins, so that it sees one message more
        assert writer is not None
        by_writer = _is_task(scenario, writer)
        is_model = not by_writer and not _is_task(scenario, connection.source)
        length = connection.delay + int(is_model)
        if length * words > _LONGEST_LINE:
            target = reader if isinstance(reader, str) else ".".join(reader)
            raise WiringError(
                f"The delay from `{connection.source.path}` to `{target}` is {shown(connection.delay)} ticks, which is "
                f"too long to keep.\n  Use at most {_LONGEST_LINE // words - 1} ticks, or a slower task."
            )
        clock = order.tasks.index(writer.part if by_writer else reader[0])
        seen, ring, notes = state.declared(declared, message), state.reserve((length - 1) * words), state.reserve(2)
        lines.append(DelayLine(source, seen, ring, length, clock, notes, is_model, connection, reader))
    return tuple(lines)


# ---- parameters that change ----------------------------------------------------------------------------------------


class _Value(NamedTuple):
    """A value of a parameter as a block of its own."""

    value: Any


def _change(change: Change, parameters: dict[str, Place], values: Stretch) -> PlacedChange:
    place = parameters[change.part]
    field = next(field for field in place.block.fields if field.name == change.parameter)
    return PlacedChange(
        change, values.place(Block(_Value, (field._replace(name="value"),))), place.word(change.parameter)
    )


def _update(change: Change, parameters: dict[str, Place], outputs: dict[Path, Place]) -> Update:
    assert change.source is not None
    place, source = parameters[change.part], outputs[change.source.part, change.source.name]
    field = next(field for field in place.block.fields if field.name == change.parameter)
    sent = source.block.fields[0]
    if sent.shape != field.shape:
        raise ShapeError(
            f"`{change.source.path}.{sent.name}` does not fit `{change.path}`.\n"
            f"  expected {field.shape}\n  got      {sent.shape}"
        )
    return Update(change.source.part, source.at, place.word(change.parameter), field.words)
