"""Outputs, rates and tasks of a scenario as functions of traced values, in the order of the native schedule."""

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from cardan.contracts.calls import result_places
from cardan.contracts.dynamics import Dynamics
from cardan.contracts.jax_target import traceable
from cardan.contracts.message import message_declaration
from cardan.contracts.part import Method
from cardan.jax.mechanism import JaxMechanism
from cardan.jax.state import Continuous
from cardan.maths.random import RandomKey
from cardan.mechanism.changing import Numbered
from cardan.mechanism.ports import DYNAMIC, KINEMATIC_INPUTS, MechanismPort
from cardan.native.layout import KINDS
from cardan.native.python_entry import part_of
from cardan.scenario.clock import seconds
from cardan.scenario.order import DYNAMICS, KINEMATICS, Output
from cardan.scenario.placed import MechanismInput, Placed
from cardan.scenario.ports import Connection
from cardan.simulation.layout import Layout, read_by
from cardan.simulation.values import Values

Messages = dict[Output, Any]


class Known(NamedTuple):
    """What holds between ticks.

    Attributes:
        held: What tasks have sent and what was given from outside, by path.
        lines: What the readers of delay lines see.
        parameters: Values of parameters that are arguments or change during a run, by path.
    """

    held: Mapping[str, Any]
    lines: tuple[Any, ...]
    parameters: Mapping[str, Any]


class Evaluation:
    """A scenario's outputs, rates and tasks.

    Args:
        layout: Of the scenario.
        values: What a run begins with.
        dynamics: The service of its mechanism.
        varied: Numbers of the mechanism that are arguments, by path.
        wanted: Outputs of the mechanism that are wanted beside those that parts read.
    """

    def __init__(
        self,
        layout: Layout,
        values: Values,
        dynamics: Dynamics | None,
        varied: Mapping[str, Numbered],
        wanted: Collection[str] = (),
    ) -> None:
        self.layout, self.order = layout, layout.order
        self.parts = values.parts
        self._sizes = values.sizes
        self._varied = varied
        scenario = layout.scenario
        self._inputs: dict[str, MechanismInput] = scenario.mechanism_inputs
        self.mechanism = None
        if scenario.mechanism is not None and dynamics is not None:
            assert layout.integrated is not None
            self.mechanism = JaxMechanism(scenario.mechanism, dynamics, self._inputs, layout.integrated, varied)
        read = {*(path for some in read_by(scenario) for path in some), *wanted}
        self._published = [port for path, port in layout.mechanism_ports.items() if path in read]
        self._line_of = {line.reader: i for i, line in enumerate(layout.lines) if not isinstance(line.reader, str)}
        self._fed_lines = {id(line.connection): i for i, line in enumerate(layout.lines)}
        self._methods: dict[Output, Callable[..., Any]] = {}

    # ---- parts ---------------------------------------------------------------------------------------------------

    def part(self, name: str, known: Known) -> Any:
        """A part with the values that its parameters have."""
        part, given = self.parts[name].part, known.parameters
        return tuple.__new__(
            type(part), [given.get(f"{name}.{field}", value) for field, value in part._asdict().items()]
        )

    def call(
        self, placed: Placed, method: Method, arguments: Mapping[str, Any], known: Known, messages: Messages
    ) -> Any:
        """What a method of a part returns."""
        key = (placed.name, method.name)
        if key not in self._methods:
            self._methods[key] = traceable(method.function)
        given = [
            arguments[name] if name in arguments else self._input(placed, name, known, messages)
            for name in method.arguments
        ]
        return self._methods[key](self.part(placed.name, known), *given)

    def _input(self, placed: Placed, name: str, known: Known, messages: Messages) -> Any:
        """The message in an input of a part."""
        connection = placed.inputs.get(name)
        if connection is None:
            return placed.contract.inputs[name].default
        if connection.delay:
            return known.lines[self._line_of[placed.name, name]]
        return self._carried(connection, known, messages)

    def _carried(self, connection: Connection, known: Known, messages: Messages) -> Any:
        if connection.source is None:
            return connection.constant
        if connection.delay:
            return known.lines[self._fed_lines[id(connection)]]
        return self.message((connection.source.part, connection.source.name), known, messages)

    def message(self, path: Output, known: Known, messages: Messages) -> Any:
        """What an output port carries."""
        held = known.held.get(".".join(path))
        return messages[path] if held is None else held

    def _shaped(self, path: Output, value: Any) -> Any:
        """A message with the kinds and shapes that its port has."""
        declared = message_declaration(self.parts[path[0]].contract.outputs[path[1]])
        return shaped(declared.block.sized_like(self._sizes.outputs[path]), value)

    # ---- models --------------------------------------------------------------------------------------------------

    def outputs(self, wanted: Collection[Output], t: Any, x: Continuous, known: Known) -> Messages:
        """The outputs of mechanism and models in `wanted`, with all that these need among them."""
        messages: Messages = {}
        kinematics = moved = None
        for node in self.order.outputs:
            if node not in wanted:
                continue
            if node == KINEMATICS:
                assert self.mechanism is not None
                kinematics = self.mechanism.kinematics(
                    x.mechanism, self._fed(known, messages, False), self._given(known)
                )
                self._publish(messages, kinematics, None)
            elif node == DYNAMICS:
                assert self.mechanism is not None and kinematics is not None
                moved = self.mechanism.dynamics(kinematics, self._fed(known, messages, True))
                self._publish(messages, kinematics, moved)
                messages[DYNAMICS] = self.mechanism.rates(kinematics, moved)
            else:
                placed = self.parts[node[0]]
                arguments = {"t": t, "x": x.parts.get(node[0])}
                returned = self.call(placed, placed.contract.methods[node[1]], arguments, known, messages)
                messages[node] = self._shaped(node, returned)
        return messages

    def _given(self, known: Known) -> dict[str, Any]:
        return {path: known.parameters[path] for path in self._varied}

    def _publish(self, messages: Messages, kinematics: Any, moved: Any) -> None:
        assert self.mechanism is not None
        for port in self._published:
            if (port.role in DYNAMIC) == (moved is not None):
                messages[port.part, port.name] = self.mechanism.publish(port, kinematics, moved)

    def _fed(self, known: Known, messages: Messages, for_dynamics: bool) -> dict[str, list[Any]]:
        """The messages in those inputs of the mechanism that a service reads."""
        return {
            path: [self._carried(connection, known, messages) for connection in fed.connections]
            for path, fed in self._inputs.items()
            if (fed.port.role not in KINEMATIC_INPUTS) == for_dynamics
        }

    @cached_property
    def _with_rates(self) -> list[Placed]:
        return [placed for placed in self.parts.values() if "derivatives" in placed.contract.methods]

    def rates(self, t: Any, x: Continuous, known: Known) -> Continuous:
        """The right-hand side."""
        messages = self.outputs(self.order.stage_outputs, t, x, known)
        parts = {}
        for placed in self._with_rates:
            arguments = {"t": t, "x": x.parts[placed.name]}
            returned = self.call(placed, placed.contract.methods["derivatives"], arguments, known, messages)
            parts[placed.name] = self._like_state(placed, returned)
        # what has no rates stays as it is
        still = {name: jax.tree.map(jnp.zeros_like, own) for name, own in x.parts.items() if name not in parts}
        return Continuous(messages.get(DYNAMICS), parts | still)

    def projected(self, t: Any, x: Continuous, known: Known) -> Continuous:
        """The state, back on its manifolds."""
        mechanism = None if self.mechanism is None else self.mechanism.projected(x.mechanism)
        parts = dict(x.parts)
        for placed in self.parts.values():
            if placed.name in parts and "project" in placed.contract.methods:
                arguments = {"t": t, "x": parts[placed.name]}
                returned = self.call(placed, placed.contract.methods["project"], arguments, known, {})
                parts[placed.name] = self._like_state(placed, returned)
        return Continuous(mechanism, parts)

    def _like_state(self, placed: Placed, value: Any) -> Any:
        assert placed.contract.state is not None
        return shaped(placed.contract.state.block.sized_like(self._sizes.states[placed.name]), value)

    # ---- tasks ---------------------------------------------------------------------------------------------------

    def run_task(
        self, name: str, t: Any, memory: Any, key: RandomKey | None, known: Known, messages: Messages
    ) -> tuple[Any, dict[str, Any]]:
        """One step of a task: its memory, and what it sends, by path."""
        placed = self.parts[name]
        method = placed.contract.methods["step"]
        arguments = {"t": t, "dt": seconds(placed.period), "x": memory, "rng": key}
        returned = self.call(placed, method, arguments, known, messages)
        places = result_places(placed.contract, method)
        sent = {
            f"{name}.{port}": self._shaped((name, port), part_of(returned, places[port]))
            for port in placed.contract.outputs
        }
        return (self._like_state(placed, part_of(returned, places["memory"])) if memory is not None else None), sent

    def read_by_task(self, name: str) -> list[Output]:
        """The outputs of models and of the mechanism that a task reads as they are now."""
        found = []
        for connection in self.parts[name].inputs.values():
            source = connection.source
            if source is None or connection.delay:
                continue
            if isinstance(source, MechanismPort) or not self.parts[source.part].is_held:
                found.append((source.part, source.name))
        return found


def shaped(block: Any, value: Any) -> Any:
    """A NamedTuple with the kinds and shapes of a block."""
    return block.type._make(
        jnp.broadcast_to(jnp.asarray(getattr(value, field.name), KINDS[field.kind]), field.shape)
        for field in block.fields
    )
