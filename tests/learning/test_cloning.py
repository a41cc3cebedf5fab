"""What a controller does, learned from its flights; statistics that are kept."""

import numpy as np
import pytest

import cardan as cd
from cardan.fsw import flyer_pd
from cardan.learning import NormaliseObservations, StatisticsError, clone, environment, evaluate, evaluate_flown
from cardan.messages import FlyerReference
from cardan.missions import add_flyer

LONG = environment("FreeFlyerSetpoint", limit=40.0)


def controlled():
    """The set-point task with PD control in the place of the action."""
    scn, flyer = LONG.build(), add_flyer(cd.Mechanism(), "astrobee", name="flyer")
    pd = flyer_pd(flyer.mass, flyer.inertia_C_B, flyer.mixer, flyer.thrusters.max_thrust)
    motion = scn.mechanism.bodies[flyer.body].com.motion
    ctl = scn.add(pd, name="ctl", every=LONG.period, motion=motion, reference=FlyerReference())
    scn.leave_open(ctl.wrench, ctl.error, ctl.status)
    scn.replace_input("command", ctl.command)
    return scn


def test_pd_control_succeeds_in_every_episode():
    """The judge is no obstacle: a controller that knows its vehicle comes to rest in time."""
    flown = evaluate_flown(LONG.with_changes(build=controlled), 16)
    assert flown.is_success.all()
    assert "100.0 % of 16 episodes succeed" in str(flown)


def test_a_policy_learns_what_a_controller_does():
    short = LONG.with_changes(limit=5.0)
    found = clone(short, short.with_changes(build=controlled), "ctl.command", episodes=32, passes=4, size=128)
    assert found.losses[-1] < 0.6 * found.losses[0]
    assert evaluate(short, found.facts, 8).returns.shape == (8,)


def test_statistics_of_observations_are_kept(tmp_path):
    env = NormaliseObservations(environment("FreeFlyerSetpoint", limit=1.0).vector(64))
    for _ in range(3):
        seen, _ = env.reset(seed=3)
    assert np.abs(seen.mean(axis=0)).max() < 1e-5 and np.allclose(seen.std(axis=0), 1.0, atol=1e-3)
    file = env.save(tmp_path / "statistics")
    again = NormaliseObservations(environment("FreeFlyerSetpoint", limit=1.0).vector(64), file, is_learning=False)
    assert np.array_equal(again.reset(seed=3)[0], seen)
    with pytest.raises(StatisticsError, match="has statistics of 12 numbers; 9 are observed here"):
        NormaliseObservations(environment("WheelDetumble").vector(2), file)
