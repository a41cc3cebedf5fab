"""Behaviour cloning: a policy that imitates a controller, as a start for learning."""

from typing import NamedTuple

import numpy as np

from cardan.errors import SettingError
from cardan.learning.columns import flat
from cardan.learning.environment import Environment
from cardan.learning.learner_numpy import Adam, gradients_of, run_layers
from cardan.learning.networks import new_layers, sigmoid
from cardan.learning.normalisation import Normaliser
from cardan.learning.policy import PolicyFacts, facts_of


class Cloned(NamedTuple):
    """What was learned from a controller.

    Attributes:
        facts: The policy.
        losses: After each pass: mean square of the difference of actions, in parts of their range.
    """

    facts: PolicyFacts
    losses: list[float]


def clone(
    environment: Environment,
    flown: Environment,
    command: str,
    *,
    episodes: int = 256,
    passes: int = 40,
    size: int = 1024,
    rate: float = 1e-3,
    hidden: tuple[int, ...] = (64, 64),
    seed: int = 0,
) -> Cloned:
    """Learn what a controller does.

    Args:
        environment: What the policy is for.
        flown: The same with the controller in the place of the input, by `Scenario.replace_input`.
        command: The port of the controller with the action, `ctl.command`.
        episodes: That the controller flies, natively.
        passes: Over all that it did.
        size: Of a minibatch.
        rate: Learning rate of Adam; it falls to a tenth.
        hidden: Sizes of the hidden layers.
        seed: All random numbers follow from it.
    """
    seen, done = _demonstrations(environment, flown, command, episodes, seed)
    rng, normaliser = np.random.default_rng(seed), Normaliser(seen.shape[1])
    normaliser.see(seen)
    x = normaliser(seen)
    low, high = (np.concatenate([getattr(each, bound) for each in environment.acted]) for bound in ("low", "high"))
    target = np.clip((done - low) / (high - low), 0.0, 1.0).astype(np.float32)
    layers = new_layers(rng, (x.shape[1], *hidden, target.shape[1]), 0.1)
    arrays = [a for layer in layers for a in layer]
    adam, losses = Adam(arrays, norm=1.0), []
    for number in range(passes):
        falling = rate * (0.1 + 0.9 * (1.0 - number / passes))
        total = 0.0
        order = rng.permutation(len(x))[: len(x) - len(x) % min(size, len(x))].reshape(-1, min(size, len(x)))
        for rows in order:
            u, inputs = run_layers(layers, x[rows])
            share = sigmoid(u)
            apart = share - target[rows]
            total += float((apart * apart).mean())
            d = (2.0 * apart * share * (1.0 - share) / len(rows)).astype(np.float32)
            arrays = adam.step(arrays, gradients_of(layers, inputs, d), falling)
            layers = list(zip(arrays[::2], arrays[1::2], strict=True))
        losses.append(total / len(order))
    return Cloned(facts_of(environment, layers, normaliser), losses)


def _demonstrations(
    environment: Environment, flown: Environment, command: str, episodes: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """What a controller saw, and what it did then, as rows."""
    port, steps = command, environment.steps
    seeing = flown.with_changes(observe=[*environment.observe, port])
    batch, starts, everyone = seeing.batch(episodes), seeing.episodes(episodes), np.ones(episodes, bool)
    starts.seed(seed + np.arange(episodes), everyone)
    batch.take(starts.batch, starts.find(np.zeros(episodes, np.int64), everyone))
    told = batch.rollout({}, environment.period, steps=steps)
    if batch.failed.any():
        raise SettingError(f"Member {int(np.argmax(batch.failed))} failed while the controller flew.")
    rows = {path: type(each)(*(_rows(a) for a in each)) for path, each in told.items()}
    acted = [column._replace(port=port) for column in environment.acted]
    return flat(environment.observed, rows), flat(acted, rows)


def _rows(values: np.ndarray) -> np.ndarray:
    """(N K, ...) of (N, K, ...)."""
    return values.reshape(-1, *values.shape[2:])
