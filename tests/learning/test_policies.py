"""Policies as tasks: the actions of training, natively, from files that are whole."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

import cardan as cd
from cardan.contracts import message
from cardan.errors import SettingError, UnknownName
from cardan.learning import (
    PolicyError,
    environment,
    flown_by,
    load_policy,
    policy_task,
    read_policy,
    save_policy,
)  # fmt: skip
from cardan.learning.networks import forward, new_layers, sigmoid
from cardan.learning.normalisation import Normaliser
from cardan.learning.policy import facts_of, rational_tanh
from cardan.messages import FlyerError


@pytest.fixture(scope="module")
def setpoint():
    return environment("FreeFlyerSetpoint", limit=0.5)


@pytest.fixture(scope="module")
def normaliser():
    made = Normaliser(12)
    made.see(np.random.default_rng(1).normal(0.2, 0.7, (200, 12)))
    return made


@pytest.fixture(scope="module")
def facts(setpoint, normaliser):
    layers = new_layers(np.random.default_rng(2), (12, 64, 64, 12), 1.0)
    return facts_of(setpoint, layers, normaliser, np.full(12, -1.0))


def trained_action(facts, normaliser, seen):
    """As the learner computes it, in single precision."""
    return facts.low + (facts.high - facts.low) * sigmoid(forward(facts.layers, normaliser(seen)))


def test_the_task_gives_the_actions_of_the_training_policy(facts, normaliser, tmp_path):
    task = load_policy(save_policy(tmp_path / "policy.npz", facts))
    seen = np.random.default_rng(3).normal(0.0, 3.0, (50, 12))
    expected = trained_action(facts, normaliser, seen)
    for row, action in zip(seen, expected, strict=True):
        outputs = task.step(FlyerError(*row.reshape(4, 3)), cd.RandomKey(0, 0))
        assert np.abs(outputs.command.thrust - action).max() < 1e-6
        assert np.array_equal(outputs.sample.mean, outputs.sample.taken)


def test_flown_natively_it_does_what_it_does_step_by_step(setpoint, facts, normaliser):
    """To 1e-5: the loop through Python has actions in single precision."""
    env = setpoint.vector(8, autoreset="same-step", dtype=np.float64)
    seen, _ = env.reset(seed=20)
    rewards = np.zeros((8, 9))
    for k in range(9):
        seen, rewards[:, k], *_ = env.step(trained_action(facts, normaliser, seen))
    flown = flown_by(setpoint, facts)
    batch, starts = flown.batch(8), flown.episodes(8)
    starts.seed(20 + np.arange(8), np.ones(8, bool))
    batch.take(starts.batch, starts.find(np.zeros(8, np.int64), np.ones(8, bool)))
    told = batch.rollout({}, setpoint.period, steps=9)
    assert np.abs(told["judge.reward"].value - rewards).max() < 1e-5
    assert np.abs(rewards).max() > 0.01
    # other weights, in all threads and for eight members at once
    others = policy_task(facts._replace(layers=[(0.5 * w, b) for w, b in facts.layers]))
    batch.take(starts.batch, starts.find(np.zeros(8, np.int64), np.ones(8, bool)))
    batch.share({"policy.W0": others.W0, "policy.W1": others.W1, "policy.W2": others.W2})
    assert not np.allclose(batch.rollout({}, setpoint.period, steps=9)["judge.reward"].value, rewards, atol=1e-4)


def test_rational_tanh_is_tanh():
    x = np.linspace(-15.0, 15.0, 2001)
    assert np.abs([rational_tanh(each) for each in x] - np.tanh(x)).max() < 2e-8


# ---- what is refused -------------------------------------------------------------------------------------------------


def test_files_that_hold_no_policy_are_refused(facts, tmp_path):
    file = save_policy(tmp_path / "policy", facts)
    assert file.name == "policy.npz"
    whole = file.read_bytes()
    at = whole.index(facts.layers[0][0].tobytes()[:64])
    for number, bytes_ in enumerate((b"", whole[:500], whole[:at] + bytes(8) + whole[at + 8 :])):
        (tmp_path / f"{number}.npz").write_bytes(bytes_)
        with pytest.raises(PolicyError, match="damaged"):
            load_policy(tmp_path / f"{number}.npz")
    with pytest.raises(PolicyError, match="There is no file"):
        load_policy(tmp_path / "none.npz")
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(PolicyError, match="holds no policy"):
        load_policy(tmp_path / "other.npz")


def test_policies_of_other_environments_are_refused(facts):
    with pytest.raises(SettingError, match=r"The policy of `FreeFlyerSetpoint` observes nav.error.r_BR_B"):
        flown_by(environment("WheelDetumble"), facts)


def test_messages_that_cannot_be_imported_are_given(facts):
    @message
    class Hidden(NamedTuple):
        """Cannot be imported."""

        thrust: Annotated[cd.Vec, "N"]

    acted = [facts.acted[0] | {"message": "somewhere:Hidden"}]
    with pytest.raises(UnknownName, match=r"messages `somewhere:Hidden`, which cannot be imported.\n  Give the class"):
        policy_task(facts._replace(acted=acted))
    made = policy_task(facts._replace(acted=acted), messages={"Hidden": Hidden})
    assert isinstance(made.step(FlyerError(), cd.RandomKey(0, 0)).command, Hidden)


def test_what_is_read_again_is_what_was_written(facts, tmp_path):
    again = read_policy(save_policy(tmp_path / "policy.npz", facts))
    assert (again.environment, again.period, again.observed, again.acted) == facts[:4]
    assert all(np.array_equal(a[0], b[0]) for a, b in zip(again.layers, facts.layers, strict=True))
