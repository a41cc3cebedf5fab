"""Scenarios as environments: Gymnasium's rules, seeds to the bit, and what is refused."""

import sys
import warnings
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import cardan as cd
from cardan.errors import MissingExtra, NotFinite, SettingError, ShapeError, UnknownName
from cardan.fsw import flyer_pd
from cardan.learning import ENVIRONMENTS, environment, evaluate_flown
from cardan.learning.environments.failing import MotorHealth, ThrusterHealth
from cardan.messages import HingeTorques, ThrusterForces
from cardan.missions import add_flyer


@pytest.fixture(scope="module")
def setpoint():
    return environment("FreeFlyerSetpoint", limit=0.5)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_gymnasiums_checker_is_content(name):
    with warnings.catch_warnings():
        # advice on spaces: ours have units, and what is observed has no bounds where the message declares none
        warnings.filterwarnings("ignore", ".*Box (action|observation) space.*")
        check_env(gymnasium.make(f"cardan/{name}-v0").unwrapped, skip_render_check=True)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_episodes_are_those_of_half_the_step(name):
    """To a hundredth of what is seen: an environment whose integrator cannot follow it teaches what is not there."""
    whole = environment(name)
    assert whole.integrator is not None
    half = whole.with_changes(integrator=replace(whole.integrator, step=0.5 * whole.integrator.step))
    low, high = whole.action_limits
    actions = np.random.default_rng(1).uniform(low, high, (15, 3, len(low)))
    seen = []
    for each in (whole, half):
        env = each.vector(3, dtype=np.float64)
        seen.append([env.reset(seed=5)[0], *(env.step(action)[0] for action in actions)])
    ours, finer = np.array(seen)
    scale = np.abs(finer).max(axis=(0, 1))
    at = 0
    for column in whole.observed:
        own = slice(at, at + column.size)
        at += column.size
        assert np.abs(ours - finer)[..., own].max() <= 1e-2 * scale[own].max(), column.path


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_any_actions_within_the_limits_are_flown_to_the_end(name):
    """A learner begins with random ones: none may end a run by numbers that are none."""
    ready = environment(name)
    env, (low, high) = ready.vector(16, dtype=np.float64), ready.action_limits
    rng, ended = np.random.default_rng(2), np.zeros(16, bool)
    env.reset(seed=2)
    while not ended.all():
        _, _, terminated, truncated, _ = env.step(rng.uniform(low, high, (16, len(low))))
        ended |= terminated | truncated


def flown(env, actions, seed):
    """Observations, rewards and ends of a single environment that begins anew by itself."""
    found = [(env.reset(seed=seed)[0], 0.0, False)]
    for action in actions:
        seen, reward, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            seen, _ = env.reset()
        found.append((seen, reward, terminated or truncated))
    return [np.array(each) for each in zip(*found, strict=True)]


def test_batched_and_single_environments_fly_the_same_episodes(setpoint):
    rng = np.random.default_rng(3)
    many = setpoint.vector(9, autoreset="same-step")
    actions = rng.uniform(many.single_action_space.low, many.single_action_space.high, (25, 9, 12)).astype(np.float32)
    seen = [many.reset(seed=7)[0]]
    rewards, ends = [np.zeros(9)], [np.zeros(9, bool)]
    for each in actions:
        observed, reward, terminated, truncated, info = many.step(each)
        seen.append(observed)
        rewards.append(reward)
        ends.append(terminated | truncated)
        assert (terminated | truncated).any() == ("final_obs" in info)
    assert sum(np.sum(end) for end in ends) >= 18
    one = setpoint.single()
    for i in (0, 8):
        expected = flown(one, actions[:, i], 7 + i)
        assert np.array_equal(np.array(seen)[:, i], expected[0])
        assert np.array_equal(np.array(rewards)[:, i], expected[1])
        assert np.array_equal(np.array(ends)[:, i], expected[2])


def test_the_next_episode_begins_at_the_next_step_by_default(setpoint):
    later, at_once = setpoint.vector(2), setpoint.vector(2, autoreset="same-step")
    assert later.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    for env in (later, at_once):
        env.reset(seed=1)
    idle = np.zeros((2, 12))
    for _ in range(10):
        (last, _, _, truncated, _), (first, *_, info) = later.step(idle), at_once.step(idle)
    assert truncated.all() and np.array_equal(last, info["final_obs"])
    begun, reward, terminated, truncated, _ = later.step(np.full((2, 12), np.nan))  # this action does not count
    assert np.array_equal(begun, first) and not reward.any() and not (terminated | truncated).any()


def test_some_environments_begin_anew_by_a_mask(setpoint):
    env = setpoint.vector(3, autoreset="disabled")
    before, _ = env.reset(seed=[4, None, 6])
    env.step(np.full((3, 12), 0.1))
    moved, *_ = env.step(np.full((3, 12), 0.1))
    after, _ = env.reset(seed=[4, 4, 4], options={"reset_mask": np.array([True, False, True])})
    assert np.array_equal(after[0], before[0]) and np.array_equal(after[1], moved[1])
    assert np.array_equal(after[2], before[0])  # the same seed
    for _ in range(8):
        env.step(np.zeros((3, 12)))
    with pytest.raises(SettingError, match="The episode of environment 1 is over"):
        env.step(np.zeros((3, 12)))


def test_episodes_are_dispersed_and_hardships_differ(setpoint):
    env = environment("FreeFlyerSetpoint", limit=0.5, hardship="all").vector(4)
    first, _ = env.reset(seed=1)
    assert len(np.unique(first[:, 0])) == 4
    for path in ("health.gain", "flyer/astrobee.mass", "steady.force_N"):
        values = np.asarray(env.batch[path])
        assert len(np.unique(values.reshape(4, -1)[:, 0])) == 4
    mass = np.array(env.batch["flyer/astrobee.mass"])
    env.reset()
    assert not np.array_equal(mass, env.batch["flyer/astrobee.mass"])
    env.reset(seed=1)
    assert np.array_equal(mass, env.batch["flyer/astrobee.mass"])
    with pytest.raises(SettingError, match=r"There is no hardship `mas`\. Did you mean `mass`"):
        environment("FreeFlyerSetpoint", hardship="mas")


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_hard_episodes_differ_and_are_those_of_a_single_environment(name):
    """Masses, faults, disturbances and noise of every ready environment, and the same bits in a batch and alone."""
    hard = environment(name, hardship="all")
    many, one = hard.vector(8, autoreset="same-step"), hard.single()
    seen, _ = many.reset(seed=3)
    alone, _ = one.reset(seed=10)
    assert np.array_equal(seen[7], alone)
    for path in hard.inputs.native_numbers:
        values = np.asarray(many.batch[path]).reshape(8, -1)
        assert len(np.unique(values, axis=0)) > 1, path
    actions = np.random.default_rng(1).uniform(*hard.action_limits, (3, 8, len(hard.action_limits[0])))
    for each in actions:
        seen, reward, *_ = many.step(each)
        alone, own, *_ = one.step(each[7])
        assert np.array_equal(seen[7], alone) and reward[7] == own


def test_a_dead_motor_and_a_stuck_thruster_do_what_they_are_told():
    thrusters = ThrusterHealth(np.array([1.0, 2.0, 3.0]), np.full(3, 0.9), number=1, share=1.0, after=5.0)
    asked = ThrusterForces(np.array([0.5, 0.5, 0.5]))
    assert thrusters.given(4.0, asked).thrust == pytest.approx([0.45, 0.45, 0.45])
    assert thrusters.given(5.0, asked).thrust == pytest.approx([0.45, 2.0, 0.45])
    motors = MotorHealth(np.ones(2), number=0)
    assert motors.given(0.0, HingeTorques(np.array([3.0, 4.0]))).torque == pytest.approx([0.0, 4.0])
    with pytest.raises(ValueError, match="another number of thrusters than `gain`"):
        thrusters.given(0.0, ThrusterForces(np.ones(2)))
    with pytest.raises(ValueError, match="another number of hinges than `gain`"):
        motors.given(0.0, HingeTorques(np.ones(3)))


def test_a_controller_docks_and_a_push_that_is_too_hard_ends_the_episode():
    """PD control to a point a little inside the face comes to rest against it, in contact, below 8 N."""
    docking = environment("Docking", limit=30.0)

    def controlled() -> cd.Scenario:
        scn = docking.build()
        flyer = add_flyer(cd.Mechanism(), "astrobee", name="flyer")
        pd = flyer_pd(flyer.mass, flyer.inertia_C_B, flyer.mixer, flyer.thrusters.max_thrust)
        motion = scn.mechanism.bodies[flyer.body].com.motion
        goal = scn.parts["nav"].inputs["reference"].constant
        ctl = scn.add(pd, name="ctl", every=0.05, motion=motion, reference=goal)
        scn.leave_open(ctl.wrench, ctl.error, ctl.status)
        scn.replace_input("command", ctl.command)
        return scn

    told = evaluate_flown(docking.with_changes(build=controlled), 4, seed=1)
    assert told.is_success.all() and (told.steps > 100).all()
    fragile = evaluate_flown(docking.with_changes(build=controlled, settings={"judge.max_force": 1e-3}), 4, seed=1)
    assert not fragile.is_success.any() and (fragile.returns < told.returns - 20.0).all()


def test_spaces_have_the_limits_of_the_vehicle(setpoint):
    space = setpoint.single().action_space
    assert space.low.max() == 0.0 and np.allclose(space.high[:4], 0.6) and np.allclose(space.high[4:], 0.3)
    sigma = environment("WheelDetumble").single().observation_space
    assert (sigma.high[:3] == 1.0).all() and np.isinf(sigma.high[3:]).all()


# ---- what is refused -------------------------------------------------------------------------------------------------


def test_actions_are_refused_by_the_number_of_their_environment(setpoint):
    env = setpoint.vector(3)
    with pytest.raises(SettingError, match="Call `reset` before the first `step`"):
        env.step(np.zeros((3, 12)))
    env.reset(seed=1)
    actions = np.zeros((3, 12))
    actions[2, 5] = np.inf
    with pytest.raises(NotFinite, match="The action of environment 2 is not finite"):
        env.step(actions)
    assert not env.batch.t.any()
    with pytest.raises(ShapeError, match="Actions have the wrong shape"):
        env.step(np.zeros((3, 11)))
    with pytest.raises(SettingError, match="seed = 'a'"):
        env.reset(seed="a")
    with pytest.raises(SettingError, match="2 seeds for 3 environments"):
        env.reset(seed=[1, 2])
    with pytest.raises(ShapeError, match="`reset_mask` has a truth value for each of the 3"):
        env.reset(options={"reset_mask": [True]})
    with pytest.raises(SettingError, match="autoreset = 'never'"):
        setpoint.vector(2, autoreset="never")
    with pytest.raises(SettingError, match='Use "rgb_array", or None'):
        setpoint.vector(2, render_mode="human")
    with pytest.raises(SettingError, match=r"backend = 'cuda'.\n  Use one of native, jax"):
        setpoint.vector(2, backend="cuda")
    with pytest.raises(SettingError, match="The option `contact` is one of default, soft, damped; got `hard`"):
        environment("Docking", contact="hard").vector(1)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"reward": "judge.reward"}, ShapeError, "reward = `judge.reward` is a port.\n  Name a field"),
        ({"reward": "nav.error.r_BR_B"}, ShapeError, r"is of shape \(3,\).\n  Name a field that holds one number"),
        ({"reward": "judge.rewards.value"}, UnknownName, "There is no `judge.rewards.value`"),
        ({"observe": ["nav.error.r_BN_B"]}, UnknownName, "`nav.error` has no field `r_BN_B` to be observed"),
        ({"observe": []}, SettingError, "Nothing is observed"),
        ({"act": ["comand"]}, UnknownName, "There is no `comand` to be acted on. Did you mean `command`"),
        ({"limits": {}}, SettingError, r"The action `command.thrust` has no limits.\n  Give the least .* \[N\]"),
        ({"limits": {"command.thrust": (1.0, 0.0)}}, SettingError, "The limits of `command.thrust` leave no room"),
        ({"limits": {"command.thrust": (np.zeros(3), 1.0)}}, ShapeError, r"has shape \(3,\).\n  Give one number"),
        ({"limits": {"nav.err.r": (0.0, 1.0)}}, UnknownName, "Limits are given for `nav.err.r`"),
        ({"disperse": {"bank.max_thrus": "normal(1%)"}}, UnknownName, "bank.max_thrus"),
    ],
)
def test_descriptions_that_do_not_fit_are_refused(setpoint, changes, error, words):
    with pytest.raises(error, match=words):
        setpoint.with_changes(**changes).vector(1)


def test_descriptions_that_make_no_sense_are_refused(setpoint):
    with pytest.raises(SettingError, match=r"observe='nav.error'.\n  Use a list"):
        setpoint.with_changes(observe="nav.error")
    with pytest.raises(SettingError, match=r"period = 0.0 s"):
        setpoint.with_changes(period=0.0)
    with pytest.raises(SettingError, match=r"limit = 0.01 s.\n  Let an episode last a period at least, 0.05 s"):
        setpoint.with_changes(limit=0.01)
    with pytest.raises(UnknownName, match=r"There is no environment `FreeFlyerSetpont`\. Did you mean"):
        environment("FreeFlyerSetpont")


def test_what_needs_another_scenario_cannot_differ_between_episodes(setpoint):
    def build(mass: float = 1.0) -> cd.Scenario:
        return setpoint.build()

    with pytest.raises(SettingError, match="Episodes cannot begin with other values of `mass`"):
        setpoint.with_changes(build=build, disperse={"mass": "normal(1%)"}).vector(1)


def test_without_gymnasium_it_says_what_to_install(setpoint, monkeypatch):
    for module in ("single", "vector"):
        monkeypatch.setitem(sys.modules, f"cardan.learning.{module}", None)
    for make in (setpoint.single, lambda: setpoint.vector(2)):
        with pytest.raises(
            MissingExtra, match=r"Environments need Gymnasium.\n  Install it with `pip install cardan\[learn\]`"
        ):
            make()


def test_pictures_are_drawn_where_there_is_opengl(setpoint):
    env = setpoint.single(render_mode="rgb_array")
    env.reset(seed=1)
    try:
        picture = env.render()
    except MissingExtra as error:
        assert "`MUJOCO_GL`, egl or osmesa, chooses one" in str(error)
    else:
        assert picture.shape == (240, 320, 3) and picture.std() > 1.0
    env.close()
    assert setpoint.single().render() is None
