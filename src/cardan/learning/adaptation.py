"""Adaptation: a policy learns to estimate what only training knows (Kumar, Fu, Pathak and Malik, RMA, 2021).

The encoder is SmallSatSim's: a layer for each tick, two convolutions over the ticks, a last layer.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from cardan.errors import SettingError
from cardan.learning.columns import flat
from cardan.learning.environment import Environment
from cardan.learning.flying import POLICY, flown_by
from cardan.learning.learner_jax import rule_of, stepped
from cardan.learning.networks import new_layers, sigmoid
from cardan.learning.policy import FIRST, SECOND, PolicyFacts, check_fits

_LEAST = 9  # [ticks] so that each convolution has something to take


class Adapted(NamedTuple):
    """What was learned.

    Attributes:
        facts: The policy, which flies where nothing but the observations is known.
        losses: After each collection: mean square of what was guessed wrong, where 1 is that of guesses of the mean.
    """

    facts: PolicyFacts
    losses: list[float]


def adapt(
    environment: Environment,
    facts: PolicyFacts,
    *,
    history: int = 50,
    width: int = 32,
    collections: int = 10,
    episodes: int = 128,
    steps: int = 100,
    batch: int = 256,
    rate: float = 1e-3,
    seed: int = 0,
) -> Adapted:
    """Let a policy that was trained with the environment's `context` guess it from the last ticks.

    It flies by its own guesses, natively; what they should have been is what it learns from.

    Args:
        environment: What it is for, with a `context`.
        facts: The policy, as trained in `environment.privileged`.
        history: [-] Ticks that it guesses from.
        width: Of the encoder's layers.
        collections: How often it flies and learns from all that it has flown.
        episodes: Of a flight.
        steps: Of the learner after a flight.
        batch: Samples of a step.
        rate: Learning rate of Adam; it falls to a tenth.
        seed: All random numbers follow from it.
    """
    if history < _LEAST:
        raise SettingError(
            f"history = {history}.\n  Use {_LEAST} ticks or more: the convolutions take less than these."
        )
    check_fits(facts, environment.privileged)
    rng, n = np.random.default_rng(seed), sum(each.size for each in environment.observed)
    context = len(facts.mean) - n
    rows = ((history - FIRST) // 2 + 1 - SECOND) // 2 + 1
    sizes = {
        "embed": (n + len(facts.low), width), "first": (FIRST * width, width),
        "second": (SECOND * width, width), "context": (rows * width, context),
    }  # fmt: skip
    encoder = {name: new_layers(rng, size, 0.1 if name == "context" else 1.0)[0] for name, size in sizes.items()}
    observed = facts.observed[: len(environment.observed)]
    flying = facts._replace(
        observed=observed, mean=facts.mean[:n], scale=facts.scale[:n], encoder=encoder, history=history
    )
    learned: Any = jax.tree.map(jnp.array, encoder)
    moments, flights, losses = rule_of(1.0).init(learned), [], []
    for number in range(collections):
        flights.append(_flight(environment, flying, facts, episodes, seed=int(rng.integers(2**30))))
        past, truth = (np.concatenate(each) for each in zip(*flights, strict=True))
        falling, sums = rate * (0.1 + 0.9 * (1.0 - number / collections)), 0.0
        for _ in range(steps):
            member, tick = rng.integers(len(past), size=batch), rng.integers(past.shape[1], size=batch)
            ticks = tick[:, None] + np.arange(1 - history, 1)
            window = past[member[:, None], np.maximum(ticks, 0)]
            learned, moments, loss = _learn(
                learned, moments, window, (ticks >= 0).astype(np.float32), truth[member, tick], falling
            )
            sums += float(loss)
        losses.append(sums / steps / float(truth.var(axis=(0, 1)).mean()))
        encoder = {name: (np.array(weights), np.array(bias)) for name, (weights, bias) in learned.items()}
        flying = flying._replace(encoder=encoder)
    return Adapted(flying, losses)


def _flight(
    environment: Environment, flying: PolicyFacts, facts: PolicyFacts, episodes: int, *, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """What was seen, with the action before, as the encoder takes it, (N, K, n + m); and what is to be guessed."""
    flown = flown_by(environment, flying, explore=True)
    ports = [*environment.observe, *environment.context, f"{POLICY}.sample"]
    flown = flown.with_changes(observe=ports, context=())
    batch, starts, everyone = flown.batch(episodes), flown.episodes(episodes), np.ones(episodes, bool)
    starts.seed(seed + np.arange(episodes), everyone)
    batch.take(starts.batch, starts.find(np.zeros(episodes, np.int64), everyone))
    columns, sample = environment.privileged.observed, f"{POLICY}.sample"
    first = flat(columns, {each.port: batch[each.port] for each in columns})[:, None]
    taken = np.array(batch[sample].taken)[:, None]
    told = batch.rollout({}, environment.period, steps=environment.steps)
    if batch.failed.any():
        raise SettingError(f"Member {int(np.argmax(batch.failed))} failed while the policy flew.")
    seen = np.concatenate([first, flat(columns, told).reshape(episodes, environment.steps, -1)], axis=1)
    normal = np.clip((seen - facts.mean) * facts.scale, -10.0, 10.0).astype(np.float32)
    done = sigmoid(np.concatenate([taken, told[sample].taken[:, :-1]], axis=1)).astype(np.float32)
    before = np.concatenate([0.0 * done[:, :1], done], axis=1)
    n = len(flying.mean)
    return np.concatenate([normal[:, :, :n], before], axis=2), normal[:, :, n:]


def encode(encoder: Any, past: Any, is_known: Any) -> Any:
    """(B, context) What is guessed from (B, history, n + m); rows of ticks before the first are zero."""
    rows = jnp.tanh(past @ encoder["embed"][0] + encoder["embed"][1]) * is_known[:, :, None]
    for name, width in (("first", FIRST), ("second", SECOND)):
        count = (rows.shape[1] - width) // 2 + 1
        places = 2 * np.arange(count)[:, None] + np.arange(width)
        weights, bias = encoder[name]
        rows = jnp.tanh(rows[:, places].reshape(len(rows), count, -1) @ weights + bias)
    return rows.reshape(len(rows), -1) @ encoder["context"][0] + encoder["context"][1]


@partial(jax.jit, donate_argnums=(0, 1))
def _learn(encoder: Any, moments: Any, past: Any, is_known: Any, truth: Any, rate: Any) -> Any:
    def error(encoder: Any) -> Any:
        apart = encode(encoder, past, is_known) - truth
        return (apart * apart).mean()

    loss, gradient = jax.value_and_grad(error)(encoder)
    return *stepped(1.0, encoder, gradient, moments, rate), loss
