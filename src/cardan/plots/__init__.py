"""Figures from a log."""

from cardan.plots.figures import Panel as Panel
from cardan.plots.figures import check_plotting as check_plotting
from cardan.plots.figures import close_figure as close_figure
from cardan.plots.figures import draw_panels as draw_panels
from cardan.plots.figures import plot_log as plot_log
from cardan.plots.figures import pyplot as pyplot
from cardan.plots.robotics import plot_path_dependence as plot_path_dependence
from cardan.plots.robotics import plot_singularity_map as plot_singularity_map
from cardan.plots.robotics import plot_workspace as plot_workspace
from cardan.plots.terminal import chart as chart
