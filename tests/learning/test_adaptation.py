"""Adaptive policies: what training alone knew is guessed, natively as in training."""

import sys
import warnings

import numpy as np
import pytest

from cardan.errors import LooseEnds, MissingExtra, SettingError
from cardan.learning import (
    Hardship,
    Ppo,
    PpoTraining,
    environment,
    evaluate,
    load_policy,
    read_policy,
    save_policy,
    train,
)  # fmt: skip
from cardan.learning.adaptation import adapt, encode
from cardan.learning.flying import flown_by
from cardan.learning.networks import forward, sigmoid

# fewer than eight fly at once, so that nothing is compiled for eight at a time
SMALL = Ppo(
    environments=6, steps=8, updates=2, minibatches=2, epochs=2, hidden=(8, 8), learner="numpy", policy="adaptive"
)
BRIEF = {"history": 12, "width": 8, "collections": 4, "episodes": 6, "steps": 150, "batch": 64}


@pytest.fixture(scope="module")
def pushed():
    """So hard that it shows in what is seen whatever the thrusters do."""
    hard = Hardship(force=2.0, torque=0.05)
    return environment("FreeFlyerSetpoint", limit=1.0, has_context=True, hardship=hard, lost=1e6)


@pytest.fixture(scope="module")
def training(pushed):
    made = PpoTraining(pushed, SMALL)
    made.train(2)
    return made


@pytest.fixture(scope="module")
def adapted(pushed, training):
    return adapt(pushed, training.facts, **BRIEF, rate=5e-3)


def test_what_is_known_in_training_is_what_acts_beside_the_demand(pushed):
    """A steady push, here in body components, with thrusters that do as they are told."""
    env = pushed.with_changes(observe=["context.residual", "steady.push"]).vector(4, autoreset="disabled")
    env.reset(seed=3)
    for _ in range(2):
        seen, *_ = env.step(np.full(env.action_space.shape, 0.1))
    residual, push = (np.linalg.norm(each.reshape(4, 2, 3), axis=2) for each in (seen[:, :6], seen[:, 6:]))
    assert residual == pytest.approx(push, rel=1e-3)  # the vehicle turns meanwhile
    assert push[:, 0].min() > 0.1


def test_it_learns_to_guess(adapted):
    """1 is what guesses of the mean would give; of the first of 20 ticks little can be known."""
    assert adapted.losses[-1] < 0.6


def test_natively_it_guesses_and_acts_as_in_training(pushed, adapted, training, tmp_path):
    facts = read_policy(save_policy(tmp_path / "policy", adapted.facts))
    assert facts.history == 12 and load_policy(tmp_path / "policy.npz").W_embed.shape == (24, 8)
    flown = flown_by(pushed, facts).with_changes(observe=[*pushed.observe, "policy.sample"])
    batch, starts, everyone = flown.batch(4), flown.episodes(4), np.ones(4, bool)
    starts.seed(np.arange(4), everyone)
    batch.take(starts.batch, starts.find(np.zeros(4, np.int64), everyone))
    error, sample = batch["nav.error"], batch["policy.sample"]
    first, taken = np.concatenate([np.array(each) for each in error], axis=1), np.array(sample.taken)
    told = batch.rollout({}, pushed.period, steps=15)
    seen = np.concatenate(
        [first[:, None], np.concatenate([np.array(each) for each in told["nav.error"]], axis=2)], axis=1
    )
    taken = np.concatenate([taken[:, None], told["policy.sample"].taken], axis=1)
    normal = np.clip((seen - facts.mean) * facts.scale, -10.0, 10.0)
    rows = np.concatenate([normal, np.concatenate([np.zeros((4, 1, 12)), sigmoid(taken[:, :-1])], axis=1)], axis=2)
    for tick in (3, 15):  # before the history is full, and after
        ticks = np.arange(tick - 11, tick + 1)
        past, is_known = rows[:, np.maximum(ticks, 0)], np.tile((ticks >= 0).astype(float), (4, 1))
        guess = np.asarray(encode(facts.encoder, past.astype(np.float32), is_known.astype(np.float32)))
        mean = forward(facts.layers, np.concatenate([normal[:, tick].astype(np.float32), guess], axis=1))
        assert np.abs(mean - told["policy.sample"].mean[:, tick - 1]).max() < 1e-6
    assert evaluate(pushed, facts, 4).steps.shape == (4,)


def test_a_training_ends_with_what_can_be_flown(pushed, tmp_path, monkeypatch):
    monkeypatch.setattr("cardan.learning.adaptation.adapt", lambda *args, seed: adapt(*args, **BRIEF, seed=seed))
    trained = train(pushed, SMALL, folder=tmp_path, progress=False, checkpoint_every=1)
    assert trained.given is pushed and read_policy(tmp_path / "policy.npz").encoder is not None
    assert PpoTraining.load(tmp_path / "checkpoint.npz", pushed).update == 2


def test_a_context_that_nobody_reads_is_no_loose_end():
    with warnings.catch_warnings():
        warnings.simplefilter("error", LooseEnds)
        environment("FreeFlyerSetpoint", has_context=True, limit=1.0).batch(1)


# ---- what is refused -------------------------------------------------------------------------------------------------


def test_what_makes_no_sense_is_refused(pushed, training, monkeypatch):
    with pytest.raises(SettingError, match=r"nothing that training alone knows.*\n  Name ports or fields: `context="):
        PpoTraining(environment("FreeFlyerSetpoint", limit=1.0), SMALL)
    with pytest.raises(SettingError, match=r"history = 8.\n  Use 9 ticks or more"):
        adapt(pushed, training.facts, history=8)
    with pytest.raises(SettingError, match=r'policy = .recurrent.\.\n  Use "plain" or "adaptive"'):
        Ppo(policy="recurrent")
    with pytest.raises(SettingError, match=r"The policy of `FreeFlyerSetpoint` observes nav.error.r_BR_B"):
        adapt(pushed, training.facts._replace(observed=training.facts.observed[:4]))
    monkeypatch.setitem(sys.modules, "cardan.learning.adaptation", None)
    with pytest.raises(MissingExtra, match="An adaptive policy needs jax and optax"):
        training.deployed()
