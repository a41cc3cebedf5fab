"""Policies in the loop, and PPO: environment steps per second.

SmallSatSim's Table III (Schwartz et al., arXiv 2603.14598) has 4.37e4 steps of 0.02 s per second on an A100 with MJX,
for 2048 environments with sampling and value, and 3.97e3 for 128.
"""

from collections.abc import Iterator

import numpy as np

import cardan as cd
from benchmarks.goal import Goal, best_of
from cardan import learning
from cardan.learning.networks import new_layers
from cardan.learning.normalisation import Normaliser
from cardan.learning.policy import facts_of

STEP, STEPS = 0.02, 64
MEMBERS = (128, 256, 512, 1024, 2048, 4096, 8192)
GOALS = ((cd.ExplicitEuler(step=STEP), 1.0e6), (cd.Rk4(step=STEP), 6.0e5))


def measure() -> Iterator[Goal]:
    yield from rollouts()
    yield from training()


def flown(integrator: cd.ExplicitEuler | cd.Rk4, *, explore: bool = True) -> learning.Environment:
    """The set-point task with a policy of two layers of 64 inside, as it is at the beginning of training."""
    env = learning.environment("FreeFlyerSetpoint", period=STEP, limit=20.48, integrator=integrator)
    layers = new_layers(np.random.default_rng(0), (12, 64, 64, 12), 0.01)
    return learning.flown_by(env, facts_of(env, layers, Normaliser(12), np.full(12, -0.5)), explore=explore)


def rollouts() -> Iterator[Goal]:
    for integrator, goal in GOALS:
        for members in MEMBERS:
            name = f"{type(integrator).__name__}, {members} environments, policy inside: steps"
            least = goal if members == MEMBERS[-1] else 0.25 * goal
            yield Goal(name, rate_of(integrator, members), "1/s", least, True)


def rate_of(integrator: cd.ExplicitEuler | cd.Rk4, members: int) -> float:
    """[1/s] Steps of all environments, with the policy inside."""
    env = flown(integrator)
    batch, starts, everyone = env.batch(members), env.episodes(members), np.ones(members, bool)
    batch.take(starts.batch, starts.find(np.zeros(members, np.int64), everyone))

    def run() -> None:
        batch.rollout({}, STEP, steps=STEPS)
        assert not batch.failed.any()

    run()
    return members * STEPS / best_of(run, 5)


def training() -> Iterator[Goal]:
    made = learning.PpoTraining(learning.environment("FreeFlyerSetpoint"), learning.Ppo(epochs=2))
    made.train(2)
    best = max(told.rate for told in made.train(5))
    yield Goal("PPO with JAX, learning included: samples", best, "1/s", 3.0e5, True)
