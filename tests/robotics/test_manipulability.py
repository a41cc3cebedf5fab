"""How well robots move their tips, against closed forms and their own matrices."""

import numpy as np
import pytest
from planar import planar
from sc3dof import spacecraft

from cardan.errors import SettingError, ShapeError, UnknownName
from cardan.robotics import Robot, dynamic_manipulability, manipulability, singularity_map


@pytest.fixture(scope="module")
def robot():
    return Robot(planar())


def test_the_manipulability_of_two_links_in_a_plane(robot):
    """On a fixed base it is l1 l2 |sin elbow|."""
    for elbow in (0.3, -1.2, 2.5):
        state = robot.at([0, 0, 0, 1, 0, 0, 0, 0.4, elbow])
        assert np.isclose(manipulability(state, "tip", rows=(3, 4)), abs(np.sin(elbow)), rtol=1e-13)


def test_manipulability_of_floating_and_flying_bases_is_that_of_their_jacobians():
    state = Robot(spacecraft()).at([0, 0, 0, 1, 0, 0, 0, 0.3, 0.5, 0.9])
    J, H = state.generalized_jacobian("Link_EE")[3:], state.H_star
    assert np.isclose(manipulability(state, "Link_EE", base="floating"), np.sqrt(np.linalg.det(J @ J.T)), rtol=1e-12)
    per_effort = J @ np.linalg.inv(H)
    expected = np.sqrt(np.linalg.det(per_effort @ per_effort.T))
    assert np.isclose(dynamic_manipulability(state, "Link_EE", base="floating"), expected, rtol=1e-11)
    whole = state.jacobian("Link_EE")
    expected = np.sqrt(np.linalg.det(whole @ whole.T))
    assert np.isclose(manipulability(state, "Link_EE", base="flying", rows="all"), expected, rtol=1e-12)


def test_a_map_has_at_each_place_what_the_state_there_has(robot):
    x, y = np.linspace(-1.0, 1.0, 5), np.linspace(0.5, 2.5, 4)
    shown = singularity_map(robot, "tip", ("shoulder", "elbow"), base="floating", rows=(3, 4), x=x, y=y)
    J = robot.at([0, 0, 0, 1, 0, 0, 0, x[3], y[1]]).generalized_jacobian("tip")[3:5]
    assert shown.smallest.shape == (4, 5)
    assert np.isclose(shown.smallest[1, 3], np.linalg.svd(J, compute_uv=False)[-1], rtol=1e-12)
    assert np.isclose(shown.determinant[1, 3], np.linalg.det(J), rtol=1e-12)
    assert np.isclose(shown.manipulability[1, 3], abs(np.linalg.det(J)), rtol=1e-12)


def test_dynamic_singularities_are_elsewhere_than_kinematic_ones_and_meet_them_on_a_heavy_base(robot):
    maps = {
        (mass, base): singularity_map(Robot(planar(mass)), "tip", ("shoulder", "elbow"), base=base, rows=(3, 4))
        for mass in (40.0, 1e9)
        for base in ("fixed", "floating")
    }
    assert np.allclose(maps[1e9, "floating"].determinant, maps[1e9, "fixed"].determinant, rtol=0.0, atol=1e-6)
    light = maps[40.0, "floating"].determinant
    # on a fixed base the sign does not depend on the shoulder; here it does
    assert np.any(np.sign(light[62]) != np.sign(light[62, 0]))
    fixed = maps[40.0, "fixed"].determinant
    assert np.all(np.sign(fixed[62]) == np.sign(fixed[62, 0]))


def test_a_map_of_a_matrix_that_is_not_square_has_no_determinant(robot):
    assert singularity_map(robot, "tip", ("shoulder", "elbow"), x=[0.0], y=[0.0, 1.0]).determinant is None


def test_settings_that_make_no_sense_are_refused(robot):
    state = robot.at(robot.drawn)
    with pytest.raises(
        SettingError, match=r"rows = 'postion'. Did you mean `position`\?\n  Use all, attitude, position,"
    ):
        manipulability(state, "tip", rows="postion")
    with pytest.raises(
        SettingError, match=r"rows = \(3, 7\).\n  Components of a twist are 0 to 5, the angular ones fir"
    ):
        manipulability(state, "tip", rows=(3, 7))
    with pytest.raises(UnknownName, match=r"The robot has no joint `wrist`"):
        singularity_map(robot, "tip", ("shoulder", "wrist"))
    with pytest.raises(ShapeError, match=r"`x` and `y` are rows of coordinates, one per joint.\n  Give each as a list"):
        singularity_map(robot, "tip", ("shoulder", "elbow"), x=[[0.0]])
