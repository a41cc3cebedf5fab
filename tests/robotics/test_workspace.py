"""What robots reach, against closed forms."""

import numpy as np
import pytest
from planar import planar

import cardan as cd
from cardan.errors import MechanismError, SettingError, UnknownName
from cardan.robotics import Robot, path_dependence, workspace


def shell() -> Robot:
    """An arm that reaches every point between 0.5 and 1.5 m from its shoulder."""
    m = cd.Mechanism("shell")
    yaw = m.add_body("yaw", joint=cd.Hinge([0, 0, 1.0]), mass=1.0, inertia_B=np.eye(3))
    upper = m.add_body("upper", parent=yaw, joint=cd.Hinge([0, 1.0, 0]), mass=1.0, inertia_B=np.eye(3))
    lower = m.add_body(
        "lower", parent=upper, joint=cd.Hinge([0, 1.0, 0]), mass=1.0, inertia_B=np.eye(3), r_BP_P=[1, 0, 0]
    )
    m.add_site("tip", lower, r_SB_B=[0.5, 0, 0])
    return Robot(m)


def test_the_volume_of_an_arm_that_reaches_a_shell():
    """Half a million points; half a cube all over the boundary, which is 15 % of the volume, is taken out."""
    w = workspace(shell(), "tip", samples=500_000)
    assert w.distances.min() > 0.5 - 1e-12 and w.distances.max() < 1.5 + 1e-12
    expected = 4.0 / 3.0 * np.pi * (1.5**3 - 0.5**3)
    assert abs(2.0 * w.volume(0.1) - w.volume(0.2) - expected) < 0.05 * expected


def test_a_floating_base_reaches_what_its_virtual_manipulator_does():
    """Stretched, the tip is 2.5 m from the base, and the centre of mass 10/47 m: 4 kg at 1 m, 3 kg at 2 m, of 47 kg."""
    w = workspace(Robot(planar()), "tip", base="floating", samples=200_000)
    farthest = 2.5 - 10.0 / 47.0
    assert farthest - 1e-3 < w.distances.max() < farthest + 1e-12
    held = workspace(Robot(planar()), "tip", base="floating", attitude="held", samples=1000)
    assert np.abs(held.points[:, 2]).max() == 0.0 and np.abs(w.points[:, 2]).max() > 1.0


def test_a_fixed_base_stays_and_a_flying_one_goes_anywhere_within_its_range():
    robot = Robot(planar())
    fixed = workspace(robot, "tip", samples=20_000)
    assert 2.49 < fixed.points[:, 0].max() <= 2.5 and not fixed.points[:, 2].any()
    flying = workspace(robot, "tip", base="flying", base_range=10.0, attitude="held", samples=20_000)
    assert np.abs(flying.points[:, 2]).max() > 9.9 and np.abs(flying.points[:, :2]).max() > 11.0


def test_limits_come_from_the_mechanism_or_from_the_call():
    m = cd.Mechanism.from_mjcf(
        '<mujoco><compiler angle="radian"/><worldbody><body name="a"><joint name="j" axis="0 0 1" range="0 0.5"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><site name="tip" pos="1 0 0"/></body></worldbody></mujoco>'
    )
    robot = Robot(m)
    angle = np.arctan2(*workspace(robot, "tip", samples=1000).points[:, 1::-1].T)
    assert angle.min() > 0.0 and 0.49 < angle.max() < 0.5
    angle = np.arctan2(*workspace(robot, "tip", samples=1000, limits={"j": (0.1, 0.2)}).points[:, 1::-1].T)
    assert angle.min() > 0.1 - 1e-12 and angle.max() < 0.2 + 1e-12


def test_the_same_seed_gives_the_same_points():
    robot = Robot(planar())
    first, again = (workspace(robot, "tip", samples=70_000, seed=4).points for _ in range(2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, workspace(robot, "tip", samples=70_000, seed=5).points)


def test_ball_joints_take_any_attitude():
    m = cd.Mechanism("ball")
    m.add_body("a", joint=cd.Ball(), mass=1.0, inertia_B=np.eye(3))
    m.add_site("tip", m.bodies["a"], r_SB_B=[2.0, 0, 0])
    points = workspace(Robot(m), "tip", samples=20_000).points
    assert np.allclose(np.linalg.norm(points, axis=1), 2.0) and np.abs(points.mean(axis=0)).max() < 0.05


def test_dynamic_singularities_lie_where_the_generalized_jacobian_is_singular():
    robot = Robot(planar())
    found = path_dependence(robot, "tip", rows=(3, 4), samples=2000)
    assert len(found.singular_distances) > 500
    kinematic = []
    for joints in found.singular_joints[:50]:
        state = robot.at([0, 0, 0, 1, 0, 0, 0, *joints])
        values = np.linalg.svd(state.generalized_jacobian("tip")[3:5], compute_uv=False)
        assert values[-1] < 1e-10
        kinematic.append(np.linalg.svd(state.jacobians("tip").J_m[3:5], compute_uv=False)[-1])
        distance = np.linalg.norm(state.pose("tip").r_N - state.centre_of_mass())
        assert np.isclose(found.singular_distances, distance, rtol=1e-9).any()
    assert max(kinematic) > 0.08  # an arm on a fixed base would not be singular there


def test_between_its_singular_distances_a_floating_base_may_take_any_path():
    found = path_dependence(Robot(planar()), "tip", rows=(3, 4), samples=20_000)
    near, far = found.dependent(100)
    assert found.reach[0] < near[0] < near[1] < far[0] < far[1] <= found.reach[1]
    # a base that nothing moves has only the singularities of its arm, stretched and folded, which are its boundary
    heavy = path_dependence(Robot(planar(1e9)), "tip", rows=(3, 4), samples=5000)
    for joints in heavy.singular_joints:
        assert abs(np.sin(joints[1])) < 1e-6


def test_settings_that_make_no_sense_are_refused():
    robot = Robot(planar())
    with pytest.raises(SettingError, match=r"samples = 0.\n  Use at least 1."):
        workspace(robot, "tip", samples=0)
    with pytest.raises(SettingError, match=r"attitude = 'hold'. Did you mean `held`\?\n  Use free or held."):
        workspace(robot, "tip", base="floating", attitude="hold")
    with pytest.raises(SettingError, match=r"cell = 0.\n  Use an edge above 0 m."):
        workspace(robot, "tip", samples=10).volume(0)
    with pytest.raises(UnknownName, match=r"The robot has no joint `elbwo`. Did you mean `elbow`"):
        workspace(robot, "tip", limits={"elbwo": (0.0, 1.0)})
    with pytest.raises(MechanismError, match=r"`shell` hangs on the world, so it has no floating base"):
        workspace(shell(), "tip", base="floating")
    with pytest.raises(
        SettingError, match=r"`rows` asks for 3 components, and the robot has 2 joint freedoms.\n  A det"
    ):
        path_dependence(robot, "tip")
    slide = cd.Mechanism("slide")
    slide.add_body("a", joint=cd.Slide([1.0, 0, 0]), mass=1.0, inertia_B=np.eye(3))
    with pytest.raises(
        SettingError, match=r"`a_joint` slides without limits.\n  Give its range: limits=\{'a_joint': \(l"
    ):
        workspace(Robot(slide), "a")
