"""An inspection in the falling frame of an orbit: what drifts, and what controllers make of it."""

from functools import cache

import numpy as np
import pytest

import cardan as cd
from cardan.celestial import EARTH
from cardan.maths import dcm_from_mrp
from cardan.messages import FrameMotion
from cardan.missions import MISSIONS
from cardan.missions.formation_inspection import fall
from cardan.missions.vehicles import add_flyer, inspected
from cardan.relative_motion import clohessy_wiltshire, hill_from_inertial, inertial_from_hill

MISSION = MISSIONS["formation-inspection"]
A, INCLINATION = EARTH.radius + 5.0e5, 1.7
STATE = np.array([30.0, -20.0, 15.0, 0.01, -0.06, 0.02])  # in the Hill frame


@cache
def flown(until=90.0, **options):
    sim = cd.Simulation(MISSION.scenario(options), dynamics=MISSION.service(), integrator=MISSION.integrator_for())
    log = sim.run(until=until, record=MISSION.record, progress=False)
    return log, {result.name: result.value for result in MISSION.results(log)}


def drifted(gravity, until=1500.0):
    """The Hill state of a flyer that drifts from `STATE`, by the target's own orbit."""
    m = inspected()
    flyer = add_flyer(m, "astrobee", name="flyer")
    scn = cd.Scenario("drift", mechanism=m)
    fall(scn, m.group_of_bodies("all"), gravity, A, INCLINATION)
    chief = cd.orbit(a=A, i=INCLINATION)
    start = inertial_from_hill(chief, STATE)
    near = FrameMotion(start.r_BN_N - chief.r_BN_N, start.v_BN_N - chief.v_BN_N)
    scn.start({flyer.body: near})
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree(), integrator=cd.Rk4(step=1.0))
    sim.advance_to(until)
    motion, target, origin = sim[f"{flyer.body}.motion"], sim["target.motion"], sim["gravity.origin"]
    assert np.linalg.norm(target.r_BN_N) < 1e-6  # it falls with the frame
    there = FrameMotion(origin.r_BN_N + motion.r_BN_N, origin.v_BN_N + motion.v_BN_N)
    return hill_from_inertial(FrameMotion(origin.r_BN_N, origin.v_BN_N), there)


def test_free_drift_is_that_of_clohessy_and_wiltshire():
    """A quarter of a revolution, 170 m; 1e-8 m of it is what 7e6 m leave of the conversion."""
    n = np.sqrt(EARTH.mu / A**3)
    expected = clohessy_wiltshire(n, 1500.0) @ STATE
    assert drifted("cw") == pytest.approx(expected, abs=1e-6)
    # the terms that the linear equations leave out, of the order of r^2 / a
    exact = drifted("point-mass") - expected
    assert 1e-4 < np.linalg.norm(exact[:3]) < 0.05


def test_oblateness_moves_it_further():
    """By a thousandth or so of how far it is; tests/models/test_tidal_j2_gravity.py says how far exactly."""
    gap = np.linalg.norm((drifted("j2") - drifted("point-mass"))[:3])
    assert 0.01 < gap < 5.0


@pytest.mark.parametrize("controller", ["pd", "lqr"])
def test_feedback_keeps_the_flyer_on_its_circle(controller):
    values = flown(controller=controller)[1]
    assert values["rms position error"] < 20.0 and values["rms pointing error"] < 0.1
    assert values["nearest to the target"] > 29.0
    assert values["target moved"] < 1e-3
    # what gravity does to it without anybody telling the controller
    free = flown(controller=controller, gravity="none")[1]
    assert free["rms position error"] < values["rms position error"]


def test_the_first_axis_points_to_the_target():
    log, _ = flown(controller="lqr")
    motion = log["flyer/astrobee.motion"]
    to_target = -motion.r_BN_N[-1] / np.linalg.norm(motion.r_BN_N[-1])
    assert dcm_from_mrp(motion.sigma_BN[-1])[0] == pytest.approx(to_target, abs=1e-3)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"gravity": "hill"}, "The option `gravity` is one of none, cw, point-mass, j2; got `hill`."),
        ({"radius": 2.0}, "The option `radius` is 5 m or more, to be clear of the target; got 2."),
        ({"altitude": -1.0}, "The option `altitude` is from 1e5 to 1e8 m; got -1."),
        ({"speed": -0.1}, "The option `speed` is zero or positive; got -0.1."),
        ({"normal": [0.0, 0.0, 0.0]}, "The option `normal` is a direction; got (0.0, 0.0, 0.0), which has none."),
    ],
)
def test_impossible_options_are_refused(options, text):
    with pytest.raises(cd.CardanError) as caught:
        MISSION.scenario(options)
    assert str(caught.value).startswith(text)


def test_a_start_inside_the_target_is_refused():
    out = np.cross([0.5, 0.5, 1.0], [1.0, 0.0, 0.0])
    with pytest.raises(cd.CardanError, match=r"`start.offset` the vehicle starts .* m from the centre of the target"):
        MISSION.scenario({"start.offset": list(-30.0 * out / np.linalg.norm(out))})
