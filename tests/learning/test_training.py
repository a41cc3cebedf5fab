"""PPO: gradients, advantages, checkpoints that go on to the same numbers."""

import numpy as np
import pytest

from cardan.errors import MissingExtra, SettingError
from cardan.learning import CheckpointError, Ppo, PpoTraining, environment, load_policy, read_policy, train
from cardan.learning.learner_jax import JaxLearner
from cardan.learning.learner_numpy import Knobs, NumpyLearner, Samples, Weights, log_likelihood
from cardan.learning.networks import forward, new_layers
from cardan.learning.ppo import advantages, new_learner

SMALL = {"environments": 16, "steps": 8, "updates": 4, "minibatches": 2, "epochs": 2, "hidden": (8, 8), "seed": 5}


@pytest.fixture(scope="module")
def setpoint():
    return environment("FreeFlyerSetpoint", limit=1.0)


def test_training_goes_on_from_a_checkpoint_to_the_same_numbers(setpoint, tmp_path):
    whole = PpoTraining(setpoint, Ppo(**SMALL, learner="numpy"))
    whole.train(2)
    file = whole.save(tmp_path / "half.npz")
    expected = whole.train(2)
    again = PpoTraining.load(file, setpoint)
    told = again.train(2)
    assert [each.losses for each in told] == [each.losses for each in expected]
    assert [each.episodes for each in told] == [each.episodes for each in expected] == [16, 0]
    for ours, theirs in zip(again.learner.state(), whole.learner.state(), strict=True):
        assert np.array_equal(ours, theirs)


def test_a_folder_has_all_that_was_learned_and_is_taken_up_again(setpoint, tmp_path):
    settings = Ppo(**SMALL, learner="numpy")
    whole = train(setpoint, settings, folder=tmp_path / "whole", progress=False)
    train(setpoint, settings, folder=tmp_path / "half", progress=False, stop=lambda told: told.update == 2)
    taken_up = train(setpoint, folder=tmp_path / "half", resume=True, progress=False)
    for ours, theirs in zip(taken_up.learner.state(), whole.learner.state(), strict=True):
        assert np.array_equal(ours, theirs)
    lines = (tmp_path / "half" / "progress.csv").read_text().splitlines()
    assert lines[0].startswith("update,samples") and len(lines) == 1 + 4
    assert read_policy(tmp_path / "half" / "policy.npz").environment == "FreeFlyerSetpoint"
    assert load_policy(tmp_path / "half" / "policy.npz").W0.shape == (12, 8)
    with pytest.raises(SettingError, match="has a checkpoint already"):
        train(setpoint, settings, folder=tmp_path / "half", progress=False)


def test_checkpoints_of_something_else_are_refused(setpoint, tmp_path):
    training = PpoTraining(setpoint, Ppo(**SMALL, learner="numpy"))
    file = training.save(tmp_path / "a.npz")
    with pytest.raises(CheckpointError, match="checkpoint of `FreeFlyerSetpoint`, which observes and does other"):
        PpoTraining.load(file, environment("WheelDetumble"))
    damaged = tmp_path / "b.npz"
    damaged.write_bytes(file.read_bytes()[:2000])
    with pytest.raises(CheckpointError, match=r"b\.npz holds no checkpoint, or is damaged"):
        PpoTraining.load(damaged, setpoint)
    with pytest.raises(CheckpointError, match="There is no file"):
        PpoTraining.load(tmp_path / "c.npz", setpoint)


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
    knobs = Knobs(clip=0.2, value=0.5, entropy=0.01, norm=0.5)
    given, order = samples(rng, weights), rng.permutation(64).astype(np.int32).reshape(2, 32)
    ours, theirs = NumpyLearner(weights, knobs), JaxLearner(weights, knobs)
    for _ in range(3):
        kept = theirs.state()
        told = [learner.epoch(given, order, 1e-2) for learner in (ours, theirs)]
        assert told[0] == pytest.approx(told[1], rel=1e-3, abs=1e-4)
    again = JaxLearner(weights, knobs)
    again.restore(kept)
    assert again.epoch(given, order, 1e-2) == told[1]
    for a, b in zip(again.state(), theirs.state(), strict=True):
        assert np.array_equal(a, b)
    for a, b in zip(ours.weights.arrays(), theirs.weights.arrays(), strict=True):
        assert np.allclose(a, b, atol=3e-4)
    assert not np.allclose(ours.weights.actor[0][0], weights.actor[0][0], atol=1e-3)


def test_advantages_are_those_of_the_definition():
    """Sums of discounted errors of the value, up to the end of the episode, term by term."""
    rng = np.random.default_rng(2)
    reward, value = rng.standard_normal((6, 2)), rng.standard_normal((7, 2))
    is_over = np.zeros((6, 2), bool)
    is_over[3, 0] = True
    found = advantages(reward, value, is_over, 0.9, 0.8)
    for n in range(2):
        for k in range(6):
            expected = 0.0
            for j in range(k, 6):
                ahead = 0.0 if is_over[j, n] else 0.9 * value[j + 1, n]
                expected += (0.9 * 0.8) ** (j - k) * (reward[j, n] + ahead - value[j, n])
                if is_over[j, n]:
                    break
            assert found[k, n] == pytest.approx(expected)


def test_learners_are_found_by_name(monkeypatch):
    layers = new_layers(np.random.default_rng(0), (2, 2), 1.0)
    weights, knobs = Weights(layers, layers, np.zeros(2, np.float32)), Knobs(0.2, 0.5, 0.0, 1.0)
    with pytest.raises(SettingError, match='Use "auto", "jax" or "numpy"'):
        new_learner("torch", weights, knobs)
    monkeypatch.setitem(__import__("sys").modules, "cardan.learning.learner_jax", None)
    assert new_learner("auto", weights, knobs).name == "numpy"
    with pytest.raises(MissingExtra, match=r"pip install cardan\[learn\]"):
        new_learner("jax", weights, knobs)


def test_minibatches_must_divide_what_is_flown(setpoint):
    with pytest.raises(SettingError, match="16 environments x 8 steps do not divide into 3 minibatches"):
        PpoTraining(setpoint, Ppo(**(SMALL | {"minibatches": 3})))
