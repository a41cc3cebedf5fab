"""Figures from a log."""

from cardan.plots.figures import Panel as Panel
from cardan.plots.figures import draw_panels as draw_panels
from cardan.plots.figures import plot_log as plot_log
from cardan.plots.terminal import chart as chart
