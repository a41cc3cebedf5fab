"""Trainings: what is flown, checkpoints that go on to the same numbers, what is refused."""

import sys
from dataclasses import replace

import numpy as np
import pytest

import cardan as cd
from cardan import learning
from cardan.errors import MissingExtra, SettingError
from cardan.learning import CheckpointError, Ppo, PpoTraining, Sac, Vpg, environment, load_policy, read_policy, train
from cardan.learning.flights import Flights
from cardan.learning.learner_numpy import log_likelihood
from cardan.learning.networks import forward, sigmoid
from cardan.learning.sac import Replay
from cardan.messages import FlyerError

# fewer than eight, so that nothing is compiled for eight at a time
COMMON = {"environments": 6, "steps": 8, "updates": 4, "hidden": (8, 8), "seed": 5}
SMALL = COMMON | {"minibatches": 2, "epochs": 2}
SETTINGS = {
    "PPO": Ppo(**SMALL, learner="numpy"),
    "VPG": Vpg(**COMMON, minibatches=2),
    "SAC": Sac(**COMMON | {"hidden": (8,)}, gradients=2, batch=32, replay=100, warm_up=40, critic_hidden=(8,)),
}


@pytest.fixture(scope="module")
def setpoint():
    return environment("FreeFlyerSetpoint", limit=1.0)


@pytest.mark.parametrize("name", SETTINGS)
def test_training_goes_on_from_a_checkpoint_to_the_same_numbers(name, setpoint, tmp_path):
    """Also where episodes end meanwhile, which they do after 20 steps, and where SAC's replay buffer is full."""
    whole = SETTINGS[name].begin(setpoint)
    whole.train(2)
    file = whole.save(tmp_path / "half.npz")
    expected = whole.train(2)
    again = type(whole).load(file, setpoint)
    told = again.train(2)
    assert [each.losses for each in told] == [each.losses for each in expected]
    assert [each.episodes for each in told] == [each.episodes for each in expected] == [6, 0]
    assert told[-1].samples == expected[-1].samples == 6 * (4 * 8 - 4)  # the last native call went on for 4 steps
    for ours, theirs in zip(again.learner.state(), whole.learner.state(), strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("name", SETTINGS)
def test_what_is_flown_is_what_the_training_policy_does(name, setpoint):
    """Means of the native flight against the network of the learner, and what is deployed against both, to 1e-6."""
    training = SETTINGS[name].begin(setpoint)
    training.train(3)
    training.normaliser.see(training.flights.seen)
    facts = training.facts
    training.flights.share(facts)
    flown, _ = training.flights.fly(8)
    seen = flown.seen[:, 1:].reshape(-1, 12)
    mean = forward(facts.layers, training.normaliser(seen))
    assert np.abs(mean - flown.mean[:, 1:].reshape(-1, 12)).max() < 1e-6
    assert flown.taken.std() > 0.1
    task = learning.policy_task(facts)
    for row, share in zip(seen[:20], sigmoid(mean), strict=False):
        outputs = task.step(FlyerError(*row.reshape(4, 3)), cd.RandomKey(0, 0))
        assert np.abs(outputs.command.thrust - facts.high * share).max() < 1e-6


def test_a_folder_has_all_that_was_learned_and_is_taken_up_again(setpoint, tmp_path):
    settings = SETTINGS["PPO"]
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
    training = PpoTraining(setpoint, SETTINGS["PPO"])
    file = training.save(tmp_path / "a.npz")
    with pytest.raises(CheckpointError, match="checkpoint of `FreeFlyerSetpoint`, which observes and does other"):
        PpoTraining.load(file, environment("WheelDetumble"))
    damaged = tmp_path / "b.npz"
    damaged.write_bytes(file.read_bytes()[:2000])
    with pytest.raises(CheckpointError, match=r"b\.npz holds no checkpoint, or is damaged"):
        PpoTraining.load(damaged, setpoint)
    with pytest.raises(CheckpointError, match="There is no file"):
        PpoTraining.load(tmp_path / "c.npz", setpoint)


def test_a_checkpoint_finds_its_algorithm(setpoint, tmp_path):
    train(setpoint, SETTINGS["SAC"], folder=tmp_path, progress=False, stop=lambda told: told.update == 1)
    taken_up = train(setpoint, folder=tmp_path, resume=True, progress=False, stop=lambda told: told.update == 2)
    assert taken_up.algorithm == "SAC" and taken_up.update == 2
    with pytest.raises(CheckpointError, match=r"is a checkpoint of SAC, expected PPO.\n  `learning.train"):
        PpoTraining.load(tmp_path / "checkpoint.npz", setpoint)


# ---- what is flown ---------------------------------------------------------------------------------------------------


def test_flights_are_the_episodes_of_the_vector_environment(setpoint):
    """The same actions through Gymnasium's door: the same observations and rewards, to single precision."""
    facts = PpoTraining(setpoint, SETTINGS["PPO"]).facts
    flights = Flights(setpoint, facts, 4, seed=70)
    flown, ended = flights.fly(24)
    env = setpoint.vector(4, autoreset="same-step", dtype=np.float64)
    seen, _ = env.reset(seed=70)
    for k in range(20):
        assert np.allclose(seen, flown.seen[:, k], atol=1e-5)
        seen, reward, _, truncated, info = env.step(facts.high * sigmoid(flown.taken[:, k].astype(np.float64)))
        assert np.allclose(reward, flown.reward[:, k], atol=1e-4)
        assert np.array_equal(truncated, flown.truncated[:, k])
    assert np.allclose(info["final_obs"], flown.after[:, 19], atol=1e-5)
    # a native call has eight steps: what is left of it after the end of an episode does not count
    assert flown.counts[:, :20].all() and not flown.counts[:, 20:].any()
    assert [each.steps for each in ended] == [20] * 4
    assert [each.score for each in ended] == pytest.approx(flown.reward[:, :20].sum(axis=1))
    following, _ = flights.fly(1)
    assert following.is_first.all() and np.allclose(following.seen[:, 0], seen, atol=1e-5)


def test_likelihoods_are_those_of_the_policy_that_flew(setpoint):
    """The first action of a flight was decided on before the update, so its deviation is another."""
    training = PpoTraining(setpoint, SETTINGS["PPO"])
    flights = training.flights
    flights.fly(8)
    flights.share(training.facts._replace(deviation=np.full(12, 0.1)))
    flown, _ = flights.fly(8)
    assert flown.first_deviation == pytest.approx(np.full(12, np.exp(-1.0)))
    assert flown.deviation == pytest.approx(np.full(12, 0.1))
    away = (flown.taken - flown.mean).std(axis=(0, 2))
    assert away[0] == pytest.approx(np.exp(-1.0), rel=0.3) and away[1:] == pytest.approx(np.full(7, 0.1), rel=0.3)
    samples, _ = training._samples_of(flown)
    expected = log_likelihood(flown.mean[:, 0], np.full(12, -1.0), flown.taken[:, 0])
    assert samples.log_p.reshape(6, 8)[:, 0] == pytest.approx(expected, rel=1e-4)


def test_the_replay_buffer_keeps_the_last_steps(setpoint):
    training = PpoTraining(setpoint, SETTINGS["PPO"])
    flown, _ = training.flights.fly(8)
    replay = Replay(100, 12, 12)
    for number in range(3):
        replay.add(flown._replace(reward=np.full(flown.reward.shape, number)))
    kept = replay.at(np.arange(100)).reward
    assert replay.count == 100 and [(kept == n).sum() for n in range(3)] == [4, 48, 48]


# ---- what is refused -------------------------------------------------------------------------------------------------


def test_minibatches_must_divide_what_is_flown():
    for kind in (Ppo, Vpg):
        with pytest.raises(SettingError, match="6 environments x 8 steps do not divide into 5 minibatches"):
            kind(**COMMON, minibatches=5)


@pytest.mark.parametrize(
    ("kind", "wrong", "told"),
    [
        (Ppo, {"updates": 0}, "updates = 0.\n  Use a whole number from 1 on"),
        (Vpg, {"gamma": 1.5}, "gamma = 1.5.\n  Use a number from 0 to 1"),
        (Sac, {"rate": float("nan")}, "rate = nan.\n  Use a number above 0"),
        (Sac, {"batch": 2.5}, "batch = 2.5.\n  Use a whole number from 1 on"),
        (Sac, {"replay": 1000}, "cannot hold the 256 x 8 of an update.\n  Make `replay` larger"),
    ],
)
def test_settings_that_make_no_sense_are_refused(kind, wrong, told):
    with pytest.raises(SettingError, match=told):
        kind(**wrong)


def test_vpg_and_sac_need_jax(monkeypatch, tmp_path, setpoint):
    file = SETTINGS["SAC"].begin(setpoint).save(tmp_path / "checkpoint.npz")
    for name in ("cardan.learning.sac", "cardan.learning.vpg"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ("Sac", "SacTraining", "Vpg"):
        with pytest.raises(MissingExtra, match=r"(SAC|VPG) needs jax and optax.\n  Install them with `pip install"):
            getattr(learning, name)
    with pytest.raises(MissingExtra, match="SAC needs jax and optax"):
        train(setpoint, folder=file.parent, resume=True, progress=False)
    with pytest.raises(AttributeError, match="has no attribute 'Dqn'"):
        _ = learning.Dqn


def test_weights_that_are_no_numbers_end_a_training(setpoint):
    training = replace(SETTINGS["SAC"], rate=1e30).begin(setpoint)
    with pytest.raises(SettingError, match=r"not finite any more.\n  Go back to the last checkpoint with a smaller"):
        training.train(2)
