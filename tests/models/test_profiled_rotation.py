import numpy as np
import pytest

import cardan as cd
from cardan import models
from cardan.errors import SettingError
from cardan.maths import dcm_from_quaternion
from cardan.messages import MotionPlan
from motions import assert_consistent

PROFILE = models.smoothed_bang_coast_bang(
    start=0.2, reference=1.9, max_acceleration=0.3, bang=0.5, smooth=0.4, start_time=1.0
)


@pytest.mark.parametrize("t", [0.5, 1.1, 1.6, 2.2, 3.0, 9.0])
def test_the_rates_of_a_rotation_are_its_derivatives(t):
    part = models.rotation_about([1.0, 2.0, -2.0], PROFILE, [0.3, -0.4, 0.5])
    assert_consistent(part.motion, t)


def test_the_point_on_the_axis_stays():
    part = models.rotation_about([1.0, 2.0, -2.0], PROFILE, [0.3, -0.4, 0.5])
    for t in (0.0, 2.0, 20.0):
        motion = part.motion(t)
        point_M = motion.r_FM_M + dcm_from_quaternion(motion.q_FM).T @ np.array([0.3, -0.4, 0.5])
        assert point_M == pytest.approx([0.3, -0.4, 0.5], abs=1e-15)


def test_it_ends_exactly_at_its_reference():
    part = models.rotation_about([0.0, 0.0, 3.0], PROFILE)
    assert float(part.angle(100.0).angle) == 1.9
    # `sin_cos` is within one unit in the last place
    assert part.motion(100.0).q_FM == pytest.approx([np.cos(0.95), 0.0, 0.0, np.sin(0.95)], rel=0.0, abs=2e-16)
    assert not np.any(part.motion(100.0).omega_FM_F)


def test_a_plan_replaces_the_profile():
    part = models.rotation_about([0.0, 0.0, 1.0], PROFILE)
    plan = MotionPlan(5.0, 0.1, 0.2, 0.3, np.array([2.0]), np.array([0.0]), np.array([0.0]))
    assert part.angle(6.0, plan).angle == pytest.approx(0.3)
    assert part.motion(6.0, plan).omega_FM_F == pytest.approx([0.0, 0.0, 0.2])


def test_a_hinge_follows_the_same_profile():
    mechanism = cd.Mechanism("boom")
    hub = mechanism.add_body("hub", joint=cd.Free(), mass=50.0, inertia_B=9.0 * np.eye(3))
    mechanism.add_body("boom", parent=hub, joint=cd.Hinge((0, 0, 1)), mass=2.0, inertia_B=np.eye(3), r_CB_B=(1, 0, 0))
    scn = cd.Scenario(mechanism=mechanism)
    turn = scn.add(models.rotation_about([0.0, 0.0, 1.0], PROFILE), name="turn")
    scn.connect(turn.angle, mechanism.joints["boom_joint"].prescribed)
    sim = cd.Simulation(scn, dynamics=cd.RecursiveTree())
    sim.run(until=2.0)
    assert sim["boom_joint.state"].angle == PROFILE.at(2.0).value


@pytest.mark.parametrize("axis", [[0.0, 0.0, 0.0], [1.0, 0.0], [np.nan, 0.0, 1.0]])
def test_a_zero_axis_is_refused(axis):
    with pytest.raises(SettingError) as error:
        models.rotation_about(axis, PROFILE)
    assert str(error.value) == (f"rotation_about: the axis is {axis!r}.\n  Give three numbers that are not all zero.")
