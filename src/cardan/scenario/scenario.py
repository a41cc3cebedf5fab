"""`Scenario`: parts and the connections between them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from cardan.contracts.definitions import check_current
from cardan.contracts.message import is_message, message_declaration
from cardan.contracts.part import PartContract, contract_of
from cardan.ephemeris import Epoch
from cardan.errors import (
    CardanError,
    DuplicateName,
    FrozenScenario,
    MessageTypeError,
    PeriodError,
    SettingError,
    UnknownName,
    UnknownPort,
    WiringError,
    advice_if_defined_again,
    did_you_mean,
    told_apart,
    with_article,
)
from cardan.mechanism import Mechanism
from cardan.mechanism.ports import HOLDING_INPUTS, MechanismPort, Role
from cardan.scenario.changes import Change, by_message, scheduled
from cardan.scenario.clock import nanoseconds
from cardan.scenario.outside import OUTPUT, OutsideInput, outside_contract
from cardan.scenario.placed import MechanismInput, Placed, element_names, part_named, with_parameter
from cardan.scenario.ports import Connection, Delayed, PartHandle, Port, as_connection, check_owner, no_such_port

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_/-]*")


class Scenario:
    """Parts and their connections. It checks itself as it is built, and is frozen once a simulation is made of it.

    Args:
        name: What it is called in logs and diagrams.
        mechanism: The bodies and joints that its parts act on, if it has any.
        seed: All random numbers of a run follow from it.
        epoch: When time zero is, as an `Epoch` or in UTC, `2024-03-20T03:06:24Z`; logs then know UTC. Tables of the
            environment are made for an epoch of their own: give them this one.
    """

    def __init__(
        self,
        name: str = "scenario",
        *,
        mechanism: Mechanism | None = None,
        seed: int = 0,
        epoch: Epoch | str | None = None,
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self._parts: dict[str, Placed] = {}
        self._mechanism_inputs: dict[str, MechanismInput] = {}
        self._initial_states: dict[str, Any] = {}
        self._left_open: set[str] = set()
        self._changes: list[Change] = []
        self._frozen = False
        self.seed = seed
        self.epoch = Epoch(epoch) if isinstance(epoch, str) else epoch

    # ---- building ------------------------------------------------------------------------------------------------

    def add(
        self,
        part: Any,
        *,
        name: str | None = None,
        every: float | None = None,
        offset: float = 0.0,
        initial: Any = None,
        **inputs: Any,
    ) -> PartHandle:
        """Add a part, wired as a function is called: `scn.add(part, name="ctl", every=0.1, error=err.error)`.

        Args:
            part: A model or a task.
            name: What it is called; the class's name in lower case if left out.
            every: [s] Period of a task.
            offset: [s] Time of a task's first tick.
            initial: State of a model or memory of a task at reset, instead of the class's own.
            **inputs: For each input an output port, a delayed one, or a constant message. What is not ready yet can be
                connected later with `connect`. A part that passes on any message is told here which one: by a source,
                or by the class of the messages, `message=WheelTorques`.
        """
        self._check_open(f"add `{name or type(part).__name__}`")
        contract = contract_of(part)
        if isinstance(part, type):
            raise WiringError(f"`{part.__name__}` is a class.\n  Make a part of it: `{part.__name__}(...)`.")
        name = name or re.sub(r"(?<!^)(?=[A-Z])", "_", contract.label).lower()
        contract, inputs = _specialised(contract, name, inputs)
        self._check_name(name, contract.label)

        check_current(contract, name)
        period, first = _read_times(name, contract, every, offset)
        if initial is not None:
            if contract.state is None:
                raise WiringError(f"`{name}` ({contract.label}) has no state, so it takes no `initial`.")
            initial = contract.state.take(initial, f"{name}.initial")
        self._parts[name] = Placed(name, contract.take(part, name), contract, period, first, initial, {})
        handle = PartHandle(self, name, contract)
        try:
            for port, source in inputs.items():
                if port not in contract.inputs and port not in contract.outputs:
                    raise UnknownPort(no_such_port(name, contract, port))
                self.connect(source, getattr(handle, port))
        except CardanError:
            del self._parts[name]
            raise
        return handle

    def input(self, name: str, message: Any) -> Port:
        """A port that is fed from outside the scenario, by `Simulation.give`, and holds what it was given.

        Args:
            name: Of the input, among the names of parts.
            message: What it carries until something is given; or its class, where something must be given first.
        """
        self._check_open(f"add the input `{name}`")
        contract, first = outside_contract(name, message)
        self._check_name(name, "input")
        self._parts[name] = Placed(name, OutsideInput(), contract, 0, 0, first, {})
        return Port(name, OUTPUT, contract.outputs[OUTPUT], True, self)

    def replace_input(self, name: str, source: Port) -> None:
        """Let an output take the place of an input from outside: a task where a script or a learner was.

        Args:
            name: Of the input, which is gone then.
            source: An output with the same message.
        """
        from cardan.scenario.intercept import readers_of

        self._check_open(f"replace the input `{name}`")
        placed = self._parts.get(name)
        if placed is None or not placed.is_outside:
            inputs = [each for each, part in self._parts.items() if part.is_outside]
            raise UnknownName(
                f"`{name}` is not an input of scenario `{self.name}`.{did_you_mean(name, inputs)}\n"
                f"  inputs: {', '.join(inputs) or 'none'}"
            )
        port = Port(name, OUTPUT, placed.contract.outputs[OUTPUT], True, self)
        if not isinstance(source, Port) or not source.is_output or source.message is not port.message:
            carried = source.message.__name__ if isinstance(source, Port) else repr(source)
            raise MessageTypeError(
                f"The input `{name}` carries {port.message.__name__}; it cannot be replaced by {carried}.\n"
                "  Give an output with the same message, e.g. `ctl.command`."
            )
        check_owner(self, source, f"than `{self.name}`")
        for reader in readers_of(self, port):
            connection = reader.connection
            if connection.source is not None and connection.source.path == port.path:
                reader.held_in[reader.key] = replace(connection, source=source)
        for each in self._parts.values():  # parts that were put between read it by a connection of their own
            for key, connection in each.inputs.items():
                if connection.source is not None and connection.source.path == port.path:
                    each.inputs[key] = replace(connection, source=source)
        del self._parts[name]

    def intercept(
        self,
        port: Port | MechanismPort | Delayed,
        part: Any,
        *,
        name: str | None = None,
        every: float | None = None,
        offset: float = 0.0,
        initial: Any = None,
        readers: Port | MechanismPort | Iterable[Port | MechanismPort] | None = None,
        input: str | None = None,
        output: str | None = None,
        **inputs: Any,
    ) -> PartHandle:
        """Put a part between an output and its readers: it takes their message and gives one of the same class.

        Writer and readers stay as they are, and so do delays of the readers. The readers are those that are connected
        so far; whoever is connected later reads the port itself. A port can be intercepted again: each part stands
        nearer to the readers than those before it, so that messages pass them in the order in which they were added.

        Args:
            port: An output of a part or of the mechanism, or an input from outside; the part may read a delayed one.
            part: A model or a task, often one that passes on any message. Between two tasks, a task with the period of
                the first passes on a message within the tick; a model passes on what was held before it.
            name: What it is called; the class's name in lower case if left out.
            every: [s] Period of a task.
            offset: [s] Time of a task's first tick.
            initial: State of a model or memory of a task at reset, instead of the class's own.
            readers: The inputs that are to read the part instead; by default all that read the port.
            input: The input of the part that reads the port, where several take its message.
            output: The output of the part that is read instead, where several send the message.
            **inputs: For other inputs of the part, as in `add`.
        """
        from cardan.scenario.intercept import interception

        self._check_open(f"intercept `{getattr(port, 'path', port)}`")
        found = interception(self, port, part, readers, input, output, inputs)
        wired = {found.input: found.source} | inputs
        handle = self.add(part, name=name, every=every, offset=offset, initial=initial, **wired)
        found.rewire(self, handle)
        return handle

    def connect(self, source: Any, target: Port | MechanismPort, *, delay: int = 0, initial: Any = None) -> None:
        """Feed the input `target` from `source`: an output port, or a constant message.

        Args:
            source: Where the message comes from.
            target: The input it goes to. It takes one source, except forces and efforts on a mechanism, which sum.
            delay: [ticks] How late the reader sees it: ticks of the writer if that is a task, else of the reader.
            initial: With a delay: the message the reader sees before the first one arrives.
        """
        if not isinstance(target, Port | MechanismPort) or target.is_output:
            is_port = isinstance(target, Port | MechanismPort)
            shown = f"`{target.path}`, which is an output" if is_port else repr(target)
            raise WiringError(f"Cannot connect into {shown}.\n  Connect into an input port, e.g. `motor.command`.")
        self._check_open(f"connect `{target.path}`")
        if isinstance(target, MechanismPort):
            self._connect_mechanism(source, target, delay, initial)
            return
        if target.scenario is not self:
            raise WiringError(
                f"`{target.path}` belongs to scenario `{target.scenario.name}`.\n"
                f"  Connect it there; this is scenario `{self.name}`."
            )
        placed = self._parts[target.part]
        if target.name in placed.inputs:
            present = placed.inputs[target.name].source
            raise WiringError(
                f"`{target.path}` is fed already, by {f'`{present.path}`' if present else 'a constant message'}.\n"
                "  An input takes one source."
            )
        connection = as_connection(self, source, target, delay, initial)
        self._check_message(connection, target)
        if connection.source and connection.delay and not (placed.is_task or self._is_task(connection.source)):
            raise WiringError(
                f"The connection from `{connection.source.path}` to `{target.path}` has a delay, but no end ticks.\n"
                "  A delay counts ticks: one end must be a task."
            )
        placed.inputs[target.name] = self._with_taken_messages(connection, target)

    def set(self, path: str, value: Any) -> None:
        """Change a parameter before the run: `scn.set("ctl.K", 5.0)`."""
        self._check_open(f"set `{path}`")
        changed = with_parameter(self._parts, path, value)
        self._parts[changed.name] = changed

    def change(self, path: str, value: Any = None, *, at: float | None = None, by: Port | None = None) -> None:
        """Let a parameter change during the run: `scn.change("ctl.K", 5.0, at=120.0)`, or by message.

        From then on the new value acts, as the output of a task does: on models from that time on, and on tasks at that
        very tick.

        Args:
            path: Of the parameter, `part.parameter`.
            value: Its value from `at` on, checked as `set` does.
            at: [s] When it changes; a parameter may change several times.
            by: Instead of value and time: an output of a task, or an input from outside, with a message of one field.
                Each message is the new value.
        """
        self._check_open(f"change `{path}`")
        is_complete = value is None and at is None if by is not None else value is not None and at is not None
        if not is_complete:
            raise SettingError(
                f"It is not clear how `{path}` changes.\n"
                f'  Say a value and when, `scn.change("{path}", value, at=120.0)`, or `by=` which output.'
            )
        change = scheduled(self, path, value, at) if by is None else by_message(self, path, by)
        self._changes = sorted([*self._changes, change], key=lambda each: each.at)

    def start(self, states: Mapping[Any, Any]) -> None:
        """How the mechanism starts: `{bus: FrameMotion(...), hinge: HingeState(...)}`; by default as its file has it.

        Args:
            states: For bodies that fly freely a `FrameMotion`; for joints their state; by element or by name.
        """
        self._check_open("change how the mechanism starts")
        if self.mechanism is None:
            raise WiringError(f"Scenario `{self.name}` has no mechanism, so there is nothing to start.")
        for element, state in states.items():
            name = element if isinstance(element, str) else element.name
            self._initial_states[name] = state

    def leave_open(self, *ports: Port | MechanismPort) -> None:
        """Say that outputs of tasks, or commands of actuators, are meant to have no connection: no warning of them."""
        for port in ports:
            is_output = isinstance(port, Port) and port.is_output
            if not is_output and not (isinstance(port, MechanismPort) and port.role is Role.COMMAND):
                raise WiringError(
                    f"{getattr(port, 'path', port)!r} cannot be left open.\n"
                    "  Give outputs of tasks, such as `ctl.torque`, or commands of actuators."
                )
            check_owner(self, port, f"than `{self.name}`")
            self._left_open.add(port.path)

    def freeze(self) -> None:
        """No more changes: a simulation relies on it."""
        self._frozen = True

    # ---- looking -------------------------------------------------------------------------------------------------

    @property
    def seed(self) -> int:
        """All random numbers of a run follow from it."""
        return self._seed

    @seed.setter
    def seed(self, seed: int) -> None:
        self._check_open("change the seed")
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise SettingError(f"The seed of scenario `{self.name}` is {seed!r}.\n  Use a whole number.")
        self._seed = seed

    @property
    def parts(self) -> dict[str, Placed]:
        """The parts by name, in the order they were added."""
        return dict(self._parts)

    @property
    def mechanism_inputs(self) -> dict[str, "MechanismInput"]:
        """What acts on the mechanism, by path."""
        return dict(self._mechanism_inputs)

    @property
    def initial_states(self) -> dict[str, Any]:
        """How elements of the mechanism start, by name."""
        return dict(self._initial_states)

    @property
    def changes(self) -> "tuple[Change, ...]":
        """The parameters that change during a run, in order of time; those that change by message first."""
        return tuple(self._changes)

    @property
    def left_open(self) -> frozenset[str]:
        """The paths of what is meant to have no connection."""
        return frozenset(self._left_open)

    def __getitem__(self, name: str) -> PartHandle:
        """The part of this name, as `add` returned it."""
        return PartHandle(self, name, self._part_named(name, name).contract)

    def __iter__(self) -> Iterator[PartHandle]:
        return (self[name] for name in self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __str__(self) -> str:
        from cardan.scenario.describe import table

        return table(self)

    def __repr__(self) -> str:
        return f"<scenario {self.name}: {len(self._parts)} part{'' if len(self._parts) == 1 else 's'}>"

    def draw(self, path: str | Path) -> Path:
        """Write the block diagram of parts and messages as an SVG file."""
        from cardan.scenario.draw import draw

        return draw(self, Path(path))

    def check(self) -> None:
        """Raise if an input has no source or outputs need each other at the same instant."""
        from cardan.scenario.order import evaluation_order

        evaluation_order(self)

    # ---- details -------------------------------------------------------------------------------------------------

    def _part_named(self, name: str, path: str) -> Placed:
        return part_named(self._parts, name, path)

    def _check_name(self, name: Any, label: str) -> None:
        """A name that a new part may have."""
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise WiringError(
                f"`{name}` cannot be a part's name.\n  Use letters, digits, `_`, `-` and `/`, a letter first."
            )
        if self.mechanism is not None and name in element_names(self.mechanism):
            raise DuplicateName(
                f"`{name}` is an element of `{self.mechanism.name}`, so no part can have that name.\n"
                "  Name the part otherwise."
            )
        if name in self._parts:
            taken = self._parts[name].contract.label
            again = " If this runs again, make the scenario again first." if taken == label else ""
            raise DuplicateName(
                f"There are two parts named `{name}`: {taken} and {label}.\n  Name one otherwise.{again}"
            )

    def _is_task(self, port: Port | MechanismPort) -> bool:
        return isinstance(port, Port) and self._parts[port.part].is_task

    def _connect_mechanism(self, source: Any, target: MechanismPort, delay: int, initial: Any) -> None:
        check_owner(self, target, "")
        connection = as_connection(self, source, target, delay, initial)
        self._check_message(connection, target)
        if isinstance(connection.source, MechanismPort):
            raise WiringError(
                f"`{connection.source.path}` cannot feed `{target.path}` directly: both belong to the mechanism.\n"
                "  Put a part between them that says how one follows from the other."
            )
        if connection.delay and not (connection.source and self._is_task(connection.source)):
            raise WiringError(
                f"The connection to `{target.path}` has a delay, but no end ticks.\n"
                "  A delay counts ticks: one end must be a task."
            )
        self._check_held_once(target)
        present = self._mechanism_inputs.setdefault(target.path, MechanismInput(target, []))
        if present.connections and not target.is_summed:
            raise WiringError(f"`{target.path}` is fed already.\n  Only forces, torques and efforts sum.")
        taken = self._with_taken_messages(connection, target)
        present.connections.append(taken)

    def _check_held_once(self, target: MechanismPort) -> None:
        """A joint is locked or prescribed through one port alone."""
        if target.role not in HOLDING_INPUTS:
            return
        for path, present in self._mechanism_inputs.items():
            shared = set(present.port.elements) & set(target.elements)
            if path != target.path and present.port.role in HOLDING_INPUTS and shared:
                raise WiringError(
                    f"`{target.path}` and `{path}` both say how `{min(shared)}` moves.\n  Connect one of the two."
                )

    def _check_open(self, what: str) -> None:
        if self._frozen:
            raise FrozenScenario(
                f"Cannot {what}: a simulation of scenario `{self.name}` exists already.\n"
                "  Change the scenario before making a Simulation of it, or build another one."
            )

    def _check_message(self, connection: Connection, target: Port | MechanismPort) -> None:
        if connection.source is not None:
            if connection.source.message is target.message:
                return
            width = max(len(connection.source.path), len(target.path))
            sent, accepted = told_apart(connection.source.message, target.message)
            raise MessageTypeError(
                f"Cannot connect `{connection.source.path}` to `{target.path}`.\n"
                f"  {f'`{connection.source.path}`':{width + 2}} sends   {sent}\n"
                f"  {f'`{target.path}`':{width + 2}} accepts {accepted}"
                f"{advice_if_defined_again(connection.source.message, target.message)}"
            )
        if not is_message(type(connection.constant)):
            wanted = with_article(target.message.__name__)
            raise WiringError(
                f"`{target.path}` cannot be fed from {connection.constant!r}.\n"
                f"  Give an output port that sends {wanted}, or {wanted} itself."
            )
        if type(connection.constant) is not target.message:
            sent, accepted = told_apart(type(connection.constant), target.message)
            raise MessageTypeError(
                f"Cannot feed `{target.path}` with a constant {sent}.\n  It accepts {accepted}."
                f"{advice_if_defined_again(type(connection.constant), target.message)}"
            )

    def _with_taken_messages(self, connection: Connection, target: Port | MechanismPort) -> Connection:
        declared = message_declaration(target.message)
        taken = {
            what: declared.take(value, f"{target.path} ({what})")
            for what, value in (("constant", connection.constant), ("initial", connection.initial))
            if value is not None
        }
        return replace(connection, **taken)


def _specialised(contract: PartContract, name: str, inputs: dict[str, Any]) -> tuple[PartContract, dict[str, Any]]:
    """The contract for the message that a part passes on, and the inputs that have a source."""
    generic = contract.generic_inputs
    if not generic:
        return contract, inputs
    sources = [inputs[port] for port in generic if port in inputs]
    carried = next(iter(map(_carried, sources)), None)
    if carried is None:
        raise WiringError(
            f"`{name}` ({contract.label}) passes on any message, and nothing says which.\n"
            f"  Give `{generic[0]}` a source, or the class of its messages: `scn.add(..., {generic[0]}=WheelTorques)`."
        )
    return contract.of(carried), {port: source for port, source in inputs.items() if not _is_class(source)}


def _carried(source: Any) -> Any:
    """The class of the messages that come from a source, or None if it is none."""
    source = source.port if isinstance(source, Delayed) else source
    if isinstance(source, Port | MechanismPort):
        return source.message
    cls = source if isinstance(source, type) else type(source)
    return cls if is_message(cls) else None


def _is_class(source: Any) -> bool:
    return isinstance(source, type) and is_message(source)


def _read_times(name: str, contract: PartContract, every: float | None, offset: float) -> tuple[int, int]:
    """[ns] Period and first tick of a part; (0, 0) for a model."""
    if contract.kind == "model":
        if every is not None or offset:
            raise PeriodError(
                f"`{name}` ({contract.label}) is a model: it is evaluated at every stage and has no period.\n"
                "  Remove `every` and `offset`, or declare the class with `@task`."
            )
        return 0, 0
    if every is None:
        raise PeriodError(f"`{name}` ({contract.label}) is a task and needs a period.\n  Add e.g. `every=0.1` [s].")
    period = nanoseconds(every, f"The period of `{name}`")
    first = nanoseconds(offset, f"The offset of `{name}`")
    if period <= 0:
        raise PeriodError(f"`{name}` runs every {every!r} s.\n  Use a positive period.")
    if first < 0:
        raise PeriodError(f"`{name}` has its first tick at {offset!r} s.\n  Use an offset that is not negative.")
    return period, first
