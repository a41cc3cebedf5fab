"""What a run begins with: parameters, initial states, messages before the first tick, mass properties, the seed."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from cardan.contracts.calls import Period
from cardan.errors import SettingError, ShapeError, UnknownName, did_you_mean, shown
from cardan.maths.random import RandomKey, stream_of
from cardan.mechanism import Mechanism
from cardan.mechanism.coordinates import Coordinates, initial_coordinates
from cardan.native.layout import Block, aligned_copy
from cardan.scenario.clock import seconds
from cardan.scenario.placed import Placed, with_parameter, with_parameters
from cardan.scenario.sizes import Path, Sizes, find_sizes, input_message, mechanism_message
from cardan.simulation import core
from cardan.simulation.layout import Layout
from cardan.simulation.numbers import check_numbers, has_number
from cardan.simulation.places import Place
from cardan.simulation.schedule import breaks


@dataclass(frozen=True)
class Values:
    """What a run begins with; a value itself, of which others can be made.

    Attributes:
        layout: Where it goes.
        parts: The parts with their parameters.
        sizes: Initial states, and messages before anything has been evaluated.
        given: Those initial states that do not follow from parameters, by part.
        coordinates: Of the mechanism; None without one.
        mechanism: The mechanism with the numbers that it has in this run; None without one.
        numbers: Those of them that are others than the scenario's, by path.
        seed: All random numbers follow from it.
        tolerances: Of each state, absolute and relative; empty for a fixed step.
    """

    layout: Layout
    parts: dict[str, Placed]
    sizes: Sizes
    given: dict[str, Any]
    coordinates: Coordinates | None
    mechanism: Mechanism | None
    numbers: dict[str, np.ndarray]
    seed: int
    tolerances: dict[str, tuple[float, float]]

    # ---- other values --------------------------------------------------------------------------------------------

    def starting(self, states: Mapping[Any, Any]) -> "Values":
        """The same with other initial states: of parts (states or memories), and of elements of the mechanism."""
        if not isinstance(states, Mapping):
            raise SettingError(f"reset({shown(states)}).\n  Use a dictionary, e.g. `{{plant: PlantState(...)}}`.")
        places = self.layout.state_places | self.layout.memories
        mechanism, of_mechanism, taken = self.layout.scenario.mechanism, dict[str, Any](), dict[str, Any]()
        for part, value in states.items():
            name = str(getattr(part, "name", part))
            if name not in places and mechanism is not None:
                of_mechanism[name] = value
                continue
            if name not in places:
                raise UnknownName(
                    f"`{name}` has no state to reset.{did_you_mean(name, places)}\n"
                    f"  These have one: {', '.join(places) or 'none'}"
                )
            declared = self.parts[name].contract.state
            assert declared is not None
            taken[name] = declared.take(value, f"{name}.state")
            check_shapes(places[name].block, declared.block.sized_like(taken[name]), f"{name}.state")
        coordinates = self.coordinates
        if mechanism is not None and self.layout.integrated is not None:
            coordinates = initial_coordinates(mechanism, self.layout.integrated, of_mechanism, coordinates)
        sizes = Sizes(self.sizes.states | taken, self.sizes.outputs)
        return replace(self, sizes=sizes, given=self.given | taken, coordinates=coordinates)

    def changed(self, parameters: Mapping[str, Any], seed: int | None = None) -> "Values":
        """The same with other parameters, `{"ctl.K": 7.0, "bus.mass": 120.0}`, and what follows from them."""
        if not isinstance(parameters, Mapping):
            raise SettingError(f'variant({shown(parameters)}).\n  Use a dictionary, e.g. `{{"ctl.K": 7.0}}`.')
        numbers = {path: value for path, value in parameters.items() if has_number(self.layout.scenario, path)}
        of_parts = {path: value for path, value in parameters.items() if path not in numbers}
        parts = self.parts | with_parameters(self.parts, of_parts)
        sizes = find_sizes(parts) if of_parts else self.sizes
        self._check_layout(parts, sizes)
        return replace(
            self,
            parts=parts,
            sizes=Sizes(sizes.states | self.given, sizes.outputs),
            **self._with_numbers(numbers),
            seed=self.seed if seed is None else seed,
        )

    def _with_numbers(self, numbers: Mapping[str, Any]) -> dict[str, Any]:
        """The fields that change with numbers of the mechanism."""
        original = self.layout.scenario.mechanism
        if not numbers or original is None:
            return {}
        check_numbers(self.layout.scenario, numbers)
        # always from the original: what follows from a compiled inertia is not what was given
        together = self.numbers | {path: np.array(value) for path, value in numbers.items()}
        return {"mechanism": original.changed(together), "numbers": together}

    def _check_layout(self, parts: dict[str, Placed], sizes: Sizes) -> None:
        """Refuse parameters that would need other memory."""
        layout = self.layout
        for name, placed in parts.items():
            check_shapes(layout.parameters[name].block, parameter_block(placed), name)
        for name, place in (layout.state_places | layout.memories).items():
            check_shapes(place.block, place.block.sized_like(sizes.states[name]), f"{name}.state")
        for path, message in sizes.outputs.items():
            if path in layout.outputs:
                block = layout.outputs[path].block
                check_shapes(block, block.sized_like(message), ".".join(path))

    @cached_property
    def breaks(self) -> np.ndarray:
        """(n, 1) [ns] When parts are not smooth, as the core has it."""
        return breaks(self.parts)

    # ---- memory --------------------------------------------------------------------------------------------------

    def arena(self) -> np.ndarray:
        """A fresh arena with everything in place."""
        layout = self.layout
        arena = aligned_copy(np.zeros(layout.words))
        arena[core.STAGE_TIME] = -1.0
        ints = arena.view(np.int64)
        # most outputs of the mechanism begin with what their class says
        ports = layout.mechanism_ports.values()
        blank = {(p.part, p.name): p.declaration for p in ports if p.declaration.block.is_sized}
        for path, declared in blank.items():
            layout.outputs[path].words(arena)[:] = declared.default_words
        for place, value in self._written(blank):
            place.write(arena, value)
        for name, placed in self.parts.items():
            if placed.is_outside and placed.initial is not None:
                layout.renew_parameters(arena, name)
        for line in layout.lines:
            size = line.seen.block.words
            arena[line.ring : line.ring + (line.length - 1) * size].reshape(-1, size)[:] = line.seen.words(arena)
            ints[line.notes] = int(line.is_model)
        for found in layout.calls.values():
            words = found.call.context(found.context, [place.at for place in found.places])
            ints[found.context : found.context + len(words)] = words
        for i, name in enumerate(layout.order.tasks):
            ints[layout.due + i] = self.parts[name].offset
        for state in layout.states:
            where = slice(state.start, state.start + state.declared.field.words)
            arena[layout.positions :][where] = float(state.declared.is_position)
            arena[layout.absolute :][where], arena[layout.relative :][where] = self.tolerances.get(
                state.path, (0.0, 0.0)
            )
        if layout.mechanism is not None:
            assert self.mechanism is not None
            layout.mechanism.write(arena, self.mechanism)
        return arena

    def _written(self, blank: Collection[Path]) -> list[tuple[Place, Any]]:
        """Every place with the value that it begins with, but for the outputs in `blank`."""
        layout, scenario = self.layout, self.layout.scenario
        found: list[tuple[Place, Any]] = []
        if layout.coordinates is not None:
            found.append((layout.coordinates, self.coordinates))
        states = layout.state_places | layout.memories
        found += [(place, self.sizes.states[name]) for name, place in states.items()]
        found += [(place, self.key(name)) for name, place in layout.keys.items()]
        found += [(place, self._message(path)) for path, place in layout.outputs.items() if path not in blank]
        found += [(line.seen, self.first_of(line.connection, line.reader)) for line in layout.lines]
        found += [(place, parameters(self.parts[name])) for name, place in layout.parameters.items()]
        found += zip((placed.value for placed in layout.changes), self.changed_values(), strict=True)
        found += [(place, Period(seconds(self.parts[name].period))) for name, place in layout.periods.items()]
        for (part, port), place in layout.constants.items():
            found.append((place, input_message(self.parts[part], port, self.sizes)[1]))
        for path, fed in scenario.mechanism_inputs.items():
            for connection, place in zip(fed.connections, layout.sources[path], strict=True):
                if connection.source is None:
                    found.append((place, connection.constant))
        return found

    def changed_values(self) -> list[Any]:
        """The values of parameters that change at given times, checked with all that has changed before."""
        parts, found = dict(self.parts), []
        for placed in self.layout.changes:
            change, block = placed.change, placed.value.block
            changed = parts[change.part] = with_parameter(parts, change.path, change.value)
            found.append(block.type(getattr(changed.part, change.parameter)))
        return found

    def _message(self, path: Path) -> Any:
        """The message in an output before anything has been evaluated."""
        port = self.layout.mechanism_ports.get(".".join(path))
        return self.sizes.outputs[path] if port is None else mechanism_message(port)

    def first_of(self, connection: Any, reader: Any) -> Any:
        """What the reader of a delay line sees before the first message arrives."""
        if not isinstance(reader, str):
            return input_message(self.parts[reader[0]], reader[1], self.sizes)[1]
        source = connection.source.part, connection.source.name
        return self._message(source) if connection.initial is None else connection.initial

    def key(self, task: str) -> RandomKey:
        # the core counts a tick up before the task runs, so the first one is number 0
        return RandomKey(stream_of(self.seed, task), -1)


def initial_values(layout: Layout, tolerances: dict[str, tuple[float, float]]) -> Values:
    """What the scenario itself says."""
    scenario, coordinates = layout.scenario, None
    if scenario.mechanism is not None and layout.integrated is not None:
        coordinates = initial_coordinates(scenario.mechanism, layout.integrated, scenario.initial_states)
    return Values(
        layout, scenario.parts, layout.sizes, {}, coordinates, scenario.mechanism, {}, scenario.seed, tolerances
    )


def parameters(placed: Placed) -> Any:
    """The numbers among the parameters of a part."""
    declared = placed.contract.parameters
    return declared.type._make(getattr(placed.part, field.name) for field in declared.fields)


def parameter_block(placed: Placed) -> Block:
    return placed.contract.parameters.block.sized_like(parameters(placed))


def check_shapes(expected: Block, given: Block, path: str) -> None:
    """Refuse a value that does not fit the memory for it."""
    for ours, theirs in zip(expected.fields, given.fields, strict=True):
        if ours.shape != theirs.shape:
            raise ShapeError(
                f"`{path}.{ours.name}` has the wrong shape.\n  expected {ours.shape}\n  got      {theirs.shape}"
            )
