"""A scenario laid out in memory: one arena, and for every method the call that reads and writes it.

The arena begins with all that changes during a run (clock, states, memories, messages, delay lines): that region is a
snapshot. After it come what stays fixed (parameters, constants, contexts) and the integrator's own room.
"""

import hashlib
import inspect
import math
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cardan.contracts.calls import KEY_BLOCK, PERIOD_BLOCK, Period, method_call, result_places
from cardan.contracts.dynamics import Dynamics
from cardan.contracts.fields import Declaration, FieldDeclaration
from cardan.contracts.message import message_declaration
from cardan.contracts.part import Method
from cardan.contracts.wake_up import WakeUp
from cardan.errors import NotFinite, ShapeError, WiringError, shown
from cardan.maths.random import RandomKey, stream_of
from cardan.mechanism import plumbing
from cardan.mechanism.coordinates import (
    coordinate_fields,
    coordinates_block,
    initial_coordinates,
    integrated_coordinates,
)
from cardan.mechanism.outputs import output_ports
from cardan.mechanism.plumbing.memory import MechanismMemory
from cardan.mechanism.ports import DYNAMIC, MechanismPort, Role
from cardan.messages.mechanism import VehicleBalance
from cardan.native.compilation import Compilation
from cardan.native.entry import Call, entry_compilation, entry_source, kernel_compilation
from cardan.native.layout import Block
from cardan.native.pointers import WORD
from cardan.native.python_entry import CALLBACK, PythonEntry, PythonKernel
from cardan.scenario.clock import seconds
from cardan.scenario.order import DYNAMICS, KINEMATICS, Order, Output, evaluation_order
from cardan.scenario.ports import Connection
from cardan.scenario.scenario import Placed, Scenario
from cardan.scenario.sizes import Sizes, find_sizes, input_message, mechanism_message
from cardan.simulation import core


class Place(NamedTuple):
    """A value in the arena.

    Attributes:
        at: Its first word.
        block: Its layout, all sizes known.
        fields: Its fields with unit and frame; empty for what nobody records.
    """

    at: int
    block: Block
    fields: tuple[FieldDeclaration, ...] = ()

    def words(self, arena: np.ndarray) -> np.ndarray:
        return arena[self.at : self.at + self.block.words]

    def word(self, name: str) -> int:
        """Where a field of it begins."""
        names = [field.name for field in self.block.fields]
        return self.at + int(self.block.slices[names.index(name)].start)


@dataclass
class Row:
    """One method of one part, ready to be called.

    Attributes:
        path: `part.method`, for errors.
        call: The method and its blocks.
        places: Where the blocks lie, in the order of the context.
        context: The word at which its context lies.
        jit: Whether it runs as native code.
        compilations: Of entries by method, text and types, shared by the rows of a program.
    """

    path: str
    call: Call
    places: list[Place]
    context: int
    jit: bool
    compilations: dict[tuple[Any, ...], Compilation]
    _python: PythonEntry | None = field(default=None, repr=False)
    _address: int = field(default=0, repr=False)

    @property
    def python(self) -> PythonEntry:
        """The method itself, over the same memory."""
        if self._python is None:
            self._python = PythonEntry(self.call, _status_at(self.context))
        return self._python

    @property
    def address(self) -> int:
        """The entry; compiled when it is first asked for."""
        if not self.jit:
            return self.python.address
        if not self._address:
            self._address = self.compilation.compile()
        return self._address

    @cached_property
    def compilation(self) -> Compilation:
        """What makes the entry native code."""
        known = self.call.method, entry_source(self.call), *(block.type for block in self.call.blocks)
        if known not in self.compilations:
            self.compilations[known] = entry_compilation(self.call)
        return self.compilations[known]

    def evaluate(self, t: float, arena: np.ndarray) -> None:
        """Run it once, outside a run."""
        self.python(t, arena.ctypes.data + WORD * self.context)


@dataclass
class ServiceRow:
    """One function of a dynamics service, ready to be called.

    Attributes:
        path: What it is called in errors.
        function: The function.
        context: The word at which its context lies.
        jit: Whether it runs as native code.
    """

    path: str
    function: Callable[..., int]
    context: int
    jit: bool

    @cached_property
    def python(self) -> PythonKernel:
        """The function itself, over the same memory."""
        return PythonKernel(self.function, _status_at(self.context))

    @cached_property
    def address(self) -> int:
        """The native function; compiled when it is first asked for."""
        return self.compilation.compile() if self.jit else self.python.address

    @cached_property
    def compilation(self) -> Compilation:
        """What makes the function native code."""
        return kernel_compilation(self.path, self.function)

    def evaluate(self, t: float, arena: np.ndarray) -> int:
        """Run it once, outside a run; returns its status."""
        run = CALLBACK(self.address) if self.jit else self.function
        return int(run(t, arena.ctypes.data + WORD * self.context))


def _status_at(context: int) -> int:
    """[bytes] Where a call in the interpreter leaves its status, counted from its context."""
    return WORD * (core.FAIL_STATUS - context)


AnyRow = Row | ServiceRow
PUBLISH: Output = ("", "publish")
PUBLISH_FOR_TASKS: Output = ("", "publish for tasks")
CHECK: Output = ("", "check")


class State(NamedTuple):
    """One field of the continuous state: its path, its first place in the state, and its declaration."""

    path: str
    start: int
    declared: FieldDeclaration


_LONGEST_LINE = 2**24  # words in a delay line: 128 MB, of which a simulation and its snapshots have several


def breaks_of(placed: Placed) -> list[float]:
    """[s] When a part says that it is not smooth; infinity is never."""
    path = f"{placed.name}.breaks"
    try:
        said = placed.part.breaks()
    except Exception as error:
        error.add_note(f"in `{path}`")
        raise
    try:
        times = np.asarray(said)
    except (TypeError, ValueError):  # lists of lists of different lengths
        times = np.empty((0, 0))
    if times.ndim != 1 or times.dtype.kind not in "iuf":
        raise ShapeError(f"`{path}` returned {shown(said)}.\n  expected times [s], e.g. `np.array([1.0, 2.5])`")
    if np.isnan(times).any():
        raise NotFinite(f"`{path}` returned nan: {shown(said)}.\n  Return finite times [s]; inf for never.")
    return [float(t) for t in times]


class Program:
    """The layout of a scenario, its rows, and the arena as it is before a run."""

    def __init__(
        self, scenario: Scenario, dynamics: Dynamics | None, *, jit: bool, work_words: int, is_audited: bool = False
    ) -> None:
        self.scenario = scenario
        self._is_audited = is_audited
        self._dynamics = dynamics
        self.order: Order = evaluation_order(scenario)
        self._sizes: Sizes = find_sizes(scenario)
        self._parts = scenario.parts
        self._jit = jit and os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")
        self._compilations: dict[tuple[Any, ...], Compilation] = {}
        self._values: list[tuple[Place, Any]] = []
        self._end = core.HEADER

        self.due = self._reserve(len(self.order.tasks))
        self._lay_out_states()
        self.memories = {p.name: self._state_place(p) for p in self._tasks() if p.contract.state}
        self.keys = {p.name: self._place(KEY_BLOCK, self._key(p)) for p in self._tasks() if self._draws(p)}
        self.mechanism_ports = self._find_mechanism_ports()
        self.outputs = {path: self._output_place(path) for path in self._output_paths()}
        self.delays: list[tuple[int, int, int, int, int, int]] = []
        self._written_models: list[int] = []
        self._rings: list[tuple[Place, int, int]] = []
        self.inputs: dict[tuple[str, str], Place | None] = {}
        self._lay_out_connected_inputs()
        self.sources = self._mechanism_sources()
        self.state_words = self._end

        self._lay_out_constant_inputs()
        self.parameters = {p.name: self._parameters_place(p) for p in self._parts.values()}
        self.rows: dict[Output, AnyRow] = {
            (placed.name, method.name): self._row(placed, method)
            for placed in self._parts.values()
            for method in placed.contract.methods.values()
        }
        self.mechanism = self._lay_out_mechanism()
        self.absolute = self._reserve(self.size)
        self.relative = self._reserve(self.size)
        self.positions = self._reserve(self.size)
        self.work = self._reserve(work_words * self.size)
        self.breaks = self._find_breaks()

    # ---- the arena -----------------------------------------------------------------------------------------------

    def new_arena(self) -> np.ndarray:
        """A fresh arena with parameters, initial states and initial messages in place."""
        arena = np.zeros(self._end)
        arena[core.STAGE_TIME] = -1.0
        for place, value in self._values:
            place.block.pack(value, place.words(arena))
        for seen, at, messages in self._rings:
            size = seen.block.words
            arena[at : at + messages * size].reshape(messages, size)[:] = seen.words(arena)
        ints = arena.view(np.int64)
        for row in self.rows.values():
            if isinstance(row, ServiceRow):
                continue
            words = row.call.context(row.context, [place.at for place in row.places])
            ints[row.context : row.context + len(words)] = words
        for i, name in enumerate(self.order.tasks):
            ints[self.due + i] = self._parts[name].offset
        ints[self._written_models] = 1
        for state in self.states:
            if state.declared.is_position:
                arena[self.positions + state.start : self.positions + state.start + state.declared.field.words] = 1.0
        if self.mechanism is not None:
            self.mechanism.write(arena)
        return arena

    @cached_property
    def fingerprint(self) -> str:
        """Tells scenarios with another memory layout, parts or rates apart."""
        parts = [(p.name, p.contract.type.__qualname__, p.period, p.offset) for p in self._parts.values()]
        layout = [(path, place.at, place.block.fields) for path, place in self.recordable().items()]
        return hashlib.sha256(repr((parts, layout, self.delays)).encode()).hexdigest()

    def recordable(self) -> dict[str, Place]:
        """What can be recorded, by path: outputs, states, memories, then inputs."""
        found = {f"{part}.{port}": place for (part, port), place in self.outputs.items()}
        found |= {f"{part}.state": place for part, place in self.state_places.items()}
        found |= {f"{part}.memory": place for part, place in self.memories.items()}
        found |= {f"{body}.balance": place for body, place in self.balances.items()}
        return found

    def recordable_inputs(self) -> dict[str, Place]:
        """The inputs that carry something, by path."""
        return {f"{part}.{port}": place for (part, port), place in self.inputs.items() if place is not None}

    # ---- tables --------------------------------------------------------------------------------------------------

    def stage_rows(self) -> list[AnyRow]:
        """What every stage evaluates: outputs that rates depend on, with the mechanism's services, then the rates."""
        wanted = [output for output in self.order.outputs if output in self.order.stage_outputs]
        if CHECK in self.rows and DYNAMICS in wanted:
            wanted.insert(wanted.index(DYNAMICS) + 1, CHECK)
        outputs = [self.rows[output] for output in wanted]
        return outputs + [row for (_, method), row in self.rows.items() if method == "derivatives"]

    def timed_rows(self) -> list[AnyRow]:
        """Outputs that depend on time alone, directly and through others."""
        found: set[Output] = set()
        for part, name in self.order.outputs:
            placed = self._parts.get(part)
            if placed is not None and all(
                argument == "t" or self._is_timed(placed, argument, found)
                for argument in placed.contract.methods[name].arguments
            ):
                found.add((part, name))
        return [self.rows[output] for output in found]

    def _is_timed(self, placed: Placed, argument: str, timed: set[Output]) -> bool:
        """Whether an argument is a constant, or comes from an output that depends on time alone."""
        if argument == "x":
            return False
        connection = placed.inputs.get(argument)
        source = connection.source if connection is not None else None
        return source is None or (source.part, source.name) in timed

    def tick_rows(self, recorded: Iterable[str]) -> list[tuple[AnyRow, int]]:
        """Outputs that a tick evaluates, each with who wants it."""
        recorded = list(recorded)
        wanted = self.order.behind(self._node(path) for path in recorded)
        rows = []
        for output in self.order.outputs:
            mask = core.FOR_TASKS * (output in self.order.task_outputs) | core.FOR_RECORDER * (output in wanted)
            if mask:
                rows.append((self.rows[output], mask))
        if PUBLISH_FOR_TASKS in self.rows:
            # an input that is recorded is one of these messages
            is_recorded = any(path in self.recordable_inputs() for path in recorded)
            rows.append((self.rows[PUBLISH_FOR_TASKS], core.FOR_TASKS | core.FOR_RECORDER * is_recorded))
        if self.mechanism is not None and any(path in self.mechanism_ports for path in recorded):
            rows.append((self.rows[PUBLISH], core.FOR_RECORDER))
        return rows

    def settled_rows(self, recorded: Iterable[str]) -> list[AnyRow]:
        """What a tick evaluates for its tasks and the first stage after it would only evaluate again."""
        ticks = self.tick_rows(recorded)
        if any(row is self.rows.get(DYNAMICS) for row, _ in ticks):
            return []  # a service may leave its kinematics different once it has gone on to the dynamics
        steady = [self.rows[output] for output in self.order.outputs if output in self.order.steady]
        return [row for row, mask in ticks if mask & core.FOR_TASKS and any(row is other for other in steady)]

    def rows_behind(self, path: str) -> list[AnyRow]:
        """What to evaluate, in order, so that what lies at `path` is up to date."""
        wanted = self.order.behind([self._node(path)])
        rows = [self.rows[output] for output in self.order.outputs if output in wanted]
        if PUBLISH_FOR_TASKS in self.rows and path in self.recordable_inputs():
            rows.append(self.rows[PUBLISH_FOR_TASKS])
        return rows + ([self.rows[PUBLISH]] if path in self.mechanism_ports else [])

    def task_rows(self) -> list[AnyRow]:
        return [self.rows[name, "step"] for name in self.order.tasks]

    def wake_up_word(self, task: str) -> int:
        """Where the delay [s] of the tick that a task asks for lies; -1 for a task that never asks."""
        for name, message in self._parts[task].contract.outputs.items():
            if message is WakeUp:
                return self.outputs[task, name].at
        return -1

    def _find_breaks(self) -> list[int]:
        """[ns] Just before and just after each instant at which a part says that it is not smooth."""
        said = [breaks_of(p) for p in self._parts.values() if inspect.isfunction(getattr(type(p.part), "breaks", None))]
        # what lies beyond the clock never comes
        instants = sorted(core.NANO * t for times in said for t in times if abs(core.NANO * t) < 2.0**62)
        found: list[int] = []
        for instant in instants:
            before = math.ceil(instant) - 1
            # instants that differ by rounding alone are one
            if not found or before - found[-1] > 1000:
                found += [before, before + core.BREAK]
            else:
                found[-1] = before + core.BREAK
        return [at for at in found if at > 0]

    def projection_rows(self) -> list[AnyRow]:
        return [row for (_, method), row in self.rows.items() if method == "project"]

    def _node(self, path: str) -> Output:
        """The node of the order that what lies at `path` comes from."""
        part, _, port = path.rpartition(".")
        if port == "balance" and part in self.balances:
            return (part, port)
        if path in self.mechanism_ports:
            return DYNAMICS if self.mechanism_ports[path].role in DYNAMIC else KINEMATICS
        connection = self._parts[part].inputs.get(port)
        source = connection.source if connection else None
        if isinstance(source, MechanismPort):
            return self._node(source.path)
        return (source.part, source.name) if source else (part, port)

    # ---- layout --------------------------------------------------------------------------------------------------

    def _reserve(self, words: int) -> int:
        at, self._end = self._end, self._end + words
        return at

    def _place(self, block: Block, value: Any, fields: tuple[FieldDeclaration, ...] = ()) -> Place:
        place = Place(self._reserve(block.words), block, fields)
        self._values.append((place, value))
        return place

    def _declared_place(self, declared: Declaration, value: Any) -> Place:
        return self._place(declared.block.sized_like(value), value, declared.fields)

    def _tasks(self) -> list[Placed]:
        return [self._parts[name] for name in self.order.tasks]

    def _state_place(self, placed: Placed) -> Place:
        assert placed.contract.state is not None
        return self._declared_place(placed.contract.state, self._sizes.states[placed.name])

    def _lay_out_states(self) -> None:
        """All continuous states side by side, then their rates in the same order; the mechanism's come first."""
        models = [p for p in self._parts.values() if p.contract.state and not p.is_task]
        self.x = self._end
        mechanism = self.scenario.mechanism
        self.coordinates: Place | None = None
        if mechanism is not None:
            self.integrated = integrated_coordinates(mechanism.tree, self.scenario.mechanism_inputs)
            self.start = initial_coordinates(mechanism, self.integrated, self.scenario.initial_states)
            self.coordinates = self._place(coordinates_block(self.integrated), self.start)
        self.state_places = {p.name: self._state_place(p) for p in models}
        self.balances = self._balance_places() if self._is_audited else {}
        self.size = self._end - self.x
        self.xdot = self._reserve(self.size)
        self.states = []
        if mechanism is not None:
            self.states = [State(*field) for field in coordinate_fields(mechanism.tree, self.integrated)]
        self.states += [
            State(f"{name}.{sized.name}", place.at - self.x + where.start, declared._replace(field=sized))
            for name, place in [*self.state_places.items(), *self.balances.items()]
            for declared, sized, where in zip(place.fields, place.block.fields, place.block.slices, strict=True)
        ]

    def _balance_places(self) -> dict[str, Place]:
        """For each vehicle, by its first body, what loads have given to it: integrated like any other state."""
        assert self.scenario.mechanism is not None
        tree = self.scenario.mechanism.tree
        declared = message_declaration(VehicleBalance)
        return {
            next(name for name, frame in tree.bodies.items() if frame.link == root): self._declared_place(
                declared, VehicleBalance()
            )
            for root in tree.body_link[tree.roots]
        }

    def _draws(self, placed: Placed) -> bool:
        return "rng" in placed.contract.methods["step"].arguments

    def _key(self, placed: Placed) -> RandomKey:
        # the core counts a tick up before the task runs, so the first one is number 0
        return RandomKey(stream_of(self.scenario.seed, placed.name), -1)

    def _find_mechanism_ports(self) -> dict[str, MechanismPort]:
        """Every output of the mechanism, and the groups that parts read."""
        if self.scenario.mechanism is None:
            return {}
        ports = output_ports(self.scenario.mechanism)
        for placed in self._parts.values():
            for connection in placed.inputs.values():
                if isinstance(connection.source, MechanismPort):
                    ports[connection.source.path] = connection.source
        return ports

    def _output_paths(self) -> list[tuple[str, str]]:
        of_parts = [path for path in self._sizes.outputs if path[0] in self._parts]
        return of_parts + [(port.part, port.name) for port in self.mechanism_ports.values()]

    def _mechanism_sources(self) -> dict[str, list[Place]]:
        """For each input of the mechanism, where the messages that feed it lie."""
        sources: dict[str, list[Place]] = {}
        for path, fed in self.scenario.mechanism_inputs.items():
            places = []
            for connection in fed.connections:
                if connection.source is None:
                    constant = self._declared_place(fed.port.declaration, connection.constant)
                    self._check_group(fed.port, "A constant message", constant)
                    places.append(constant)
                    continue
                source = self.outputs[connection.source.part, connection.source.name]
                self._check_group(fed.port, f"`{connection.source.path}`", source)
                if connection.delay:
                    initial = connection.initial
                    message = self._sizes.outputs[connection.source.part, connection.source.name]
                    source = self._line(
                        source, message if initial is None else initial, connection, connection.source.part, path
                    )
                places.append(source)
            sources[path] = places
        return sources

    def _check_group(self, port: MechanismPort, source: str, place: Place) -> None:
        """A message for a group has as many elements as the group, in every field."""
        if port.role not in (Role.FORCES_N, Role.EFFORTS, Role.LOCKS):
            return
        for declared in place.block.fields:
            if declared.shape[0] != len(port.elements):
                raise ShapeError(
                    f"{source} does not fit `{port.path}`.\n"
                    f"  expected {len(port.elements)} elements\n  got      {declared.shape[0]}"
                )

    def _lay_out_mechanism(self) -> MechanismMemory | None:
        mechanism = self.scenario.mechanism
        if mechanism is None or self._dynamics is None:
            return None
        inputs = self.scenario.mechanism_inputs
        balances = [place.at - self.x + self.xdot for place in self.balances.values()]
        memory = MechanismMemory(
            mechanism, self._dynamics, inputs, self._reserve, self.integrated, balances, self.x, self.xdot
        )
        ports = {path: (port, self.outputs[port.part, port.name]) for path, port in self.mechanism_ports.items()}
        readers: dict[str, set[bool]] = {}
        for placed in self._parts.values():
            for connection in placed.inputs.values():
                if isinstance(connection.source, MechanismPort):
                    readers.setdefault(connection.source.path, set()).add(placed.is_task)
        for_models = [path for path, are_tasks in readers.items() if False in are_tasks]
        for_tasks = [path for path in readers if path not in for_models]
        memory.lay_out(ports, for_models, for_tasks, self.sources)
        kernels, name, jit = self._dynamics.kernels(), self._dynamics.name, self._dynamics.jit
        self.rows[KINEMATICS] = ServiceRow(f"{name}.kinematics", kernels.kinematics, memory.context, jit)
        self.rows[DYNAMICS] = ServiceRow(f"{name}.dynamics", kernels.dynamics, memory.context, jit)
        self.rows[PUBLISH] = ServiceRow("mechanism.publish", plumbing.publish, memory.record_context, jit)
        if for_tasks:
            self.rows[PUBLISH_FOR_TASKS] = ServiceRow("mechanism.publish", plumbing.publish, memory.task_context, jit)
        self.rows["", "project"] = ServiceRow("mechanism.project", plumbing.project, memory.context, jit)
        if kernels.check is not None:
            self.rows[CHECK] = ServiceRow(f"{name}.check", kernels.check, memory.context, jit)
        if self._is_audited:
            self.rows["", "derivatives"] = ServiceRow("mechanism.balance", plumbing.balance, memory.context, jit)
        return memory

    def _output_place(self, path: tuple[str, str]) -> Place:
        part, port = path
        if part not in self._parts:
            found = self.mechanism_ports[f"{part}.{port}"]
            return self._declared_place(found.declaration, mechanism_message(found))
        declared = message_declaration(self._parts[part].contract.outputs[port])
        return self._declared_place(declared, self._sizes.outputs[path])

    def _lay_out_connected_inputs(self) -> None:
        """An input is read where the output that feeds it lies, or at the end of a delay line."""
        for placed in self._parts.values():
            for name, connection in placed.inputs.items():
                if connection.source is None:
                    continue
                source = self.outputs[connection.source.part, connection.source.name]
                self.inputs[placed.name, name] = self._delay_line(placed, name, source) if connection.delay else source

    def _delay_line(self, placed: Placed, name: str, source: Place) -> Place:
        _, initial = input_message(placed, name, self._sizes)
        return self._line(source, initial, placed.inputs[name], placed.name, f"{placed.name}.{name}")

    def _line(self, source: Place, initial: Any, connection: Connection, reader: str, target: str) -> Place:
        """A line of messages whose oldest is read; clocked by the writer if that is a task, else by the reader.

        The oldest lies where readers find it. The others follow as a ring: a tick moves one message, not all of them.
        """
        assert connection.source is not None
        writer = self._parts.get(connection.source.part)
        is_clocked_by_writer = writer is not None and writer.is_task
        length = connection.delay + (0 if is_clocked_by_writer else 1)
        if length * source.block.words > _LONGEST_LINE:
            raise WiringError(
                f"The delay from `{connection.source.path}` to `{target}` is {shown(connection.delay)} ticks, which is "
                f"too long to keep.\n  Use at most {_LONGEST_LINE // source.block.words - 1} ticks, or a slower task."
            )
        seen = self._place(source.block, initial, source.fields)
        self._rings.append((seen, self._reserve((length - 1) * source.block.words), length - 1))
        clock = self.order.tasks.index(connection.source.part if is_clocked_by_writer else reader)
        state = self._reserve(2)
        if not is_clocked_by_writer:
            self._written_models.append(state)
        self.delays.append((source.at, seen.at, source.block.words, length, clock, state))
        return seen

    def _lay_out_constant_inputs(self) -> None:
        """Constant messages and defaults; an optional input that stays at None has no place."""
        for placed in self._parts.values():
            for name, port in placed.contract.inputs.items():
                if (placed.name, name) not in self.inputs:
                    _, value = input_message(placed, name, self._sizes)
                    declared = message_declaration(port.message)
                    self.inputs[placed.name, name] = None if value is None else self._declared_place(declared, value)

    def _parameters_place(self, placed: Placed) -> Place:
        contract = placed.contract
        numbers = contract.parameters.type._make(getattr(placed.part, f.name) for f in contract.parameters.fields)
        block = contract.parameters.block.sized_like(numbers)
        if contract.objects:
            block = Block(_Rebuilt(placed.part, contract.parameters.type._fields), block.fields)
        return self._place(block, numbers, contract.parameters.fields)

    # ---- calls ---------------------------------------------------------------------------------------------------

    def _row(self, placed: Placed, method: Method) -> Row:
        read: dict[str, Place | None] = {"self": self.parameters[placed.name]}
        read |= {name: self._argument_place(placed, name) for name in method.arguments}
        written = {name: self._result_place(placed, name) for name in result_places(placed.contract, method)}
        call = method_call(
            placed.contract,
            method,
            {name: place.block if place else None for name, place in read.items()},
            {name: place.block for name, place in written.items()},
        )
        places = [place for place in read.values() if place] + list(written.values())
        jit = self._jit and placed.contract.jit
        return Row(
            f"{placed.name}.{method.name}", call, places, self._reserve(call.context_words), jit, self._compilations
        )

    def _argument_place(self, placed: Placed, name: str) -> Place | None:
        if name == "t":
            return None
        if name == "x":
            return (self.memories if placed.is_task else self.state_places)[placed.name]
        if placed.is_task and name == "dt":
            return self._place(PERIOD_BLOCK, Period(seconds(placed.period)))
        if placed.is_task and name == "rng":
            return self.keys[placed.name]
        return self.inputs[placed.name, name]

    def _result_place(self, placed: Placed, name: str) -> Place:
        if name == "derivatives":
            state = self.state_places[placed.name]
            return state._replace(at=state.at - self.x + self.xdot)
        if name in ("state", "memory"):
            # a new value of what is also read: it is copied into place when the call is over
            block = (self.memories if placed.is_task else self.state_places)[placed.name].block
            return Place(self._reserve(block.words), block)
        return self.outputs[placed.name, name]


class _Rebuilt:
    """Makes a part with objects among its parameters from the numbers in memory."""

    def __init__(self, part: Any, numbers: tuple[str, ...]) -> None:
        self._part = part
        self._numbers = numbers

    def _make(self, values: Iterable[Any]) -> Any:
        numbers = dict(zip(self._numbers, values, strict=True))
        return self._part._make(numbers.get(name, value) for name, value in self._part._asdict().items())
