"""Soft actor-critic (Haarnoja, Zhou, Abbeel and Levine, 2018; Haarnoja et al., 2019) in JAX, on native environments."""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from cardan.errors import SettingError, shown
from cardan.learning.environment import Environment
from cardan.learning.flights import Flown
from cardan.learning.networks import Layer, Layers, new_layers
from cardan.learning.networks_jax import forward, log_likelihood
from cardan.learning.policy import LARGEST_SPREAD, LEAST_SPREAD, PolicyFacts, facts_of
from cardan.learning.training import Settings, Training


@dataclass(frozen=True)
class Sac(Settings):
    """Settings of SAC, in addition to `Settings`.

    Attributes:
        gradients: Steps of the learner in an update.
        batch: Samples of a step.
        replay: Samples that are kept; the oldest give way.
        warm_up: Samples before anything is learned.
        tau: [-] How far the target critics follow in a step.
        temperature: Weight of the entropy at the beginning.
        temperature_rate: Learning rate of its logarithm.
        target_entropy: [-] Of each action, in parts of its range, that the temperature is learned for.
        critic_hidden: Sizes of the hidden layers of the critics.
        log_std: Of the actions at the beginning, before they are squashed.
        norm: Largest length of a gradient.
    """

    environments: int = 256
    steps: int = 8
    updates: int = 1600
    rate: float = 1e-3
    # many small steps, in which each sample is learned from eight times
    gradients: int = 64
    batch: int = 256
    replay: int = 1_000_000
    warm_up: int = 20_000
    tau: float = 0.005
    temperature: float = 0.01
    temperature_rate: float = 1e-3
    target_entropy: float = -1.5
    critic_hidden: tuple[int, ...] = (128, 128)
    log_std: float = -1.0
    norm: float = 10.0

    checkpoint_every: ClassVar[int] = 50

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("gradients", "batch", "replay"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise SettingError(f"{name} = {shown(value)}.\n  Use a whole number from 1 on.")
        if self.replay < self.environments * self.steps:
            raise SettingError(
                f"A replay buffer of {self.replay} samples cannot hold the {self.environments} x {self.steps} of an "
                "update.\n  Make `replay` larger."
            )

    def begin(self, environment: Environment) -> "SacTraining":
        return SacTraining(environment, self)


class SacTraining(Training[Sac]):
    """Training of a policy by SAC, which can be resumed.

    Args:
        environment: What is flown.
        settings: How it learns.
    """

    algorithm, settings_class = "SAC", Sac

    def __init__(self, environment: Environment, settings: Sac | None = None) -> None:
        super().__init__(environment, settings or Sac())
        self.replay = Replay(self.settings.replay, self.observed, self.acted)

    def _new_learner(self) -> Any:
        s = self.settings
        actor = new_layers(self.rng, (self.observed, *s.hidden, 2 * self.acted), 0.01)
        actor[-1][1][self.acted :] = s.log_std
        sizes = (self.observed + self.acted, *s.critic_hidden, 1)
        critics = tuple(new_layers(self.rng, sizes, 1.0) for _ in range(2))
        learned = Learned(actor, critics, np.float32(np.log(s.temperature)))
        knobs = Knobs(s.gamma, s.tau, s.target_entropy * self.acted, s.temperature_rate, s.norm)
        return SacLearner(learned, knobs, s.seed)

    @property
    def facts(self) -> PolicyFacts:
        layers, spread = _split(self.learner.actor, self.acted)
        return facts_of(self.environment, layers, self.normaliser, np.zeros(self.acted), spread)

    def _learn(self, flown: Flown) -> dict[str, float]:
        s = self.settings
        self.replay.add(flown)
        if self.replay.count < max(s.warm_up, s.batch):
            return dict.fromkeys(TOLD, np.nan)
        rows = self.rng.integers(self.replay.count, size=(s.gradients, s.batch))
        scale, mean = (a.astype(np.float32) for a in (self.normaliser.scale, self.normaliser.mean))
        losses: dict[str, float] = self.learner.learn(
            self.replay.at(rows), mean, scale, np.float32(self.reward_scale), self.rate
        )
        return losses

    def _arrays(self) -> dict[str, np.ndarray]:
        return super()._arrays() | {f"replay_{name}": array for name, array in self.replay.state().items()}

    def _restore(self, arrays: dict[str, np.ndarray]) -> None:
        super()._restore(arrays)
        self.replay.restore({name: arrays[f"replay_{name}"] for name in self.replay.state()})


def _split(actor: Layers, acted: int) -> tuple[Layers, Layer]:
    """The layers of the mean, and the last one of the deviation."""
    weights, bias = actor[-1]
    return [*actor[:-1], (weights[:, :acted], bias[:acted])], (weights[:, acted:], bias[acted:])


# ---- what is remembered ----------------------------------------------------------------------------------------------


class Transitions(NamedTuple):
    """Steps, in any order.

    Attributes:
        seen: (..., n) Observations before each.
        taken: (..., m) Actions before they are squashed.
        reward: (...,)
        after: (..., n) Observations after each.
        goes_on: (...,) 0 where the episode has come to an end of its own, else 1.
    """

    seen: Any
    taken: Any
    reward: Any
    after: Any
    goes_on: Any


class Replay:
    """The last transitions that were flown, in single precision.

    Args:
        size: How many at the most.
        observed: Numbers of an observation.
        acted: Numbers of an action.
    """

    def __init__(self, size: int, observed: int, acted: int) -> None:
        self.count, self._next, self._size = 0, 0, size
        shapes = ((observed,), (acted,), (), (observed,), ())
        self._kept = Transitions(*(np.zeros((size, *shape), np.float32) for shape in shapes))

    def add(self, flown: Flown) -> None:
        """Keep what was flown; steps that belong to no episode are left out."""
        chosen = flown.counts
        given = (flown.seen, flown.taken, flown.reward, flown.after, ~flown.terminated)
        count = int(chosen.sum())
        places = (self._next + np.arange(count)) % self._size
        for kept, values in zip(self._kept, given, strict=True):
            kept[places] = values[chosen]
        self._next = (self._next + count) % self._size
        self.count = min(self._size, self.count + count)

    def at(self, rows: np.ndarray) -> Transitions:
        """Some of them."""
        return Transitions(*(kept[rows] for kept in self._kept))

    def state(self) -> dict[str, np.ndarray]:
        """All that is kept."""
        kept = {name: array[: self.count] for name, array in self._kept._asdict().items()}
        return kept | {"next": np.array(self._next)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        self._next, self.count = int(state["next"]), len(state["seen"])
        for name, kept in self._kept._asdict().items():
            kept[: self.count] = state[name]


# ---- what learns -----------------------------------------------------------------------------------------------------

TOLD = ("critic loss", "actor loss", "entropy", "temperature")


class Learned(NamedTuple):
    """All that is learned.

    Attributes:
        actor: The network behind mean and logarithm of the deviation of the actions.
        critics: Two networks behind the value of an action.
        log_temperature: Of the entropy's weight.
    """

    actor: Any
    critics: Any
    log_temperature: Any


class Knobs(NamedTuple):
    """What the learner is told; `target_entropy` is that of all actions together."""

    gamma: float
    tau: float
    target_entropy: float
    temperature_rate: float
    norm: float


class SacLearner:
    """Adam on the losses of actor, critics and temperature.

    Args:
        learned: To begin with.
        knobs: Of the losses.
        seed: Of the actions that are drawn while it learns.
    """

    name = "jax"

    def __init__(self, learned: Learned, knobs: Knobs, seed: int) -> None:
        held = jax.tree.map(jnp.array, learned)
        targets = jax.tree.map(jnp.array, learned.critics)
        self._knobs = knobs
        self._state = held, targets, Learned(*map(_rule(knobs.norm).init, held)), jax.random.PRNGKey(seed)

    @property
    def actor(self) -> Layers:
        return [(np.array(weights), np.array(bias)) for weights, bias in self._state[0].actor]

    def learn(self, parts: Transitions, mean: Any, scale: Any, reward_scale: Any, rate: float) -> dict[str, float]:
        """A step for each row of `parts`, in which observations and rewards are as they were flown."""
        self._state, told = _learn(self._knobs, self._state, parts, mean, scale, reward_scale, rate)
        return dict(zip(TOLD, np.asarray(told).tolist(), strict=True))

    def state(self) -> list[np.ndarray]:
        """All that changes: weights, targets, moments, random state."""
        return [np.array(a) for a in jax.tree.leaves(self._state)]

    def restore(self, state: list[np.ndarray]) -> None:
        self._state = jax.tree.unflatten(jax.tree.structure(self._state), [jnp.array(a) for a in state])


def _rule(norm: float) -> Any:
    return optax.chain(optax.clip_by_global_norm(norm), optax.scale_by_adam())


def _activation(x: Any) -> Any:
    """Rectified, after each layer was taken to mean zero and variance one (Ba, Kiros and Hinton, 2016).

    Without it the critics overestimate actions that nobody has tried, and what was learned is lost again.
    """
    return jax.nn.relu(jax.nn.standardize(x, axis=1))


def _worth(critic: Any, seen: Any, taken: Any) -> Any:
    """(B,) What an action is worth, which goes into the critic between -1 and 1."""
    return forward(critic, jnp.concatenate([seen, jnp.tanh(0.5 * taken)], axis=1), _activation)[:, 0]


def _draw(actor: Any, seen: Any, key: Any) -> Any:
    """Actions before they are squashed, and the logarithm of their likelihood in parts of their range.

    share = 1 / (1 + exp(-u)) has the density of u over d(share)/du = share (1 - share).
    """
    mean, log_std = jnp.split(forward(actor, seen), 2, axis=1)
    log_std = jnp.clip(log_std, LEAST_SPREAD, LARGEST_SPREAD)
    taken = mean + jnp.exp(log_std) * jax.random.normal(key, mean.shape)
    slope = -jax.nn.softplus(taken) - jax.nn.softplus(-taken)
    return taken, log_likelihood(mean, log_std, taken) - slope.sum(axis=1)


def _critic_loss(critics: Any, part: Transitions, target: Any) -> Any:
    return sum(((_worth(critic, part.seen, part.taken) - target) ** 2).mean() for critic in critics)


def _actor_loss(actor: Any, critics: Any, temperature: Any, seen: Any, key: Any) -> Any:
    taken, log_p = _draw(actor, seen, key)
    least = jnp.minimum(*(_worth(critic, seen, taken) for critic in critics))
    return (temperature * log_p - least).mean(), log_p.mean()


@partial(jax.jit, static_argnums=0, donate_argnums=1)
def _learn(knobs: Knobs, state: Any, parts: Transitions, mean: Any, scale: Any, reward_scale: Any, rate: Any) -> Any:
    rule = _rule(knobs.norm)

    def normal(seen: Any) -> Any:
        return jnp.clip((seen - mean) * scale, -10.0, 10.0)

    def stepped(learned: Any, gradient: Any, moments: Any, rate: Any) -> Any:
        step, moments = rule.update(gradient, moments)
        return jax.tree.map(lambda a, s: a - rate * s, learned, step), moments

    def one(state: Any, part: Transitions) -> Any:
        learned, targets, moments, key = state
        part = part._replace(seen=normal(part.seen), after=normal(part.after), reward=reward_scale * part.reward)
        temperature = jnp.exp(learned.log_temperature)
        key, ahead, now = jax.random.split(key, 3)
        taken, log_p = _draw(learned.actor, part.after, ahead)
        least = jnp.minimum(*(_worth(critic, part.after, taken) for critic in targets))
        target = part.reward + knobs.gamma * part.goes_on * (least - temperature * log_p)
        critic_loss, gradient = jax.value_and_grad(_critic_loss)(learned.critics, part, target)
        critics, of_critics = stepped(learned.critics, gradient, moments.critics, rate)
        (actor_loss, log_p), gradient = jax.value_and_grad(_actor_loss, has_aux=True)(
            learned.actor, critics, temperature, part.seen, now
        )
        actor, of_actor = stepped(learned.actor, gradient, moments.actor, rate)
        # the temperature falls where there is more entropy than is asked for
        log_temperature, of_temperature = stepped(
            learned.log_temperature, -log_p - knobs.target_entropy, moments.log_temperature, knobs.temperature_rate
        )
        targets = jax.tree.map(lambda a, b: a + knobs.tau * (b - a), targets, critics)
        told = jnp.stack([critic_loss, actor_loss, -log_p, temperature])
        moments = Learned(of_actor, of_critics, of_temperature)
        return (Learned(actor, critics, log_temperature), targets, moments, key), told

    state, told = jax.lax.scan(one, state, parts)
    return state, told.mean(axis=0)
