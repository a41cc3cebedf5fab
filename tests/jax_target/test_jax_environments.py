"""Environments in JAX: the episodes of native ones, behind the same API and as pure functions."""

from typing import Annotated, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import cardan as cd
from cardan.errors import NotFinite, NotTraceable, SettingError
from cardan.learning import Environment, Reward, environment
from cardan.learning.environments import ENVIRONMENTS
from cardan.messages import Force, LineMotion
from cardan.models import MassSpringDamper

SEED, COUNT = 5, 3

# Amplitudes of commands: torques of an arm [N m], angles of joints [rad] and thrusts [N]. Larger torques spin up the
# arm's wrist, which weighs little, until a last digit decides where it points.
AMPLITUDE = {
    "ArmReach": [0.2, 0.4, 0.1, 0.3, 6e-3, 9e-3, 2e-4],
    "ThrusterArms": [0.9] * 8 + [2.5] * 2,
}


@pytest.fixture(scope="module")
def hard():
    """Half a second of everything that can go wrong; faults strike within it."""
    return environment("FreeFlyerSetpoint", limit=0.5, hardship="all", integrator=cd.ExplicitEuler(step=0.05))


@pytest.fixture(scope="module")
def form(hard):
    with jax.enable_x64(True):
        return hard.functional()


@pytest.fixture(scope="module")
def actions(hard):
    low, high = hard.action_limits
    return np.random.default_rng(0).uniform(low - 0.1, high + 0.1, (14, COUNT, len(low)))


@pytest.fixture(scope="module")
def flown(hard, actions):
    """What a native vector gives: observations, rewards, and whether an episode ended."""
    env = hard.vector(COUNT, autoreset="same-step", dtype=np.float64)
    seen, rewards, ends = [env.reset(seed=SEED)[0]], [], []
    for each in actions:
        observed, reward, terminated, truncated, _ = env.step(each)
        seen.append(observed)
        rewards.append(reward)
        ends.append(terminated | truncated)
    return np.array(seen), np.array(rewards), np.array(ends)


def test_a_vector_in_jax_flies_the_episodes_of_a_native_one(hard, actions, flown):
    """Over more than an episode, with noise, faults, masses and limits of actions; and again from its state."""
    seen, rewards, ends = flown
    env = hard.vector(COUNT, autoreset="same-step", dtype=np.float64, backend="jax")
    assert env.reset(seed=SEED)[0] == pytest.approx(seen[0], abs=1e-10)
    for k, each in enumerate(actions):
        if k == 5:
            state = env.state()
        observed, reward, terminated, truncated, info = env.step(each)
        assert observed == pytest.approx(seen[k + 1], abs=1e-10)
        assert reward == pytest.approx(rewards[k], abs=1e-10)
        assert np.array_equal(terminated | truncated, ends[k]) and ends[k].any() == ("final_obs" in info)
    env.restore(state)
    again = [env.step(each)[0] for each in actions[5:]]
    assert np.array_equal(again[-1], observed)


def flights(env, actions, seed=SEED):
    """All that a vector says while it flies, in one dictionary of arrays."""
    told = {"seen": [env.reset(seed=seed)[0]]}
    for each in actions:
        observed, reward, terminated, truncated, info = env.step(each)
        said = {"seen": observed, "reward": reward, "terminated": terminated, "truncated": truncated}
        said |= {"final_obs": np.stack(list(info["final_obs"]))} if "final_obs" in info else {}
        for name, values in said.items():
            told.setdefault(name, []).append(values)
    return {name: np.array(values) for name, values in told.items()}


@pytest.mark.parametrize("autoreset", ["same-step", "next-step"])
@pytest.mark.parametrize("name", [name for name in ENVIRONMENTS if name not in ("Docking", "FreeFlyerInspection")])
def test_every_environment_that_jax_takes_flies_the_same_episodes_with_all_hardships(name, autoreset):
    """Observations and rewards to 1e-10 of the largest, ends and new beginnings exactly, over three episodes."""
    steps, period = 8, environment(name).period
    made = environment(name, hardship="all", limit=steps * period)
    low, high = made.action_limits
    actions = np.random.default_rng(1).uniform(low, high, (3 * steps, COUNT, len(low)))
    native, ours = (
        flights(made.vector(COUNT, autoreset=autoreset, dtype=np.float64, backend=backend), actions)
        for backend in ("native", "jax")
    )
    assert native["truncated"].sum() >= 2 * COUNT
    assert native.keys() == ours.keys() and ("final_obs" in native) == (autoreset == "same-step")
    for key in ("terminated", "truncated"):
        assert np.array_equal(native[key], ours[key])
    for key in native.keys() - {"terminated", "truncated"}:
        assert ours[key] == pytest.approx(native[key], rel=0.0, abs=1e-10 * np.abs(native[key]).max()), key


@pytest.mark.parametrize("name", AMPLITUDE)
def test_whole_episodes_of_arms_are_the_native_ones(name):
    """With all hardships, from the first step to beyond the last: to 1e-10 of the largest, or to what native ones know.

    A joint whose motor is dead swings freely, and then a last digit grows: that is one of these episodes. So native
    vectors with other last digits of all actions say what is known at each step.
    """
    made, seed = environment(name, hardship="all"), 3
    t = made.period * np.arange(made.steps + 8)
    phase = np.random.default_rng(1).uniform(0.0, 2.0 * np.pi, (COUNT, len(AMPLITUDE[name])))
    actions = AMPLITUDE[name] * np.sin(2.0 * np.pi * t[:, None, None] / 6.0 + phase)
    vectors = [made.vector(COUNT, autoreset="same-step", dtype=np.float64, backend=each) for each in ("native", "jax")]
    native, ours = (flights(vector, actions, seed) for vector in vectors)
    nudged = [flights(vectors[0], np.nextafter(actions, way), seed) for way in (-np.inf, np.inf)]
    assert native["truncated"].any()
    for key in ("terminated", "truncated"):
        assert all(np.array_equal(native[key], each[key]) for each in (ours, *nudged))
    for key in ("seen", "reward"):
        difference, *known = (
            np.abs(each[key] - native[key]).reshape(len(native[key]), COUNT, -1).max(axis=2) for each in (ours, *nudged)
        )
        known, scale = np.maximum.accumulate(np.max(known, axis=0)), np.abs(native[key]).max()
        assert (difference <= 1e-10 * scale + 10.0 * known).all(), key
        assert np.median(known[-1]) < 1e-11 * scale, key


def test_a_loop_that_jax_compiles_as_a_whole_is_the_same(form, actions, flown):
    seen, rewards, ends = flown
    ready = form.ready(SEED + np.arange(COUNT), episodes=3)

    @jax.jit
    def fly(ready):
        first = jax.tree.map(lambda leaf: leaf[:, 0], ready)

        def one(state, action):
            return jax.vmap(form.step_on)(state, action, ready)

        return jax.lax.scan(one, first.state, actions)

    state, told = fly(ready)
    assert np.asarray(told.seen) == pytest.approx(seen[1:], abs=1e-10)
    assert np.asarray(told.reward) == pytest.approx(rewards, abs=1e-10)
    assert np.array_equal(told.is_terminated | told.is_truncated, ends)
    assert np.array_equal(state.episode, ends.sum(axis=0))
    # what was seen last, before the next episode began, is another thing
    assert not np.allclose(told.last_seen[ends], told.seen[ends])


def test_the_gradient_of_a_reward_by_an_action_goes_through_an_environment(form):
    state, _ = form.reset(jax.tree.map(lambda leaf: leaf[0], form.beginnings([SEED])))
    middle = 0.5 * (form.low + form.high)
    slope = jax.jit(jax.grad(lambda action: form.step(state, action)[1].reward))(jnp.asarray(middle))
    assert np.isfinite(slope).all() and np.abs(slope).max() > 0.0


# ---- what is refused -----------------------------------------------------------------------------------------------


def test_what_the_target_cannot_do_is_refused_with_the_list(hard):
    with pytest.raises(NotTraceable, match="`flyer/astrobee` touches `world`: compliant contact is native code"):
        environment("Docking").vector(2, backend="jax")
    with pytest.raises(NotTraceable, match=r"`plan` \(WaypointMission\): it branches on data"):
        environment("FreeFlyerInspection").functional()
    with pytest.raises(SettingError, match="Environments in JAX are not drawn"):
        hard.vector(2, backend="jax", render_mode="rgb_array")


class Judged(NamedTuple):
    reward: Reward


@cd.task
class Judge(NamedTuple):
    target: Annotated[float, "m"] = 1.0

    def step(self, motion: LineMotion) -> Judged:
        return Judged(Reward(-abs(motion.position - self.target)))


def test_numbers_that_are_not_finite_stop_a_vector_at_the_environment_that_has_them():
    def build() -> cd.Scenario:
        scn = cd.Scenario("mass")
        mass = scn.add(MassSpringDamper(mass=1e-3), name="mass", drive=scn.input("push", Force(0.0)))
        scn.add(Judge(), name="judge", every=0.1, motion=mass.motion)
        return scn

    env = Environment(
        build, observe=["mass.motion"], act=["push"], reward="judge.reward.value", period=0.1, limit=1.0,
        limits={"push.force": (-1e308, 1e308)}, integrator=cd.ExplicitEuler(step=0.1),
    ).vector(2, backend="jax", dtype=np.float64)  # fmt: skip
    env.reset(seed=1)
    with pytest.raises(NotFinite, match=r"`mass.motion.velocity` is not finite") as raised:
        env.step(np.array([[0.0], [1e308]]))
    assert raised.value.__notes__ == ["in environment 1, seed 2, episode 0, step 0"]
