"""`FunctionalEnvironment`: an environment as pure functions of pytrees, for loops that JAX compiles as a whole."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from cardan.jax import JaxState, jax_function
from cardan.learning.columns import split
from cardan.learning.environment import Environment
from cardan.learning.episodes import begun, run_numbers
from cardan.studies import Given

Array = Any


class Beginning(NamedTuple):
    """What an episode begins with.

    Attributes:
        seed: Of the random numbers of the run.
        starts: Initial states of parts and of elements of the mechanism, by name.
        parameters: Values of what varies, by path.
        keys: Random streams of tasks, by name.
    """

    seed: Array
    starts: dict[str, Any]
    parameters: dict[str, Array]
    keys: dict[str, Array]


class EpisodeState(NamedTuple):
    """All that an episode needs to go on.

    Attributes:
        run: The state of the scenario.
        parameters: Values of what varies, by path.
        steps: How many there have been.
        episode: How many episodes `step_on` has begun.
    """

    run: JaxState
    parameters: dict[str, Array]
    steps: Array
    episode: Array


class Step(NamedTuple):
    """What comes out of a step.

    Attributes:
        seen: (n,) What is observed after it; of `step_on`, where the episode is over, at the beginning of the next.
        reward: What it was worth.
        is_terminated: Whether the episode is over.
        is_truncated: Whether its time is over.
        is_success: Whether it has ended well.
        last_seen: (n,) What is observed after it, whether or not another episode begins.
    """

    seen: Array
    reward: Array
    is_terminated: Array
    is_truncated: Array
    is_success: Array
    last_seen: Array


class Ready(NamedTuple):
    """Episodes that stand ready, with a leading axis for them: what `reset` gives."""

    state: EpisodeState
    seen: Array


class FunctionalEnvironment:
    """One environment as pure functions; `jax.vmap` makes many of it, on whatever device JAX has.

    Episodes are those of the native environment with the same seeds: what they begin with is drawn by the same code.
    Nothing stops them: what is not finite stays in the state, and spreads.

    Args:
        environment: What it is.

    Attributes:
        low: (m,) Least actions.
        high: (m,) Largest actions.

    Raises:
        NotTraceable: If anything in the scenario has no form for JAX, with the list of all such things.
    """

    def __init__(self, environment: Environment) -> None:
        inputs = environment.inputs
        self.environment = environment
        self.low, self.high = environment.action_limits
        self._function = jax_function(
            inputs.nominal.scenario,
            dynamics=inputs.subject.service,
            integrator=inputs.nominal.integrator,
            step=environment.period,
            outputs=environment.ports,
            varies=inputs.native_numbers,
        )

    # ---- beginnings ----------------------------------------------------------------------------------------------

    def beginnings(self, seeds: Any, episodes: Any = 0) -> Beginning:
        """(N, ...) What episodes begin with; for `jax.vmap(reset)`.

        Args:
            seeds: (N,) Of environments.
            episodes: (N,) Numbers of their episodes, or one for all.
        """
        own, number = np.broadcast_arrays(np.asarray(seeds, np.int64), np.asarray(episodes, np.int64))
        return self.beginning_of(self.environment.inputs.given(run_numbers(own.reshape(-1), number.reshape(-1))))

    def beginning_of(self, given: Given) -> Beginning:
        """The same from what runs of a study are given."""
        count = len(given.seeds)
        starts = {
            element: jax.tree.map(
                lambda nominal, field: np.array(np.broadcast_to(field, (count, *np.shape(nominal)))),
                begun(self.environment.inputs.nominal, element, {}),
                begun(self.environment.inputs.nominal, element, fields),
            )
            for element, fields in given.starts.items()
        }
        return Beginning(np.array(given.seeds), starts, dict(given.numbers), self._function.keys(given.seeds))

    def ready(self, seeds: Any, episodes: int) -> Ready:
        """(N, E, ...) The first episodes of environments, each ready to be begun by `step_on`; computed at once."""
        count = len(np.asarray(seeds))
        each = np.repeat(np.asarray(seeds, np.int64), episodes), np.tile(np.arange(episodes), count)
        made = jax.jit(jax.vmap(self.reset))(self.beginnings(*each))
        return jax.tree.map(lambda leaf: leaf.reshape(count, episodes, *leaf.shape[1:]), Ready(*made))  # type: ignore[no-any-return]

    # ---- pure functions of one environment -----------------------------------------------------------------------

    def reset(self, beginning: Beginning) -> tuple[EpisodeState, Array]:
        """The state in which an episode begins, and (n,) what is observed there."""
        run, out = self._function.reset(beginning.starts, parameters=beginning.parameters, keys=beginning.keys)
        parameters = jax.tree.map(jnp.asarray, beginning.parameters)
        zero = jnp.zeros((), jnp.int64)
        return EpisodeState(run, parameters, zero, zero), self._seen(out)

    def step(self, state: EpisodeState, action: Array) -> tuple[EpisodeState, Step]:
        """Hold (m,) an action for a period, within its limits; the state after it, and what comes out of it."""
        run, out = self._function.step(state.run, self._inputs(state.run, action), parameters=state.parameters)
        env, steps = self.environment, state.steps + 1
        is_terminated, seen = self._truth(out, env.terminated), self._seen(out)
        is_truncated = ~is_terminated & (steps >= env.steps)
        reward, is_success = self._field(out, env.reward), self._truth(out, env.success)
        return state._replace(run=run, steps=steps), Step(seen, reward, is_terminated, is_truncated, is_success, seen)

    def step_on(self, state: EpisodeState, action: Array, ready: Ready) -> tuple[EpisodeState, Step]:
        """`step`, and at once the beginning of the next episode where one is over.

        Args:
            state: Of the present episode.
            action: (m,)
            ready: (E, ...) Episodes that are begun in turn; after the last, the first again.
        """
        new, told = self.step(state, action)
        is_over, episode = told.is_terminated | told.is_truncated, state.episode + 1
        next_one = jax.tree.map(lambda leaf: leaf[episode % leaf.shape[0]], ready)
        fresh = Ready(next_one.state._replace(episode=episode), next_one.seen)
        state, seen = jax.tree.map(lambda a, b: jnp.where(is_over, a, b), fresh, Ready(new, told.seen))
        return state, told._replace(seen=seen)

    # ---- details -------------------------------------------------------------------------------------------------

    def _inputs(self, run: JaxState, action: Array) -> dict[str, Any]:
        """The messages that an action stands for."""
        limited = jnp.clip(jnp.asarray(action, float), self.low, self.high)
        found: dict[str, Any] = {}
        for column, values in split(self.environment.acted, limited[None]):
            message = found.get(column.port, run.held[f"{column.port}.given"])
            found[column.port] = message._replace(**{column.field: values[0]})
        return found

    def _seen(self, out: dict[str, Any]) -> Array:
        return jnp.concatenate(
            [jnp.reshape(jnp.asarray(getattr(out[c.port], c.field), float), -1) for c in self.environment.observed]
        )

    def _field(self, out: dict[str, Any], path: str) -> Array:
        port, _, name = path.rpartition(".")
        return getattr(out[port], name)

    def _truth(self, out: dict[str, Any], path: str | None) -> Array:
        return jnp.asarray(False) if path is None else jnp.asarray(self._field(out, path), bool)
