"""`jax_function`: a scenario as pure functions of pytrees, which JAX compiles, batches and differentiates."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from cardan.contracts.dynamics import Dynamics
from cardan.errors import SettingError, ShapeError, UnknownName, did_you_mean, shown
from cardan.jax.evaluation import Evaluation, Known, Messages
from cardan.jax.integrating import advanced
from cardan.jax.refusals import check_precision, refuse
from cardan.jax.starting import Start
from cardan.jax.state import Continuous, DelayedMessages, JaxState
from cardan.jax.varying import take_varied
from cardan.maths.random import RandomKey, stream_of
from cardan.mechanism.ports import DYNAMIC, MechanismPort
from cardan.scenario.clock import NANO, check_multiple, nanoseconds
from cardan.scenario.order import DYNAMICS, KINEMATICS, Output
from cardan.scenario.outside import OUTPUT
from cardan.scenario.ports import Port
from cardan.scenario.scenario import Scenario
from cardan.simulation.batch_member import paths_of
from cardan.simulation.input_slots import no_such_input
from cardan.simulation.integrators import FixedStep, Integrator, Rk4
from cardan.simulation.setup import set_up
from cardan.simulation.values import parameters as numeric_parameters

Outputs = dict[str, Any]
"""Messages by path."""


def jax_function(
    scenario: Scenario,
    *,
    dynamics: Dynamics | None = None,
    integrator: Integrator | None = None,
    step: float | None = None,
    outputs: Sequence[str | Port | MechanismPort] = (),
    varies: Sequence[str] = (),
) -> "JaxFunction":
    """A scenario as pure functions of pytrees: `reset` and `step`, to be compiled, batched and differentiated by JAX.

    Args:
        scenario: What is simulated; it is frozen from here on.
        dynamics: `RecursiveTree()`, for a scenario with a mechanism.
        integrator: One with a fixed step.
        step: [s] How far one call of `step` goes; by default one step of the integrator.
        outputs: Ports whose messages `reset` and `step` return, evaluated from the state and the messages held then.
        varies: Paths of what is an argument rather than a constant: parameters of parts, `ctl.K`; mass properties and
            poses of bodies, coefficients of joints, poses of sites: `bus.mass`, `elbow.damping`, `nozzle.q_SB`.

    Raises:
        NotTraceable: If anything in the scenario has no form for JAX, with the list of all such things.
    """
    return JaxFunction(scenario, dynamics, integrator, step, outputs, varies)


class JaxFunction:
    """What `jax_function` makes.

    Attributes:
        parameters: The values of what varies, by path; what `reset` and `step` take in their place has the same keys.
    """

    def __init__(
        self,
        scenario: Scenario,
        dynamics: Dynamics | None,
        integrator: Integrator | None,
        step: float | None,
        outputs: Sequence[str | Port | MechanismPort],
        varies: Sequence[str],
    ) -> None:
        check_precision()
        integrator = integrator if integrator is not None else Rk4(step=0.1)
        paths = paths_of(outputs)
        setup = set_up(scenario, dynamics, integrator, wanted=paths)
        self.parameters, numbers = take_varied(scenario, setup.values.parts, varies)
        refuse(setup, frozenset(self.parameters))
        assert isinstance(integrator, FixedStep)
        self.scenario, self.integrator = scenario, integrator
        self._layout, self._values = setup.layout, setup.values
        self._order, self._parts = setup.layout.order, setup.values.parts
        self._h = integrator.base_tick
        self._find_grid(step)
        self._wanted = self._take_outputs(paths)
        of_mechanism = [path for path in self._wanted if path in self._layout.mechanism_ports]
        self._evaluation = Evaluation(self._layout, setup.values, dynamics, numbers, of_mechanism)
        self._start = Start(self._layout, setup.values)
        self._waiting = self._order.tasks[self._order.waiting :]
        self._seen_by_waiting = {out for name in self._waiting for out in self._evaluation.read_by_task(name)}

    # ---- what a run begins with ----------------------------------------------------------------------------------

    @property
    def inputs(self) -> list[str]:
        """The names of what is given from outside."""
        return [name for name, placed in self._parts.items() if placed.is_outside]

    @property
    def step_length(self) -> float:
        """[s] How far one call of `step` goes."""
        return self._ticks * self._tick / NANO

    def time(self, state: JaxState) -> Any:
        """[s] The time that a run has reached."""
        return state.steps * self._h / NANO

    def keys(self, seed: int | Iterable[int]) -> dict[str, Any]:
        """The random streams of the tasks that draw numbers, for `reset`: those of native runs with the same seed.

        Args:
            seed: One, or several: then each stream has an axis for them, to be mapped over.
        """
        seeds = [seed] if isinstance(seed, int | np.integer) else list(seed)
        streams = {name: np.array([stream_of(int(s), name) for s in seeds]) for name in self._layout.keys}
        return {name: each[0] if isinstance(seed, int | np.integer) else each for name, each in streams.items()}

    def reset(
        self,
        start: Mapping[Any, Any] | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
        keys: Mapping[str, Any] | None = None,
    ) -> tuple[JaxState, Outputs]:
        """The state at time zero, its tick done but for tasks that wait for what comes from outside; and the outputs.

        Args:
            start: Other initial states, of parts or of elements of the mechanism, as in `Simulation.reset`; their
                numbers may be traced.
            parameters: Other values of what varies, by path.
            keys: Random streams, from `keys`; by default those of the scenario's seed.
        """
        named = self._start.named({} if start is None else start)
        streams = self.keys(self._values.seed) if keys is None else dict(keys)
        return self._reset_now(named, self._take_parameters(parameters), streams)  # type: ignore[no-any-return]

    @cached_property
    def _reset_now(self) -> Callable[..., Any]:
        return jax.jit(self._reset)  # type: ignore[no-any-return]

    def _reset(
        self, start: Mapping[str, Any], given: Mapping[str, Any], streams: Mapping[str, Any]
    ) -> tuple[JaxState, Outputs]:
        x, memories = self._start.states(start)
        held = {f"{part}.{port}": _arrays(self._values.sizes.outputs[part, port]) for part, port in self._held_ports}
        changing = {c.path: jnp.asarray(given.get(c.path, self._own(c.path))) for c in self.scenario.changes}
        for change in self.scenario.changes:
            source = change.source
            if (
                source is not None
                and self._parts[source.part].is_outside
                and self._parts[source.part].initial is not None
            ):
                changing[change.path] = held[source.path][0]
        state = JaxState(
            jnp.zeros((), jnp.int64),
            x,
            memories,
            held,
            tuple(self._line(line) for line in self._layout.lines),
            changing,
            {},
            {name: jnp.asarray(streams[name]) for name in self._layout.keys},
        )
        state = self._begin_tick(state, given)
        return state, self._outputs(state, given)

    def _line(self, line: Any) -> DelayedMessages:
        seen = _arrays(self._values.first_of(line.connection, line.reader))
        coming = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (line.length - 1, *leaf.shape)), seen)
        return DelayedMessages(seen, coming, jnp.asarray(line.is_model))

    # ---- advancing -----------------------------------------------------------------------------------------------

    def step(
        self,
        state: JaxState,
        inputs: Mapping[str, Any] | None = None,
        *,
        parameters: Mapping[str, Any] | None = None,
    ) -> tuple[JaxState, Outputs]:
        """Advance by one step, as `Batch.advance` does; the state and the outputs after it.

        Args:
            state: What `reset` or `step` returned.
            inputs: What is given from outside, by name: a message, or its one field; what is left out stays as it was.
            parameters: Other values of what varies, by path.
        """
        state = self._give(state, {} if inputs is None else inputs)
        return self._step_now(state, self._take_parameters(parameters))  # type: ignore[no-any-return]

    @cached_property
    def _step_now(self) -> Callable[..., Any]:
        return jax.jit(self._step)  # type: ignore[no-any-return]

    def _step(self, state: JaxState, given: Mapping[str, Any]) -> tuple[JaxState, Outputs]:
        def one(_: Any, now: JaxState) -> JaxState:
            return self._begin_tick(self._integrate(self._end_tick(now, given), given), given)

        state = one(0, state) if self._ticks == 1 else jax.lax.fori_loop(0, self._ticks, one, state)
        return state, self._outputs(state, given)

    def rollout(
        self,
        state: JaxState,
        inputs: Mapping[str, Any] | None = None,
        *,
        steps: int | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> tuple[JaxState, Outputs]:
        """Many steps in one loop; the outputs after each, with a leading axis.

        Args:
            state: What `reset` or `step` returned.
            inputs: What is given from outside at each step: as in `step`, with a leading axis.
            steps: How many, where nothing is given.
            parameters: Other values of what varies, by path.
        """
        given = {} if inputs is None else dict(inputs)
        if not given and steps is None:
            raise SettingError("rollout() is told neither `inputs` nor `steps`.\n  Say e.g. `steps=100`.")

        varied = self._take_parameters(parameters)
        named = {str(getattr(key, "part", key)): message for key, message in given.items()}
        return self._rollout_now(state, named, varied, steps)  # type: ignore[no-any-return]

    @cached_property
    def _rollout_now(self) -> Callable[..., Any]:
        return jax.jit(self._rollout, static_argnums=3)  # type: ignore[no-any-return]

    def _rollout(
        self, state: JaxState, inputs: Mapping[str, Any], given: Mapping[str, Any], steps: int | None
    ) -> tuple[JaxState, Outputs]:
        def one(now: JaxState, each: Mapping[str, Any]) -> tuple[JaxState, Outputs]:
            return self._step(self._give(now, each), given)

        return jax.lax.scan(one, state, inputs, length=steps)  # type: ignore[no-any-return]

    def _integrate(self, state: JaxState, given: Mapping[str, Any]) -> JaxState:
        """From one tick to the next."""
        known = self._known(state, given)

        def one(i: Any, x: Continuous) -> Continuous:
            now = (state.steps + i) * self._h
            return self._step_of_grid(x, now, known)

        x = one(0, state.x) if self._substeps == 1 else jax.lax.fori_loop(0, self._substeps, one, state.x)
        return state._replace(x=x, steps=state.steps + self._substeps)

    def _step_of_grid(self, x: Continuous, now: Any, known: Known) -> Continuous:
        """One step of the integrator, in pieces where a part is not smooth within it."""
        target = now + self._h
        if not self._most_breaks:
            return self._piece(x, now, target, known)
        breaks = jnp.asarray(np.append(self._breaks, np.full(self._most_breaks, np.iinfo(np.int64).max)))
        first = jnp.searchsorted(breaks, now, side="right")

        def one(j: Any, carry: tuple[Continuous, Any]) -> tuple[Continuous, Any]:
            x, since = carry
            until = jnp.minimum(jnp.where(j < self._most_breaks, breaks[first + j], target), target)
            moved = jax.lax.cond(since < until, lambda x: self._piece(x, since, until, known), lambda x: x, x)
            return moved, until

        return jax.lax.fori_loop(0, self._most_breaks + 1, one, (x, now))[0]  # type: ignore[no-any-return]

    def _piece(self, x: Continuous, now: Any, target: Any, known: Known) -> Continuous:
        """From one time [ns] to another in one step."""
        t, end = now / NANO, target / NANO
        h = (target - now) / NANO

        def rates(t: Any, x: Any) -> Any:
            return self._evaluation.rates(t, x, known)

        moved = advanced(self.integrator, self._start.is_position, rates, x, t, h, end)
        return self._evaluation.projected(end, moved, known)

    # ---- ticks ---------------------------------------------------------------------------------------------------

    def _begin_tick(self, state: JaxState, given: Mapping[str, Any]) -> JaxState:
        """Outputs, parameters that change, delay lines, and the tasks that do not wait for what comes from outside."""
        now = state.steps * self._h
        known = self._known(state, given)
        messages = self._evaluation.outputs(self._order.task_outputs, now / NANO, state.x, known)
        state = self._change_parameters(state, now)
        state = self._shift_lines(state, now, messages)
        for name in self._order.tasks[: self._order.waiting]:
            state = self._run(name, state, now, given, messages)
        return state._replace(seen={".".join(path): messages[path] for path in sorted(self._seen_by_waiting)})

    def _end_tick(self, state: JaxState, given: Mapping[str, Any]) -> JaxState:
        """The tasks that wait for what comes from outside."""
        now = state.steps * self._h
        messages = {path: state.seen[".".join(path)] for path in self._seen_by_waiting}
        for name in self._waiting:
            state = self._run(name, state, now, given, messages)
        return state

    def _run(self, name: str, state: JaxState, now: Any, given: Mapping[str, Any], messages: Messages) -> JaxState:
        """A task, if it is due."""
        placed = self._parts[name]

        def run(state: JaxState) -> JaxState:
            key = RandomKey(state.keys[name], (now - placed.offset) // placed.period) if name in state.keys else None
            known, memory = self._known(state, given), state.memories.get(name)
            new, sent = self._evaluation.run_task(name, now / NANO, memory, key, known, messages)
            return state._replace(
                memories=state.memories if memory is None else state.memories | {name: new},
                held=state.held | sent,
                parameters=state.parameters | self._renewed(name, sent),
            )

        if placed.period == self._tick and placed.offset == 0:
            return run(state)
        return jax.lax.cond(self._is_due(name, now), run, lambda same: same, state)  # type: ignore[no-any-return]

    def _is_due(self, name: str, now: Any) -> Any:
        placed = self._parts[name]
        return (now >= placed.offset) & ((now - placed.offset) % placed.period == 0)

    def _renewed(self, sender: str, sent: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that the messages of a part change."""
        changes = [c for c in self.scenario.changes if c.source is not None and c.source.part == sender]
        return {c.path: sent[c.source.path][0] for c in changes if c.source is not None}

    def _change_parameters(self, state: JaxState, now: Any) -> JaxState:
        """The parameters that change at this time."""
        found = dict(state.parameters)
        for placed, (value,) in zip(self._layout.changes, self._values.changed_values(), strict=True):
            path = placed.change.path
            found[path] = jnp.where(now == placed.change.at, jnp.asarray(value), found[path])
        return state._replace(parameters=found)

    def _shift_lines(self, state: JaxState, now: Any, messages: Messages) -> JaxState:
        """Push the present message into every delay line whose clock ticks now."""
        lines = []
        for line, delayed in zip(self._layout.lines, state.lines, strict=True):
            held = state.held.get(".".join(line.source))
            newest = messages[line.source] if held is None else held
            is_due = self._is_due(self._order.tasks[line.clock], now)
            everything = jax.tree.map(
                lambda coming, new: jnp.concatenate((coming, jnp.asarray(new)[None])), delayed.coming, newest
            )
            shifted = DelayedMessages(
                jax.tree.map(lambda every: every[0], everything),
                jax.tree.map(lambda every: every[1:], everything),
                True,
            )
            moves = is_due & delayed.is_sent
            new = jax.tree.map(lambda a, b: jnp.where(moves, a, b), shifted, delayed)  # noqa: B023
            lines.append(new._replace(is_sent=delayed.is_sent | is_due))
        return state._replace(lines=tuple(lines))

    # ---- outside -------------------------------------------------------------------------------------------------

    def _give(self, state: JaxState, inputs: Mapping[str, Any]) -> JaxState:
        held, renewed = dict(state.held), dict[str, Any]()
        given = {str(getattr(key, "part", key)): message for key, message in inputs.items()}
        for name, message in given.items():
            if name not in self.inputs:
                raise UnknownName(no_such_input(self.scenario.name, name, self.inputs))
            path = f"{name}.{OUTPUT}"
            held[path] = self._taken(path, message, state.held[path])
            renewed |= self._renewed(name, held)
        missing = [n for n in self.inputs if self._parts[n].initial is None and n not in given]
        if missing:
            raise SettingError(
                f"`{missing[0]}` begins with no message, so each step is to be given one.\n"
                f"  Say `step(state, {{{missing[0]!r}: ...}})`, or let the input begin with a message."
            )
        return state._replace(held=held, parameters=state.parameters | renewed)

    def _taken(self, path: str, message: Any, present: Any) -> Any:
        """A message from outside, or the one field of one, in the shapes of the port."""
        kind = type(present)
        if not isinstance(message, kind):
            if len(kind._fields) != 1 or isinstance(message, tuple):
                raise ShapeError(f"`{path}` expects {kind.__name__}, got {type(message).__name__}.")
            message = kind(message)
        for name, new, old in zip(kind._fields, message, present, strict=True):
            if jnp.shape(new) != jnp.shape(old):
                raise ShapeError(
                    f"`{path}.{name}` has the wrong shape.\n  expected {jnp.shape(old)}\n  got      {jnp.shape(new)}"
                )
        return jax.tree.map(lambda new, old: jnp.asarray(new, old.dtype), message, present)

    def _outputs(self, state: JaxState, given: Mapping[str, Any]) -> Outputs:
        known = self._known(state, given)
        t = state.steps * self._h / NANO
        messages = self._evaluation.outputs(self._behind, t, state.x, known)
        found = {}
        for path, node in self._wanted.items():
            part, _, port = path.rpartition(".")
            if node is None:
                places = {"state": state.x.parts, "memory": state.memories}
                found[path] = places[port][part]
            else:
                found[path] = self._evaluation.message(node, known, messages)
        return found

    def _known(self, state: JaxState, given: Mapping[str, Any]) -> Known:
        return Known(state.held, tuple(line.seen for line in state.lines), {**given, **state.parameters})

    # ---- made once -----------------------------------------------------------------------------------------------

    @cached_property
    def _held_ports(self) -> list[Output]:
        return [(p.name, port) for p in self._parts.values() if p.is_held for port in p.contract.outputs]

    def _find_grid(self, step: float | None) -> None:
        """How often tasks may run, and what a call of `step` consists of."""
        length = self._h if step is None else nanoseconds(step, "The length of a step")
        if length <= 0:
            raise SettingError(f"A step of {shown(step)} s goes nowhere.\n  Use a positive number of seconds.")
        check_multiple(length, self._h, "A call of `step` advances by")
        tasks = [placed for placed in self._parts.values() if placed.is_task]
        times = [length, *(p.period for p in tasks), *(p.offset for p in tasks)]
        times += [change.at for change in self.scenario.changes if change.source is None]
        self._tick = math.gcd(*times)
        self._ticks, self._substeps = length // self._tick, self._tick // self._h
        self._breaks = self._values.breaks.ravel()
        within = self._breaks[self._breaks % self._h != 0] // self._h
        self._most_breaks = int(np.unique(within, return_counts=True)[1].max(initial=0))

    def _own(self, path: str) -> Any:
        part, _, name = path.rpartition(".")
        return getattr(numeric_parameters(self._parts[part]), name)

    def _take_parameters(self, parameters: Mapping[str, Any] | None) -> dict[str, Any]:
        found = dict(self.parameters)
        for path, value in ({} if parameters is None else parameters).items():
            if path not in found:
                raise UnknownName(
                    f"`{path}` is not among what varies.{did_you_mean(path, found)}\n"
                    f"  Make the function with `varies=[{path!r}]`."
                )
            if jnp.shape(value) != jnp.shape(found[path]):
                raise ShapeError(
                    f"`{path}` has the wrong shape.\n  expected {jnp.shape(found[path])}\n  got      {jnp.shape(value)}"
                )
            found[path] = value
        return {path: jnp.asarray(value, self.parameters[path].dtype) for path, value in found.items()}

    def _take_outputs(self, paths: Sequence[str]) -> dict[str, Output | None]:
        """Each wanted path with the port that it names; None for a state or memory."""
        layout, found = self._layout, dict[str, Output | None]()
        for path in paths:
            part, _, port = path.rpartition(".")
            if path in self.inputs:
                found[path] = (path, OUTPUT)
            elif (part, port) in layout.outputs:
                found[path] = (part, port)
            elif (port == "state" and part in layout.state_places) or (port == "memory" and part in layout.memories):
                found[path] = None
            else:
                known = list(layout.recordable)
                raise UnknownName(f"There is no `{path}`.{did_you_mean(path, known)}\n  There are: {', '.join(known)}")
        return found

    @cached_property
    def _behind(self) -> frozenset[Output]:
        """What is evaluated for the outputs."""
        nodes = []
        for path, node in self._wanted.items():
            if path in self._layout.mechanism_ports:
                nodes.append(_service(self._layout.mechanism_ports[path]))
            elif node is not None:
                nodes.append(node)
        return self._order.behind(nodes)


def _service(port: MechanismPort) -> Output:
    return DYNAMICS if port.role in DYNAMIC else KINEMATICS


def _arrays(message: Any) -> Any:
    """A message of NumPy numbers as one of arrays."""
    return jax.tree.map(jnp.asarray, message)
