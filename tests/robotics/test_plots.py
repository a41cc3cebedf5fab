"""Figures of robots have what their readers look for."""

import pytest
from planar import planar

from cardan import plots
from cardan.robotics import Robot, path_dependence, singularity_map, workspace

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.fixture(scope="module")
def robot():
    return Robot(planar())


def test_a_workspace_is_shown_from_three_sides(robot):
    figure = plots.plot_workspace(workspace(robot, "tip", base="floating", samples=1000))
    assert [(axes.get_xlabel(), axes.get_ylabel()) for axes in figure.axes] == [
        ("x [m]", "z [m]"),
        ("y [m]", "z [m]"),
        ("x [m]", "y [m]"),
    ]
    assert figure.get_suptitle() == "tip: 1,000 points, base floating, + the centre of mass"


def test_a_singularity_map_names_its_joints_and_its_scale(robot):
    shown = singularity_map(robot, "tip", ("shoulder", "elbow"), base="floating", rows=(3, 4))
    figure = plots.plot_singularity_map(shown)
    axes, scale = figure.axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("shoulder [deg]", "elbow [deg]")
    assert scale.get_ylabel() == "smallest singular value" and figure.legends[0].get_texts()[0].get_text() == "singular"
    figure = plots.plot_singularity_map(shown, values="manipulability", title="mine")
    assert figure.axes[1].get_ylabel() == "manipulability" and figure.get_suptitle() == "mine"


def test_path_dependence_is_shown_over_distance(robot):
    axes = plots.plot_path_dependence(path_dependence(robot, "tip", rows=(3, 4), samples=1000)).axes[0]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == ["depends on the path", "singular configurations found"]
