"""Learners: gradients of both, advantages, and by which name they are found."""

import sys

import numpy as np
import pytest

from cardan.errors import MissingExtra, SettingError
from cardan.learning.learner_jax import JaxLearner
from cardan.learning.learner_numpy import Knobs, NumpyLearner, Samples, Weights, log_likelihood
from cardan.learning.networks import forward, new_layers
from cardan.learning.on_policy import advantages
from cardan.learning.ppo import new_learner


def samples(rng, weights, count=64):
    seen = rng.standard_normal((count, 5)).astype(np.float32)
    mean = forward(weights.actor, seen)
    taken = mean + np.exp(weights.log_std) * rng.standard_normal(mean.shape).astype(np.float32)
    # others than the present policy would say, so that some ratios are clipped
    log_p = log_likelihood(mean, weights.log_std, taken) + 0.3 * rng.standard_normal(count).astype(np.float32)
    numbers = rng.standard_normal((2, count)).astype(np.float32)
    return Samples(seen, taken, log_p.astype(np.float32), *numbers)


def test_both_learners_take_the_same_step_and_go_on_from_where_they_were():
    """Gradients by hand against those of JAX, in single precision: a few steps differ by rounding alone."""
    rng = np.random.default_rng(1)
    layers = [new_layers(rng, sizes, 0.5) for sizes in ((5, 8, 8, 3), (5, 8, 8, 1))]
    weights = Weights(*layers, np.full(3, -0.5, np.float32))
    knobs = Knobs(clip=0.2, entropy=0.01, norm=0.5)
    given, order = samples(rng, weights), rng.permutation(64).astype(np.int32).reshape(1, 2, 32)
    ours, theirs = NumpyLearner(weights, knobs), JaxLearner(weights, knobs)
    for _ in range(3):
        kept = theirs.state()
        told = [learner.learn(given, order, 1e-2) for learner in (ours, theirs)]
        assert told[0] == pytest.approx(told[1], rel=1e-3, abs=1e-4)
    again = JaxLearner(weights, knobs)
    again.restore(kept)
    assert again.learn(given, order, 1e-2) == told[1]
    for a, b in zip(again.state(), theirs.state(), strict=True):
        assert np.array_equal(a, b)
    for a, b in zip(ours.weights.arrays(), theirs.weights.arrays(), strict=True):
        assert np.allclose(a, b, atol=3e-4)
    assert not np.allclose(ours.weights.actor[0][0], weights.actor[0][0], atol=1e-3)


def test_the_policy_stops_once_it_has_moved_too_far():
    """The value goes on: four passes of it, one of the policy, with both learners.

    A pass moves weights by some 1e-2; rounding, by 3e-4 at the most.
    """
    rng = np.random.default_rng(1)
    layers = [new_layers(rng, sizes, 0.5) for sizes in ((5, 8, 3), (5, 8, 1))]
    weights = Weights(*layers, np.full(3, -0.5, np.float32))
    given, order = samples(rng, weights), rng.permutation(64).astype(np.int32).reshape(1, 2, 32)
    far = Knobs(0.2, 0.0, 0.5, most_kl=1e-6)
    once, ours, theirs = NumpyLearner(weights, far), NumpyLearner(weights, far), JaxLearner(weights, far)
    told = once.learn(given, order, 1e-2)
    for stopped in (ours, theirs):
        found = stopped.learn(given, np.repeat(order, 4, axis=0), 1e-2)
        assert found["KL"] == pytest.approx(told["KL"], rel=1e-3) and told["KL"] > 1e-6
        assert np.allclose(stopped.weights.actor[0][0], once.weights.actor[0][0], atol=3e-4)
        assert found["value loss"] < 0.99 * told["value loss"]


def test_advantages_are_those_of_the_definition():
    """Sums of discounted errors of the value, up to the end of the episode, term by term.

    One episode comes to its end after step 3, so that nothing follows; time ends another after step 2, so that what
    would have followed still counts.
    """
    rng = np.random.default_rng(2)
    reward, value, ahead = rng.standard_normal((3, 3, 6))
    terminated, truncated = np.zeros((2, 3, 6), bool)
    terminated[0, 3] = truncated[1, 2] = True
    found = advantages(reward, value, ahead, terminated, truncated, 0.9, 0.8)
    for n in range(3):
        for k in range(6):
            expected = 0.0
            for j in range(k, 6):
                follows = 0.0 if terminated[n, j] else 0.9 * ahead[n, j]
                expected += (0.9 * 0.8) ** (j - k) * (reward[n, j] + follows - value[n, j])
                if terminated[n, j] or truncated[n, j]:
                    break
            assert found[n, k] == pytest.approx(expected, rel=1e-5)


def test_learners_are_found_by_name(monkeypatch):
    layers = new_layers(np.random.default_rng(0), (2, 2), 1.0)
    weights, knobs = Weights(layers, layers, np.zeros(2, np.float32)), Knobs(0.2, 0.0, 1.0)
    with pytest.raises(SettingError, match='Use "auto", "jax" or "numpy"'):
        new_learner("torch", weights, knobs)
    monkeypatch.setitem(sys.modules, "cardan.learning.learner_jax", None)
    assert new_learner("auto", weights, knobs).name == "numpy"
    with pytest.raises(MissingExtra, match=r"pip install cardan\[learn\]"):
        new_learner("jax", weights, knobs)
