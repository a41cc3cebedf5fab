"""Distances to what a vehicle may hit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cardan as cd
from cardan.fsw.guidance.waypoint_mission import slerp
from cardan.maths.swept import stays_above
from cardan.mechanism import Clearance
from cardan.missions.vehicles import add_flyer, gateway

LEVEL = np.array([1.0, 0.0, 0.0, 0.0])
SCENE = """
<mujoco>
  <worldbody>
    <geom name="ball" type="sphere" size="1"/>
    <geom name="wall" type="box" size="0.1 5 5" pos="4 0 0"/>
    <geom name="picture" type="sphere" size="9" contype="0" conaffinity="0"/>
    <body name="cube" pos="0 0 9"><freejoint/><geom name="hull" type="box" size="0.5 0.5 0.5"/></body>
    <body name="rock" pos="0 9 9"><freejoint/><geom name="stone" type="sphere" size="0.3" pos="0.1 0 0"/></body>
  </worldbody>
</mujoco>
"""


def scene(**options):
    return Clearance(cd.Mechanism.from_mjcf(SCENE), "cube", moving=("rock",), **options)


AWAY = np.array([[0.0, 50.0, 0.0]])


def test_distances_are_those_of_geometry():
    exact, sphere = scene(any_attitude=False), scene()
    assert sphere.radius == pytest.approx(np.sqrt(0.75))
    assert exact.distance([2.5, 0.0, 0.0], LEVEL, AWAY) == (pytest.approx(0.9, abs=1e-6), "wall")
    assert exact.distance([-2.0, 0.0, 0.0], LEVEL, AWAY) == (pytest.approx(0.5, abs=1e-6), "ball")
    assert sphere.distance([-2.0, 0.0, 0.0], None, AWAY)[0] == pytest.approx(1.0 - np.sqrt(0.75), abs=1e-6)
    assert exact.distance([3.5, 0.0, 0.0], LEVEL, AWAY)[0] == pytest.approx(-0.1, abs=1e-6)


def test_attitude_counts_unless_any_is_allowed():
    turned = np.array([np.cos(np.pi / 8), 0.0, 0.0, np.sin(np.pi / 8)])  # 45 deg about z
    assert scene(any_attitude=False).distance([2.5, 0, 0], turned, AWAY)[0] == pytest.approx(
        1.4 - np.sqrt(0.5), abs=1e-6
    )
    assert scene().distance([2.5, 0, 0], turned, AWAY) == scene().distance([2.5, 0, 0], LEVEL, AWAY)


def test_what_may_not_touch_does_not_count():
    assert scene().distance([-9.0, 0.0, 0.0], None, AWAY)[1] == "ball"  # inside of the picture's sphere


def test_moving_bodies_are_where_they_are_said_to_be():
    """By their centre of mass, at the attitude in which they are drawn."""
    exact = scene(any_attitude=False)
    for place in ([-5.0, 0.0, 2.0], [-5.0, 3.0, 0.0]):
        found = exact.distance_to_moving([-5.0, 0.0, 0.0], LEVEL, np.array([place]))
        assert found == pytest.approx(np.linalg.norm(np.array(place) - [-5.0, 0.0, 0.0]) - 0.8, abs=1e-6)
        assert exact.distance_to_static([-5.0, 0.0, 0.0], LEVEL) == pytest.approx(3.5, abs=1e-6)
    assert exact.reach[0] == pytest.approx(0.3)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_a_way_is_free_if_all_poses_along_it_are(seed):
    rng = np.random.default_rng(seed)
    ends = [(rng.uniform(-3.0, 3.0, 3), (q := rng.normal(size=4)) / np.linalg.norm(q)) for _ in range(2)]
    exact = SEARCHED
    found = exact.is_free(*ends, 0.1, AWAY)
    (r_0, q_0), (r_1, q_1) = ends
    least = min(
        exact.distance(r_0 + s * (r_1 - r_0), slerp(q_0, q_1, float(s)), AWAY)[0] for s in np.linspace(0.0, 1.0, 200)
    )
    # samples are up to 6 cm apart, turns included; between them it may come nearer by half of that
    if least < 0.1:
        assert not found
    elif least > 0.14:
        assert found


SEARCHED = scene(any_attitude=False)


@given(st.integers(0, 10**6))
def test_a_value_that_changes_slowly_is_bounded_from_few_samples(seed):
    rng = np.random.default_rng(seed)
    knots, length = rng.uniform(0.0, 1.0, 5), 2.0

    def value(share):  # slope of 1 at most over the length
        return float(np.min(np.abs(share - knots) * length)) + 0.05

    asked = []

    def counted(share):
        asked.append(share)
        return value(share)

    assert stays_above(counted, value(0.0), value(1.0), length, 0.049)
    assert not stays_above(value, value(0.0), value(1.0), length, 0.06)
    assert len(asked) < 2000


def test_the_station_is_measured_quickly_and_rightly():
    m = gateway()
    bee = add_flyer(m, "astrobee", name="bee")
    near = Clearance(m, bee.body, any_attitude=False)
    found, name = near.distance([-3.11, -8.0, -0.02], LEVEL)
    assert name == "airlock" and found == pytest.approx(8.0 - 6.97240878 - 0.16, abs=1e-6)


def test_bodies_that_do_not_fly_or_have_no_shape_are_refused():
    m = cd.Mechanism.from_mjcf(SCENE)
    with pytest.raises(cd.CardanError, match=r"There is no body `cub`\. Did you mean `cube`"):
        Clearance(m, "cub")
    fixed = cd.Mechanism.from_mjcf('<mujoco><worldbody><body name="post"><geom size="1"/></body></worldbody></mujoco>')
    with pytest.raises(cd.CardanError, match="`post` has no free joint"):
        Clearance(fixed, "post")
    bare = cd.Mechanism("bare")
    bare.add_body("point", joint=cd.Free(), mass=1.0, inertia_B=np.eye(3))
    with pytest.raises(cd.CardanError, match="`point` has no shapes that may touch anything"):
        Clearance(bare, "point")
