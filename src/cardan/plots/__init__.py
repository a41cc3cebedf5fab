"""Figures from a log."""

from cardan.plots.figures import plot_log as plot_log
from cardan.plots.terminal import chart as chart
